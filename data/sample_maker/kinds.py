"""Which kind each concept of the sample has: by the root of the graph it lies below, views by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

ROOTS = {
    "C0011923": "modality",  # diagnostic imaging
    "C1515976": "anatomy",  # anatomical structure
    "C0012634": "finding",  # disease
    "C0006663": "finding",  # pathologic calcification
    "C0010709": "finding",  # cyst
    "C0019080": "finding",  # hemorrhage
}
VIEWS = ("C0205129", "C1996865", "C1999039")
"""Sagittal, postero-anterior, anterior-posterior: the graph does not know them."""


def kinds_of(concepts: Iterable[str], edges: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """(concept, kind) of each concept, by the edges child -> parent; KeyError for one below no root."""
    parents: dict[str, list[str]] = {}
    for child, parent in edges:
        parents.setdefault(child, []).append(parent)
    for concept in concepts:
        if concept in VIEWS:
            yield concept, "plane"
            continue
        above = [concept]
        for one in above:
            above += [parent for parent in parents.get(one, ()) if parent not in above]
        found = {ROOTS[one] for one in above if one in ROOTS}
        if len(found) != 1:
            raise KeyError(concept)
        yield concept, found.pop()
