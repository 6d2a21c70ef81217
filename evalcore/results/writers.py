"""Tables of declared columns (`results.rows`) written as frames, Markdown, LaTeX and HTML.

`cli.output.emit` writes terminal, JSON and CSV, `ui.components.table.declared` pages and their files.
"""

from __future__ import annotations

import re
from html import escape as escape_html
from typing import TYPE_CHECKING, Any

from evalcore.results.rows import Column, Table, decimals, ends_text, p_text, percent, plain, signed, whole
from evalcore.values import writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas as pd

# Cells on paper: as in the terminal, with the signs that print has.


def signed_fixed(value: float) -> str:
    """A difference with its sign, four places.

    >>> signed_fixed(0.25), signed_fixed(-0.25), signed_fixed(0.0)
    ('+0.2500', '−0.2500', '0.0000')
    """
    return f"+{writing.fixed(value)}" if value > 0 else writing.fixed(value)


_ON_PAPER: dict[Callable[[Any], str], Callable[[Any], str]] = {
    decimals: lambda value: writing.NOTHING if value is None else writing.fixed(value),
    signed: signed_fixed,
    ends_text: lambda pair: writing.NOTHING if None in pair else writing.span(*pair, places=4),
    p_text: writing.p_value,
}
_NUMBER = re.compile(r"[<>] |[-+−]?[\d\[]|[–-]?$")
_NUMBERS = {decimals, signed, ends_text, p_text, percent, whole}


def printed(table: Table) -> tuple[list[str], list[list[str]], list[bool]]:
    """(heads, rows of cells, which columns are numbers) on paper: every column with a head in the terminal.

    A column is headed by its title on pages, or its head in the terminal with a capital.
    """
    columns = [column for column in table.columns if column.head is not None]
    rows = [
        [_ON_PAPER.get(column.text, column.text)(column.of(row)) for column in columns] for row in table.rows
    ]
    numbers = [
        column.text in _NUMBERS or all_numbers([row[place] for row in rows])
        for place, column in enumerate(columns)
    ]
    return [_heading(column) for column in columns], rows, numbers


def _heading(column: Column) -> str:
    """With a capital, but for symbols such as n and p."""
    head = column.head or ""
    if column.title is not None:
        return column.title.strip()
    return head[:1].upper() + head[1:] if head[1:2].isalpha() else head


def all_numbers(cells: Sequence[object]) -> bool:
    """Whether texts are numbers, intervals or nothing, so that they stand to the right.

    >>> all_numbers(["< 0.001", "−0.5 to +0.2", "–", ""]), all_numbers(["C0000001"]), all_numbers([])
    (True, False, False)
    """
    return any(cells) and all(isinstance(cell, str) and _NUMBER.match(cell) for cell in cells)


# Text, frames and HTML, for terminals and notebooks.


def text_lines(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Columns padded to their widest cell, numbers to the right, two spaces between."""
    table = [[plain(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    numeric = [all(_is_number(row[column]) for row in table[1:]) for column in range(len(header))]
    lines = []
    for row in table:
        cells = zip(row, widths, numeric, strict=True)
        padded = [cell.rjust(width) if right else cell.ljust(width) for cell, width, right in cells]
        lines.append("  ".join(padded).rstrip())
    return lines


def _is_number(cell: str) -> bool:
    return cell[:1] in {"-", "+", "["} or cell[:1].isdigit()


def frame(table: Table) -> pd.DataFrame:
    """The rows under the names they have in JSON, numbers in full; NaN where there is none."""
    import pandas as pd

    names = [column.name for column in table.columns if column.name]
    return pd.DataFrame(table.records(), columns=names)


def html(table: Table, *, caption: str = "") -> str:
    """The cells of paper as an HTML table, every text escaped."""
    heads, rows, numbers = printed(table)
    sides = ["right" if number else "left" for number in numbers]

    def line(tag: str, cells: Sequence[str]) -> str:
        marked = zip(cells, sides, strict=True)
        return (
            "<tr>"
            + "".join(
                f'<{tag} style="text-align: {side}">{escape_html(cell)}</{tag}>' for cell, side in marked
            )
            + "</tr>"
        )

    above = f"<caption>{escape_html(caption)}</caption>" if caption else ""
    body = "".join(line("td", row) for row in rows)
    return f"<table>{above}<thead>{line('th', heads)}</thead><tbody>{body}</tbody></table>"


# Text and tables as LaTeX sets them, with the package booktabs.

_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    '"': r"{\char34}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
    "α": r"$\alpha$",
}
"""[ and * in braces: after the end of a row they would be read as its options."""
_DASHES = re.compile("(?<=-)(?=-)")


def escape_latex(text: str) -> str:
    r"""Text that LaTeX prints as it stands, on one line.

    >>> print(escape_latex("lin_seco & 5%"))
    lin\_seco \& 5\%
    >>> print(escape_latex("[new] a--b"))
    {[}new{]} a-{}-b
    """
    one_line = "".join(character for character in " ".join(text.split()) if character.isprintable())
    return _DASHES.sub("{}", "".join(_LATEX_SPECIAL.get(character, character) for character in one_line))


def tabular(columns: str, head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a tabular: rules, lines of the head, and groups of rows with a rule between them.

    ``head`` and ``body`` are ready for LaTeX; rows are cells joined by &, without the end of the row.
    """
    groups = [[rf"{row} \\" for row in rows] for rows in body if rows]
    lines = [line for rows in groups for line in (r"\midrule", *rows)]
    return [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *head, *lines, r"\bottomrule", r"\end{tabular}"]


def latex(table: Table, *, caption: str = "") -> str:
    """The rows as a ``tabular``, or with a caption as a ``table``; needs the package booktabs."""
    heads, rows, numbers = printed(table)
    body = [" & ".join(map(escape_latex, row)) for row in rows]
    columns = "".join("r" if number else "l" for number in numbers)
    lines = tabular(columns, [" & ".join(map(escape_latex, heads)) + r" \\"], [body])
    return "\n".join(in_table(lines, caption) if caption else lines) + "\n"


def in_table(lines: Sequence[str], caption: str) -> list[str]:
    """The lines of a tabular in a ``table`` with its caption."""
    above = [r"\begin{table}", r"\centering", rf"\caption{{{escape_latex(caption)}}}"]
    return [*above, *lines, r"\end{table}"]


def latex_label(text: str) -> str:
    """A label that LaTeX takes: letters and digits, all else as a hyphen."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")


# Tables in Markdown, as GitHub, GitLab and Pandoc read them.

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&$])")


def escape_markdown(text: str) -> str:
    r"""Text that Markdown shows as it stands, in one cell of a table.

    >>> print(escape_markdown("lbp_glcm | *"))
    lbp\_glcm \| \*
    """
    one_line = "".join(character for character in " ".join(text.split()) if character.isprintable())
    return _SPECIAL.sub(r"\\\1", one_line)


def markdown_lines(
    head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[bool] = ()
) -> list[str]:
    """The lines of a table; cells are ready. ``numbers``: which columns; all but the first where left out."""
    rule = ["---:" if number else ":---" for number in numbers or [False, *[True] * (len(head) - 1)]]
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)]


def markdown(table: Table, *, caption: str = "") -> str:
    """The rows as a table, with its caption below."""
    heads, rows, numbers = printed(table)
    cells = [[escape_markdown(cell) for cell in row] for row in rows]
    below = ["", escape_markdown(caption)] if caption else []
    return "\n".join([*markdown_lines(list(map(escape_markdown, heads)), cells, numbers), *below]) + "\n"
