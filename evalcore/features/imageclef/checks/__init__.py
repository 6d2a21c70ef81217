"""What every submission is checked for: rows, rules, the check of 2026, and what is mended."""
