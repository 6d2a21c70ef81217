"""What a user's script sees of the types: `python -m mypy` checks it strictly, a test runs it."""

from __future__ import annotations

from typing import assert_type

import evalcore as cs


def main() -> float:
    concepts = {"a": ["C0040405"], "b": ["C0040405", "C0817096"], "c": ["C0817096"]}
    runs = {name: {"a": {"b": 1.0, "c": 0.5}, "c": {"a": 1.0, "b": 0.5}} for name in ("x", "y")}
    study = assert_type(
        cs.make_study(
            concepts=concepts,
            runs=runs,
            graph=[("C0817096", "C0040405")],
            labels={name: {"organ": "chest"} for name in concepts},
        ),
        cs.Study,
    )
    board = assert_type(cs.score(study, ["CUI@1"], settings=cs.Settings(alpha=0.5)), cs.Board)
    assert_type(board[0], cs.Scores)
    assert_type(board.intervals[0], cs.Interval)
    assert_type(cs.summarise(board[0]), cs.Interval)
    rows = assert_type(cs.compare(board, "x", "y"), cs.Differences)
    assert_type(rows[0], cs.Comparison)
    assert_type(rows[0].p_corrected, float)
    assert_type(board.to_latex(), str)
    assert_type(cs.slices(board, by="organ"), cs.Slices)
    assert_type(cs.sweep(study, alphas=(0.0, 1.0), thresholds=(0,), metrics=["CUI@1"]), cs.Sweep)
    more = assert_type(cs.with_runs(study, z={"a": {"b": 1.0}}), cs.Study)
    assert_type(more.runs["z"], cs.Run)
    return assert_type(board.mean("x", "CUI@1"), float)
