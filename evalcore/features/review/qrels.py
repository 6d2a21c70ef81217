"""Judgments as relevance judgments of trec_eval: one whole grade for each query and image."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median_low
from typing import TYPE_CHECKING

from evalcore.features.review.judgments import current
from evalcore.values.errors import InputError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcore.features.review.judgments import Judgment


@dataclass(frozen=True, slots=True)
class Qrels:
    """``rows``: (query, image, grade), by query and image; the others are counted.

    ``cannot_say``: judgments without a value; ``simulated``: made by the program, never written.
    ``several``: rows that rest on more than one reader; ``settled``: on a decision between readers.
    """

    rows: tuple[tuple[str, str, int], ...]
    readers: tuple[str, ...]
    several: int
    settled: int
    cannot_say: int
    simulated: int

    @property
    def spaced(self) -> str | None:
        """The first image id that holds a space, which qrels cannot; None where none does."""
        return next((one for row in self.rows for one in row[:2] if len(one.split()) != 1), None)

    def lines(self) -> Iterator[str]:
        """As trec_eval reads them; InputError for an id with a space."""
        if self.spaced is not None:
            message = f"The image id {self.spaced!r} holds a space, which qrels cannot."
            raise InputError(f"{message} Write a .csv file instead.")
        for query, image, grade in self.rows:
            yield f"{query} 0 {image} {grade}\n"


def qrels_of(judgments: Iterable[Judgment], *, grades: int, reader: str | None = None) -> Qrels:
    """The grades 0 to ``grades`` of single results.

    Of several readers the median counts, between two grades the lower one: no image is more relevant than
    half of its readers say at least. What was settled between readers counts in their place. With ``reader``
    it is what this one said, and nothing else. UnknownName when that reader judged no result.
    """
    graded = [one for one in current(judgments) if one.kind == "graded"]
    given = [one for one in graded if not one.simulated]
    if reader is not None:
        known = {one.reader for one in given}
        if reader not in known:
            raise UnknownName("reader who judged single results", reader, known)
        given = [one for one in given if one.reader == reader and not one.adjudicated]
    told = [((one.query, one.result), one.value, one.adjudicated) for one in given if one.value is not None]
    decided = {of: value for of, value, settled in told if settled}
    values: dict[tuple[str, str], list[float]] = {}
    for of, value, settled in told:
        if not settled:
            values.setdefault(of, []).append(value)
    final = {of: median_low(said) for of, said in values.items()} | decided
    return Qrels(
        rows=tuple((*of, int(value * grades + 0.5)) for of, value in sorted(final.items())),
        readers=tuple(sorted({one.reader for one in given})),
        several=sum(len(said) > 1 for of, said in values.items() if of not in decided),
        settled=len(decided),
        cannot_say=sum(one.value is None for one in given),
        simulated=sum(one.simulated for one in graded),
    )
