"""The figures of a report, light and in a font for print, under names that are those of their files."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from evalcore.evaluate import score, summarise_all
from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.by_kind import from_kinds
from evalcore.evaluate.comparison import matrix_of
from evalcore.evaluate.conditions import LABEL
from evalcore.evaluate.per_query import in_order as in_query_order
from evalcore.evaluate.per_query import look, per_query
from evalcore.evaluate.slices import SliceMean, clear_winners
from evalcore.evaluate.summary import counted
from evalcore.figures.ablation import alpha_lines, leader_map, tau_map, threshold_name
from evalcore.figures.bands import Line
from evalcore.figures.compare import score_scatter, slice_forest, slice_map, win_tie_loss
from evalcore.figures.compare.forest import MapRow, Row
from evalcore.figures.compare.scatter import delta_bars
from evalcore.figures.concepts.kinds import kind_shares, results_by_kind
from evalcore.figures.curves import leaderboard_multiples, metric_curves, precision_recall
from evalcore.figures.frame import Drawn, Reading
from evalcore.figures.leaderboard import difference_dots, leaderboard_dots
from evalcore.figures.many import overlap_matrix, pair_matrix, rank_dots
from evalcore.figures.printed import PAPER
from evalcore.figures.queries import query_map
from evalcore.figures.theme import Theme, style_of
from evalcore.ranking.binary import LEVELS
from evalcore.ranking.metrics import parse_metric
from evalcore.relevance.registry import RELEVANCE, parse_relevance
from evalcore.report.results import Content, OfMetric
from evalcore.results.board import by_score
from evalcore.stats.levels import difference
from evalcore.study import naming
from evalcore.values.errors import InputError
from evalcore.values.grouping import label_types
from evalcore.values.model import Comparison, Interval

CUTOFFS = (1, 3, 5, 10, 20, 30, 50, 100)
LEAST = 3
"""Of systems, to be compared in pairs and ranked."""
IN_A_COLUMN = 4
"""Systems side by side, with their names, in one column."""
DOUBLE = 760
"""Pixels of a title in a report, two columns wide, in the widest font."""
MOST_ROWS = 24
"""Differences in one figure, that it fits a page; more are drawn measure by measure."""


class Named(NamedTuple):
    """A figure and the name of its file, without an ending; ``wide``: one column is too narrow for it."""

    name: str
    drawn: Drawn
    wide: bool = False


class Kind(NamedTuple):
    """Figures of one kind: how they are made, and whether a report holds them; files hold all."""

    make: Callable[[Content, Theme], Iterator[Named]]
    in_report: bool = False


def figures_of(result: Content) -> list[Named]:
    """Those of a report: means, differences and single queries; slices and other settings where asked for."""
    return _made(result, [kind for kind in REGISTRY if kind.in_report], replace(PAPER, width=DOUBLE))


def every_figure(result: Content) -> list[Named]:
    """Those of a report, and all others that the pages draw of the same comparison."""
    return _made(result, REGISTRY, PAPER)


def _made(result: Content, kinds: Sequence[Kind], paper: Theme) -> list[Named]:
    theme = replace(paper, looks=naming.of_study(result.whole))
    drawn = [figure for kind in kinds for figure in kind.make(result, theme)]
    first = result.metrics[0].scores[0]
    return [_by_groups(figure, first.grouped_by) for figure in drawn] if first.grouped_by else drawn


def _by_groups(figure: Named, groups: str) -> Named:
    """The figure with a line that says by which groups its intervals and tests are, where it has any."""
    plain, technical = figure.drawn.how_to_read
    if "interval" not in technical:
        return figure
    line = f" All intervals and tests are by {groups}: queries of one {groups} are drawn together."
    return figure._replace(drawn=replace(figure.drawn, how_to_read=Reading(plain + line, technical + line)))


def _numbered(result: Content) -> Iterator[tuple[int, OfMetric]]:
    return enumerate(result.metrics, start=1)


def _means(result: Content, theme: Theme) -> Iterator[Named]:
    for number, board in _numbered(result):
        yield Named(
            f"means-{number}",
            leaderboard_dots(
                board.intervals,
                metric=board.metric,
                systems=result.study.systems,
                theme=theme,
                baseline=result.view.baseline or None,
            ),
        )


def _differences(result: Content, theme: Theme) -> Iterator[Named]:
    parts = {"differences": result.comparisons}
    if len(result.comparisons) > MOST_ROWS:
        parts = {f"differences-{number}": board.comparisons for number, board in _numbered(result)}
    for name, rows in parts.items():
        if rows:
            yield Named(name, difference_dots(rows, systems=result.study.systems, theme=theme))


def _best_two(result: Content, theme: Theme) -> Iterator[Named]:
    for number, board in _numbered(result):
        if board.gap is not None and board.gap.n_pairs:
            yield Named(f"queries-{number}", _queries(result, board, theme))


def _measures(result: Content, theme: Theme) -> Iterator[Named]:
    if len(result.metrics) > 1:
        table = {metric.metric: metric.intervals for metric in result.metrics}
        baseline = result.view.baseline or None
        drawn = leaderboard_multiples(
            table, systems=result.study.systems, theme=theme, baseline=baseline, columns=2
        )
        yield Named("measures", drawn)


def _curves(result: Content, theme: Theme) -> Iterator[Named]:
    """Each measure that has a cutoff against it."""
    view, study = result.view, result.study
    for number, board in _numbered(result):
        cutoff = parse_metric(board.metric).cutoff
        if cutoff is None:
            continue
        ks = sorted({*CUTOFFS, cutoff})
        family = board.metric.removesuffix(f"@{cutoff}")
        scores = score(
            study, metrics=[f"{family}@{k}" for k in ks], systems=view.systems, settings=view.settings
        )
        means = summarise_all(scores, settings=view.settings, level=view.level, seed=view.seed)
        by_system: dict[str, list[Interval]] = {}
        for of, mean in zip(scores, means, strict=True):
            by_system.setdefault(of.system, []).append(mean)
        drawn = metric_curves(
            by_system,
            ks,
            metric=f"{family}@k",
            systems=study.systems,
            theme=theme,
            baseline=view.baseline or None,
            current=cutoff,
        )
        yield Named(f"curve-{number}", drawn)


def _wins(result: Content, theme: Theme) -> Iterator[Named]:
    """Of the best system and the second: on how many queries each is better, both scores of each query."""
    for number, board in _numbered(result):
        if board.gap is None or not board.gap.n_pairs:
            continue
        yield Named(f"wins-{number}", win_tie_loss(board.gap, theme=theme))
        scores = {of.system: of for of in board.scores}
        a, b = board.gap.system, board.gap.baseline
        limits = look(per_query([scores[a], scores[b]], settings=result.view.settings))
        of = limits.of
        drawn = score_scatter(
            [result.study.image_ids[q] for q in of.queries],
            of.values[:, 0],
            of.values[:, 1],
            a=a,
            b=b,
            metric=board.metric,
            good_at=limits.good_at,
            poor_below=limits.poor_below,
            lower_is_better=board.gap.lower_is_better,
            theme=theme,
        )
        yield Named(f"scatter-{number}", drawn)


def _pairs(result: Content, theme: Theme) -> Iterator[Named]:
    """Every two systems, and ranks; three systems or more."""
    analysis, systems = result.analysis, result.study.systems
    if len(result.view.systems) < LEAST:
        return
    for number, board in _numbered(result):
        pairs = [pair for pair in analysis.pairs if pair.metric == board.metric]
        yield Named(f"pairs-{number}", pair_matrix(matrix_of(pairs), metric=board.metric, theme=theme))
        ranks = analysis.ranks(board.metric)
        with suppress(InputError):  # no query has a value under every system
            letters = analysis.equals(board.metric).letters
            yield Named(
                f"ranks-{number}",
                rank_dots(ranks, letters, metric=board.metric, systems=systems, theme=theme),
            )


def _every_query(result: Content, theme: Theme) -> Iterator[Named]:
    """Every query under every system, hardest first; neighbours together where they are many."""
    for number, board in _numbered(result):
        seen = result.analysis.queries(board.metric)
        places = in_query_order(seen.of, "hardest", outliers=seen.departures)
        drawn = query_map(
            [result.study.image_ids[q] for q in seen.of.queries[places]],
            seen.of.systems,
            seen.of.values[places],
            hard=seen.hard[places],
            departs=seen.departures.departs[places],
            metric=board.metric,
            order="hardest first",
            lower_is_better=seen.of.sign < 0,
            theme=theme,
        )
        yield Named(f"every-query-{number}", drawn)


def _slices(result: Content, theme: Theme) -> Iterator[Named]:
    """Of each way of slicing and measure: every system, and the best two systems."""
    if result.slices is None:
        return
    ways = dict.fromkeys(row.by for row in result.slices.means)
    for by, (number, board) in product(ways, _numbered(result)):
        rows = [row for row in result.slices.means if (row.by, row.scores.metric) == (by, board.metric)]
        name = f"{re.sub(r'[^A-Za-z0-9]+', '-', by)}-{number}"
        slices = by_slice(rows)
        drawn = slice_means(result.analysis, slices, by=by, metric=board.metric, theme=theme)
        yield Named(f"slices-{name}", drawn, wide=len(board.intervals) > IN_A_COLUMN)
        if board.gap is not None:
            forest = _forest(result, board.gap, slices, by, theme)
            yield Named(f"slice-differences-{name}", forest)


def by_slice(rows: Sequence[SliceMean]) -> dict[str, dict[str, SliceMean]]:
    """{slice: {system: its row}} of one way of slicing and one metric."""
    slices: dict[str, dict[str, SliceMean]] = {}
    for row in rows:
        slices.setdefault(row.name, {})[row.scores.system] = row
    return slices


def slice_means(
    analysis: Analysis, slices: Mapping[str, Mapping[str, SliceMean]], *, by: str, metric: str, theme: Theme
) -> Drawn:
    """Every system over all queries and slice by slice, the clearly best framed."""
    intervals = analysis.means_of(metric)
    systems = by_score({of: mean.merit for of, mean in intervals.items()})
    means = [("All queries", intervals)]
    means += [(part, {of: row.mean for of, row in of_part.items()}) for part, of_part in slices.items()]
    leader, *others = systems
    rivals = {name: analysis.slice_comparisons(name, leader, by, metric) for name in others}
    winners = clear_winners(rivals)
    framed = [leader, *(winners.get(place, "") for place in range(len(slices)))]
    cells = [
        MapRow(part, max(mean.n for mean in of.values()), of, mark)
        for (part, of), mark in zip(means, framed, strict=True)
    ]
    return slice_map(cells, systems, by=by.removeprefix(LABEL), metric=metric, theme=theme)


def _forest(
    result: Content, gap: Comparison, slices: Mapping[str, Mapping[str, SliceMean]], by: str, theme: Theme
) -> Drawn:
    """The best system minus the second in every slice."""
    differences = result.analysis.slice_comparisons(gap.system, gap.baseline, by, gap.metric)
    rows = [Row(name, comparison) for name, comparison in zip(slices, differences, strict=True)]
    return slice_forest(gap, rows, by=by.removeprefix(LABEL), theme=theme)


def _settings(result: Content, theme: Theme) -> Iterator[Named]:
    """Of each measure that they change: who leads, how alike the order is, and every system against alpha."""
    settings, systems = result.view.settings, result.study.systems
    numbers = {board.metric: number for number, board in _numbered(result)}
    for stability in result.sweeps:
        number = numbers[stability.metric]
        reference = stability.at(settings.alpha, settings.threshold)
        assert reference is not None, "the setting in use is in the grid"
        if math.isnan(reference.means[0].mean):
            continue
        in_use = (settings.alpha, settings.threshold)
        leaders = leader_map(
            stability.standings, metric=stability.metric, systems=systems, theme=theme, current=in_use
        )
        yield Named(f"leaders-{number}", leaders, wide=True)
        yield Named(
            f"order-{number}", tau_map(stability.standings, reference, metric=stability.metric, theme=theme)
        )
        alphas = sorted({of.settings.alpha for of in stability.standings})
        for threshold in sorted({of.settings.threshold for of in stability.standings}):
            at = [of for of in stability.standings if of.settings.threshold == threshold]
            lines = [
                Line(
                    name,
                    [of.mean(name) for of in at],
                    style_of(name, systems, theme),
                    bold=threshold == settings.threshold,
                )
                for name in result.view.systems
            ]
            drawn = alpha_lines(
                lines,
                alphas,
                title=reach_of(threshold),
                metric=stability.metric,
                theme=theme,
                current=settings.alpha,
                zero=True,
            )
            yield Named(f"alpha-{number}-{threshold}", drawn)


def reach_of(threshold: int) -> str:
    """How far away concepts may be to count as related, as a title."""
    return f"Related within {threshold_name(threshold)}" if threshold else "Identical concepts only (IoU)"


def _queries(result: Content, of: OfMetric, theme: Theme) -> Drawn:
    """The best system minus the second, query by query."""
    assert of.gap is not None, "two systems were compared"
    scores = {score.system: score for score in of.scores}
    settings = result.view.settings
    (queries, theirs), (others, values) = (
        counted(scores[name], settings) for name in (of.gap.baseline, of.gap.system)
    )
    common, here, there = np.intersect1d(queries, others, assume_unique=True, return_indices=True)
    ids = [result.study.image_ids[query] for query in common]
    deltas = difference(values[there], theirs[here])
    return delta_bars(
        ids,
        deltas,
        a=of.gap.system,
        b=of.gap.baseline,
        metric=of.metric,
        theme=theme,
        lower_is_better=of.gap.lower_is_better,
    )


def _precision_recall(result: Content, theme: Theme) -> Iterator[Named]:
    """Interpolated precision by the labels of each measure, of all others by the first label column."""
    view, study = result.view, result.study
    if view.settings.ties != "id":
        return
    first = label_types(study.label_columns)[:1]
    targets = dict.fromkeys("&".join(parse_metric(metric).labels or first) for metric in view.metrics)
    for target in filter(None, targets):
        scores = score(
            study,
            metrics=[f"IPrec({target},recall={level:g})" for level in LEVELS],
            systems=view.systems,
            settings=view.settings,
        )
        means = summarise_all(scores, settings=view.settings, level=view.level, seed=view.seed)
        n = len(LEVELS)
        curves = {scores[i].system: means[i : i + n] for i in range(0, len(scores), n)}
        drawn = precision_recall(
            curves,
            LEVELS,
            target=target.replace("&", " and "),
            systems=study.systems,
            theme=theme,
            baseline=view.baseline or None,
        )
        yield Named(f"precision-recall-{re.sub(r'[^A-Za-z0-9]+', '-', target)}", drawn)


def _overlap(result: Content, theme: Theme) -> Iterator[Named]:
    """How alike the results of every two systems are."""
    if len(result.view.systems) > 1:
        yield Named("overlap", overlap_matrix(result.analysis.overlaps(), theme=theme), wide=True)


def _kinds(result: Content, theme: Theme) -> Iterator[Named]:
    """Of each measure by concepts: what kinds of concepts its score comes from."""
    view, study = result.view, result.study
    if study.kinds is None:
        return
    for number, board in _numbered(result):
        metric = parse_metric(board.metric)
        if metric.relevance is None or parse_relevance(metric.relevance).kind not in RELEVANCE:
            continue
        of = from_kinds(
            study,
            relevance=metric.relevance,
            systems=view.systems,
            k=metric.cutoff or 10,
            settings=view.settings,
        )
        if of:
            order = by_score({system: mean.mean for system, mean in board.intervals.items()})
            rows = sorted(of, key=lambda row: order.index(row.system))
            yield Named(f"kinds-results-{number}", results_by_kind(rows, theme=theme), wide=True)
            yield Named(f"kinds-shares-{number}", kind_shares(rows, theme=theme), wide=True)


REGISTRY = (
    Kind(_means, in_report=True),
    Kind(_differences, in_report=True),
    Kind(_best_two, in_report=True),
    Kind(_slices, in_report=True),
    Kind(_settings, in_report=True),
    Kind(_measures),
    Kind(_curves),
    Kind(_wins),
    Kind(_pairs),
    Kind(_every_query),
    Kind(_precision_recall),
    Kind(_overlap),
    Kind(_kinds),
)
"""Every figure of a comparison, in the order of a report; names of files follow from the makers."""
