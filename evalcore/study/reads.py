"""Does a system read captions? The concepts come from captions, so such a system sees part of the answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from evalcore.values.model import SystemLook

READS, PERHAPS = "reads captions", "reads captions?"
"""The remark wherever such a system is ranked: as ``study.toml`` says, or as its name suggests."""
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
        return any(reads_captions(member, looks) for member in members.split("+"))
    key = looks[name].key if name in looks else ""
    return any(_TEXT.search(text) for text in (name, key))


def readers(names: Iterable[str], looks: Mapping[str, SystemLook]) -> list[str]:
    """Those of these systems that read captions, each once."""
    return [name for name in dict.fromkeys(names) if reads_captions(name, looks)]


def remark(name: str, looks: Mapping[str, SystemLook]) -> str:
    """`READS`, `PERHAPS` where only the name says so, or "".

    >>> remark("caption-tfidf", {}), remark("hog", {})
    ('reads captions?', '')
    """
    if not reads_captions(name, looks):
        return ""
    members = name.removeprefix("@cosine:").partition(":")[2].split("+") if ":" in name else [name]
    inputs = [looks[system].reads for system in (name, *members) if system in looks]
    return READS if any("captions" in (reads or ()) for reads in inputs) else PERHAPS


def in_words(names: Iterable[str], looks: Mapping[str, SystemLook]) -> str:
    """What must be said beside a ranking of these systems; "" where none of them reads captions."""
    reading = readers(names, looks)
    sure = [name for name in reading if remark(name, looks) == READS]
    unsure = [name for name in reading if name not in sure]
    return " ".join(
        [*_sentences(sure), *_sentences(unsure, "Judging by its name, ", "Judging by their names, ")]
    )


def _sentences(names: list[str], singular: str = "", many: str = "") -> list[str]:
    """What such systems see, one of them or many; none for none."""
    if not names:
        return []
    if len(names) == 1:
        who, they = f"{singular}{names[0]} reads", "its score is flattered"
    else:
        who, they = f"{many}{', '.join(names[:-1])} and {names[-1]} read", "their scores are flattered"
    return [f"{who} captions. If the concepts were taken from captions, {they}."]
