"""A diagnosis that a reader made of a case: what was answered, how surely, and in what time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

ALONE = "alone"
"""The arm without any results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """A reader's answer about a case in an arm: the last, where it was corrected.

    arm
        `ALONE`, or the system whose results were beside the case.
    session, order
        The session, from 1, and the place of the reading among those of the reader in it, from 1. A case
        read alone and at once again with results takes two places of the same session.
    answer, concept
        One of the choices of the task, or the words that were typed; the concept they were matched to, "".
    truth
        The right answer: a choice, or a concept; "" where it is not known.
    confidence
        0 to 1.
    seconds
        From showing the case to the answer, as the browser measured it; None where that is not known.
    region
        Left, top, width and height of the marked region, each 0 to 1 of the picture; None without.
    """

    task: str
    reader: str
    case: str
    arm: str
    session: int
    order: int
    answer: str
    concept: str = ""
    truth: str = ""
    confidence: float
    seconds: float | None = None
    region: tuple[float, float, float, float] | None = None
    at: datetime
    simulated: bool = False

    @property
    def right(self) -> bool | None:
        """Whether the answer is the right one; None where the truth is not known."""
        return None if not self.truth else self.truth in (self.answer, self.concept)
