"""The exceptions of evalcore.

    CuiscopeError
    ├── InputError        the user's data or request is at fault; carries a Report
    ├── UnknownName       a system, metric, relevance, image or concept that is not there
    └── SettingError      an option outside its range

Everything else that escapes is a bug. The command line turns these into exit code 2, the pages
into a message; neither ever shows a traceback for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from evalcore.values.problems import Report


class CuiscopeError(Exception):
    """Base of every error a user can cause and mend; ``report`` has its problems one by one, if any."""

    report: Report | None = None


class InputError(CuiscopeError):
    """The given data cannot be used; ``report`` says where, why and what to do."""

    def __init__(self, message: str, report: Report | None = None) -> None:
        super().__init__(message)
        self.report = report


class SettingError(CuiscopeError, ValueError):
    """An option was given a value outside its range."""

    def __init__(self, name: str, rule: str, value: Any) -> None:
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
