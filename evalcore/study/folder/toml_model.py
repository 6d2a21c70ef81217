"""What a TOML file may say, as a table of its keys, and the values of a file that are so.

A model is ``{key: Value, or the model of a table}``; `Each` is a table whose keys anybody names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from evalcore.study.folder.toml_text import line_that_sets, report_unknown_key
from evalcore.study.tables.problems import Problems, truncate
from evalcore.values.errors import SettingError, Severity


@dataclass(frozen=True, slots=True)
class Value:
    """A value: the rule in words ("a text in quotes"), and what the program makes of it.

    ``read`` gives None, or raises ValueError, for what cannot be; the message of a `SettingError` is shown.
    """

    rule: str
    read: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Each:
    """A table whose keys are names, each with a table of this model."""

    model: Model


Model = Mapping[str, Union[Value, Each, "Model"]]


def text(longest: int) -> Value:
    """A text, as it is written."""
    rule = f"a text in quotes, of at most {longest:,} characters"
    return Value(rule, lambda value: value if isinstance(value, str) and len(value) <= longest else None)


def line(rule: str = "a text in quotes", fits: Callable[[str], bool] = lambda _line: True) -> Value:
    """A text without the spaces around it; it may be empty, else it must fit."""

    def read(value: Any) -> str | None:
        if not isinstance(value, str):
            return None
        stripped = value.strip()
        return stripped if not stripped or fits(stripped) else None

    return Value(rule, read)


def texts(rule: str, fits: Callable[[list[str]], bool] = lambda _texts: True) -> Value:
    """A list of texts, or one text, as a list."""

    def read(value: Any) -> list[str] | None:
        items = [value] if isinstance(value, str) else value
        good = isinstance(items, list) and all(isinstance(item, str) for item in items)
        return items if good and fits(items) else None

    return Value(rule, read)


def one_of(options: Sequence[str]) -> Value:
    """One of these texts."""
    return Value(f"one of {', '.join(options)}", lambda value: value if value in options else None)


def flag() -> Value:
    """True or false."""
    return Value("true or false", lambda value: value if type(value) is bool else None)


def whole(low: int, high: int, rule: str) -> Value:
    """A whole number within bounds, these included."""
    return Value(rule, lambda value: value if type(value) is int and low <= value <= high else None)


def number(fits: Callable[[float], bool], rule: str) -> Value:
    """A number that fits."""
    return Value(rule, lambda value: float(value) if type(value) in (int, float) and fits(value) else None)


def read_values(
    table: Mapping[str, Any],
    model: Model,
    content: str,
    problems: Problems,
    *,
    remedy: str,
    unknown: str,
    severity: Severity = "error",
    path: tuple[str, ...] = (),
) -> dict[str, Any]:
    """The values of a table that are as its model says; every other is a problem at its line.

    Parameters
    ----------
    table, content : what was read, and the text it was read from.
    remedy : what to do about a value that cannot be, which is an error ("wrong-value") and left out.
    unknown, severity : the message of a key that the model does not have, ``{key}`` in it, and what that is.
    path : the names of the tables that this one is in.
    """
    values: dict[str, Any] = {}
    for key, value in table.items():
        kind = model.get(key)
        if kind is None:
            message = unknown.replace("{key}", repr(truncate(".".join((*path, key)))))
            report_unknown_key(problems, content, key, model, message, table=path, severity=severity)
            continue
        result, message = _read(key, value, kind)
        if result is None:
            line = line_that_sets(content, *path, key)
            problems.error("wrong-value", message, remedy, line=line, value=value)
            continue
        if not isinstance(kind, Value):
            inner = dict.fromkeys(value, kind.model) if isinstance(kind, Each) else kind
            result = read_values(
                value,
                inner,
                content,
                problems,
                remedy=remedy,
                unknown=unknown,
                severity=severity,
                path=(*path, key),
            )
        values[key] = result
    return values


def _read(key: str, value: Any, kind: Value | Each | Model) -> tuple[Any, str]:
    """A value as the program has it; None, and what is wrong, for what cannot be."""
    if not isinstance(kind, Value):
        kind = Value("a table", lambda value: value if isinstance(value, dict) else None)
    as_written = repr(value) if isinstance(value, str) else value
    message = f"`{truncate(key)}` must be {kind.rule}. Got {truncate(as_written)}."
    try:
        return kind.read(value), message
    except SettingError as wrong:
        return None, str(wrong)
    except (ValueError, OverflowError):
        return None, message
