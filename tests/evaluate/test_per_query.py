"""Difficulty, hard for all and one against the rest: beside pandas and naive loops."""

import statistics
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evalcore.evaluate.per_query import PerQuery, against_rest, leading_first, sort_queries
from evalcore.values.errors import SettingError, UnknownName

SYSTEMS = ("a", "b", "c", "d", "e")


def table_of(values, reasons=None) -> PerQuery:
    values = np.asarray(values, float)
    n, m = values.shape
    reasons = np.zeros(n, np.uint8) if reasons is None else np.asarray(reasons, np.uint8)
    names = tuple(f"s{i:02}" for i in range(m)) if m != len(SYSTEMS) else SYSTEMS
    return PerQuery("m@10", names, np.arange(n, dtype=np.int32), values, reasons)


@pytest.fixture(params=[0, 1, 2])
def drawn(request) -> PerQuery:
    """Few different values, so that many are level, and queries without a value."""
    rng = np.random.default_rng(request.param)
    values = rng.integers(0, 5 + 40 * request.param, (200, (5, 4, 10)[request.param])) / 50
    values[rng.random(200) < 0.1] = np.nan
    return table_of(values)


@pytest.mark.parametrize("by", ["hardest", "easiest", "spread"])
def test_orders_are_those_of_pandas_ties_by_id(drawn, by) -> None:
    frame = pd.DataFrame(drawn.values)
    spread = frame.max(axis=1, skipna=False) - frame.min(axis=1, skipna=False)
    # Values are multiples of 1/50: rounding makes sums that are equal on paper equal numbers.
    key = {
        "hardest": frame.mean(axis=1, skipna=False),
        "easiest": -frame.mean(axis=1, skipna=False),
        "spread": -spread,
    }[by].round(9)
    expected = key.sort_values(kind="stable", na_position="last").index
    assert sort_queries(drawn, by).tolist() == expected.tolist()


def test_hard_and_good_for_all_by_a_loop(drawn) -> None:
    table = replace(drawn, good_at=0.06)
    for row, hard, fine in zip(drawn.values.tolist(), table.kind("hard"), table.kind("good"), strict=True):
        assert hard == all(v < 0.06 for v in row)
        assert fine == all(v >= 0.06 for v in row)


def test_a_system_against_the_rest_by_a_loop(drawn) -> None:
    for j, name in enumerate(drawn.systems):
        differences = against_rest(drawn, name)
        for row, difference in zip(drawn.values.tolist(), differences.tolist(), strict=True):
            others = statistics.fmean(row[:j] + row[j + 1 :])
            assert difference == pytest.approx(row[j] - others, abs=1e-12, nan_ok=True)
            assert (difference == 0) == (abs(row[j] - others) < 1e-12)
        expected = pd.Series(differences).round(9).dropna().sort_values(ascending=False, kind="stable").index
        assert leading_first(differences).tolist() == expected.tolist()


def test_a_system_and_the_rest_are_needed() -> None:
    with pytest.raises(UnknownName, match="nobody"):
        against_rest(table_of([[0.1, 0.2]]), "nobody")
    with pytest.raises(SettingError, match="at least two"):
        against_rest(table_of([[0.1]]), "s00")


def test_best_and_its_ties(drawn) -> None:
    frame = pd.DataFrame(drawn.values, columns=list(drawn.systems)).dropna()
    shared = frame.eq(frame.max(axis=1), axis=0).sum(axis=1)
    assert drawn.level_at_the_top == (shared > 1).sum()
    alone = frame[shared == 1].idxmax(axis=1).value_counts()
    assert drawn.best_alone() == {name: int(alone.get(name, 0)) for name in frame.columns}
