"""The page People."""
