"""Tables for a paper: systems under measures or in slices, and measures used for searching (Table 1)."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from operator import attrgetter
from typing import TYPE_CHECKING

from evalcore.evaluate.analysis import ALL_QUERIES
from evalcore.evaluate.slices import FEW
from evalcore.evaluate.summary import ranked
from evalcore.ranking.metrics import centre_of, lower_is_better, parse_metric
from evalcore.results.method import method_of, method_of_pairs, over_what, range_of
from evalcore.results.pairs import comparisons_table
from evalcore.results.rows import Column, Table, also, decimals, ends, only_saved, span, whole
from evalcore.results.writers import HIGHER, LOWER, Cell, Paper, on_paper
from evalcore.stats.correction import CLEAR
from evalcore.values.writing import NOTHING, pluralize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evalcore.evaluate.analysis import Analysis, Row
    from evalcore.evaluate.measures import TableCell, TableOne
    from evalcore.values.model import Comparison, Interval

PLACES = 3


# Systems under measures, or in slices of the queries.


def board_of(analysis: Analysis, *, intervals: bool = True) -> Paper:
    """Systems down, the metrics of the view across, marked by comparisons with the baseline or the leaders.

    Rows come by their mean under the first metric, best first and equal ones by name. All that is written as
    the best of its column is bold; a single system is the best of nothing. ``intervals``: after each mean.
    """
    columns = {metric: analysis.means_of(metric) for metric in analysis.view.metrics}
    marked = {(row.system, row.metric): row for row in analysis.comparisons}
    return _written(analysis, columns, marked, intervals=intervals)


def slice_boards(analysis: Analysis, sliced: Sequence[Row], *, intervals: bool = True) -> Iterator[Paper]:
    """One table per way of slicing and metric: systems down, all queries and then the slices across.

    Rows come by the mean over all queries. Marks are against the baseline; without one there are none. A head
    names the largest number of queries with a value under one of the systems.
    """
    metrics = analysis.view.metrics
    for by in dict.fromkeys(row.by for row in sliced):
        for metric in metrics:
            columns, names = {"": analysis.means_of(metric)}, {"": ALL_QUERIES}
            rows = [row for row in sliced if (row.by, row.scores.metric) == (by, metric)]
            for row in rows:
                columns.setdefault(row.where, {})[row.scores.system] = row.mean
                names[row.where] = row.name
            parts = {(row.scores.system, row.where): row.against for row in rows if row.against}
            against = analysis.comparisons if analysis.view.baseline else ()
            marked = {(row.system, ""): row for row in against if row.metric == metric} | parts
            few = f"n: queries with a value; fewer than {FEW} are too few to judge by."
            tests = [f"In slices: {over_what([*parts.values()])}."] if parts else []
            yield _written(
                analysis,
                columns,
                marked,
                heads=[
                    f"{names[where]} (n = {max(mean.n for mean in column.values()):,})"
                    for where, column in columns.items()
                ],
                intervals=intervals,
                metrics=(metric,),
                by=by,
                notes=[few, *tests, *analysis.slicing(by).remarks],
                label=f"systems-by-{by}" + (f"-{metric}" if len(metrics) > 1 else ""),
            )


def _written(
    analysis: Analysis,
    columns: Mapping[str, Mapping[str, Interval]],
    marked: Mapping[tuple[str, str], Comparison],
    *,
    intervals: bool,
    heads: Sequence[str] = (),
    metrics: Sequence[str] = (),
    by: str = "",
    notes: Sequence[str] = (),
    label: str = "systems",
) -> Paper:
    """``columns``: {column: {system: mean}}; ``marked``: {(system, column): the comparison}; ``heads``: above
    the columns, where their names differ from these."""
    first, fixed = next(iter(columns.values())), analysis.view.baseline
    systems = ranked(first)
    compared = systems if len(systems) > 1 else ()
    top = {column: _best([means[name] for name in compared]) for column, means in columns.items()}
    rows = [
        [
            Cell(f"{name} (baseline)" if name == fixed else name),
            *(
                _cell(means[name], top[column], _mark(marked.get((name, column))), intervals=intervals)
                for column, means in columns.items()
            ),
        ]
        for name in systems
    ]
    caption = _caption(analysis, metrics, list(marked.values()), by=by, intervals=intervals)
    note = " ".join([*notes, *method_of(analysis, metrics)])
    return Paper(["System", *(heads or columns)], rows, [False, *[True] * len(columns)], caption, note, label)


def _cell(mean: Interval, top: str, mark: str, *, intervals: bool) -> Cell:
    if isnan(mean.mean):
        return Cell(NOTHING)
    ends = "" if isnan(mean.low) else f"{mean.low:.{PLACES}f}–{mean.high:.{PLACES}f}"
    text = f"{mean.mean:.{PLACES}f}"
    return Cell(text, text == top, mark, ends * intervals)


def _best(means: Iterable[Interval]) -> str:
    """The best mean as it is written; "" where there is none."""
    defined = [mean for mean in means if not isnan(mean.mean)]
    return f"{max(defined, key=attrgetter('merit')).mean:.{PLACES}f}" if defined else ""


def _mark(comparison: Comparison | None) -> str:
    """`HIGHER` or `LOWER` where a comparison is clear, else nothing."""
    if comparison is None or not comparison.p_corrected < CLEAR or comparison.difference == 0:
        return ""
    return HIGHER if comparison.difference > 0 else LOWER


def _caption(
    analysis: Analysis, chosen: Sequence[str], compared: Sequence[Comparison], *, by: str, intervals: bool
) -> str:
    """What the table shows, n, interval, marks."""
    metrics, fixed = chosen or analysis.view.metrics, analysis.view.baseline
    means = [mean for metric in metrics for mean in analysis.means_of(metric).values()]
    systems = len(analysis.view.systems)
    centre = metrics[0] if centre_of(metrics[0]) == "median" else f"Mean {metrics[0]}"
    what = centre if len(metrics) == 1 else f"Means under {len(metrics)} measures"
    sliced, n = f" by {by}" if by else "", range_of({mean.n for mean in means})
    sentences = [f"{what} of {pluralize(systems, 'system')}{sliced}, {analysis.study.name}; n = {n} queries."]
    if intervals:
        sentences.append(f"In parentheses: {means[0].level:.0%} interval.")
    if systems > 1:
        sentences.append(f"Bold: {_best_is(metrics)}.")
    if compared:
        than = f"the baseline {fixed}" if fixed else "the best of the column"
        p = f"p < {CLEAR:g}, {compared[0].correction.replace('none', 'not corrected')}"
        sentences.append(f"†/‡: significantly higher/lower than {than} ({p}).")
    return " ".join(sentences)


def _best_is(metrics: Sequence[str]) -> str:
    """Which mean of a column is in bold."""
    lower = [metric for metric in metrics if lower_is_better(metric)]
    if not lower:
        return "highest"
    return "lowest" if len(lower) == len(metrics) else f"best, which is the lowest of {', '.join(lower)}"


def pairs_on_paper(analysis: Analysis, comparisons: Sequence[Comparison]) -> Paper:
    """A row per difference, with interval and p; the test is in the note."""
    first, metrics = comparisons[0], list(dict.fromkeys(row.metric for row in comparisons))
    what = f"Differences under {metrics[0] if len(metrics) == 1 else f'{len(metrics)} measures'}"
    caption = (
        f"{what}, {analysis.study.name}; n = "
        f"{range_of({row.n_pairs for row in comparisons})} queries, paired. {first.level:.0%} interval; p "
        f"{'not corrected' if first.correction == 'none' else f'corrected by {first.correction}'}."
    )
    note = " ".join(method_of_pairs(analysis, comparisons))
    return replace(on_paper(comparisons_table(analysis, comparisons), caption), note=note)


# Table 1: measures used for searching, judged by labels at several depths.


def table_one(table: TableOne, labels: Sequence[str], *, study: str) -> Paper:
    """Measures as rows, label targets at each depth as columns, in percent.

    Bold is the highest of a column, `LOWER` marks what is significantly lower.
    """
    rows = [[Cell(label), *map(_share, row)] for label, row in zip(labels, table.cells, strict=True)]
    corrected = table.correction.replace("none", "not corrected")
    caption = (
        f"Precision in percent of {pluralize(len(table.systems), 'measure')}, {study}; n = {table.n_asked:,} "
        f"queries. Bold: highest. {LOWER}: significantly lower than the best of the column (p < {CLEAR:g}, "
        f"{corrected})."
    )
    note = (
        f"{table.n_asked} of {table.n_all} queries (seed {table.seed}), ties: {table.ties}; {table.test}, "
        f"{corrected} per column."
    )
    heads = ["Measure", *map(_target, table.metrics)]
    return Paper(heads, rows, [False, *[True] * len(table.metrics)], caption, note, "measures")


def _target(metric: str) -> str:
    parsed = parse_metric(metric)
    return f"{' & '.join(parsed.labels)} @{parsed.cutoff}"


def _share(cell: TableCell) -> Cell:
    mean = cell.mean.mean
    return Cell(NOTHING) if isnan(mean) else Cell(f"{100 * mean:.2f}", cell.best, LOWER * is_lower(cell))


def is_lower(cell: TableCell) -> bool:
    """Whether a mean is significantly lower than the highest of its column."""
    return cell.p_corrected < CLEAR and not cell.best


def cells_table(table: TableOne) -> Table:
    """One row per measure and column; means are shares from 0 to 1."""
    rows = [cell for row in table.cells for cell in row]
    columns = (
        also("measure", "scores.system"),
        Column("measure", lambda cell: cell.scores.system.removeprefix("@")),
        Column("metric", "scores.metric", "metric"),
        only_saved("k", lambda cell: cell.scores.cutoff),
        Column("mean", "mean.mean", "mean", decimals),
        also("", lambda cell: "best" if cell.best else LOWER if is_lower(cell) else ""),
        *ends("mean.")[1:],
        span("mean."),
        *(only_saved(f"ci_{name}", f"mean.{name}") for name in ("level", "method")),
        only_saved("ci_resamples", "mean.n_resamples"),
        Column("n", "mean.n", "n", whole),
        only_saved("seed", lambda _: table.seed),
        only_saved("n_queries", "scores.n_queries"),
        Column("n_undefined", "scores.n_undefined"),
        Column("tied", "scores.tied", "tied", whole).in_file("n_tied"),
        *map(Column, ("best", "as_good", "p_corrected")),
    )
    facts = {
        "correction": table.correction,
        "test": table.test,
        "sign_flips": table.flips,
        "ties": table.ties,
        "queries_used": table.n_asked,
        "queries_of_study": table.n_all,
    }
    return Table(rows, columns, facts)
