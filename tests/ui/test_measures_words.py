"""The sentences of the measures page, from values made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.evaluate.agreement import Agreement, Level
from evalcore.evaluate.discrimination import Power
from evalcore.evaluate.system_orders import Swap, swaps
from evalcore.evaluate.table_one import TableCell, TableOne
from evalcore.evaluate.under_measures import MeasureScores
from evalcore.model import Interval
from evalcore.ui.measures import pairs as measures_page_pairs
from evalcore.ui.measures import sentences as words


def agreement(kendall: list[list[float]], n: int = 1200, level: Level = "results") -> Agreement:
    matrix = np.array(kendall)
    return Agreement(level, tuple("abcd"[: len(matrix)]), matrix, matrix, n)


def scores(means: dict[str, list[float]], measures: tuple[str, ...]) -> MeasureScores:
    """One query, so that values are means."""
    values = np.array([[row] for row in means.values()])
    return MeasureScores(measures, tuple(means), measures, np.array([0], np.int32), values, 0)


def power(measure: str, p: list[float], pairs: tuple[tuple[str, str], ...]) -> Power:
    values = np.array(p)
    return Power(measure, measure, pairs, values, values, values, 0.05, "Holm", "paired", 40, 100, 0)


def test_least_alike_and_twins() -> None:
    found = agreement([[1, 1, 0.3], [1, 1, 0.5], [0.3, 0.5, 1]])
    told = words.agreement(found, ["IoU", "Dice", "Path"], plain=True)
    assert told == (
        "Some measures look at quite different things. Least alike are **IoU** and **Path**: agreement "
        "**0.30**, where 1 is the same order and 0 no relation, over 1,200 pairs of images. **IoU** and "
        "**Dice** order them exactly alike."
    )
    technical = words.agreement(found, ["iou", "dice", "path"], plain=False)
    assert technical.startswith(
        "Least alike on 1,200 pairs of images: **iou** and **path**, Kendall’s τ 0.300."
    )


def test_measures_in_one_order_are_one_group() -> None:
    found = agreement([[1, 1, 1, 0.2], [1, 1, 1, 0.2], [1, 1, 1, 0.2], [0.2, 0.2, 0.2, 1]])
    told = words.agreement(found, ["A", "B", "C", "D"], plain=True)
    assert told.endswith(" **A**, **B** and **C** order them exactly alike.")


@pytest.mark.parametrize(
    ("tau", "begins"),
    [
        (0.9, "The measures mostly say the same"),
        (0.5, "It matters which"),
        (0.1, "Some measures look at quite"),
    ],
)
def test_how_alike(tau: float, begins: str) -> None:
    assert words.agreement(agreement([[1, tau], [tau, 1]]), ["a", "b"], plain=True).startswith(begins)


def test_no_order_at_all() -> None:
    nan = float("nan")
    assert "no order of pairs of images" in words.agreement(
        agreement([[1, nan], [nan, nan]]), ["a", "b"], plain=True
    )
    assert "2 systems cannot be put in an order" in words.agreement(
        agreement([[nan, nan], [nan, nan]], n=2, level="systems"), ["a", "b"], plain=True
    )
    assert "exactly the same order" in words.agreement(agreement([[1, 1], [1, 1]]), ["a", "b"], plain=True)


def test_places_with_a_system_that_judges_itself() -> None:
    found = scores({"x": [0.5, 0.2], "y": [0.4, 0.9]}, ("iou", "cosine:y"))
    told = words.places(found, swaps(found, reference="iou"), ["IoU", "Looks"], "IoU")
    assert told == (
        "The winner depends on the measure: **x** under 1 of 2 and **y** under 1 of 2 (by its own eye), over "
        "1 query. 1 pair of systems changes places against **IoU**."
    )


def test_nothing_to_place() -> None:
    alone, empty = scores({"x": [0.5]}, ("iou",)), scores({"x": [0.5], "y": [0.1]}, ("iou",))
    none = MeasureScores(("iou",), ("x", "y"), ("iou",), empty.queries[:0], empty.values[:, :0], 1)
    assert "only system on view" in words.places(alone, (), ["IoU"], "IoU")
    assert words.places(none, (), ["IoU"], "IoU").startswith("No query has a value")


def test_one_winner() -> None:
    found = scores({"x": [0.5, 0.9], "y": [0.4, 0.2], "z": [0.3, 0.4]}, ("iou", "dice"))
    told = words.places(found, swaps(found, reference="iou"), ["IoU", "Dice"], "IoU")
    assert told == (
        "**x** is best under **all 2 measures**, over 1 query. 1 pair of systems changes places against "
        "**IoU**."
    )


@pytest.mark.parametrize(
    ("p", "ends"),
    [
        ((0.01, 0.02), "both measures are sure of it"),
        ((0.01, 0.2), "only Dice tells them apart"),
        ((0.1, 0.2), "neither tells them apart"),
    ],
)
def test_crossings_say_who_is_sure(p: tuple[float, float], ends: str) -> None:
    pairs = (("x", "y"),)
    both = {"dice": power("dice", [p[0]], pairs), "iou": power("iou", [p[1]], pairs)}
    told = words.swap(Swap("dice", "iou", "y", "x", 0.2, 0.1), "Dice", "IoU", both)
    assert told.startswith(
        "Under **Dice**, **y** passes **x**: ahead by 0.200, behind by 0.100 under **IoU**"
    )
    assert told.endswith(ends)


def test_power_names_most_and_fewest() -> None:
    pairs = (("x", "y"), ("x", "z"), ("y", "z"))
    rows = [power("a", [0.01, 0.01, 0.3], pairs), power("b", [0.01, 0.2, 0.3], pairs)]
    assert words.power(rows, ["A", "B"], plain=False) == (
        "**A** tells most pairs of systems apart: **2 of 3** (66.7 %) over 40 queries; **B** fewest, 1."
    )
    assert words.power(rows[:1] * 2, ["A", "B"], plain=True) == (
        "Every measure tells **2 of 3 pairs** of systems apart over 40 queries."
    )


def cell(mean: float, *, best: bool = False, as_good: bool = False) -> TableCell:
    interval = Interval(mean, mean, mean, 0.95, "", 40, 2000, 0)
    return TableCell(interval, 40, 0, 0, best, as_good, 0.2)


def test_search_names_the_best_and_those_as_good() -> None:
    column = ((cell(0.4, as_good=True),), (cell(0.5, best=True),), (cell(0.1),))
    found = TableOne(("@a", "@b", "@c"), ("P(organ)@5",), column, 40, 40, "id", "", "", 1, 0)
    assert words.search(found, 0, ["A", "B", "C"], "the same organ") == (
        "Searching by **B** brings back most images with the same organ: **50.0 %** of the first 5, over "
        "40 queries. "
        "Not told apart from it: **A**."
    )


def test_names_are_escaped() -> None:
    hostile = "![x](http://evil)"
    told = words.agreement(agreement([[1, 0.5], [0.5, 1]]), [hostile, "b"], plain=True)
    assert "![x](" not in told


@pytest.mark.parametrize(("ties", "how"), [("id", "in the order of their ids"), ("expected", "all orders")])
def test_search_warns_where_ties_decide(ties: str, how: str) -> None:
    one = TableCell(Interval(0.5, 0.4, 0.6, 0.95, "", 40, 2000, 0), 40, 0, 30, True, False, float("nan"))
    found = TableOne(("@a",), ("P(organ)@5",), ((one,),), 40, 40, ties, "", "", 1, 0)
    told = words.search(found, 0, ["A"], "the same organ")
    assert "With care: for 75.0 % of the queries more images are equally close" in told and how in told


def test_a_place_counts_equal_values_apart() -> None:
    values = np.array([0.0, 0.0, 0.5, 1.0])
    assert measures_page_pairs._place(values, 0.0) == "lowest, level with 50.0 %"
    assert measures_page_pairs._place(values, 0.5) == "above 50.0 %"
