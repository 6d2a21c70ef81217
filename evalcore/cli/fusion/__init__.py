"""``fuse`` and ``bounds``: systems put together, and how much there is to gain from them."""
