"""Intervals, paired tests and corrections: pure numpy, randomness comes in as a generator."""
