"""What surrounds every page: set-up, sidebar, address, open study, caches, background work."""
