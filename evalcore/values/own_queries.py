"""Queries that are not images, and which candidate each query was matched with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalcore.values.arrays import Bools, Ints, Offsets, places_of_pairs, position, rows_of

KINDS = ("image", "text", "report", "image+text")
"""What a query of ``queries.csv`` can be."""
OF_TEXT = ("text", "report")
"""Kinds without a picture."""
PAIRS = "pairs"
"""What matched pairs are called in measures: ``Recall(pairs)@5``."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OwnQueries:
    """What ``queries.csv`` says: ``rows`` image indices, ascending, with ``kinds`` and ``texts`` aligned."""

    rows: Ints
    kinds: tuple[str, ...]
    texts: tuple[str | None, ...]
    digest: str

    def kind_of(self, query: int) -> str:
        """The kind of a query by its image index; "image" for any that the file does not list."""
        return self.kinds[row] if (row := position(self.rows, query)) >= 0 else "image"

    def text_of(self, query: int) -> str | None:
        """The text of a query; None where it has none."""
        return self.texts[row] if (row := position(self.rows, query)) >= 0 else None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pairs:
    """Which images or texts belong together, by ``pairs.csv``: CSR by image index, both ways round.

    Those matched with i: ``matched[indptr[i]:indptr[i+1]]``, ascending.
    """

    indptr: Offsets
    matched: Ints
    digest: str

    def matches_of(self, image: int) -> Ints:
        """The image indices matched with one, ascending."""
        return self.matched[self.indptr[image] : self.indptr[image + 1]]

    @property
    def paired(self) -> Bools:
        """True for what is matched with anything, shape (n_images,)."""
        return np.diff(self.indptr) > 0

    def agree(self, queries: Ints, candidates: Ints) -> Bools:
        """For aligned pairs of image indices, shape (m,): are the two matched? -1 is matched with nothing."""
        return places_of_pairs(self.indptr, self.matched, queries, candidates) >= 0

    def count(self, queries: Ints, inside: Bools, *, include_self: bool) -> Offsets:
        """How many that are ``inside`` each query is matched with, shape (len(queries),)."""
        rows = rows_of(self.indptr)
        counts = inside[self.matched] & (include_self | (rows != self.matched))
        number: Offsets = np.bincount(rows[counts], minlength=len(self.indptr) - 1)
        return number[queries]


@dataclass(frozen=True, slots=True, eq=False)
class Direction:
    """Queries that look among the same candidates, such as ``image->text``: both as image indices."""

    name: str
    queries: Ints
    candidates: Ints
