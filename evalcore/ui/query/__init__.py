"""The Query page: what each system returned for one image, and why it counts."""
