"""``score``: systems under metrics, with intervals and comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcore.cli import slices
from evalcore.cli.asked import on_study
from evalcore.cli.comparing import compared, facts, lines, over_queries
from evalcore.cli.comparisons import about_size, only_with_baseline, smallest_difference
from evalcore.cli.emit import Column, Table, also, emit, named
from evalcore.cli.options import ALL, corrected, on_cluster
from evalcore.cli.output import decimals, few, interval, plain, progress_line, whole
from evalcore.cli.same_group import facts as group_facts
from evalcore.cli.same_group import lines as group_lines
from evalcore.cli.same_group import owed_lines
from evalcore.cli.scoring import of_seeds, tables
from evalcore.cli.scoring import runs as given_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.asked import Asked
    from evalcore.cli.scoring.tables import Home
    from evalcore.model import Comparison, Scores, Study
    from evalcore.settings import Correction

METRIC_HELP = (
    "CUI@10, nnCUI@10, P(organ)@5, P(modality&organ)@30, nDCG(nn-iou)@10, nDCG(iou,gain=exp)@10, "
    "AP(organ), RR(organ), mean(nn-iou)@10, RBP(nn-iou,p=0.95), Recall(organ)@10, Success(organ)@1, "
    "Rprec(organ), nDCG(organ)@10, ERR(iou)@10, bpref(organ), IPrec(organ,recall=0.1); or as trec_eval "
    "writes it: map(organ), P_5(organ), ndcg_cut_10(organ), iprec_at_recall(organ). Repeat for several."
)
SYSTEM_HELP = (
    "A folder of systems/, one seed of it (NAME.2), or @ and a relevance that ranks by itself (@iou, "
    "@cosine:NAME), or several fused (rrf:A+B; combsum, combmnz, isr, borda). "
    "Repeat for several; all systems of the study when none is given."
)


@click.command()
@click.argument("study")
@click.option("--metric", "metrics", multiple=True, required=True, metavar="M", help=METRIC_HELP)
@click.option("--system", "systems", multiple=True, metavar="S", help=SYSTEM_HELP)
@click.option("--baseline", metavar="S", help="Compare every other system with this one, query by query.")
@click.option("--by", "ways", multiple=True, metavar="COLUMN", help=slices.BY_HELP)
@click.option("--per-query", metavar="FILE.csv", help="Write the value of every query.")
@given_runs.with_given_runs
@over_queries
@click.option(
    "--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True,
    help="Level of the intervals.",
)  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of resamples and flips."
)
@corrected
@smallest_difference
@tables.to_take_home
@on_study(*ALL)
@on_cluster
def score(
    asked: Asked, metrics: Sequence[str], systems: Sequence[str], baseline: str | None, ways: Sequence[str],
    per_query: str | None, which: str | None, level: float, seed: int, correction: Correction,
    smallest: float | None, home: Home, runs: dict[str, str],
) -> None:  # fmt: skip
    """Score the systems of STUDY: mean, interval, queries, undefined.

    Intervals: bootstrap over queries, 2,000 resamples (--interval). Comparisons: paired permutation
    test, 10,000 sign flips, corrected over all comparisons shown (--correction). A study with errors is not
    scored: the errors are listed and the exit code is 2; --unknown zero|drop accepts unknown ids.
    """
    from evalcore.evaluate import leaderboard, owed, summarise_all
    from evalcore.evaluate import score as score_systems
    from evalcore.evaluate.ceilings import ceiling_of
    from evalcore.evaluate.summary import method_of_differences
    from evalcore.evaluate.systems import name_of
    from evalcore.study.reads import in_words, readers

    only_with_baseline(baseline, correction=correction, smallest=smallest, tables=home.wanted)
    asked = given_runs.asked_with(asked, runs)
    opened, settings = asked.study, asked.settings
    names = tuple(name_of(opened, one) for one in systems) or opened.systems
    baseline = name_of(opened, baseline) if baseline else None
    if baseline and baseline not in names:
        names = (baseline, *names)
    over, limited = compared(asked, names, which)
    scores = score_systems(
        limited, metrics=metrics, systems=names, settings=settings, progress=progress_line()
    )
    intervals = summarise_all(scores, settings=settings, level=level, seed=seed)
    comparisons = leaderboard(
        scores, baseline=baseline, settings=settings, level=level, seed=seed, correction=correction
    ) if baseline else ()  # fmt: skip
    own = owed(limited, scores, settings=settings)
    if per_query:
        _write_per_query(opened, scores, Path(per_query))
    tables.write(
        home, limited, scores, intervals, comparisons, baseline=baseline, settings=settings, level=level,
        seed=seed, correction=correction, over=over,
    )  # fmt: skip
    if home.printed:
        return
    pairs = list(zip(scores, intervals, strict=True))
    method = method_of_differences(settings) + _by_groups(scores, comparisons)
    found = Table(pairs, (*_SCORES, *of_seeds.columns(scores, settings)))
    differences = Table(comparisons, (*_compared(comparisons, method), *about_size(smallest)))
    ceilings = Table(
        [(one, top) for one in scores if (top := ceiling_of(one, settings)) is not None], _CEILINGS
    )
    document = {
        "study": opened.name, "digest": opened.content, "settings": asked.recorded(), "scores": found,
        "comparisons": differences, "counts": Table(scores, _COUNTS), **facts(over),
        **given_runs.facts(opened, runs),
        **({"reads_captions": reading} if (reading := readers(names, opened.looks)) else {}),
        **group_facts(limited, own), **({"ceilings": ceilings} if ceilings.rows else {}),
    }  # fmt: skip
    shown = [
        *lines(over), *group_lines(limited), *_shown(opened, found, differences, method), *_limited(ceilings),
        *([plain(said)] if (said := in_words(names, opened.looks)) else []),
        *of_seeds.lines(scores), *owed_lines(limited, own),
    ]  # fmt: skip
    means = [one.n_independent for one in intervals]
    pairs_compared = [one.n_independent for one in comparisons]
    if ways:
        parts = slices.sliced(
            limited, scores, ways, baseline=baseline, settings=settings, level=level, seed=seed,
            correction=correction,
        )  # fmt: skip
        document["slices"], document["slice_comparisons"] = slices.tables(parts, method)
        shown += slices.shown(parts, method)
        means += [row.mean.n_independent for row in parts.means]
        pairs_compared += [row.found.n_independent for row in parts.differences]
    emit(document, [*shown, *few(means, settings, differences=pairs_compared)], json=asked.json)


_SCORES = (
    Column("system", lambda pair: pair[0].system, "system"),
    Column("metric", lambda pair: pair[0].metric, "metric"),
    Column("mean", lambda pair: pair[1].mean, "mean", decimals),
    also("interval", lambda pair: interval(pair[1].low, pair[1].high)),
    also("n", lambda pair: pair[1].n, whole),
    Column("ci_low", lambda pair: pair[1].low),
    Column("ci_high", lambda pair: pair[1].high),
    Column("ci_level", lambda pair: pair[1].level),
    Column("ci_method", lambda pair: pair[1].method),
    Column("n_queries", lambda pair: pair[0].n_queries),
    Column("n_scored", lambda pair: pair[0].n_scored),
    Column("n_undefined", lambda pair: pair[0].n_undefined, "undefined", whole),
    also("missing", lambda pair: pair[0].missing, whole),
    also("short", lambda pair: pair[0].short, whole),
    also("tied", lambda pair: pair[0].tied, whole),
    Column("seed", lambda pair: pair[1].seed),
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
        Column("system", head="system"),
        Column("metric", head="metric"),
        Column("difference", None, "difference", "{:+.4f}".format),
        also("interval", lambda one: interval(one.low, one.high)),
        Column("ci_low", lambda one: one.low),
        Column("ci_high", lambda one: one.high),
        Column("ci_method", lambda _: method),
        Column("p", None, "p", decimals),
        Column("p_corrected", None, f"p ({correction})", decimals),
        *named("correction", "test"),
        Column("n_pairs", None, "n", whole),
        *named("n_resamples", "seed"),
        also("better", lambda one: one.wins, whole),
        also("equal", lambda one: one.ties, whole),
        also("worse", lambda one: one.losses, whole),
    )


def _shown(study: Study, found: Table, compared: Table, method: str) -> Iterator[str | Table]:
    from evalcore.evaluate.comparison import over_what

    scores, first = found.rows[0]
    chosen = f" with {', '.join(study.where)}" if study.where else ""
    drawn = f", {first.n_resamples:,} resamples, seed {first.seed}" if first.n_resamples else ""
    yield (
        f"{plain(study.name)}: {len(scores.queries):,} queries{plain(chosen)}. "
        f"Intervals: {first.level:.0%}, {first.method}{drawn}."
    )
    yield found
    yield "missing: not answered, counted 0; short: fewer than K results; tied: rank K shares its score."
    if compared.rows:
        other = "" if method == first.method else f" Intervals of differences: {method}."
        against = compared.rows[0]
        yield (
            f"\nAgainst {plain(against.baseline)}: {against.test}, seed {first.seed}; "
            f"{over_what(compared.rows)}.{other}"
        )
        yield compared


def _limited(ceilings: Table) -> Iterator[str | Table]:
    """How good lists of these lengths could be at most, where that is below 1."""
    if ceilings.rows:
        yield "\nThe lists are too short for 1: what a list does not hold cannot count."
        yield ceilings


def _write_per_query(study: Study, scores: Sequence[Scores], path: Path) -> None:
    from evalcore.sources.tables.writers import csv_lines, write_lines

    write_lines(path, csv_lines(("query", "system", "metric", "value", "reason"), _per_query(study, scores)))
    click.echo(f"Wrote {path}.", err=True)


def _per_query(study: Study, scores: Sequence[Scores]) -> Iterator[tuple[str, ...]]:
    """Rows of every query in the pool; the value empty where there is a reason instead."""
    from evalcore.model import DEFINED, OUTSIDE_POOL, REASONS

    for one in scores:
        columns = one.queries.tolist(), one.values.tolist(), one.reasons.tolist()
        for query, value, reason in zip(*columns, strict=True):
            if reason != OUTSIDE_POOL:
                shown = repr(value) if reason == DEFINED else ""
                yield study.image_ids[query], one.system, one.metric, shown, REASONS[reason]
