"""What is judged: the queries and systems of a task, how it asks, and how it is drawn."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from evalcore.features.review.judgments import Answer, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.features.review.judgments import Judgment
    from evalcore.values.model import ImageFiles, Study

Form = Literal["graded", "preference", "panel", "ratings", "material"]
FORMS: tuple[Form, ...] = get_args(Form)
BY_CRITERIA = ("ratings", "material")
Scale = Literal[5, 100]
SCALES: tuple[Scale, ...] = get_args(Scale)
QUESTIONS = {
    "graded": "How useful is this result for the query?",
    "preference": "Which list is more useful for the query?",
    "panel": "How satisfied are you with this list as a whole?",
}
"""What is asked of a judgment of each kind; of a rating its criterion is named (`page.who.question`)."""
REASONS = ("modality", "organ", "finding", "severity", "quality")
MAX_DEPTH, MAX_QUERIES, MAX_SYSTEMS = 100, 10_000, 20
MAX_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Material:
    """What a team says of an image, "" for what is not there; ``heat_map`` the name of a picture."""

    image: str
    team: str
    caption: str = ""
    explanation: str = ""
    heat_map: str = ""

    @property
    def text(self) -> str:
        """Caption and explanation in one text."""
        parts = (("Caption", self.caption), ("Explanation", self.explanation))
        return " · ".join(f"{name}: {text}" for name, text in parts if text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One thing readers are asked to do, ``review/NAME.toml`` of a study.

    form
        graded: each result of a query by itself; ratings: the same by each of the ``criteria``;
        preference: two lists side by side, every pair of the systems; panel: the whole list of a system;
        material: what the systems, here teams, say of each image, by each of the ``criteria``.
    queries, draw
        Ids of the queries; or, where none are named, how many are drawn by the seed.
    depth
        Results of each list.
    scale
        5 steps, or 0 to 100. Values are stored from 0 to 1 either way.
    panel
        Whether readers also say how satisfied they are with each list as a whole.
    material, heat_maps
        What the teams of the form material say, from the table beside the file, and its pictures.
    """

    name: str
    title: str
    form: Form
    systems: tuple[str, ...]
    queries: tuple[str, ...] = ()
    draw: int = 0
    depth: int = 5
    scale: Scale = 5
    seed: int = 0
    instructions: str = ""
    reasons: tuple[str, ...] = REASONS
    criteria: tuple[str, ...] = ()
    panel: bool = False
    material: tuple[Material, ...] = ()
    heat_maps: ImageFiles | None = None

    @property
    def asks_panel(self) -> bool:
        """Whether whole lists are judged by themselves."""
        return self.panel or self.form == "panel"


def steps(scale: Scale) -> tuple[float, ...]:
    """The values of a scale, from 0 to 1.

    >>> steps(5), len(steps(100))
    ((0.0, 0.25, 0.5, 0.75, 1.0), 101)
    """
    last = 4 if scale == 5 else 100
    return tuple(step / last for step in range(last + 1))


# A task every study has without a file: a few results of each system, to see how judging goes.

NAME = "practice"
DRAW, DEPTH, SYSTEMS = 4, 3, 6


def practice_task(study: Study) -> Task | None:
    """The task; None where no system has a run. Its name is no task file's as long as none is called so."""
    systems = systems_to_judge(study)[:SYSTEMS]
    if not systems:
        return None
    return Task(
        name=NAME,
        title="Practice",
        form="graded",
        systems=systems,
        draw=DRAW,
        depth=DEPTH,
        seed=1,
        instructions="Imagine you look at the query image and ask for similar cases. For each result, say "
        "how useful it would be to you. There is no right answer, and no time limit.",
    )


def systems_to_judge(study: Study) -> tuple[str, ...]:
    """The systems whose lists can be judged: those with a run, one of each."""
    return tuple(name for name in study.systems if name in study.runs and name not in study.seeds)


# What a judgment may hold: texts are a stranger's, so they are short, without signs that cannot be seen.

MAX_ID, MAX_READER, MAX_NAME, MAX_TEXT, MAX_COMMENT = 80, 40, 80, 400, 2_000
MAX_REASONS, MAX_REASON = 20, 60
"""Characters of an id, a reader's code, the name of a task, other texts, a comment; reasons, and of each."""
KINDS: tuple[Kind, ...] = get_args(Kind)
SAID: tuple[Answer, ...] = get_args(Answer)
_SYSTEMS = {"preference": 2, "panel": 1}
_RANGE = {"preference": (-1.0, 1.0)}


def is_line(text: str, longest: int) -> bool:
    """Whether a text is one line, not empty, without blanks around it or signs that cannot be seen."""
    return 0 < len(text) <= longest and text.isprintable() and text == text.strip()


def is_comment(text: str) -> bool:
    """Whether a text can be a comment: lines without signs that cannot be seen, or nothing."""
    plain = text.replace("\n", "")
    return len(text) <= MAX_COMMENT and (not plain or plain.isprintable()) and text == text.strip()


def tidy(text: str, longest: int, *, lines: bool = False) -> str:
    """A typed text as it can be kept: signs that cannot be seen are gone, what is too long is cut.

    >>> tidy("  R1" + chr(7) + chr(0x202E) + " ", 40), tidy("a" + chr(13) + chr(10) + "b", 9, lines=True)
    ('R1', 'a\\nb')
    """
    text = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    parts = ["".join(c for c in line if c.isprintable()) for line in text.split("\n")]
    return ("\n" if lines else " ").join(parts).strip()[:longest].strip()


def wrong(judgment: Judgment) -> Iterator[tuple[str, str, object]]:
    """What of a judgment cannot be: (field, what it must be, what it is)."""
    for field, longest in (("id", MAX_ID), ("reader", MAX_READER), ("query", MAX_TEXT)):
        if not is_line(getattr(judgment, field), longest):
            yield field, _line(longest), getattr(judgment, field)
    for field, longest in (
        ("task", MAX_NAME),
        ("result", MAX_TEXT),
        ("criterion", MAX_NAME),
        ("shown", MAX_ID),
    ):
        text = getattr(judgment, field)
        if text and not is_line(text, longest):
            yield field, f"empty, or {_line(longest)}", text
    if judgment.kind not in KINDS:
        yield "kind", f"one of {', '.join(KINDS)}", judgment.kind
    if judgment.said not in SAID:
        yield "said", f"one of {', '.join(SAID)}", judgment.said
    elif judgment.kind in KINDS:
        yield from _wrong_value(judgment)
        yield from _wrong_parts(judgment)
    if not is_comment(judgment.comment):
        rule = f"at most {MAX_COMMENT:,} characters, without control signs or blanks around"
        yield "comment", rule, judgment.comment
    if judgment.at.tzinfo is None or judgment.at.utcoffset():
        yield "at", "a time in UTC, such as 2026-05-01T09:30:00+00:00", judgment.at


def _wrong_parts(judgment: Judgment) -> Iterator[tuple[str, str, object]]:
    n = _SYSTEMS.get(judgment.kind, 0)
    systems, reasons = judgment.systems, judgment.reasons
    if len(systems) != n or len({*systems}) != n or not all(is_line(system, MAX_TEXT) for system in systems):
        words = {0: "empty for this kind", 1: "one system", 2: "two different systems"}
        yield "systems", words[n], list(systems)
    if judgment.kind in ("graded", "rating") and not judgment.result:
        yield "result", f"given for the kind {judgment.kind}", judgment.result
    if judgment.kind == "rating" and not judgment.criterion:
        yield "criterion", "given for the kind rating", judgment.criterion
    if len(reasons) > MAX_REASONS or not all(is_line(reason, MAX_REASON) for reason in reasons):
        yield "reasons", f"at most {MAX_REASONS} lines of at most {MAX_REASON} characters", list(reasons)


def _wrong_value(judgment: Judgment) -> Iterator[tuple[str, str, object]]:
    low, high = _RANGE.get(judgment.kind, (0.0, 1.0))
    value = judgment.value
    if judgment.said != "value":
        if value is not None:
            yield "value", f"empty with the answer {judgment.said}", value
    elif value is None or not math.isfinite(value) or not low <= value <= high:
        yield "value", f"a number from {low:g} to {high:g} for the kind {judgment.kind}", value


def _line(longest: int) -> str:
    return f"one line of 1 to {longest} characters, without control signs or blanks around"
