"""What ``compare`` prints: systems with ranks and letters, comparisons, mean ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcore.cli.columns import WINS, difference_of, means_of, p_values_of
from evalcore.cli.comparisons import MORE_FLIPS, about_size
from evalcore.cli.emit import Column, Table, also, named
from evalcore.cli.output import about, decimals, plain, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.evaluate.pairs.critical import MeanRanks
    from evalcore.evaluate.pairs.equals import Equals
    from evalcore.evaluate.pairs.ranks import RankInterval
    from evalcore.values.model import Comparison, Interval, Scores, Study


class SystemRow(NamedTuple):
    """One system under one metric; without rank and letters where only two are compared."""

    scores: Scores
    mean: Interval
    rank: RankInterval | None
    letters: str


class Group(NamedTuple):
    """Systems that are not told apart under one metric."""

    metric: str
    letter: str
    systems: tuple[str, ...]
    level: float


def systems_table(
    scores: Sequence[Scores], intervals: Sequence[Interval], ranks: Sequence[RankInterval],
    equals: Sequence[tuple[str, Equals]],
) -> Table:  # fmt: skip
    """Rows as given, or metric by metric and best first where there are ranks and groups of equals."""
    by_rank = {(one.system, one.metric): one for one in ranks}
    letters = {
        (name, metric): text
        for metric, found in equals
        for name, text in zip(found.systems, found.letters, strict=True)
    }
    rows = [
        SystemRow(one, mean, by_rank.get(key := (one.system, one.metric)), letters.get(key, ""))
        for one, mean in zip(scores, intervals, strict=True)
    ]
    place = {key: i for i, key in enumerate(letters)}
    rows.sort(key=lambda row: place.get((row.scores.system, row.scores.metric), 0))
    return Table(rows, (*_SYSTEMS, *(_RANKS if ranks else ())))


def _rank_ends(row: SystemRow) -> str:
    assert row.rank is not None, "ranks are shown for all or none"
    return "-" if row.rank.low != row.rank.low else f"[{row.rank.low:g}, {row.rank.high:g}]"


_SYSTEMS = (
    *means_of(Column("n_scored", "scores.n_scored", "n", whole)),
    Column("missing", "scores.missing", "missing", whole),
    Column("seed", "mean.seed"),
)
_RANKS = (
    Column("rank", "rank.rank", "rank", "{:g}".format),
    also("its interval", _rank_ends),
    Column("rank_low", "rank.low"),
    Column("rank_high", "rank.high"),
    Column("rank_expected", "rank.expected"),
    Column("rank_first", "rank.first", "first", lambda share: decimals(share, 2)),
    Column("rank_n", "rank.n"),
    Column("letters", head="equals"),
)


def equals_table(equals: Sequence[tuple[str, Equals]]) -> Table:
    """The groups of equals, each with its letter."""
    from evalcore.evaluate.pairs.equals import letter

    rows = [
        Group(metric, letter(place), members, one.level)
        for metric, one in equals
        for place, members in enumerate(one.groups)
    ]
    return Table(rows, named("metric", "letter", "systems", "level"))


def comparisons_table(
    found: Sequence[Comparison], *, method: str, grouped_by: str, smallest: float | None
) -> Table:
    """Differences; the correction stands above its p. ``method``: of their intervals."""

    def how(one: Comparison) -> str:
        return method + (f" by {grouped_by} ({one.n_groups:,} groups)" if one.n_groups else "")

    correction = found[0].correction
    columns = (
        Column("system", head="system"),
        Column("baseline", head="minus"),
        Column("metric", head="metric"),
        *difference_of(),
        Column("ci_level", "level"),
        Column("ci_method", how),
        *p_values_of(correction),
        *(one._replace(name=one.head or "") for one in WINS),
    )
    return Table(found, (*columns, *about_size(smallest)))


def shown(
    study: Study, systems: Table, comparisons: Table, ranks: Sequence[RankInterval], *, everyone: bool
) -> Iterator[str | Table]:
    """For people: systems, then comparisons, each with the method above."""
    from evalcore.evaluate.comparison import at_the_floor, over_what

    first: SystemRow = systems.rows[0]
    yield about(study, len(first.scores.queries), first.mean)
    yield systems
    yield "missing: not answered, counted 0."
    if everyone:
        yield from _about_ranks(ranks)
    one: Comparison = comparisons.rows[0]
    over = over_what(comparisons.rows)
    yield f"\n{one.test}, {one.n_resamples:,} flips, seed {one.seed}; {over}."
    if floor := at_the_floor(comparisons.rows, more=MORE_FLIPS):
        yield floor
    yield comparisons


def _about_ranks(ranks: Sequence[RankInterval]) -> Iterator[str]:
    """What rank, first and equals mean, and over which queries."""
    one = ranks[0]
    yield (
        f"rank: by the mean, over {one.n:,} queries with a value under every system ({one.left_out:,} others "
        f"left out); its interval and first (share of resamples that put it first): {one.method}, "
        f"{one.n_resamples:,} resamples, seed {one.seed}."
    )
    yield (
        "equals: systems that share a letter do not differ clearly (corrected p >= .05), which does not "
        "prove them equal."
    )


def mean_ranks_document(found: MeanRanks) -> dict[str, Any]:
    """For JSON."""
    from evalcore.evaluate.pairs.critical import CAVEAT

    return {
        "metric": found.metric, "n_queries": found.n, "n_ranked": found.n_blocks, "left_out": found.left_out,
        "grouped_by": found.grouped_by, "statistic": found.statistic, "p": found.p, "level": found.level,
        "critical_difference": found.distance,
        "systems": [
            {"system": name, "mean_rank": rank}
            for name, rank in zip(found.systems, found.mean_ranks, strict=True)
        ],
        "groups": [list(group) for group in found.groups], "caveat": CAVEAT,
    }  # fmt: skip


def shown_mean_ranks(found: MeanRanks) -> Iterator[str | Table]:
    """For people: Friedman's test, the critical difference, the mean ranks, and what to beware of."""
    from evalcore.evaluate.pairs.critical import CAVEAT
    from evalcore.evaluate.pairs.equals import letter

    each = (
        f", the means of {found.n_blocks:,} groups by {plain(found.grouped_by)}" if found.grouped_by else ""
    )
    yield (
        f"\nMean ranks under {plain(found.metric)} over {found.n:,} queries{each} ({found.left_out:,} left "
        f"out): Friedman {decimals(found.statistic, 2)}, p {found.p:.2g}; critical difference "
        f"{decimals(found.distance)} (Nemenyi, {found.level:g})."
    )
    letters = {
        name: "".join(letter(i) for i, group in enumerate(found.groups) if name in group)
        for name in found.systems
    }
    rows = list(zip(found.systems, found.mean_ranks, letters.values(), strict=True))
    yield Table(rows, _MEAN_RANKS)
    yield CAVEAT


_MEAN_RANKS = (
    also("system", lambda row: row[0]),
    also("mean rank", lambda row: row[1], decimals),
    also("within the distance", lambda row: row[2]),
)
