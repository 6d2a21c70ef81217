"""The log of a server: who signed in, opened, uploaded, judged or removed what, as JSON lines.

They go to standard error, where the journal of the machine takes them. Names, ids and sizes alone are in
them (see `evalcore.values.events`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from threading import Lock

from evalcore.values.account import NotSignedIn, current
from evalcore.values.events import Value

_LONGEST = 300
"""Characters of a value: names of files and addresses come from outside."""
MOST_REFUSALS = 300
"""A minute; a flood of refused requests must not fill the disk."""


class Log:
    """What `events.listen` takes: writes a line for each event. ``clock``: the time, in UTC."""

    def __init__(self, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._clock = clock
        self._minute, self._refusals = "", 0
        self._lock = Lock()

    def __call__(self, event: str, what: Mapping[str, Value]) -> None:
        """Write a line; where that fails, the work goes on without it."""
        at = self._clock()
        if event == "refused" and not self._is_taken(f"{at:%H:%M}"):
            return
        values = {name: value[:_LONGEST] if isinstance(value, str) else value for name, value in what.items()}
        line = {"at": at.isoformat(timespec="milliseconds"), "user": _who(), "event": event, **values}
        with suppress(OSError, ValueError):
            sys.stderr.write(f"{json.dumps(line)}\n")
            sys.stderr.flush()

    def _is_taken(self, minute: str) -> bool:
        """Whether one more refusal is written in this minute."""
        with self._lock:
            self._refusals = self._refusals + 1 if minute == self._minute else 1
            self._minute = minute
            return self._refusals <= MOST_REFUSALS


def _who() -> str | None:
    """The id of the user at work; None without one."""
    try:
        account = current()
    except NotSignedIn:
        return None
    return account.id if account else None
