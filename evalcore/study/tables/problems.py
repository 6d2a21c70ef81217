"""Collect what a reader finds wrong with one file, in reading order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import replace
from math import inf
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn, TypeVar

from evalcore.values.errors import SHOWN_PER_RULE, InputError, Problem, Report, Severity

Value = TypeVar("Value")
Result = TypeVar("Result")
SHOWN_VALUE = 80
"""Longest value quoted in a problem, in characters."""
_HALF = re.compile("[\ud800-\udfff]")
_ADDRESS = re.compile(" at 0x[0-9a-fA-F]+")
"""Of an object in memory, another each time."""


def truncate(value: object) -> str:
    """A value short enough and plain enough to stand inside a message: one line, cut at ``SHOWN_VALUE``."""
    try:
        full = str(value)
    except (RecursionError, ValueError):  # nested too deeply, or a number of thousands of digits
        full = f"a very large {type(value).__name__}"
    text = full[: SHOWN_VALUE + 1]
    if not text.isprintable():
        text = "".join(c if c.isprintable() else "�" for c in text)
    return text if len(text) <= SHOWN_VALUE else text[: SHOWN_VALUE - 1] + "…"


def quoted(value: object) -> str:
    """A value as it stands in a message: in quotes, shortened."""
    return repr(truncate(value))


def whole(text: str) -> str:
    """A text that can be written anywhere: bytes that are not UTF-8, and halves of characters, as "�".

    >>> whole("caf\\udce9"), whole("café")
    ('caf�', 'café')
    """
    return text if text.isascii() else _HALF.sub("�", text)


def is_whole(text: str) -> bool:
    """Whether a text holds no half of a character, as undecodable bytes and ``"\\ud800"`` in JSON become."""
    return text.isascii() or _HALF.search(text) is None


_shown: ContextVar[float] = ContextVar("problems of a rule that are kept in full", default=SHOWN_PER_RULE)


@contextmanager
def meanwhile(variable: ContextVar[Result], value: Result) -> Iterator[None]:
    """A variable has this value in the block."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def kept_in_full() -> AbstractContextManager[None]:
    """In the block every problem is kept in full, not only the first of each rule."""
    return meanwhile(_shown, inf)


class Refused(Exception):
    """A file that cannot be used as a whole; why is the last error of its problems.

    A `reader` gives its ``nothing`` then. Whoever calls the parts of one elsewhere suppresses it.
    """


class Rule(NamedTuple):
    """How something wrong is reported: the code of the rule, a message and the way out.

    In the texts ``{value}`` and other words in braces stand for what they are (see `Problems.add`); of a row
    of a table ``{value}`` is the cell, ``{column}`` its column, ``{first}`` the line of an earlier row.
    """

    rule: str
    message: str
    remedy: str


class Problems:
    """The problems of a file while it is read, and of files that are read with it (`of`).

    At most ``SHOWN_PER_RULE`` problems of one severity, file and rule are kept in full; all are counted.

    >>> problems = Problems("labels.csv")
    >>> problems.error("duplicate-id", "The image 'a' is listed twice.", "Keep one row.", line=3, value="a")
    >>> print(problems.report().problems[0])
    labels.csv:3: The image 'a' is listed twice. Keep one row.
    """

    def __init__(self, file: str, among: Problems | None = None) -> None:
        self.file = whole(file)
        self._kept: list[Problem] = among._kept if among else []
        self._counts: Counter[tuple[Severity, str, str]] = among._counts if among else Counter()
        self._listed: Counter[tuple[Severity, str, str]] = among._listed if among else Counter()

    def of(self, file: str) -> Problems:
        """Problems of another file, collected with these."""
        return Problems(file, self)

    def error(self, rule: str, message: str, remedy: str, **where: Any) -> None:
        """Add something that keeps its row, or the whole part, out of the study; ``where`` as in `add`."""
        self.add("error", rule, message, remedy, **where)

    def refuse(self, rule: str, message: str, remedy: str, **where: Any) -> NoReturn:
        """Add an error for which nothing of the file is used, and raise `Refused`; ``where`` as in `add`."""
        self.add("error", rule, message, remedy, **where)
        raise Refused

    def warning(self, rule: str, message: str, remedy: str, **where: Any) -> None:
        """Add something that is counted, shown and lived with; ``where`` as in `add`."""
        self.add("warning", rule, message, remedy, **where)

    def add(
        self,
        severity: Severity,
        rule: str,
        message: str,
        remedy: str,
        *,
        line: int | None = None,
        value: object = "",
        count: int = 1,
        **words: object,
    ) -> None:
        """Add a problem: at a line (1-based), about a value, which stands for so many cases.

        In message and remedy ``{value}`` and the names of ``words`` stand for what they are, shortened; of a
        list for the first twelve.
        """
        key = (severity, self.file, rule)
        self._counts[key] += count
        self._listed[key] += 1
        if self._listed[key] > _shown.get():
            return
        for name, word in {"value": value, **words}.items():
            text = f"{word:,}" if isinstance(word, int) else truncate(word)
            if isinstance(word, (list, tuple)):
                text = ", ".join(map(truncate, word[:12]))
            message, remedy = message.replace(f"{{{name}}}", text), remedy.replace(f"{{{name}}}", text)
        texts = truncate(value), rule, whole(message), whole(remedy)
        self._kept.append(Problem(severity, self.file, line, *texts, count))

    def add_summary(
        self,
        rule: str,
        cases: Sequence[object] | int,
        message: str,
        remedy: str,
        *,
        lines: Sequence[int | None] = (),
        **words: object,
    ) -> None:
        """Add one warning about all cases, unless there are none; ``{n}`` in the message is their number.

        ``cases``: what they are, of which the first is shown, or how many there are; ``lines``: theirs, of
        which the first is said.
        """
        n, first = (cases, "") if isinstance(cases, int) else (len(cases), cases[0] if len(cases) else "")
        if n:
            line = lines[0] if lines else None
            self.add("warning", rule, message, remedy, line=line, value=first, count=n, n=n, **words)

    def each(
        self,
        severity: Severity,
        rule: str,
        message: str,
        remedy: str,
        *,
        lines: Sequence[int],
        values: Sequence[object],
    ) -> None:
        """Add one problem per line.

        ``lines`` 1-based and ``values``, aligned, shape (n,). Only the first ``SHOWN_PER_RULE`` are
        spelled out, so a file with a million bad lines costs no more than a file with a thousand.
        """
        for n, (line, value) in enumerate(zip(lines, values, strict=True)):
            if not self.shows(severity, rule):
                self._counts[severity, self.file, rule] += len(lines) - n
                return
            self.add(severity, rule, message, remedy, line=int(line), value=value)

    def include(self, report: Report) -> None:
        """Add what was found elsewhere."""
        self._kept += report.problems
        self._counts.update(report.counts)

    def shows(self, severity: Severity, rule: str) -> bool:
        """Whether one more problem of this rule would be kept in full, and not only counted."""
        return self._listed[severity, self.file, rule] < _shown.get()

    @property
    def n_errors(self) -> int:
        """Errors of this file so far, those beyond the shown ones included."""
        return sum(n for (kind, file, _), n in self._counts.items() if (kind, file) == ("error", self.file))

    def report(self) -> Report:
        """Everything found so far, in reading order."""
        return Report(tuple(self._kept), MappingProxyType(dict(self._counts)))


# Whatever a reader raises becomes one problem of its file: a file must never stop a study from opening.
#
# Readers report what they know to go wrong themselves, by line and rule. What nobody thought of ends here,
# and only here: these are the only places that catch every exception.


def try_call(call: Callable[[], Result]) -> tuple[Result | None, Exception | None]:
    """The result of a call, or what it raised. Interruptions (Ctrl-C, a page that is left) and `Refused`
    pass through."""
    try:
        return call(), None
    except Refused:
        raise
    except Exception as reason:
        return None, reason


@contextmanager
def refused(
    problems: Problems,
    message: str,
    remedy: str,
    *,
    rule: str = "unreadable-container",
    of: type[Exception] | tuple[type[Exception], ...] = Exception,
) -> Iterator[None]:
    """Refuse the file for what the block raises, of these types; ``{why}`` in the message is what it says."""
    try:
        yield
    except Refused:
        raise
    except of as reason:
        problems.refuse(rule, message, remedy, why=_first_line(reason) or type(reason).__name__)


def _first_line(reason: Exception) -> str:
    """What an exception says, without addresses in memory."""
    return _ADDRESS.sub("", str(reason).partition("\n")[0])


def why(reason: Exception) -> str:
    """What was raised, in words for whoever owns the file.

    >>> why(RecursionError("maximum recursion depth exceeded")), why(KeyError("ids"))
    ('it is nested too deeply', "KeyError: 'ids'")
    """
    if isinstance(reason, MemoryError):
        return "there is not enough memory for it"
    if isinstance(reason, RecursionError):
        return "it is nested too deeply"
    first = _first_line(reason)
    return truncate(f"{type(reason).__name__}: {first}" if first else type(reason).__name__)


def guarded(problems: Problems, call: Callable[[Problems], Value], nothing: Value) -> Value:
    """The value of a call about one file; ``nothing`` when it refuses the file, and, with an error, when it
    raises anything else."""
    try:
        return call(problems)
    except Refused:
        return nothing
    except Exception as reason:
        remedy = (
            "Check that it was saved or copied completely, or save it again in another form that is read."
        )
        problems.error("unreadable-file", f"The file cannot be read: {why(reason)}.", remedy)
        return nothing


# What is wrong with an object in memory, as with its file.

SHOWN = 15
"""Problems that an error spells out; its report has all."""
_ARGUMENTS = {"no-such-baseline": "baseline", "no-such-group": "groups"}


def located(report: Report, tables: Collection[str]) -> Report:
    """The report with rows in place of lines, for the problems of tables in memory (by their names)."""
    problems = []
    for problem in report.problems:
        if problem.file in tables:
            problem = replace(problem, unit="row")
        if problem.file == "study.toml":
            problem = replace(problem, file=_ARGUMENTS.get(problem.rule, "make_study"))
        remedy = problem.remedy.replace(" at the top of study.toml", "").replace(
            "in study.toml", "in make_study"
        )
        problems.append(replace(problem, remedy=remedy))
    return Report(tuple(problems), report.counts)


def input_error(what: str, report: Report) -> InputError:
    """The error that names everything that is wrong, the first of it line by line."""
    errors = report.of_severity("error")
    n = report.total("error")
    lines = [f"  {problem}" for problem in errors[:SHOWN]]
    more = [f"  and {n - len(lines):,} more; the error's `report` has them."] if n > len(lines) else []
    head = f"{what}: {n:,} error{'' if n == 1 else 's'}."
    return InputError("\n".join([head, *lines, *more]), Report(errors, report.counts))
