"""Names of concepts found in captions: all of them at once, against looking phrase by phrase."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from evalcore.features.annotate.settings import AnnotateSettings
from evalcore.features.annotate.terms import dictionary
from evalcore.values.concept_values import NameTable
from tests.benchmarks.measuring import Row, compare

LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))
SETTINGS = AnnotateSettings(stop=())
PEER_NAMES, PEER_CAPTIONS = 2_000, 100


def rows(n_names: int, n_captions: int) -> Iterator[Row]:
    rng = np.random.default_rng(6)
    words = sorted({"".join(rng.choice(LETTERS, size)) for size in rng.integers(2, 12, 20_000)})
    # A few words are frequent, most are rare, as in any language.
    often = 1 / np.arange(1, len(words) + 1)
    often /= often.sum()

    def phrase(size: int) -> str:
        return " ".join(words[k] for k in rng.choice(len(words), size, p=often))

    names = sorted({phrase(size) for size in rng.integers(1, 6, n_names)})
    captions = [phrase(size) for size in rng.integers(5, 45, n_captions)]
    none = ("",) * len(names)
    concepts = tuple(f"C{k}" for k in range(len(names)))
    table = NameTable(concepts, tuple(names), none, none, np.zeros(len(names), np.bool_))
    ready = dictionary(table, SETTINGS)
    task = f"{len(names):,} names in {n_captions:,} captions"
    yield compare(
        task,
        "every phrase of a caption in a dictionary",
        lambda: [len([*ready.find(text)]) for text in captions],
        lambda: phrase_by_phrase(set(names), captions),
        goal=None,
        rounds=3,
        note="peer counts only: no places, accents or signs",
    )
    some, few = sorted(rng.choice(names, min(PEER_NAMES, len(names)), replace=False), key=len), PEER_CAPTIONS
    expression = re.compile(rf"\b(?:{'|'.join(map(re.escape, reversed(some)))})\b")
    yield compare(
        f"the same, names read anew: {task}",
        "one regular expression of all names",
        lambda: [len([*built.find(text)]) for built in [dictionary(table, SETTINGS)] for text in captions],
        lambda: [len(expression.findall(text)) for text in captions[:few]],
        goal=0.1,
        rounds=3,
        their_rounds=2,
        times=(len(names) / len(some)) * (n_captions / min(few, n_captions)),
        note=f"peer extrapolated from {len(some):,} names in {min(few, n_captions)} captions",
    )


def phrase_by_phrase(names: set[str], captions: list[str]) -> list[int]:
    """How many names each caption holds, the longest first at every word."""
    longest, counts = max(name.count(" ") + 1 for name in names), []
    for text in captions:
        words, at, n = text.lower().split(), 0, 0
        while at < len(words):
            for size in range(min(longest, len(words) - at), 0, -1):
                if " ".join(words[at : at + size]) in names:
                    n, at = n + 1, at + size - 1
                    break
            at += 1
        counts.append(n)
    return counts
