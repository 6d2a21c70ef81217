"""Text that goes into figures and their sentences: escaped, shortened, wrapped."""

from __future__ import annotations

import textwrap
from html import escape


def safe(text: object) -> str:
    """Data as text that plotly shows literally (its text fields understand ``<b>``, ``<a>``, ``&lt;``)."""
    return escape(str(text), quote=False)


def upper_first(text: str) -> str:
    """The text as a sentence begins, all but its first letter as it is (unlike `str.capitalize`)."""
    return text[:1].upper() + text[1:]


def short(text: str, width: int) -> str:
    """At most ``width`` characters, the middle left out: both ends of an id or a name tell it apart."""
    if len(text) <= width:
        return text
    tail = (width - 1) // 3
    return f"{text[: width - 1 - tail].rstrip()}…{text[-tail:].lstrip() if tail else ''}"


def wrapped(text: str, width: int, *, lines: int = 3) -> str:
    """Escaped text broken at words into at most ``lines`` lines of about ``width`` characters; a longer
    word (up to 10 more) widens the lines rather than being cut."""
    longest_word = max((len(word) for word in text.split()), default=0)
    width = max(width, min(longest_word, width + 10))
    rows = textwrap.wrap(text, width, max_lines=lines, placeholder=" …", break_on_hyphens=False) or [""]
    return "<br>".join(safe(row) for row in rows)
