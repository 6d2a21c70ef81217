"""Text that came from a file, made harmless before it meets Markdown."""

from __future__ import annotations

import re
import unicodedata

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-!|~$:^=&\"'@/.])")
_JOINER = "\u2060"
"""Invisible and without width: parts what the page would otherwise read as one sign."""
_READ_AS_ONE = re.compile(
    r"(?<=:)(?=[\w/+-])|(?<=www)(?=\.)|(?<=\w)(?=@[\w-]+\.)|(?<=[-<>~=])(?=[-<>~=])", re.IGNORECASE
)
"""In plain text too the page makes links of addresses, pictures of ``:names:``, arrows of ``->``."""


def md_escape(text: str, *, limit: int | None = None) -> str:
    """Untrusted text as Markdown that shows exactly these characters, on one line.

    Every character Markdown, Streamlit's directives (``:red[...]``, ``:material/..:``) or maths could act
    on gets a backslash; addresses, emoji names and arrows are parted by an invisible joiner; control and
    direction-changing characters are dropped, line breaks become spaces. ``limit`` cuts at that many
    characters, with an ellipsis.

    Examples
    --------
    >>> md_escape("![x](h)")
    '\\\\!\\\\[x\\\\]\\\\(h\\\\)'
    >>> md_escape("a\\nb", limit=10), md_escape("abcdef", limit=4)
    ('a b', 'abc…')
    """
    parted = _READ_AS_ONE.sub(_JOINER, plain(text, limit=limit))
    return _MARKDOWN.sub(r"\\\1", parted)


def plain(text: str, *, limit: int | None = None) -> str:
    """The same text on one line, without control or direction-changing characters; not escaped."""
    one_line = " ".join(text.split())
    kept = one_line if one_line.isprintable() else "".join(c for c in one_line if not _hidden(c))
    return kept if limit is None or len(kept) <= limit else kept[: max(limit - 1, 0)].rstrip() + "…"


def _hidden(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn"}
