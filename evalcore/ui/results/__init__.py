"""The results: which system is best, how sure that is, and where systems differ."""
