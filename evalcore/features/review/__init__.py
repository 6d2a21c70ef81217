"""Judging results: tasks, who judges what, and what was said."""
