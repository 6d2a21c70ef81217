"""Whatever a reader raises becomes one problem of its file: a file must never stop a study from opening.

Readers report what they know to go wrong themselves, by line and rule. What nobody thought of ends here,
and only here: this is the one place that catches every exception.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from evalcore.study.tables.problems import Problems, shown
from evalcore.values.problems import Report

P = ParamSpec("P")
Value = TypeVar("Value")
Result = TypeVar("Result")
WAY_OUT = "Check that it was saved or copied completely, or save it again in one of the forms of the README."


def attempt(call: Callable[[], Result]) -> tuple[Result | None, Exception | None]:
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
    return shown(f"{type(reason).__name__}: {first}" if first else type(reason).__name__)


def report_unreadable(found: Problems, reason: Exception) -> None:
    """A file whose reader gave up."""
    found.error("unreadable-file", f"The file cannot be read: {why(reason)}.", WAY_OUT)


def guarded(file: str, call: Callable[[], tuple[Value, Report]], nothing: Value) -> tuple[Value, Report]:
    """The value and report of a call about one file; when it raises, ``nothing`` and the error."""
    result, reason = attempt(call)
    if result is not None:
        return result
    found = Problems(file)
    report_unreadable(found, reason or ValueError("it gave no result"))
    return nothing, found.report()


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
