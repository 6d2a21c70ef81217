"""Where the things of a user are, and on a server those of all its users."""

from __future__ import annotations

import os
from pathlib import Path

from evalcore.values.account import current

USERS = "users"
"""The folder of a server's home with a workspace for each account."""


def server_home() -> Path:
    """``CUISCOPE_HOME``, or ``~/.cuiscope``: on a server, where everything of all its users is.

    What every user may use is directly in it: weights of models, caches by content, judgments of studies
    that several people share. Not made until something is kept there.
    """
    return Path(os.path.expanduser(os.environ.get("CUISCOPE_HOME") or "~/.cuiscope"))  # noqa: PTH111


def home() -> Path:
    """The workspace of who is at work: `server_home` on one's own computer, a folder in it on a server.

    Raises
    ------
    NotSignedIn
        This is a server, and nobody is signed in.
    """
    account = current()
    return server_home() if account is None else server_home() / USERS / account.folder
