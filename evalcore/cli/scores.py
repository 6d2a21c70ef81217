"""``score``: systems under metrics, with intervals and comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import as_json, on_cluster, open_clean, settings_of, shared_options
from evalcore.cli.output import (
    decimals,
    interval,
    plain,
    print_few,
    print_json,
    print_table,
    progress_line,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.model import Comparison, Interval, Scores, Study
    from evalcore.settings import Settings

METRIC_HELP = (
    "CUI@10, nnCUI@10, P(organ)@5, P(modality&organ)@30, nDCG(nn-iou)@10, nDCG(iou,gain=exp)@10, "
    "AP(organ), RR(organ), mean(nn-iou)@10, RBP(nn-iou,p=0.95). Repeat for several."
)
SYSTEM_HELP = (
    "A folder of systems/, or @ and a relevance that ranks by itself: @iou, @cosine:NAME. "
    "Repeat for several; all systems of the study when none is given."
)


@click.command()
@click.argument("study")
@click.option("--metric", "metrics", multiple=True, required=True, metavar="M", help=METRIC_HELP)
@click.option("--system", "systems", multiple=True, metavar="S", help=SYSTEM_HELP)
@click.option("--baseline", metavar="S", help="Compare every other system with this one, query by query.")
@click.option("--per-query", metavar="FILE.csv", help="Write the value of every query.")
@click.option(
    "--queries", "which", type=click.Choice(["all", "common"]), default="all", show_default=True,
    help="All queries (unanswered ones count 0), or those that every system answers.",
)  # fmt: skip
@click.option(
    "--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True,
    help="Level of the intervals.",
)  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of resamples and flips."
)
@shared_options()
@as_json
@on_cluster
def score(
    study: str, metrics: Sequence[str], systems: Sequence[str], baseline: str | None, per_query: str | None,
    which: str, level: float, seed: int, json_wanted: bool, **shared: Any,
) -> None:  # fmt: skip
    """Score the systems of STUDY: mean, interval, queries, undefined.

    Intervals: bootstrap over queries, 2,000 resamples (--interval). Comparisons: paired permutation
    test, 10,000 sign flips, Holm-corrected over all comparisons shown. A study with errors is not
    scored: the errors are listed and the exit code is 2; --unknown zero|drop accepts unknown ids.
    """
    from evalcore.evaluate import common_queries, leaderboard, summarise_all
    from evalcore.evaluate import score as score_systems

    opened, settings = open_clean(study, shared["unknown"]), settings_of(shared)
    names = tuple(systems) or opened.systems
    if baseline and baseline not in names:
        names = (baseline, *names)
    queries = common_queries(opened, names, settings=settings) if which == "common" else None
    scores = score_systems(
        opened, metrics=metrics, systems=names, settings=settings, queries=queries, progress=progress_line()
    )
    intervals = summarise_all(scores, settings=settings, level=level, seed=seed)
    comparisons = (
        leaderboard(scores, baseline=baseline, settings=settings, level=level, seed=seed) if baseline else ()
    )
    if per_query:
        _write_per_query(opened, scores, Path(per_query))
    if json_wanted:
        print_json(_score_document(opened, settings, scores, intervals, comparisons))
    else:
        _print_scores(opened, settings, scores, intervals, comparisons)
        pairs = [one.n_pairs for one in comparisons]
        print_few([mean.n for mean in intervals], settings, differences=pairs)


def _score_document(
    study: Study, settings: Settings, scores: Sequence[Scores], intervals: Sequence[Interval],
    comparisons: Sequence[Comparison],
) -> dict[str, Any]:  # fmt: skip
    from evalcore.evaluate.summary import method_of_differences

    pairs = list(zip(scores, intervals, strict=True))
    return {
        "study": study.name,
        "digest": study.digest,
        "settings": settings.as_dict(),
        "scores": [
            {
                "system": one.system, "metric": one.metric, "mean": mean.mean, "ci_low": mean.low,
                "ci_high": mean.high, "ci_level": mean.level, "ci_method": mean.method,
                "n_queries": one.n_queries, "n_scored": one.n_scored, "n_undefined": one.n_undefined,
                "seed": mean.seed,
            }
            for one, mean in pairs
        ],
        "comparisons": [
            {
                "baseline": c.baseline, "system": c.system, "metric": c.metric, "difference": c.difference,
                "ci_low": c.low, "ci_high": c.high, "ci_method": method_of_differences(settings), "p": c.p,
                "p_corrected": c.p_corrected, "correction": c.correction, "test": c.test,
                "n_pairs": c.n_pairs, "n_resamples": c.n_resamples, "seed": c.seed,
            }
            for c in comparisons
        ],
        "counts": [
            {
                "system": one.system, "metric": one.metric, "missing": one.missing, "short": one.short,
                "tied": one.tied, "undefined": one.undefined_by_reason(),
            }
            for one, _ in pairs
        ],
    }  # fmt: skip


def _print_scores(
    study: Study, settings: Settings, scores: Sequence[Scores], intervals: Sequence[Interval],
    comparisons: Sequence[Comparison],
) -> None:  # fmt: skip
    from evalcore.evaluate.summary import method_of_differences

    first = intervals[0]
    drawn = f", {first.n_resamples:,} resamples, seed {first.seed}" if first.n_resamples else ""
    click.echo(
        f"{plain(study.name)}: {len(scores[0].queries):,} queries. "
        f"Intervals: {first.level:.0%}, {first.method}{drawn}."
    )
    header = ("system", "metric", "mean", "interval", "n", "undefined", "missing", "short", "tied")
    rows = [
        (one.system, one.metric, decimals(mean.mean), interval(mean.low, mean.high), f"{mean.n:,}",
         f"{one.n_undefined:,}", f"{one.missing:,}", f"{one.short:,}", f"{one.tied:,}")
        for one, mean in zip(scores, intervals, strict=True)
    ]  # fmt: skip
    print_table(header, rows)
    click.echo(
        "missing: not answered, counted 0; short: fewer than K results; tied: rank K shares its score."
    )
    if not comparisons:
        return
    method = method_of_differences(settings)
    told = "" if method == first.method else f" Intervals of differences: {method}."
    click.echo(f"\nAgainst {plain(comparisons[0].baseline)}: {comparisons[0].test}, seed {first.seed}.{told}")
    corrected = f"p ({comparisons[0].correction})"
    columns = ("system", "metric", "difference", "interval", "p", corrected, "n", "better", "equal", "worse")
    compared = [
        (c.system, c.metric, f"{c.difference:+.4f}", interval(c.low, c.high), decimals(c.p),
         decimals(c.p_corrected), f"{c.n_pairs:,}", f"{c.wins:,}", f"{c.ties:,}", f"{c.losses:,}")
        for c in comparisons
    ]  # fmt: skip
    print_table(columns, compared)


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
