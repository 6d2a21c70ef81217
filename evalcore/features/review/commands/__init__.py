"""``review``: tasks for readers who judge results blind, and what they said."""
