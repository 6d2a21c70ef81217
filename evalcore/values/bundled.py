"""Scripts, style sheets, pictures and templates that come with the program, as text."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def bundled(package: str, *names: str) -> str:
    """The text of files of a package, one after the other.

    >>> bundled("evalcore.ui.frame", "mark.svg")[:4]
    '<svg'
    """
    return "".join(files(package).joinpath(name).read_text("utf-8") for name in names)
