"""How a task asks for diagnoses: its arms, who reads what in which, and what is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from evalcore.features.review.diagnosis.reading import ALONE

Design = Literal["sequential", "crossover", "split"]
DESIGNS: tuple[Design, ...] = get_args(Design)
Detail = Literal["caption", "label"]
DETAILS: tuple[Detail, ...] = get_args(Detail)
MAX_ARMS, MAX_CHOICES, MAX_CHOICE, MAX_WASHOUT = 12, 50, 80, 366
WASHOUT = 28
FROM_FILE, UNKNOWN, OF_LABELS = "file", "none", "labels:"
"""Where the truth comes from: the table beside the task file, nowhere, or a label column by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What a task of the form diagnosis asks beside its queries, which are the cases.

    arms
        `ALONE` and names of systems, all different, at least one.
    design
        sequential: each case alone and at once again with the results of a system, of several systems the
        one whose turn it is. crossover: each case in every arm, each time in another session. split: each
        case in one arm.
    per_reader
        Cases of each reader, dealt so that all are read equally often; 0 for all.
    washout
        Days between the last answer of a session and the opening of the next.
    choices
        The answers to choose from, of two the positive one first; none: words that are matched to a concept.
    truth
        `FROM_FILE`, `UNKNOWN`, or ``labels:COLUMN``. Readers never see it.
    show
        What is said of a result beside its picture.
    region
        Whether readers may mark a region of the case.
    truths
        (image, truth) of the table beside the task file.
    """

    arms: tuple[str, ...] = (ALONE,)
    design: Design = "sequential"
    per_reader: int = 0
    washout: int = WASHOUT
    choices: tuple[str, ...] = ()
    truth: str = FROM_FILE
    show: tuple[Detail, ...] = DETAILS
    region: bool = False
    truths: tuple[tuple[str, str], ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The arms that show results."""
        return tuple(arm for arm in self.arms if arm != ALONE)

    @property
    def sessions(self) -> int:
        """Sessions of each reader."""
        return len(self.arms) if self.design == "crossover" else 1

    @property
    def column(self) -> str:
        """The label column that has the truth; "" for another source."""
        return self.truth.removeprefix(OF_LABELS) if self.truth.startswith(OF_LABELS) else ""
