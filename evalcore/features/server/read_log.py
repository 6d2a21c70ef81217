"""The log of a server: who signed in, opened, uploaded, shared, judged or removed what, as JSON lines.

``log/DATE.jsonl`` in the server's home, a file a day in UTC, for its owner only; or standard error. Names,
ids and sizes alone are in it (see `evalcore.values.events`).
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock

from evalcore.features.server.read_accounts import seen
from evalcore.study.workspace.home import PRIVATE_FILE, PRIVATE_FOLDER, claim, server_home
from evalcore.values.account import Account, NotSignedIn, current
from evalcore.values.errors import InputError
from evalcore.values.events import Value

FOLDER = "log"
_NAME = re.compile(r"\d{4}-\d\d-\d\d\.jsonl")
_LONGEST = 300
"""Characters of a value: names of files and addresses come from outside."""
MOST_REFUSALS = 300
"""A minute; a flood of refused requests must not fill the disk."""


class Log:
    """What `events.listen` takes: writes a line for each event.

    ``to``: "files" or "stderr". ``days``: how long files are kept. ``clock``: the time, in UTC. ``unwritten``
    counts lines that could not be written: the work they are about goes on. ``counts``: events since the
    start. ``active``: the ids of users with an open page.
    """

    def __init__(
        self, *, to: str = "files", days: int = 90, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._to, self._days, self._clock = to, days, clock
        self._day, self._minute, self._refusals = "", "", 0
        self._lock = Lock()
        self.unwritten = 0
        self.counts: Counter[str] = Counter()
        self.active: set[str] = set()

    def __call__(self, event: str, what: Mapping[str, Value]) -> None:
        """Write a line; never raises for a disk that is full or read-only."""
        at, account = self._clock(), _who()
        self.counts[event] += 1
        if account is not None and event in ("signed in", "left"):
            (self.active.add if event == "signed in" else self.active.discard)(account.id)
        if event == "refused" and not self._is_taken(f"{at:%H:%M}"):
            return
        values = {name: value[:_LONGEST] if isinstance(value, str) else value for name, value in what.items()}
        line = {
            "at": at.isoformat(timespec="milliseconds"),
            "user": account.id if account else None,
            "event": event,
            **values,
        }
        try:
            self._write(f"{at:%Y-%m-%d}", f"{json.dumps(line)}\n".encode())
            if account is not None and event in ("signed in", "opened"):
                seen(account, at)
        except (OSError, InputError):
            self.unwritten += 1

    def _is_taken(self, minute: str) -> bool:
        """Whether one more refusal is written in this minute."""
        with self._lock:
            self._refusals = self._refusals + 1 if minute == self._minute else 1
            self._minute = minute
            return self._refusals <= MOST_REFUSALS

    def _write(self, day: str, line: bytes) -> None:
        if self._to == "stderr":
            sys.stderr.write(line.decode())
            sys.stderr.flush()
            return
        folder = server_home() / FOLDER
        if day != self._day:
            server_home().mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
            claim(server_home())
            folder.mkdir(PRIVATE_FOLDER, exist_ok=True)
            remove_older(folder, self._clock() - timedelta(days=self._days))
            self._day = day
        # Appended in one write, so that lines of several threads and programs do not mix.
        handle = os.open(folder / f"{day}.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
        try:
            os.write(handle, line)
        finally:
            os.close(handle)


def _who() -> Account | None:
    """Who is at work; None where nobody is signed in."""
    try:
        return current()
    except NotSignedIn:
        return None


def remove_older(folder: Path, oldest: datetime) -> None:
    """Remove the files of days before this one; anything else in the folder stays."""
    for path in sorted(folder.iterdir()):
        if _NAME.fullmatch(path.name) and path.stem < f"{oldest:%Y-%m-%d}":
            with suppress(OSError):
                path.unlink()
