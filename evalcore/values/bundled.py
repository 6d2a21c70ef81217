"""What comes with the program: the sample study, the guides, and scripts, style sheets, templates as text."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
INSTALLED = (_PACKAGE / "dashboard").is_dir()
"""Whether this is an installed package, and not a copy of the repository."""
FRONT = _PACKAGE / "dashboard" if INSTALLED else _PACKAGE.parent
"""Where app.py, pages and data lie: a folder of the installed package, or the top of the repository."""
SAMPLE = FRONT / "data"
"""The folder of the sample study."""


@cache
def bundled(package: str, *names: str) -> str:
    """The text of files of a package, one after the other.

    >>> bundled("evalcore.ui.frame", "mark.svg")[:4]
    '<svg'
    """
    return "".join(files(package).joinpath(name).read_text("utf-8") for name in names)


@cache
def document(name: str) -> str:
    """A page of the documentation as Markdown; "" for one that is not there.

    >>> document("how-to/compare-systems").partition("\\n")[0]
    '# Compare systems'
    """
    page = FRONT / "docs" / f"{name}.md"
    return page.read_text("utf-8") if page.is_file() else ""
