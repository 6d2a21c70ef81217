"""Readers of pictures."""
