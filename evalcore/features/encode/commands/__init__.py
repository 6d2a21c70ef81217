"""``embed``: pictures and captions to vectors."""
