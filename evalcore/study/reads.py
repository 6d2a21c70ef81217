"""Does a system read captions? The concepts come from captions, so such a system sees part of the answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evalcore.model import SystemLook

READS = "reads captions"
"""The remark wherever such a system is ranked."""
_TEXT = re.compile(
    r"(?:^|[^a-z])"
    r"(?:captions?|text|txt|tf[-_ ]?idf|bm25|lsa|[a-z]*bert|word2vec|doc2vec|reports?)"
    r"(?:[^a-z]|$)",
    re.IGNORECASE,
)
"""Words in names of systems that work on text."""


def reads_captions(name: str, looks: Mapping[str, SystemLook]) -> bool:
    """Whether a system reads captions: as ``study.toml`` says (``reads``), else whether its name speaks of
    text.

    A system put together of others (``rrf:A+B``) reads what any of them reads. Rankings of the program's own
    (``@iou``) are marked as such elsewhere.

    >>> [reads_captions(name, {}) for name in ("caption-tfidf", "context_cnn", "rrf:hog+bm25")]
    [True, False, True]
    """
    if name in looks and looks[name].reads is not None:
        return "captions" in (looks[name].reads or ())
    how, colon, members = name.partition(":")
    if name.startswith("@"):
        return how == "@cosine" and bool(colon) and reads_captions(members, looks)
    if colon:
        return any(reads_captions(one, looks) for one in members.split("+"))
    key = looks[name].key if name in looks else ""
    return any(_TEXT.search(text) for text in (name, key))


def readers(names: Iterable[str], looks: Mapping[str, SystemLook]) -> list[str]:
    """Those of these systems that read captions, each once."""
    return [name for name in dict.fromkeys(names) if reads_captions(name, looks)]


def in_words(names: Iterable[str], looks: Mapping[str, SystemLook]) -> str:
    """What must be said beside a ranking of these systems; "" where none of them reads captions."""
    found = readers(names, looks)
    if not found:
        return ""
    one = len(found) == 1
    who = " and ".join([", ".join(found[:-1]), found[-1]] if not one else found)
    return (
        f"{who} {'reads' if one else 'read'} captions. The concepts come from the captions, so "
        f"{'it sees' if one else 'they see'} part of the answer."
    )
