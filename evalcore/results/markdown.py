"""Tables in Markdown, as GitHub, GitLab and Pandoc read them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&$])")


def escape(text: str) -> str:
    r"""Text that Markdown shows as it stands, in one cell of a table.

    >>> print(escape("lbp_glcm | *"))
    lbp\_glcm \| \*
    """
    one_line = "".join(character for character in " ".join(text.split()) if character.isprintable())
    return _SPECIAL.sub(r"\\\1", one_line)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table whose first column is text and whose others are numbers; cells are ready."""
    rule = [":---", *["---:"] * (len(head) - 1)]
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)]
