"""The exceptions of evalcore.

    CuiscopeError
    ├── InputError        the user's data or request is at fault; carries a Report
    ├── UnknownName       a system, metric, relevance, image or concept that is not there
    └── SettingError      an option outside its range

Everything else that escapes is a bug. The command line turns these into exit code 2, the pages
into a message; neither ever shows a traceback for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Literal

from evalcore.values.writing import pluralize

# What readers find wrong: one problem, and the report of all of them.

Severity = Literal["error", "warning"]

SHOWN_PER_RULE = 1_000
"""How many problems of one file and rule are kept in full; the count is always complete."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing a reader found: where it is, which rule it breaks, and the remedy.

    ``rule`` is a short stable code ("duplicate-id"); ``message`` a sentence; ``remedy`` what the
    user does next; ``line`` is 1-based, None when the problem belongs to the file as a whole;
    ``count`` is how many cases a summarising problem stands for.
    """

    severity: Severity
    file: str
    line: int | None
    value: str
    rule: str
    message: str
    remedy: str
    count: int = 1
    unit: Literal["line", "row"] = "line"
    """What ``line`` counts: rows where the table is in memory, and no file."""

    def __str__(self) -> str:
        place = f":{self.line}" if self.unit == "line" else f", row {self.line}"
        where = self.file if self.line is None else f"{self.file}{place}"
        return f"{where}: {self.message} {self.remedy}".strip()


@dataclass(frozen=True, slots=True)
class Report:
    """Every problem of one or more files, in reading order.

    ``problems`` keeps at most ``SHOWN_PER_RULE`` of one severity, file and rule; ``counts`` is
    complete: {(severity, file, rule): how many}.
    """

    problems: tuple[Problem, ...] = ()
    counts: Mapping[tuple[Severity, str, str], int] = field(default_factory=lambda: MappingProxyType({}))

    @staticmethod
    def of(problems: Iterable[Problem]) -> Report:
        """Some problems, counted."""
        kept, counts = tuple(problems), Counter[tuple[Severity, str, str]]()
        for problem in kept:
            counts[problem.severity, problem.file, problem.rule] += problem.count
        return Report(kept, MappingProxyType(counts))

    def __add__(self, other: Report) -> Report:
        """One report of both, in their order; `sum` joins several."""
        counts = Counter(self.counts)
        counts.update(other.counts)
        return Report(self.problems + other.problems, MappingProxyType(counts))

    def total(self, severity: Severity) -> int:
        """Number of problems of a severity, those beyond the shown ones included."""
        return sum(n for (s, _, _), n in self.counts.items() if s == severity)

    def kinds(self, severity: Severity) -> int:
        """Number of different problems of a severity: each file and rule once, however many cases it has."""
        return sum(s == severity for s, _, _ in self.counts)

    def of_severity(self, severity: Severity) -> tuple[Problem, ...]:
        return tuple(p for p in self.problems if p.severity == severity)

    def faults(self) -> str:
        """What every verdict on data with errors says: how many, in which files; "" without an error.

        >>> Report.of([Problem("error", "systems/a/run.trec", 3, "", "nan-score", "", "")]).faults()
        'The study has 1 error (systems/a/run.trec); what is at fault is left out.'
        """
        files = dict.fromkeys(file for severity, file, _ in self.counts if severity == "error")
        if not files:
            return ""
        errors, shown = pluralize(self.kinds("error"), "error"), ", ".join([*files][:3])
        more = f" and {len(files) - 3:,} more files" if len(files) > 3 else ""
        return f"The study has {errors} ({shown}{more}); what is at fault is left out."

    def of_file(self, file: str) -> Report:
        """The part of the report about one file."""
        counts = {key: n for key, n in self.counts.items() if key[1] == file}
        return Report(tuple(p for p in self.problems if p.file == file), MappingProxyType(counts))


class CuiscopeError(Exception):
    """Base of every error a user can cause and correct; ``report`` has its problems one by one, if any."""

    report: Report | None = None


class InputError(CuiscopeError):
    """The given data cannot be used; ``report`` says where, why and what to do."""

    def __init__(self, message: str, report: Report | None = None) -> None:
        super().__init__(message)
        self.report = report


class SettingError(CuiscopeError, ValueError):
    """A setting, called ``name``, was given a value outside its range."""

    def __init__(self, name: str, rule: str, value: Any) -> None:
        self.name = name
        super().__init__(f"`{name}` must be {rule}. Got {value!r}.")


class UnknownName(CuiscopeError, KeyError):
    """A name that does not exist here, with the nearest ones that do."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        names = sorted(known)
        near = get_close_matches(name, names, n=3, cutoff=0.5) if len(names) <= 50_000 else []
        listed = near or names[:8]
        more = "" if near or len(names) <= 8 else f" and {len(names) - 8:,} more"
        offer = f" {'Did you mean' if near else 'There are'}: {', '.join(listed)}{more}."
        self.message = f"No {kind} called {name!r}.{offer if listed else ''}{' ' + hint if hint else ''}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message
