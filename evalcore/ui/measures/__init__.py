"""The Measures page: which measure to trust."""
