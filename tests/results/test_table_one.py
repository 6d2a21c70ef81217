"""The table for a paper: structure, marks, and names that LaTeX must not take for commands."""

from __future__ import annotations

from evalcore.evaluate.measures import TableCell, TableOne
from evalcore.results.paper import table_one
from evalcore.values.model import Interval


def cell(mean: float, *, best: bool = False, p: float = 0.01) -> TableCell:
    interval = Interval(mean, mean, mean, 0.95, "percentile bootstrap", 40, 2000, 0)
    return TableCell(interval, 40, 0, 3, best, not best and p >= 0.05, float("nan") if best else p)


FOUND = TableOne(
    ("@iou", "@nn-iou"),
    ("P(modality)@5", "P(modality)@10", "P(modality&organ)@5"),
    (
        (cell(0.91234, p=0.2), cell(0.5), cell(0.25, best=True)),
        (cell(0.95, best=True), cell(0.51, best=True), cell(float("nan"))),
    ),
    40,
    50,
    "id",
    "paired permutation",
    "Holm",
    10_000,
    7,
)


def test_whole_table() -> None:
    assert table_one(FOUND, ["iou", "nn_iou & co"], study="Toy").splitlines()[1:] == [
        r"\begin{table}",
        r"\centering",
        r"\caption{Precision in percent of 2 measures, Toy; n = 40 queries. Bold: highest. $\ddagger$: "
        r"significantly lower than the best of the column (p $<$ .05, Holm).}",
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r" & \multicolumn{2}{c}{modality} & \multicolumn{1}{c}{modality \& organ} \\",
        r"\cmidrule(lr){2-3} \cmidrule(lr){4-4}",
        r"Measure & @5 & @10 & @5 \\",
        r"\midrule",
        r"iou & 91.23 & 50.00$^\ddagger$ & \textbf{25.00} \\",
        r"nn\_iou \& co & \textbf{95.00} & \textbf{51.00} & – \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
