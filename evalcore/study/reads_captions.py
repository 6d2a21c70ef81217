"""Does a system read captions? The concepts come from captions, so such a system sees part of the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evalcore.values.model import SystemLook
from evalcore.values.writing import listed

READS = "reads captions"
"""The remark wherever such a system is ranked."""


def reads_captions(name: str, looks: Mapping[str, SystemLook]) -> bool:
    """Whether a system reads captions, as ``reads`` of its table in ``study.toml`` says; False where nothing
    is said.

    A system put together of others (``rrf:A+B``) reads what any of them reads, ``@cosine:A`` what A does.
    Other rankings of the program's own (``@iou``) are marked as such elsewhere.

    >>> looks = {"tfidf": SystemLook(reads=("captions",)), "hog": SystemLook()}
    >>> [reads_captions(name, looks) for name in ("tfidf", "hog", "rrf:hog+tfidf", "@iou")]
    [True, False, True, False]
    """
    if name in looks:
        return "captions" in looks[name].reads
    kind, _, members = name.partition(":")
    if not members or (kind.startswith("@") and kind != "@cosine"):
        return False
    return any(reads_captions(member, looks) for member in members.split("+"))


def readers(names: Iterable[str], looks: Mapping[str, SystemLook]) -> list[str]:
    """Those of these systems that read captions, each once."""
    return [name for name in dict.fromkeys(names) if reads_captions(name, looks)]


def remark(name: str, looks: Mapping[str, SystemLook]) -> str:
    """`READS`, or ""."""
    return READS if reads_captions(name, looks) else ""


def describe(names: Iterable[str], looks: Mapping[str, SystemLook]) -> str:
    """What must be said beside a ranking of these systems; "" where none of them reads captions."""
    reading = readers(names, looks)
    if not reading:
        return ""
    verb, scores = ("reads", "its score is") if len(reading) == 1 else ("read", "their scores are")
    return f"{listed(reading)} {verb} captions. If the concepts were taken from captions, {scores} flattered."
