"""``compare`` and ``overlap``: many systems at once."""
