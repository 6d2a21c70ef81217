"""Trained encoders from local folders, each library behind the extra ``models``."""
