"""Trained encoders from local folders, each library behind the optional extra ``embed``."""
