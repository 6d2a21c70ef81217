"""Judging results: task files, the database of judgments, and files that carry judgments."""
