"""The overview: which system is best, and how sure that is."""
