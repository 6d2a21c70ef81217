"""Systems under metrics as a table for a paper: best in bold, marks of significance, a bound, a caption.

A value first; `latex` and `markdown` write it down.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

from evalcore.evaluate.ceilings import ceiling_of
from evalcore.evaluate.comparison import compare_all
from evalcore.exports.caption import caption_of
from evalcore.stats.correction import CLEAR

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcore.model import Comparison, Interval, Scores, Study
    from evalcore.settings import Correction, Settings

PLACES = 3
HIGHER, LOWER, NOTHING = "†", "‡", "–"


@dataclass(frozen=True, slots=True)
class BoardCell:
    """One system under one metric, as it is written.

    ``mean`` and ``interval`` (both ends) with `PLACES` decimals, "–" and "" without a value; ``best``: no
    mean of the column is written higher; ``mark``: `HIGHER` or `LOWER` than what it is compared with, or "".
    """

    mean: str
    interval: str
    best: bool
    mark: str


@dataclass(frozen=True, slots=True)
class Board:
    """``cells[row][column]`` of systems and metrics; ``bound`` by column, () where no list is too short."""

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    cells: tuple[tuple[BoardCell, ...], ...]
    bound: tuple[str, ...]
    caption: tuple[str, ...]
    baseline: str | None


def against_best(
    scores: Sequence[Scores], intervals: Sequence[Interval], *, settings: Settings, level: float = 0.95,
    seed: int = 0, correction: Correction = "holm",
) -> tuple[Comparison, ...]:  # fmt: skip
    """Every other system against the best of each metric; p is corrected over all of them together.

    ``intervals`` are aligned with the scores; of systems whose means are equal the first is the best. A
    metric without any value is not compared.
    """
    pairs = []
    for metric in dict.fromkeys(one.metric for one in scores):
        column = [
            (one, mean.mean)
            for one, mean in zip(scores, intervals, strict=True)
            if one.metric == metric and not isnan(mean.mean)
        ]
        if column:
            best = max(column, key=lambda pair: pair[1])[0]
            pairs += [(best, one) for one, _ in column if one is not best]
    return compare_all(pairs, settings=settings, level=level, seed=seed, correction=correction)


def board_of(
    study: Study, scores: Sequence[Scores], intervals: Sequence[Interval], comparisons: Sequence[Comparison],
    *, baseline: str | None, settings: Settings, queries: str = "all", notes: Sequence[str] = (),
) -> Board:  # fmt: skip
    """The table of scores and their intervals (aligned), marked by comparisons with the
    baseline, or with the best of each metric (`against_best`) where there is none.

    Rows and columns come in the order of the scores. Where lists are too short for 1, ``bound`` holds the
    highest mean they allow: one number, or a range where the lists of the systems differ in length.
    ``notes``: sentences for the caption.
    """
    systems = tuple(dict.fromkeys(one.system for one in scores))
    metrics = tuple(dict.fromkeys(one.metric for one in scores))
    means = {(s.system, s.metric): mean for s, mean in zip(scores, intervals, strict=True)}
    marks = {(one.system, one.metric): _mark(one) for one in comparisons}
    top = {metric: _highest(means[name, metric].mean for name in systems) for metric in metrics}
    cells = tuple(
        tuple(_cell(means[name, metric], top[metric], marks.get((name, metric), "")) for metric in metrics)
        for name in systems
    )
    bound = _bound(scores, metrics, settings)
    caption = caption_of(
        study, scores, intervals, comparisons, baseline=baseline, settings=settings, queries=queries,
        bound=bool(bound), notes=notes,
    )  # fmt: skip
    return Board(systems, metrics, cells, bound, caption, baseline)


def _cell(mean: Interval, top: str, mark: str) -> BoardCell:
    if isnan(mean.mean):
        return BoardCell(NOTHING, "", best=False, mark="")
    ends = "" if isnan(mean.low) else f"{mean.low:.{PLACES}f}–{mean.high:.{PLACES}f}"
    written = f"{mean.mean:.{PLACES}f}"
    return BoardCell(written, ends, written == top, mark)


def _highest(means: Iterable[float]) -> str:
    """The highest mean as it is written; "" where there is none."""
    found = [mean for mean in means if not isnan(mean)]
    return f"{max(found):.{PLACES}f}" if found else ""


def _mark(one: Comparison) -> str:
    if not one.p_corrected < CLEAR or one.difference == 0:
        return ""
    return HIGHER if one.difference > 0 else LOWER


def _bound(scores: Sequence[Scores], metrics: Sequence[str], settings: Settings) -> tuple[str, ...]:
    """The highest mean that lists of these lengths allow, by metric; nothing where no list is too short."""
    by_metric = {
        metric: [ceiling_of(one, settings) for one in scores if one.metric == metric] for metric in metrics
    }
    if not any(top is not None for tops in by_metric.values() for top in tops):
        return ()
    return tuple(_range([1.0 if top is None else top for top in tops]) for tops in by_metric.values())


def _range(tops: Sequence[float]) -> str:
    low, high = f"{min(tops):.{PLACES}f}", f"{max(tops):.{PLACES}f}"
    return low if low == high else f"{low}–{high}"
