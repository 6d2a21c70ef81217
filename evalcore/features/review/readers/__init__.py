"""Judgments in the evaluation: as a relevance, and what automatic measures are held against."""
