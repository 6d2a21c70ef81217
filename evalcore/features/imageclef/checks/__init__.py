"""What every submission is checked for: rows, rules, and the check of 2026."""
