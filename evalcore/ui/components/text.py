"""Text that came from a file, made harmless before it meets Markdown."""

from evalcore.markdown import md_escape, plain

__all__ = ["md_escape", "plain"]
