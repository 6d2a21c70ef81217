"""Readers of embeddings."""
