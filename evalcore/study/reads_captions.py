"""Does a system read captions? The concepts come from captions, so such a system sees part of the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evalcore.values.writing import listed

READS = "reads captions"
"""The remark wherever such a system is ranked."""


def reads_captions(name: str, reads: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether a system reads captions, as ``Study.reads`` says; False where nothing
    is said.

    A system put together of others (``rrf:A+B``) reads what any of them reads, ``@cosine:A`` what A does.
    Other rankings of the program's own (``@iou``) are marked as such elsewhere.

    >>> reads = {"tfidf": ("captions",), "hog": ()}
    >>> [reads_captions(name, reads) for name in ("tfidf", "hog", "rrf:hog+tfidf", "@iou")]
    [True, False, True, False]
    """
    if name in reads:
        return "captions" in reads[name]
    kind, _, members = name.partition(":")
    if not members or (kind.startswith("@") and kind != "@cosine"):
        return False
    return any(reads_captions(member, reads) for member in members.split("+"))


def readers(names: Iterable[str], reads: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Those of these systems that read captions, each once."""
    return [name for name in dict.fromkeys(names) if reads_captions(name, reads)]


def remark(name: str, reads: Mapping[str, tuple[str, ...]]) -> str:
    """`READS`, or ""."""
    return READS if reads_captions(name, reads) else ""


def describe(names: Iterable[str], reads: Mapping[str, tuple[str, ...]]) -> str:
    """What must be said beside a ranking of these systems; "" where none of them reads captions."""
    reading = readers(names, reads)
    if not reading:
        return ""
    verb, scores = ("reads", "its score is") if len(reading) == 1 else ("read", "their scores are")
    return f"{listed(reading)} {verb} captions. If the concepts were taken from captions, {scores} flattered."
