"""Readers of what is said about the images: concepts, captions, labels, lists of ids."""
