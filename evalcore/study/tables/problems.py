"""Collect what a reader finds wrong with one file, in reading order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import wraps
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar

from evalcore.values.errors import SHOWN_PER_RULE, Problem, Report, Severity

SHOWN_VALUE = 80
"""Longest value quoted in a problem, in characters."""
_HALF = re.compile("[\ud800-\udfff]")


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


def whole(text: str) -> str:
    """A text that can be written anywhere: bytes that are not UTF-8, and halves of characters, as "�".

    >>> whole("caf\\udce9"), whole("café")
    ('caf�', 'café')
    """
    return text if text.isascii() else _HALF.sub("�", text)


def is_whole(text: str) -> bool:
    """Whether a text holds no half of a character, as undecodable bytes and ``"\\ud800"`` in JSON become."""
    return text.isascii() or _HALF.search(text) is None


class Problems:
    """The problems of one file while it is read; ``report()`` freezes them.

    At most ``SHOWN_PER_RULE`` problems of one severity and rule are kept in full; all are counted.

    >>> found = Problems("labels.csv")
    >>> found.error("duplicate-id", "The image 'a' is listed twice.", "Keep one row.", line=3, value="a")
    >>> print(found.report().problems[0])
    labels.csv:3: The image 'a' is listed twice. Keep one row.
    """

    def __init__(self, file: str) -> None:
        self.file = whole(file)
        self._kept: list[Problem] = []
        self._counts: dict[tuple[Severity, str, str], int] = {}
        self._listed: dict[tuple[Severity, str], int] = {}

    def error(
        self,
        rule: str,
        message: str,
        remedy: str,
        *,
        line: int | None = None,
        value: object = "",
        count: int = 1,
    ) -> None:
        """Add something that keeps its row, or the whole part, out of the study."""
        self._add("error", rule, message, remedy, line, value, count)

    def warning(
        self,
        rule: str,
        message: str,
        remedy: str,
        *,
        line: int | None = None,
        value: object = "",
        count: int = 1,
    ) -> None:
        """Add something that is counted, shown and lived with."""
        self._add("warning", rule, message, remedy, line, value, count)

    def add_summary(
        self,
        rule: str,
        cases: Sequence[object] | int,
        message: str,
        remedy: str,
        *,
        lines: Sequence[int | None] = (),
    ) -> None:
        """Add one warning about all cases, unless there are none; ``{n}`` in the message is their number.

        ``cases``: what they are, of which the first is shown, or how many there are; ``lines``: theirs, of
        which the first is said.
        """
        n, first = (cases, "") if isinstance(cases, int) else (len(cases), cases[0] if len(cases) else "")
        if n:
            line = lines[0] if lines else None
            self._add("warning", rule, message.replace("{n}", f"{n:,}", 1), remedy, line, first, n)

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
        """Add one problem per line; ``{value}`` in the message is replaced by the value of that line.

        ``lines`` 1-based and ``values``, aligned, shape (n,). Only the first ``SHOWN_PER_RULE`` are
        spelled out, so a file with a million bad lines costs no more than a file with a thousand.
        """
        n = len(lines)
        room = max(0, SHOWN_PER_RULE - self._listed.get((severity, rule), 0))
        for line, value in zip(lines[:room], values[:room], strict=True):
            text = truncate(value)
            self._add(severity, rule, message.replace("{value}", text), remedy, int(line), text, 1)
        if n > room:
            self._count(severity, rule, n - room)

    def shows(self, severity: Severity, rule: str) -> bool:
        """Whether one more problem of this rule would be kept in full, and not only counted."""
        return self._listed.get((severity, rule), 0) < SHOWN_PER_RULE

    @property
    def n_errors(self) -> int:
        """Errors found so far, those beyond the shown ones included."""
        return sum(n for (severity, _, _), n in self._counts.items() if severity == "error")

    def report(self) -> Report:
        """Everything found so far."""
        return Report(tuple(self._kept), MappingProxyType(dict(self._counts)))

    def _add(
        self,
        severity: Severity,
        rule: str,
        message: str,
        remedy: str,
        line: int | None,
        value: object,
        count: int,
    ) -> None:
        self._count(severity, rule, count)
        listed = self._listed.get((severity, rule), 0)
        self._listed[(severity, rule)] = listed + 1
        if listed < SHOWN_PER_RULE:
            texts = truncate(value), rule, whole(message), whole(remedy)
            self._kept.append(Problem(severity, self.file, line, *texts, count))

    def _count(self, severity: Severity, rule: str, count: int) -> None:
        key = (severity, self.file, rule)
        self._counts[key] = self._counts.get(key, 0) + count


# Whatever a reader raises becomes one problem of its file: a file must never stop a study from opening.
#
# Readers report what they know to go wrong themselves, by line and rule. What nobody thought of ends here,
# and only here: this is the one place that catches every exception.

P = ParamSpec("P")
Value = TypeVar("Value")
Result = TypeVar("Result")
WAY_OUT = "Check that it was saved or copied completely, or save it again in another form that is read."


def try_call(call: Callable[[], Result]) -> tuple[Result | None, Exception | None]:
    """The result of a call, or what it raised. Interruptions (Ctrl-C, a page that is left) pass through."""
    try:
        return call(), None
    except Exception as reason:
        return None, reason


def why(reason: Exception) -> str:
    """What was raised, in words for whoever owns the file.

    >>> why(RecursionError("maximum recursion depth exceeded")), why(KeyError("ids"))
    ('it is nested too deeply', "KeyError: 'ids'")
    """
    if isinstance(reason, MemoryError):
        return "there is not enough memory for it"
    if isinstance(reason, RecursionError):
        return "it is nested too deeply"
    first = str(reason).partition("\n")[0]
    return truncate(f"{type(reason).__name__}: {first}" if first else type(reason).__name__)


def report_unreadable(problems: Problems, reason: Exception) -> None:
    """A file whose reader gave up."""
    problems.error("unreadable-file", f"The file cannot be read: {why(reason)}.", WAY_OUT)


def guarded(file: str, call: Callable[[], tuple[Value, Report]], nothing: Value) -> tuple[Value, Report]:
    """The value and report of a call about one file; when it raises, ``nothing`` and the error."""
    result, reason = try_call(call)
    if result is not None:
        return result
    problems = Problems(file)
    report_unreadable(problems, reason or ValueError("it gave no result"))
    return nothing, problems.report()


def reader(
    nothing: Callable[[str], Any],
) -> Callable[[Callable[P, tuple[Value, Report]]], Callable[P, tuple[Value, Report]]]:
    """Decorate a function that reads or binds one file, so that it never raises.

    The file is the argument ``file``, else that of the rows which are its first argument;
    ``nothing(file)`` is the value when it cannot be read.
    """

    def decorate(read: Callable[P, tuple[Value, Report]]) -> Callable[P, tuple[Value, Report]]:
        @wraps(read)
        def careful(*args: P.args, **kwargs: P.kwargs) -> tuple[Value, Report]:
            named: Any = kwargs.get("file", getattr(args[0], "file", "") if args else "")
            return guarded(str(named), lambda: read(*args, **kwargs), nothing(str(named)))

        return careful

    return decorate
