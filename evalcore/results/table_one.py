"""Table 1 to take home: LaTeX, best in bold, marks as in every table for a paper; and tidy rows."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from evalcore.ranking.metrics import parse_metric
from evalcore.results.board import LOWER, NOTHING
from evalcore.results.caption import SHORTEST, cut, number
from evalcore.results.rows import Column, Table, also, decimals, ends, only_saved, span, whole
from evalcore.results.writers import escape_latex, in_table, tabular
from evalcore.stats.correction import CLEAR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.measures import TableCell, TableOne


def caption_of(table: TableOne, study: str) -> str:
    """What the table holds, over how many queries, and what its marks say."""
    return (
        f"Precision in percent of {number(len(table.systems), 'measure')}, {cut(study, SHORTEST)}; n = "
        f"{table.n_asked:,} queries. Bold: highest. {LOWER}: significantly lower than the best of the column "
        f"(p < .05, {table.correction})."
    )


def table_one(table: TableOne, labels: Sequence[str], *, study: str) -> str:
    """Measures as rows, label targets as groups of columns with one column per depth; percent.

    Bold is the highest of a column, `board.LOWER` marks what is significantly lower. A comment names test,
    seed and ties. Needs the package booktabs.
    """
    groups = [(target, list(members)) for target, members in groupby(table.metrics, key=_target)]
    spans = " & ".join(rf"\multicolumn{{{len(of)}}}{{c}}{{{escape_latex(target)}}}" for target, of in groups)
    rules, at = [], 2
    for _, members in groups:
        rules.append(rf"\cmidrule(lr){{{at}-{at + len(members) - 1}}}")
        at += len(members)
    depths = " & ".join(f"@{parse_metric(metric).cutoff}" for metric in table.metrics)
    rows = [
        f"{escape_latex(label)} & {' & '.join(_cell(cell) for cell in row)}"
        for label, row in zip(labels, table.cells, strict=True)
    ]
    head = [rf" & {spans} \\", " ".join(rules), rf"Measure & {depths} \\"]
    body = tabular(f"l{'r' * len(table.metrics)}", head, [rows])
    return "\n".join(["% " + _method(table), *in_table(body, caption_of(table, study))]) + "\n"


class CellOf(NamedTuple):
    """A cell, the measure that ranks and the metric that judges."""

    measure: str
    metric: str
    cell: TableCell


def cells_table(table: TableOne) -> Table:
    """One row per measure and column; means are shares from 0 to 1."""
    rows = [
        CellOf(name, metric, cell)
        for name, row in zip(table.systems, table.cells, strict=True)
        for metric, cell in zip(table.metrics, row, strict=True)
    ]
    columns = (
        also("measure", "measure"),
        Column("measure", lambda row: row.measure.removeprefix("@")),
        Column("metric", head="metric"),
        only_saved("k", lambda row: parse_metric(row.metric).cutoff),
        Column("mean", "cell.interval.mean", "mean", decimals),
        also("", lambda row: "best" if row.cell.best else LOWER if is_lower(row.cell) else ""),
        *ends("cell.interval.")[1:],
        span("cell.interval."),
        *(only_saved(f"ci_{name}", f"cell.interval.{name}") for name in ("level", "method")),
        only_saved("ci_resamples", "cell.interval.n_resamples"),
        Column("n", "cell.interval.n", "n", whole),
        only_saved("seed", lambda _: table.seed),
        only_saved("n_queries", "cell.n_queries"),
        Column("n_undefined", "cell.n_undefined"),
        Column("tied", "cell.tied", "tied", whole).in_file("n_tied"),
        *(Column(name, f"cell.{name}") for name in ("best", "as_good", "p_corrected")),
    )
    facts = {
        "correction": table.correction,
        "test": table.test,
        "sign_flips": table.n_resamples,
        "ties": table.ties,
        "queries_used": table.n_asked,
        "queries_of_study": table.n_all,
    }
    return Table(rows, columns, facts)


def _target(metric: str) -> str:
    return " & ".join(parse_metric(metric).labels)


def _cell(cell: TableCell) -> str:
    mean = cell.interval.mean
    if mean != mean:
        return NOTHING
    written = f"{100 * mean:.2f}"
    if cell.best:
        return rf"\textbf{{{written}}}"
    return rf"{written}$^\ddagger$" if is_lower(cell) else written


def is_lower(cell: TableCell) -> bool:
    """Whether a mean is significantly lower than the highest of its column."""
    return cell.p_corrected < CLEAR and not cell.best


def _method(table: TableOne) -> str:
    return (
        f"{table.n_asked} of {table.n_all} queries (seed {table.seed}), ties: {table.ties}; {table.test}, "
        f"{table.correction} per column, p < .05."
    )
