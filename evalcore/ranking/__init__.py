"""Measures of a ranked list: the one tie rule, gains, and the measures."""
