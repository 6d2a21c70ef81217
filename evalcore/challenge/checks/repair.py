"""Results of a challenge in the forms other rooms know: problem rows, and scores to be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.model import DEFINED, NO_CONCEPTS, Scores, frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.challenge.editions import CaptionEdition, ConceptEdition
    from evalcore.model import Floats, Report


def problem_rows(report: Report) -> list[dict[str, Any]]:
    """Problems in the order of the file's lines, each with whether the official script stops at it."""
    ordered = sorted(report.problems, key=lambda problem: (problem.line is None, problem.line or 0))
    return [
        {
            "line": problem.line, "rule": problem.rule, "value": problem.value,
            "message": f"{problem.message} {problem.remedy}".strip(),
            "official_rejects": problem.severity == "error",
        }
        for problem in ordered
    ]  # fmt: skip


MENDED = ("blank-line", "unknown-id", "wrong-order", "split-line")
"""Rules whose problems are gone from any file that is written anew from the rows of known images."""


def refusals(report: Report, *, conflicts: int, edition: ConceptEdition | CaptionEdition) -> dict[str, int]:
    """What the official script would stop at, counted by rule; {} for a file it accepts.

    ``conflicts`` rows that repeat an image and say something else, one of which its author has to choose.
    """
    found = {rule: n for (severity, _, rule), n in report.counts.items() if severity == "error"}
    return found | ({"repeated-id": conflicts} if conflicts and "repeated-id" in edition.rejects else {})


def why_not_repaired(unrepaired: Mapping[str, int]) -> str:
    """Why there is no repaired file, in words.

    >>> why_not_repaired({"missing-id": 3})
    'There is no repaired file, because it would be refused too: missing-id (3). Only you can settle that.'
    """
    if not unrepaired:
        return "There is no repaired file, because nothing needs a repair or allows one without a choice."
    listed = ", ".join(f"{rule} ({n:,})" for rule, n in unrepaired.items())
    return f"There is no repaired file, because it would be refused too: {listed}. Only you can settle that."


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
