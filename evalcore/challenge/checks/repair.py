"""What a repaired file would still be refused for, in numbers and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.challenge.editions import Edition
    from evalcore.model import Report

MENDED = ("blank-line", "unknown-id", "wrong-order", "split-line")
"""Rules whose problems are gone from any file that is written anew from the rows of known images."""


def refusals(report: Report, *, conflicts: int, edition: Edition) -> dict[str, int]:
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
