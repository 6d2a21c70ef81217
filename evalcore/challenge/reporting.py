"""Results of a challenge in the forms other rooms know: problem rows, and scores to be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.model import DEFINED, NO_CONCEPTS, Scores, frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.model import Floats, Report


def problem_rows(report: Report) -> list[dict[str, Any]]:
    """Problems in the order of the file's lines, each with whether the official script stops at it."""
    ordered = sorted(report.problems, key=lambda problem: (problem.line is None, problem.line or 0))
    return [
        {
            "line": problem.line, "rule": problem.rule, "value": problem.value,
            "message": f"{problem.message} {problem.way_out}".strip(),
            "official_rejects": problem.severity == "error",
        }
        for problem in ordered
    ]  # fmt: skip


def as_scores(metric: str, values: Mapping[str, Floats]) -> tuple[Scores, ...]:
    """Values per image of several runs as ``Scores``, so that intervals and paired tests apply.

    Image indices are positions in the ground truth; NaN values are images that do not count.
    """
    return tuple(
        Scores(
            run, metric, frozen(np.arange(len(column), dtype=np.int32)), frozen(column),
            frozen(np.where(np.isnan(column), NO_CONCEPTS, DEFINED).astype(np.uint8)), 0, 0, 0, None,
        )
        for run, column in values.items()
    )  # fmt: skip
