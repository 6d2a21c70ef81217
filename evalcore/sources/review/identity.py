"""Which study a judgment belongs to: an id that stays when its files change or its folder is renamed.

It is one line in ``review/id.txt``, written with the first task, so it travels with the folder and its zip;
two copies of a study are one study. A folder without it, which may not be changed, is known by its path on
this machine; when a task is written there, that id stays.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from evalcore.errors import InputError
from evalcore.review.pools import fingerprint
from evalcore.sources.tables.lines import decode, read_bytes
from evalcore.sources.tables.problems import Problems
from evalcore.sources.workspace.home import cannot_keep, home, make_folder, write_new

FILE = "review/id.txt"
_ID = re.compile(r"[0-9a-f]{32}")


def study_id(study: Path) -> str:
    """The id of a study folder.

    Raises
    ------
    InputError
        ``review/id.txt`` holds something else, or the workspace cannot be written.
    """
    here = study / FILE
    if not os.path.lexists(here):
        return fingerprint("path", _workspace_key(), os.path.realpath(study))
    found = Problems(FILE)
    text = (decode(read_bytes(here, found) or b"", found) or "").strip()
    if not _ID.fullmatch(text):
        message = f"{FILE} must hold one id of 32 signs, 0 to 9 and a to f."
        remedy = "Put back the file as it was, or remove it: the study then has no judgments yet."
        found.error("bad-id", message, remedy, line=1, value=text)
        raise InputError(f"{message} {remedy}", found.report())
    return text


def _workspace_key() -> str:
    """What tells the paths of this workspace from those of another, on a server that several use."""
    try:
        make_folder(home() / "review")
        path = home() / "review" / "key.txt"
        if not path.exists():
            ready = path.with_name(f".{uuid4().hex}.tmp")
            write_new(ready, f"{uuid4().hex}\n".encode())
            with suppress(FileExistsError):  # another program was first
                path.hardlink_to(ready)
            ready.unlink()
        return path.read_text().strip()
    except OSError as reason:
        raise cannot_keep("The judgments", reason) from reason
