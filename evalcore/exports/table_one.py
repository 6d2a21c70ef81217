"""Table 1 for a paper: LaTeX, best in bold, daggers for what is not significantly worse."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from evalcore.exports.board import NOTHING
from evalcore.exports.latex import escape, tabular
from evalcore.ranking.metrics import parse_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.measures.table_one import TableCell, TableOne


def table_one(found: TableOne, labels: Sequence[str]) -> str:
    """Measures as rows, label targets as groups of columns with one column per depth; percent.

    Bold is the highest of a column, a dagger marks what does not differ significantly from it. Needs the
    package booktabs.
    """
    groups = [(target, list(members)) for target, members in groupby(found.metrics, key=_target)]
    spans = " & ".join(rf"\multicolumn{{{len(of)}}}{{c}}{{{escape(target)}}}" for target, of in groups)
    rules, at = [], 2
    for _, members in groups:
        rules.append(rf"\cmidrule(lr){{{at}-{at + len(members) - 1}}}")
        at += len(members)
    depths = " & ".join(f"@{parse_metric(metric).cutoff}" for metric in found.metrics)
    rows = [
        f"{escape(label)} & {' & '.join(_cell(cell) for cell in row)}"
        for label, row in zip(labels, found.cells, strict=True)
    ]
    head = [rf" & {spans} \\", " ".join(rules), rf"Measure & {depths} \\"]
    lines = ["% " + _method(found), *tabular(f"l{'r' * len(found.metrics)}", head, [rows])]
    return "\n".join(lines) + "\n"


def _target(metric: str) -> str:
    return " & ".join(parse_metric(metric).labels)


def _cell(cell: TableCell) -> str:
    mean = cell.interval.mean
    if mean != mean:
        return NOTHING
    written = f"{100 * mean:.2f}"
    if cell.best:
        return rf"\textbf{{{written}}}"
    return rf"{written}$^\dagger$" if cell.as_good else written


def _method(found: TableOne) -> str:
    return (
        f"Precision in percent, {found.n_asked} of {found.n_all} queries (seed {found.seed}), ties: "
        f"{found.ties}. Bold: highest; dagger: not separated from it ({found.test}, {found.correction} per "
        "column, p >= .05)."
    )
