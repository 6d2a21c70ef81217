"""A study: opened from its folder, how much of it is there, and its concepts by name."""

from evalcore.study.study import open_study

__all__ = ["open_study"]
