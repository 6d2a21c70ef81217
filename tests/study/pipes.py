"""What a program writes into a named pipe."""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Thread

PATIENCE = 60
"""Seconds."""


def read_while(pipe: Path, write: Callable[[], object]) -> bytes:
    """What comes out of a new named pipe while something writes to its path; nothing where nobody does."""
    os.mkfifo(pipe)
    got: list[bytes] = []
    door = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # whoever writes need not wait for a reader
    os.set_blocking(door, True)

    def read() -> None:
        with os.fdopen(door, "rb") as source:
            got.append(source.read())

    held = os.open(pipe, os.O_WRONLY)  # the end of the file comes only when this is closed too
    reader = Thread(target=read, daemon=True)
    reader.start()
    try:
        write()
    finally:
        os.close(held)
    reader.join(PATIENCE)
    return b"".join(got)
