"""Table 1 to take home: LaTeX, best in bold, daggers for what is not significantly worse; and tidy rows."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from evalcore.ranking.metrics import parse_metric
from evalcore.results.board import NOTHING
from evalcore.results.tidy import of_metric, of_settings
from evalcore.results.writers import escape_latex, tabular

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.measures.table_one import TableCell, TableOne
    from evalcore.values.model import Study
    from evalcore.values.settings import Settings


def table_one(found: TableOne, labels: Sequence[str]) -> str:
    """Measures as rows, label targets as groups of columns with one column per depth; percent.

    Bold is the highest of a column, a dagger marks what does not differ significantly from it. Needs the
    package booktabs.
    """
    groups = [(target, list(members)) for target, members in groupby(found.metrics, key=_target)]
    spans = " & ".join(rf"\multicolumn{{{len(of)}}}{{c}}{{{escape_latex(target)}}}" for target, of in groups)
    rules, at = [], 2
    for _, members in groups:
        rules.append(rf"\cmidrule(lr){{{at}-{at + len(members) - 1}}}")
        at += len(members)
    depths = " & ".join(f"@{parse_metric(metric).cutoff}" for metric in found.metrics)
    rows = [
        f"{escape_latex(label)} & {' & '.join(_cell(cell) for cell in row)}"
        for label, row in zip(labels, found.cells, strict=True)
    ]
    head = [rf" & {spans} \\", " ".join(rules), rf"Measure & {depths} \\"]
    lines = ["% " + _method(found), *tabular(f"l{'r' * len(found.metrics)}", head, [rows])]
    return "\n".join(lines) + "\n"


def table_rows(
    study: Study, found: TableOne, *, settings: Settings, queries: str = "all"
) -> list[dict[str, object]]:
    """One row per measure and column, full precision, with everything that decides the numbers.

    ``queries``: what is compared over, "all", "common" or "common-pool". Means are shares from 0 to 1.
    """
    decided = of_settings(study, settings, queries=queries)
    rows: list[dict[str, object]] = []
    for name, row in zip(found.systems, found.cells, strict=True):
        for metric, cell in zip(found.metrics, row, strict=True):
            mean = cell.interval
            own: dict[str, object] = {
                "measure": name.removeprefix("@"),
                **of_metric(metric),
                "mean": mean.mean,
                "ci_low": mean.low,
                "ci_high": mean.high,
                "ci_level": mean.level,
                "ci_method": mean.method,
                "ci_resamples": mean.n_resamples,
                "n": mean.n,
                "seed": found.seed,
                "n_queries": cell.n_queries,
                "n_undefined": cell.n_undefined,
                "n_tied": cell.tied,
                "best": cell.best,
                "as_good": cell.as_good,
                "p_corrected": cell.p_corrected,
                "correction": found.correction,
                "test": found.test,
                "sign_flips": found.n_resamples,
                "ties": found.ties,
                "queries_used": found.n_asked,
                "queries_of_study": found.n_all,
            }
            rows.append(own | {name: value for name, value in decided.items() if name not in own})
    return rows


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
