"""The facts in the sentences of the measures page, from values made by hand."""

from __future__ import annotations

import re

import numpy as np
import pytest

from evalcore.evaluate.measures import (
    Agreement,
    Level,
    MeasureScores,
    Power,
    RankSwap,
    TableCell,
    TableOne,
    rank_swaps,
)
from evalcore.ui.robustness import agree
from evalcore.ui.robustness import measure_sentences as sentences
from evalcore.values.model import Interval

TWO = (("x", "y"),)
THREE = (("x", "y"), ("x", "z"), ("y", "z"))


def facts(sentence: str) -> list[str]:
    """The names and numbers in a sentence, in its order."""
    assert not sentence[0].islower()
    return re.findall(r"(?<![\w.])(?:[xyz]|IoU|Dice|Path|[A-D]|[\d,.]*\d%?)(?![\w])", sentence)


def agreement(kendall: list[list[float]], n: int = 1200, level: Level = "results") -> Agreement:
    matrix = np.array(kendall)
    return Agreement(level, tuple("abcd"[: len(matrix)]), matrix, matrix, n)


def scores(means: dict[str, list[float]], measures: tuple[str, ...]) -> MeasureScores:
    """One query, so that values are means."""
    values = np.array([[row] for row in means.values()])
    return MeasureScores(measures, tuple(means), measures, np.array([0], np.int32), values, 0)


def power(measure: str, p: list[float], compared: tuple[tuple[str, str], ...]) -> Power:
    values = np.array(p)
    return Power(measure, measure, compared, values, values, values, 0.05, "Holm", "paired", 40, 100, 0)


@pytest.mark.parametrize(("plain", "tau"), [(True, "0.30"), (False, "0.300")])
def test_least_alike_and_twins(plain: bool, tau: str) -> None:
    found = agreement([[1, 1, 0.3], [1, 1, 0.5], [0.3, 0.5, 1]])
    said = facts(sentences.agreement(found, ["IoU", "Dice", "Path"], plain=plain))
    assert {"IoU", "Path", tau, "1,200"} <= set(said)
    assert said[-2:] == ["IoU", "Dice"], "the two with the same order come last"


def test_measures_in_one_order_are_one_group() -> None:
    found = agreement([[1, 1, 1, 0.2], [1, 1, 1, 0.2], [1, 1, 1, 0.2], [0.2, 0.2, 0.2, 1]])
    text = sentences.agreement(found, ["A", "B", "C", "D"], plain=True)
    assert "**A**, **B** and **C** put them in exactly the same order." in text


@pytest.mark.parametrize(
    ("tau", "begins"),
    [(0.9, "The measures mostly agree"), (0.5, "It matters which"), (0.1, "Some measures differ")],
)
def test_how_alike(tau: float, begins: str) -> None:
    text = sentences.agreement(agreement([[1, tau], [tau, 1]]), ["a", "b"], plain=True)
    assert text.startswith(begins)


def test_no_order_at_all() -> None:
    nan = float("nan")
    constant, few = agreement([[1, nan], [nan, nan]]), agreement([[nan, nan], [nan, nan]], 2, "systems")
    assert "no two rankings of pairs of images" in sentences.agreement(constant, ["a", "b"], plain=True)
    assert facts(sentences.agreement(few, ["a", "b"], plain=True)) == ["2", "3"], "2 systems, 3 are needed"
    same = agreement([[1, 1], [1, 1]])
    assert "exactly the same order" in sentences.agreement(same, ["a", "b"], plain=True)


def test_ranking_with_a_system_that_judges_itself() -> None:
    found = scores({"x": [0.5, 0.2], "y": [0.4, 0.9]}, ("iou", "cosine:y"))
    text = sentences.ranking(found, rank_swaps(found, reference="iou"), ["IoU", "Looks"], "IoU")
    assert facts(text) == ["x", "1", "2", "y", "1", "2", "1", "1", "IoU"]
    assert "**y** under 1 of 2 (its own)" in text and "1 pair of systems swaps ranks" in text


def test_one_winner() -> None:
    found = scores({"x": [0.5, 0.9], "y": [0.4, 0.2], "z": [0.3, 0.4]}, ("iou", "dice"))
    text = sentences.ranking(found, rank_swaps(found, reference="iou"), ["IoU", "Dice"], "IoU")
    assert facts(text) == ["x", "1", "1", "IoU"]
    assert "**both measures**" in text and "1 pair of systems swaps ranks" in text
    assert "no two systems swap ranks" in sentences.ranking(found, (), ["IoU", "Dice"], "IoU")


def test_nothing_to_rank() -> None:
    alone, empty = scores({"x": [0.5]}, ("iou",)), scores({"x": [0.5], "y": [0.1]}, ("iou",))
    none = MeasureScores(("iou",), ("x", "y"), ("iou",), empty.queries[:0], empty.values[:, :0], 1)
    assert "Only **x** is selected" in sentences.ranking(alone, (), ["IoU"], "IoU")
    assert sentences.ranking(none, (), ["IoU"], "IoU").startswith("No query has a value")
    assert facts(sentences.ranking(empty, (), ["IoU"], "IoU")) == ["x", "IoU", "1"], "one measure, no choice"


@pytest.mark.parametrize(
    ("p", "ends"),
    [
        ((0.01, 0.02), "both measures separate them"),
        ((0.01, 0.2), "only Dice separates them"),
        ((0.2, 0.01), "only IoU separates them"),
        ((0.1, 0.2), "neither separates them"),
    ],
)
def test_crossings_say_who_separates(p: tuple[float, float], ends: str) -> None:
    both = {"dice": power("dice", [p[0]], TWO), "iou": power("iou", [p[1]], TWO)}
    one = RankSwap("dice", "iou", "y", "x", 0.2, 0.1)
    text = sentences.swap(one, {"iou": "IoU", "dice": "Dice"}, both)
    assert facts(text)[:6] == ["y", "x", "Dice", "0.200", "0.100", "IoU"]
    assert text.endswith(ends)


def test_power_names_most_and_fewest() -> None:
    rows = [power("a", [0.01, 0.01, 0.3], THREE), power("b", [0.01, 0.2, 0.3], THREE)]
    text = sentences.power(rows, ["A", "B"], plain=False)
    assert facts(text) == ["A", "2", "3", "66.7%", "40", "B", "1"]
    assert facts(sentences.power(rows[:1] * 2, ["A", "B"], plain=True)) == ["2", "3", "40"]


def cell(mean: float, *, best: bool = False, as_good: bool = False, tied: int = 0) -> TableCell:
    interval = Interval(mean, mean, mean, 0.95, "", 40, 2000, 0)
    return TableCell(interval, 40, 0, tied, best, as_good, 0.2)


def test_search_names_the_best_and_those_as_good() -> None:
    column = ((cell(0.4, as_good=True),), (cell(0.5, best=True),), (cell(0.1),))
    found = TableOne(("@a", "@b", "@c"), ("P(organ)@5",), column, 40, 40, "id", "", "", 1, 0)
    text = sentences.search(found, 0, ["A", "B", "C"], "the same organ")
    assert facts(text) == ["B", "50.0%", "5", "40", "A"] and "the same organ" in text


def test_names_are_escaped() -> None:
    hostile = "![x](http://evil)"
    text = sentences.agreement(agreement([[1, 0.5], [0.5, 1]]), [hostile, "b"], plain=True)
    assert "![x](" not in text


@pytest.mark.parametrize(("ties", "how"), [("id", "by image ID"), ("expected", "all orders")])
def test_search_warns_where_ties_decide(ties: str, how: str) -> None:
    column = ((cell(0.5, best=True, tied=30),),)
    found = TableOne(("@a",), ("P(organ)@5",), column, 40, 40, ties, "", "", 1, 0)
    text = sentences.search(found, 0, ["A"], "the same organ")
    assert "tied" in text and "75.0% of the queries" in text and how in text


def test_a_rank_of_counts_equal_values_apart() -> None:
    values = np.array([0.0, 0.0, 0.5, 1.0])
    assert agree._rank_of(values, 0.0) == "lowest (tied with 50.0% of pairs)"
    assert agree._rank_of(values, 0.5) == "above 50.0%"
