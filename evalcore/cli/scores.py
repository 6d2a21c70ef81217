"""``score``: systems under metrics, with intervals and comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalcore.cli.asked import on_study
from evalcore.cli.columns import WINS, Scored, difference_of, means_of, p_values_of
from evalcore.cli.comparing import compared, facts, over_queries
from evalcore.cli.comparisons import MORE_FLIPS, How, about_size, only_with_baseline, smallest_difference
from evalcore.cli.emit import Column, Table, also, named, titled
from evalcore.cli.options import ALL, corrected, with_flips, with_level, with_metrics, with_seed, with_systems
from evalcore.cli.output import (
    TEXT_FILE,
    about,
    decimals,
    few,
    is_taken,
    plain,
    progress_line,
    whole,
    write_table,
)
from evalcore.cli.same_group import facts as group_facts
from evalcore.cli.same_group import owed_lines
from evalcore.cli.scoring import of_seeds, slices, tables
from evalcore.cli.scoring import runs as given_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.asked import Asked
    from evalcore.cli.scoring.tables import Home
    from evalcore.values.model import Comparison, Scores, Study
    from evalcore.values.settings import Correction


@on_study(*ALL, cluster=True)
@with_metrics
@with_systems
@click.option(
    "--baseline",
    metavar="S",
    help="Compare every other system with this one, query by query. Default: that of study.toml.",
)
@click.option("--by", "ways", multiple=True, metavar="COLUMN", help=slices.BY_HELP)
@click.option("--per-query", type=TEXT_FILE, metavar="FILE.csv", help="Write the value of every query.")
@given_runs.with_given_runs
@over_queries
@with_level
@with_seed("Seed of resamples and flips.")
@corrected
@with_flips
@smallest_difference
@tables.to_take_home
def score(
    asked: Asked, metrics: Sequence[str], systems: Sequence[str], baseline: str | None, ways: Sequence[str],
    per_query: str | None, which: str | None, level: float, seed: int, correction: Correction, flips: int,
    smallest: float | None, home: Home, runs: dict[str, str],
) -> None:  # fmt: skip
    """Score the systems of STUDY: mean, interval, queries, undefined.

    Intervals: bootstrap over queries, 2,000 resamples (--interval). Comparisons: paired permutation test by
    sign flips (--flips), corrected over all comparisons shown (--correction). A study with errors is not
    scored: the errors are listed and the exit code is 2; --unknown zero|drop accepts unknown ids.
    """
    from evalcore.evaluate import leaderboard, owed, summarise_all
    from evalcore.evaluate import score as score_systems
    from evalcore.evaluate.ceilings import ceiling_of
    from evalcore.evaluate.summary import method_of_differences
    from evalcore.evaluate.systems import name_of
    from evalcore.study.reads import in_words, readers

    asked = given_runs.asked_with(asked, runs)
    opened, settings = asked.study, asked.settings
    baseline = baseline or opened.baseline or None
    only_with_baseline(baseline, correction=correction, smallest=smallest, flips=flips, tables=home.wanted)
    names = tuple(name_of(opened, one) for one in systems) or opened.systems
    baseline = name_of(opened, baseline) if baseline else None
    if baseline and baseline not in names:
        names = (baseline, *names)
    over, limited = compared(asked, names, which)
    scores = score_systems(
        limited, metrics=metrics, systems=names, settings=settings, progress=progress_line()
    )
    intervals = summarise_all(scores, settings=settings, level=level, seed=seed)
    how = How(baseline, settings, level, seed, correction, flips)
    comparisons = leaderboard(scores, **how._asdict()) if baseline else ()
    own = owed(limited, scores, settings=settings, n_resamples=flips)
    if per_query:
        header = ("query", "system", "metric", "value", "reason")
        write_table(per_query, header, _per_query(opened, scores))
    parts = slices.sliced(limited, scores, ways, how) if ways else None
    tables.write(home, limited, scores, intervals, comparisons, how, over.found, parts)
    if is_taken():
        return
    pairs = list(map(Scored, scores, intervals))
    method = method_of_differences(settings) + _by_groups(scores, comparisons)
    found = Table(pairs, (*_SCORES, *of_seeds.columns(scores, settings)))
    differences = Table(comparisons, (*_compared(comparisons, method), *about_size(smallest)))
    ceilings = Table(
        [(one, top) for one in scores if (top := ceiling_of(one, settings)) is not None], _CEILINGS
    )
    document = {
        **asked.facts(), "scores": found,
        "comparisons": differences, "counts": Table(scores, _COUNTS), **facts(over.found),
        **given_runs.facts(opened, runs),
        **({"reads_captions": reading} if (reading := readers(names, opened.looks)) else {}),
        **group_facts(limited, own), **({"ceilings": ceilings} if ceilings.rows else {}),
    }  # fmt: skip
    shown = [
        *over.lines(), *_shown(opened, found, differences, method), *_limited(ceilings),
        *([plain(said)] if (said := in_words(names, opened.looks)) else []),
        *of_seeds.lines(scores), *owed_lines(limited, own),
    ]  # fmt: skip
    means = [one.n_independent for one in intervals]
    pairs_compared = [one.n_independent for one in comparisons]
    if parts is not None:
        document["slices"], document["slice_comparisons"] = slices.tables(parts, method)
        shown += slices.shown(parts, method)
        means += [row.mean.n_independent for row in parts.means]
        pairs_compared += [row.found.n_independent for row in parts.differences]
    asked.emit(document, [*shown, *few(means, settings, differences=pairs_compared)])


_SCORES = (
    *means_of(also("n", "mean.n", whole), Column("n_scored", "scores.n_scored")),
    also("missing", "scores.missing", whole),
    also("short", "scores.short", whole),
    also("tied", "scores.tied", whole),
    Column("seed", "mean.seed"),
)
_COUNTS = (
    *named("system", "metric", "missing", "short", "tied"),
    Column("undefined", lambda one: one.undefined_by_reason()),
)


_CEILINGS = (
    Column("system", lambda pair: pair[0].system, "system"),
    Column("metric", lambda pair: pair[0].metric, "metric"),
    Column("ceiling", lambda pair: pair[1], "at most", decimals),
)


def _by_groups(scores: Sequence[Scores], comparisons: Sequence[Comparison]) -> str:
    """Whether intervals of differences come from whole groups of queries."""
    groups = [one.n_groups for one in comparisons if one.n_groups]
    return f" by {scores[0].grouped_by} ({max(groups):,} groups)" if groups else ""


def _compared(comparisons: Sequence[Comparison], method: str) -> tuple[Column, ...]:
    """Columns of differences; the correction stands above its p."""
    correction = comparisons[0].correction if comparisons else ""
    return (
        *named("baseline"),
        *titled("system", "metric"),
        *difference_of(),
        Column("ci_method", lambda _: method),
        *p_values_of(correction),
        *WINS,
    )


def _shown(study: Study, found: Table, compared: Table, method: str) -> Iterator[str | Table]:
    from evalcore.evaluate.comparison import at_the_floor, over_what

    scores, first = found.rows[0]
    yield about(study, len(scores.queries), first)
    yield found
    yield "missing: not answered, counted 0; short: fewer than K results; tied: rank K shares its score."
    if compared.rows:
        other = "" if method == first.method else f" Intervals of differences: {method}."
        against = compared.rows[0]
        yield (
            f"\nAgainst {plain(against.baseline)}: {against.test}, seed {first.seed}; "
            f"{over_what(compared.rows)}.{other}"
        )
        if floor := at_the_floor(compared.rows, more=MORE_FLIPS):
            yield floor
        yield compared


def _limited(ceilings: Table) -> Iterator[str | Table]:
    """How good lists of these lengths could be at most, where that is below 1."""
    if ceilings.rows:
        yield "\nThe lists are too short for 1: what a list does not hold cannot count."
        yield ceilings


def _per_query(study: Study, scores: Sequence[Scores]) -> Iterator[tuple[str, ...]]:
    """Rows of every query in the pool; the value empty where there is a reason instead."""
    from evalcore.values.model import DEFINED, OUTSIDE_POOL, REASONS

    for one in scores:
        columns = one.queries.tolist(), one.values.tolist(), one.reasons.tolist()
        for query, value, reason in zip(*columns, strict=True):
            if reason != OUTSIDE_POOL:
                shown = repr(value) if reason == DEFINED else ""
                yield study.image_ids[query], one.system, one.metric, shown, REASONS[reason]
