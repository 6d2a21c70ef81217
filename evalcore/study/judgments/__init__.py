"""Judgments that others made: files of a study."""
