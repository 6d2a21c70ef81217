"""The study folder: which file is what, and its parts read one after the other."""
