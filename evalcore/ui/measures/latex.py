"""Tables for papers: LaTeX with booktabs, best in bold, daggers for what is not significantly worse."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from evalcore.figures.numbers import NOTHING
from evalcore.ranking.metrics import parse_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.measures.table_one import TableCell, TableOne

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def escape(text: str) -> str:
    """Text that LaTeX prints as it stands.

    >>> escape("lin_seco & 5%")
    'lin\\\\_seco \\\\& 5\\\\%'
    """
    return "".join(_SPECIAL.get(character, character) for character in text)


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
        f"{escape(label)} & {' & '.join(_cell(cell) for cell in row)} \\\\"
        for label, row in zip(labels, found.cells, strict=True)
    ]
    lines = [
        "% " + _method(found),
        rf"\begin{{tabular}}{{l{'r' * len(found.metrics)}}}",
        r"\toprule",
        rf" & {spans} \\",
        " ".join(rules),
        rf"Measure & {depths} \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
    ]
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
