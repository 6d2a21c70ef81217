"""What readers are asked and what they answer: values whose fields carry their rules, and the one validator.

Files, the database and the browser give records, `{field: value}`; `validate` makes a value of a record, or
lists everything that is wrong with it.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, TypeVar, get_args

from evalcore.study.tables.problems import Problems, truncate
from evalcore.study.workspace.file_names import safe_name
from evalcore.values.errors import InputError
from evalcore.values.model import ImageFiles

Form = Literal["graded", "preference", "panel", "material"]
Kind = Literal["graded", "preference", "panel", "rating"]
Status = Literal["value", "cannot-say", "undone"]
FORMS, KINDS, STATUSES = get_args(Form), get_args(Kind), get_args(Status)
SCALES = (5, 100)
REASONS = ("modality", "organ", "finding", "severity", "quality")
MAX_READER, MAX_NAME, MAX_TITLE, MAX_TEXT = 40, 80, 120, 400
MAX_COMMENT, MAX_INSTRUCTIONS = 2_000, 4_000
MAX_DEPTH, MAX_QUERIES, MAX_SYSTEMS, MAX_SEED = 100, 10_000, 20, 2**63 - 1
MAX_IDS = 200_000
"""Characters of all query ids of a task together: its file stays a small one."""

# Rules. Texts are a stranger's, so they are short and have no characters that cannot be seen.


class Rule(NamedTuple):
    """What a field must be: whether it accepts a value, in words, and how a value of a file is converted."""

    accepts: Callable[[Any], bool]
    words: str
    convert: Callable[[Any], Any] = lambda value: value


def is_line(text: object, longest: int) -> bool:
    """Whether a value is one line, not empty, without blanks around it or control characters."""
    return isinstance(text, str) and 0 < len(text) <= longest and text.isprintable() and text == text.strip()


def tidy(text: str, longest: int, *, lines: bool = False) -> str:
    """A typed text as it can be kept: without control characters, and cut where it is too long.

    >>> tidy("  R1" + chr(7) + chr(0x202E) + " ", 40), tidy("a" + chr(13) + chr(10) + "b", 9, lines=True)
    ('R1', 'a\\nb')
    """
    text = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    parts = ["".join(c for c in part if c.isprintable()) for part in text.split("\n")]
    return ("\n" if lines else " ").join(parts).strip()[:longest].strip()


def line(longest: int, *, empty: bool = False) -> Rule:
    words = f"one line of 1 to {longest} characters, without control characters or blanks around"
    if not empty:
        return Rule(lambda value: is_line(value, longest), words)
    return Rule(lambda value: value == "" or is_line(value, longest), f"empty, or {words}")


def prose(longest: int, *, trimmed: bool) -> Rule:
    def accepts(value: Any) -> bool:
        if not isinstance(value, str) or len(value) > longest or (trimmed and value != value.strip()):
            return False
        plain = value.replace("\n", "") if trimmed else value.replace("\n", "").replace("\t", "")
        return not plain or plain.isprintable()

    around = " or blanks around" if trimmed else ""
    return Rule(accepts, f"a text of at most {longest:,} characters, without control characters{around}")


def choice(*allowed: Any) -> Rule:
    words = "true or false" if allowed == (True, False) else f"one of {', '.join(map(str, allowed))}"
    return Rule(lambda value: type(value) is type(allowed[0]) and value in allowed, words)


def integer(low: int, high: int) -> Rule:
    return Rule(
        lambda value: type(value) is int and low <= value <= high, f"a whole number from {low} to {high:,}"
    )


def lines(most: int, longest: int, *, least: int = 0) -> Rule:
    def accepts(value: Any) -> bool:
        return (
            isinstance(value, tuple)
            and least <= len(value) <= most
            and all(is_line(part, longest) for part in value)
            and len({*value}) == len(value)
        )

    some = f"{least} to {most:,}" if least else f"at most {most:,}"
    words = f'a list of {some} different texts of at most {longest} characters, as in ["a", "b"]'
    return Rule(accepts, words, lambda value: tuple(value) if isinstance(value, list) else value)


def _is_task_name(name: Any) -> bool:
    return isinstance(name, str) and len(name) <= MAX_NAME and safe_name(name) == name


def _time(value: Any) -> Any:
    """A time of a file in UTC; as it is where it is none."""
    if not isinstance(value, str):
        return value
    try:
        at = datetime.fromisoformat(value)
        return at if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return value


_NAME = Rule(_is_task_name, f"letters, digits, - and _, at most {MAX_NAME} characters")
_FORM, _KIND, _STATUS = (choice(*names) for names in (FORMS, KINDS, STATUSES))
_IDS = lines(MAX_QUERIES, MAX_TEXT, least=1)
_QUERIES = Rule(
    lambda value: integer(1, MAX_QUERIES).accepts(value) or _IDS.accepts(value),
    f"how many to draw, from 1 to {MAX_QUERIES:,}, or a list of up to {MAX_QUERIES:,} different ids",
    _IDS.convert,
)
_VALUE = Rule(
    lambda value: value is None or (type(value) is float and math.isfinite(value) and abs(value) <= 1),
    "a number from -1 to 1, or nothing",
    lambda value: float(value) if type(value) is int and abs(value) <= 1 else value,
)
_AT = Rule(
    lambda value: isinstance(value, datetime) and value.tzinfo is not None and not value.utcoffset(),
    "a time in UTC, such as 2026-05-01T09:30:00+00:00",
    _time,
)


def ruled(rule: Rule, **options: Any) -> Any:
    """A field with its rule; ``options``: as of `dataclasses.field`."""
    return field(metadata={"rule": rule}, **options)


# The values.


@dataclass(frozen=True, slots=True)
class Material:
    """A team's texts about an image, "" for none; ``heat_map`` the name of a picture."""

    image: str = ruled(line(MAX_TEXT))
    team: str = ruled(line(MAX_TEXT))
    caption: str = ruled(prose(MAX_COMMENT, trimmed=True), default="")
    explanation: str = ruled(prose(MAX_COMMENT, trimmed=True), default="")
    heat_map: str = ruled(line(MAX_TEXT, empty=True), default="")

    def conflicts(self) -> Iterator[tuple[str, str]]:
        """Fields whose values do not fit the others, and what they must be."""
        if not (self.text or self.heat_map):
            yield "explanation", "present where there is neither a caption nor a heat map"

    @property
    def text(self) -> str:
        """Caption and explanation in one text."""
        parts = (("Caption", self.caption), ("Explanation", self.explanation))
        return " · ".join(f"{name}: {text}" for name, text in parts if text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What readers are asked to do, ``review/NAME.toml`` of a study.

    form
        graded: each result of a query by itself; preference: two lists side by side, every pair of the
        systems; panel: the whole list of a system; material: texts and heat maps of the systems, here teams,
        about each image, by each of the ``criteria``.
    queries
        Ids, or how many are drawn by the seed.
    depth
        Results of each list.
    scale
        5 steps, or 0 to 100. Values are stored from 0 to 1 either way.
    panel
        Whether readers also say how satisfied they are with each list as a whole.
    material, heat_maps
        Texts of the teams of the form material, from the table beside the file, and its pictures.
    """

    name: str = ruled(_NAME)
    title: str = ruled(line(MAX_TITLE))
    form: Form = field(metadata={"rule": _FORM})
    systems: tuple[str, ...] = ruled(lines(MAX_SYSTEMS, MAX_TEXT, least=1))
    queries: tuple[str, ...] | int = ruled(_QUERIES)
    depth: int = ruled(integer(1, MAX_DEPTH), default=5)
    scale: int = ruled(choice(*SCALES), default=5)
    seed: int = ruled(integer(0, MAX_SEED), default=0)
    instructions: str = ruled(prose(MAX_INSTRUCTIONS, trimmed=False), default="")
    reasons: tuple[str, ...] = ruled(lines(20, 60), default=REASONS)
    criteria: tuple[str, ...] = ruled(lines(20, MAX_NAME), default=())
    panel: bool = ruled(choice(True, False), default=False)
    material: tuple[Material, ...] = ()
    heat_maps: ImageFiles | None = None

    def conflicts(self) -> Iterator[tuple[str, str]]:
        """Fields whose values do not fit the others, and what they must be."""
        if self.form == "preference" and len(self.systems) < 2:
            yield "systems", "at least two systems for the form preference"
        if self.form == "material" and not self.criteria:
            yield "criteria", 'at least one criterion for the form material, as in ["faithful"]'
        if self.form != "material" and self.criteria:
            yield "criteria", "left out unless the form is material"
        if self.form == "material" and self.panel:
            yield "panel", "false for the form material, which has no lists"
        if not isinstance(self.queries, int) and sum(map(len, self.queries)) > MAX_IDS:
            yield "queries", f"ids of at most {MAX_IDS:,} characters together"

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of judgment that it asks for."""
        first: Kind = "rating" if self.form == "material" else self.form  # type: ignore[assignment]
        return (first, "panel") if self.panel and first != "panel" else (first,)

    @property
    def drawn(self) -> int:
        """How many queries the seed draws; 0 where they are named."""
        return self.queries if isinstance(self.queries, int) else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """One answer of a reader. Nothing is ever changed: a later one on the same subject counts instead.

    The subject is ``(task, reader, kind, query, result, systems, criterion)``, of these kinds:

    - graded: the relevance of ``result`` to ``query``, 0 to 1;
    - preference: which of the lists of two ``systems`` (left, right) is better, -1 (left) to 1 (right);
    - panel: satisfaction with the whole list of one system, 0 to 1;
    - rating: ``result`` by a named ``criterion``, 0 to 1.

    ``value`` is None unless ``status`` is "value", and on this scale whatever scale the task shows. ``id`` is
    made by the browser: what is sent twice is stored once. ``lists_digest``: a fingerprint of the lists that
    were judged, "" for single results or where it is not known.
    """

    id: str = ruled(line(80))
    task: str = ruled(line(MAX_NAME))
    reader: str = ruled(line(MAX_READER))
    kind: Kind = field(metadata={"rule": _KIND})
    query: str = ruled(line(MAX_TEXT))
    result: str = ruled(line(MAX_TEXT, empty=True), default="")
    systems: tuple[str, ...] = ruled(lines(2, MAX_TEXT), default=())
    criterion: str = ruled(line(MAX_NAME, empty=True), default="")
    status: Status = field(metadata={"rule": _STATUS}, default="value")
    value: float | None = ruled(_VALUE, default=None)
    reasons: tuple[str, ...] = ruled(lines(20, 60), default=())
    comment: str = ruled(prose(MAX_COMMENT, trimmed=True), default="")
    at: datetime = field(metadata={"rule": _AT})
    lists_digest: str = ruled(line(80, empty=True), default="")

    def conflicts(self) -> Iterator[tuple[str, str]]:
        """Fields whose values do not fit the others, and what they must be."""
        n = {"preference": 2, "panel": 1}.get(self.kind, 0)
        if len(self.systems) != n:
            yield "systems", ("empty for this kind", "one system", "two different systems")[n]
        if self.kind in ("graded", "rating") and not self.result:
            yield "result", f"present for the kind {self.kind}"
        if self.kind == "rating" and not self.criterion:
            yield "criterion", "present for the kind rating"
        if self.status != "value" and self.value is not None:
            yield "value", f"empty with the status {self.status}"
        low = -1 if self.kind == "preference" else 0
        if self.status == "value" and (self.value is None or self.value < low):
            yield "value", f"a number from {low} to 1 for the kind {self.kind}"

    @property
    def subject(self) -> tuple[Any, ...]:
        """Who judges what. Two lists are the same two whichever of them was left."""
        return (self.task, self.reader, *self.place)

    @property
    def place(self) -> Place:
        """The subject without task and reader, systems by name."""
        return (self.kind, self.query, self.result, tuple(sorted(self.systems)), self.criterion)


FIELDS = tuple(Judgment.__dataclass_fields__)
Place = tuple[str, str, str, tuple[str, ...], str]


# The validator.


class Wrong(NamedTuple):
    """A field with a wrong value, what it must be, and what it is; `MISSING` for a missing field."""

    field: str
    words: str
    value: object


Value = TypeVar("Value", bound=Material | Task | Judgment)


def validate(kind: type[Value], record: Mapping[str, Any]) -> tuple[Value | None, list[Wrong]]:
    """The value of a record, or None with everything that is wrong; keys that are no fields are ignored.

    >>> [each.field for each in validate(Task, {"name": "a", "title": "", "systems": ["b"], "queries": 9})[1]]
    ['title', 'form']
    """
    values: dict[str, Any] = {}
    wrong = []
    for each in fields(kind):
        rule: Rule | None = each.metadata.get("rule")
        if rule is None:
            continue
        if each.name in record:
            values[each.name] = value = rule.convert(record[each.name])
            if not rule.accepts(value):
                wrong.append(Wrong(each.name, rule.words, record[each.name]))
        elif each.default is MISSING:
            wrong.append(Wrong(each.name, rule.words, MISSING))
    if wrong:
        return None, wrong
    result = kind(**values)
    wrong = [Wrong(name, words, getattr(result, name)) for name, words in result.conflicts()]
    return (None if wrong else result), wrong


def record_of(value: Material | Task | Judgment) -> dict[str, Any]:
    """The fields with rules of a value, lists and times as files have them."""
    record: dict[str, Any] = {}
    for each in fields(value):
        if "rule" in each.metadata:
            cell = getattr(value, each.name)
            if isinstance(cell, datetime):
                cell = cell.astimezone(UTC).isoformat()
            record[each.name] = list(cell) if isinstance(cell, tuple) else cell
    return record


def report_wrong(
    problems: Problems, wrong: Iterable[Wrong], remedy: str, line_of: Callable[[str], int | None]
) -> None:
    """Every field that is wrong as an error of its line."""
    for name, words, value in wrong:
        if value is MISSING:
            message = f"`{name}` is missing: {words}."
            problems.error("missing-key", message, f"Add it: {name} = …", line=line_of(""), value=name)
        else:
            message = f"`{name}` must be {words}."
            problems.error("wrong-value", message, remedy, line=line_of(name), value=value)


def checked(file: str, values: Iterable[Value], what: str) -> tuple[Value, ...]:
    """The values, converted as those of files; InputError, with everything that is wrong in any of them.

    ``what``: what was not done then, as a sentence.
    """
    problems, good = Problems(file), []
    for value in values:
        valid, wrong = validate(type(value), record_of(value))
        report_wrong(problems, wrong, what, lambda _: None)
        good += [] if valid is None else [valid]
    if errors := problems.report().problems:
        message = f"This cannot be stored. {errors[0].message} It is {truncate(errors[0].value)!r}."
        raise InputError(message, problems.report())
    return tuple(good)


# Histories of judgments: what counts of them.


def sort_by_time(judgments: Iterable[Judgment]) -> tuple[Judgment, ...]:
    """By time, equal times by id: the same order wherever they were stored."""
    return tuple(sorted(judgments, key=lambda judgment: (judgment.at, judgment.id)))


def current(judgments: Iterable[Judgment]) -> tuple[Judgment, ...]:
    """What counts of a history: the last on each subject, by time; nothing where that was undone."""
    last = {judgment.subject: judgment for judgment in sort_by_time(judgments)}
    return sort_by_time(judgment for judgment in last.values() if judgment.status != "undone")


# The words of questions and answers.

QUESTIONS = {
    "graded": "How useful is this result for the query?",
    "preference": "Which list is more useful for the query?",
    "panel": "How satisfied are you with this list as a whole?",
}
STEPS: Mapping[str, Sequence[str]] = {
    "graded": ("Not useful", "Slightly useful", "Fairly useful", "Very useful", "Exactly what I need"),
    "panel": ("Very dissatisfied", "Dissatisfied", "Neither", "Satisfied", "Very satisfied"),
    "preference": ("Left much better", "Left better", "No difference", "Right better", "Right much better"),
    "rating": ("Very poor", "Poor", "Fair", "Good", "Very good"),
}
ENDS = {"graded": ("Not useful at all", "Exactly what I need"), "rating": ("Very poor", "Very good")}
"""Of the kinds that can be answered on a scale from 0 to 100."""
TITLES: Mapping[str, str] = {
    "graded": "One result at a time",
    "preference": "Two lists side by side",
    "panel": "A whole list at a time",
    "material": "One explanation at a time, by several criteria",
}
"""Of the forms of tasks."""


def question(kind: Kind, criterion: str) -> str:
    """What is asked."""
    return f"{criterion}: how good is this explanation?" if kind == "rating" else QUESTIONS[kind]


def steps(task: Task, kind: Kind) -> list[tuple[str, float]] | None:
    """(words, value) of each answer; None where it is a number from 0 to 100."""
    if task.scale == 100 and kind in ENDS:
        return None
    values = (-1.0, -0.5, 0.0, 0.5, 1.0) if kind == "preference" else (0.0, 0.25, 0.5, 0.75, 1.0)
    return list(zip(STEPS[kind], values, strict=True))
