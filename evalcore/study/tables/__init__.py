"""What every reader stands on: bytes, lines, columns, ids and numbers, and how problems are reported."""
