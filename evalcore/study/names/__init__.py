"""Readers of the names of concepts."""
