"""Context-aware gain and measures of a grid: the specification's golden values, and laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.ranking.graded import context_aware_gains
from evalcore.ranking.grid import GRID, Grid, Reading, grid_value

LISTS = ("f1", "f2", "f3", "f4")
NEAR = {"rel": 1e-12, "abs": 1e-12}
grades = st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 0.75, 1.0])
lists = st.lists(grades, min_size=1, max_size=14)


def grid_of(relevance: list[float], rows: list[int] | None = None) -> Grid:
    sizes = rows or [1] * len(relevance)
    values = np.array([relevance], float)
    return Grid(values, np.array([len(relevance)]), np.repeat(np.arange(len(sizes)), sizes))


def by_definition(relevance: list[float], window: int) -> list[float]:
    """Formulas 3 and 4, rank by rank."""
    seen: list[float] = []
    worth: list[float] = []
    gains = []
    for value in relevance:
        best = max([value, *seen])
        worth.append(value / best * value if best else 0.0)
        seen.append(value)
        last = worth[-window:]
        gains.append(sum(last) / len(last))
    return gains


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize(("divide_by", "column"), [("filled", "g"), ("window", "g_divw")])
def test_gains_of_the_golden_lists(spec_golden, name: str, divide_by, column: str) -> None:
    golden = spec_golden["F_cag"][name]
    gains = context_aware_gains(np.array([golden["r"]], float), window=golden["w"], divide_by=divide_by)
    assert gains[0] == pytest.approx(golden[column], **NEAR)


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize(("aware", "block"), [(False, "ORG"), (True, "CAG")])
def test_measures_of_the_golden_lists(spec_golden, name: str, aware: bool, block: str) -> None:
    golden = spec_golden["F_cag"][name]
    grid = grid_of(golden["r"], golden["rows"])
    known = {
        "RBP": ("RBP", {}),
        "DCG": ("DCG_log2", {}),
        "CG": ("CG", {}),
        "MAX": ("MAX", {}),
        "AVG": ("AVG_rows", {}),
        "AVG over images": ("AVG_images", {"over": "images"}),
        "ERR": ("ERR_gain_g_stop_r", {}),
        "ERR by gain": ("ERR_all_g", {"stop_by": "gain"}),
        "RBP per image": ("RBP/N", {"per_image": True}),
        "DCG per image": ("DCG_log2/N", {"per_image": True}),
        "CG per image": ("CG/N", {"per_image": True}),
    }
    for label, (column, options) in known.items():
        reading = Reading(context_aware=aware, window=golden["w"], **options)
        (value,) = grid_value(label.split()[0], grid, reading)
        assert value == pytest.approx(golden[block][column], **NEAR), label
    (dcg,) = grid_value("DCG", grid, Reading(context_aware=aware, window=golden["w"]))
    assert dcg / np.log(2) == pytest.approx(golden[block]["DCG_ln"], **NEAR)


@given(st.lists(lists, min_size=1, max_size=4), st.integers(1, 16))
def test_gains_are_those_of_the_formulas(many: list[list[float]], window: int) -> None:
    width = max(map(len, many))
    padded = np.array([rel + [0.0] * (width - len(rel)) for rel in many])
    for row, rel in zip(context_aware_gains(padded, window=window), many, strict=True):
        assert row[: len(rel)] == pytest.approx(by_definition(rel, window), **NEAR)


@given(st.lists(lists, min_size=1, max_size=4), st.sampled_from(sorted(GRID)), st.booleans())
def test_a_list_has_the_same_value_alone_and_in_company(many, measure: str, aware: bool) -> None:
    width = max(map(len, many)) + 2
    padded = np.array([rel + [9.0] * (width - len(rel)) for rel in many])  # what lies beyond does not count
    grid = Grid(padded, np.array([len(rel) for rel in many]), np.arange(width) // 3)
    reading = Reading(context_aware=aware, window=3, per_image=True)
    together = grid_value(measure, grid, reading)
    for value, rel in zip(together, many, strict=True):
        alone = Grid(np.array([rel]), np.array([len(rel)]), np.arange(len(rel)) // 3)
        assert grid_value(measure, alone, reading)[0] == value


@pytest.mark.parametrize("measure", sorted(GRID))
def test_empty_lists_and_negative_relevance(measure: str) -> None:
    empty = Grid(np.zeros((2, 0)), np.array([0, 0]), np.zeros(0, int))
    assert grid_value(measure, empty, Reading()).tolist() == [0, 0]
    half = Grid(np.array([[0.5, 0.5], [-1.0, 0.5]]), np.array([0, 2]), np.array([0, 1]))
    values = grid_value(measure, half, Reading())
    floor = Grid(np.array([[0.0, 0.5]]), np.array([2]), np.array([0, 1]))
    assert values[0] == 0 and values[1] == grid_value(measure, floor, Reading())[0]
