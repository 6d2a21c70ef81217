"""``synthetic``: machine-generated images against real ones."""
