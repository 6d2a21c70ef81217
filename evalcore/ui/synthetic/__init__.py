"""The page Synthetic."""
