"""Columns that tables of several commands share: means of systems, differences, and tests of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcore.cli.emit import Column, also, ends
from evalcore.cli.output import decimals, signed, whole

if TYPE_CHECKING:
    from evalcore.values.model import Interval, Scores


class Scored(NamedTuple):
    """A system under a metric, and its mean: what `means_of` reads."""

    scores: Scores
    mean: Interval


def means_of(*n: Column) -> tuple[Column, ...]:
    """A mean and how it came about; ``n``: over how many queries, as the table counts them."""
    return (
        Column("system", "scores.system", "system"),
        Column("metric", "scores.metric", "metric"),
        Column("mean", "mean.mean", "mean", decimals),
        *ends("mean."),
        Column("ci_level", "mean.level"),
        Column("ci_method", "mean.method"),
        Column("n_queries", "scores.n_queries"),
        *n,
        Column("n_undefined", "scores.n_undefined", "undefined", whole),
    )


def difference_of(of: str = "") -> tuple[Column, ...]:
    """The difference of a comparison, which the row is, or has as ``of`` (``found.``)."""
    return (Column("difference", f"{of}difference", "difference", signed), *ends(of))


def p_values_of(correction: str, of: str = "", *, n: str | None = "n") -> tuple[Column, ...]:
    """Its p, before and after the correction; ``n``: above the number of pairs, None to leave them out."""
    return (
        Column("p", f"{of}p", "p", decimals),
        Column("p_corrected", f"{of}p_corrected", f"p ({correction})", decimals),
        Column("correction", f"{of}correction"),
        Column("family", f"{of}family"),
        Column("n_family", f"{of}n_family"),
        Column("test", f"{of}test"),
        Column("n_pairs", f"{of}n_pairs", n, whole),
        Column("n_resamples", f"{of}n_resamples"),
        Column("seed", f"{of}seed"),
    )


WINS = (also("better", "wins", whole), also("equal", "ties", whole), also("worse", "losses", whole))
"""Queries on which a system is better than the baseline, equal and worse."""
