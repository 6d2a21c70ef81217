"""Words of a text as they are compared, each with its place in the text as it is written.

Case, accents and width do not count; hyphens and spaces are the same, as are "Crohn's" and "Crohn". A letter
that becomes several (ß, ﬁ) or none (a combining accent) shifts nothing: every word keeps the places of the
letters it came from.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

_HYPHENS = r"\-\u2010-\u2014\u2212_"
_SPLIT = re.compile(rf"['’]s\b|[^\W_]+|[^\w\s{_HYPHENS}]")
_WHOLE = re.compile(r"['’]s\b|[^\W_]+|[^\w\s]|_")
_JOIN = re.compile(rf"(?<=\w)[{_HYPHENS}](?=\w)")

_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Soft hyphen and signs without width: they stand within words."""


class Word(NamedTuple):
    """``text`` as it is compared, a word or one sign, and where it stands in the text as it is written."""

    text: str
    start: int
    end: int


def words_of(text: str, *, hyphens: bool = True) -> list[Word]:
    """The words and signs of a text; ``hyphens`` False keeps hyphens as signs of their own.

    >>> [(word.text, word.start, word.end) for word in words_of("Große X-ray, Crohn's")]
    [('grosse', 0, 5), ('x', 6, 7), ('ray', 8, 11), (',', 11, 12), ('crohn', 13, 18)]
    """
    pattern = _SPLIT if hyphens else _WHOLE
    if text.isascii():
        return [
            Word(found[0], found.start(), found.end())
            for found in pattern.finditer(text.lower())
            if found[0] != "'s"
        ]
    folded, places = _placed(text)
    return [
        Word(found[0], places[found.start()], _end_of(text, places, found.end()))
        for found in pattern.finditer(folded)
        if found[0] not in ("'s", "’s")
    ]


def key_of(name: str, *, hyphens: bool = True) -> str:
    """A name as it is compared: its words with single spaces between them.

    >>> key_of("Tomography, X-Ray  Computed"), key_of("Ménière's")
    ('tomography , x ray computed', 'meniere')
    """
    pattern = _SPLIT if hyphens else _WHOLE
    folded = name.lower() if name.isascii() else "".join(map(_folded, name))
    return " ".join(word for word in pattern.findall(folded) if word not in ("'s", "’s"))


def joined(name: str) -> str:
    """The name with its hyphens closed up, as ``xray`` for ``x-ray``."""
    return _JOIN.sub("", name)


@lru_cache(maxsize=4096)
def _folded(letter: str) -> str:
    """One letter as it is compared: none, one or several."""
    if unicodedata.combining(letter) or letter in _INVISIBLE:
        return ""
    parts = unicodedata.normalize("NFKD", letter.casefold()).casefold()
    kept = "".join(one for one in parts if not unicodedata.combining(one))
    # ½ and ™ stay signs: a word must not begin or end within a letter of the text.
    return kept if kept.isalnum() and unicodedata.category(letter)[0] != "S" else letter


def _placed(text: str) -> tuple[str, list[int]]:
    """The folded text, and for each of its letters the place of the letter it came from."""
    parts = [_folded(letter) for letter in text]
    places = [place for place, part in enumerate(parts) for _ in part]
    return "".join(parts), places


def _end_of(text: str, places: list[int], end: int) -> int:
    """Behind the last letter of a word, and behind the accents that belong to it."""
    last = places[end - 1] + 1
    while last < len(text) and not _folded(text[last]):
        last += 1
    return last
