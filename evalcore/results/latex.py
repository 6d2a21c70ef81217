"""Text and tables as LaTeX sets them, with the package booktabs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$",
    ">": "$>$", "|": "$|$", '"': r"{\char34}", "[": "{[}", "]": "{]}",
    "*": "{*}", "†": r"$\dagger$", "‡": r"$\ddagger$", "α": r"$\alpha$",
}  # fmt: skip
"""[ and * in braces: after the end of a row they would be read as its options."""
_DASHES = re.compile("(?<=-)(?=-)")


def escape(text: str) -> str:
    r"""Text that LaTeX prints as it stands, on one line.

    >>> print(escape("lin_seco & 5%"))
    lin\_seco \& 5\%
    >>> print(escape("[new] a--b"))
    {[}new{]} a-{}-b
    """
    one_line = "".join(character for character in " ".join(text.split()) if character.isprintable())
    return _DASHES.sub("{}", "".join(_SPECIAL.get(character, character) for character in one_line))


def tabular(columns: str, head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a tabular: rules, lines of the head, and groups of rows with a rule between them.

    ``head`` and ``body`` are ready for LaTeX; rows are cells joined by &, without the end of the row.
    """
    groups = [[rf"{row} \\" for row in rows] for rows in body if rows]
    lines = [line for rows in groups for line in (r"\midrule", *rows)]
    return [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *head, *lines, r"\bottomrule", r"\end{tabular}"]
