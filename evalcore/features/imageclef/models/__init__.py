"""Trained models that some caption metrics need: where they lie, loading and running them."""
