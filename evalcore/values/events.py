"""What people do on a server, for its log: nothing is noted on one's own computer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

Value = str | int | float | bool
Listener = Callable[[str, Mapping[str, Value]], None]

EVENTS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "signed in": frozenset(),
        "left": frozenset(),
        "refused": frozenset({"claimed", "route", "reason"}),
        "opened": frozenset({"study", "digest"}),
        "uploaded": frozenset({"study", "kind", "file", "bytes"}),
        "removed": frozenset({"study", "kind", "system"}),
        "restored": frozenset({"study", "kind", "system"}),
        "judged": frozenset({"study", "task", "count"}),
        "withdrew": frozenset({"study", "task", "count"}),
    }
)
"""Everything that is noted, and what may be said of it beside who is at work: names, ids and sizes. Never the
content of a file, a caption, a comment, a judgment or a token.

"signed in": the first page of a user is open; "left": the last one is closed."""

_listener: Listener | None = None


def listen(listener: Listener | None) -> None:
    """Have every event from now on passed to a function; None: to nobody."""
    global _listener
    _listener = listener


def record(event: str, **what: Value | None) -> None:
    """Note that who is at work did something; values of None are left out.

    Nothing happens on one's own computer. Never raises but for an event or a value that `EVENTS` does not
    have: a log that cannot be written must not stop the work it is about.

    Raises
    ------
    ValueError
        There is no such event, or nothing of that name is said of it.
    """
    if unknown := {*what} - EVENTS.get(event, frozenset()) or ({event} - EVENTS.keys()):
        raise ValueError(f"{event!r} cannot be recorded: unknown {', '.join(sorted(unknown))}.")
    if _listener is not None:
        _listener(event, {name: value for name, value in what.items() if value is not None})
