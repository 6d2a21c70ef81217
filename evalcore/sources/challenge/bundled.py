"""Tables that come with the program."""

from __future__ import annotations

from importlib.resources import files


def bundled(name: str) -> bytes:
    """Content of a file that lies beside the challenge, such as ``published_2017.csv``."""
    return files("evalcore.challenge").joinpath(name).read_bytes()
