"""Tables as text, frames, HTML, LaTeX and Markdown: rows by declared columns, and tables for a paper.

`cli.output.emit` writes terminal, JSON and CSV, `ui.components.table.results_table` pages and their files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from html import escape as escape_html
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcore.results.rows import Table, decimals, ends_text, p_text, percent, plain, signed, whole
from evalcore.values import writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas as pd

    from evalcore.results.rows import Column

HIGHER, LOWER = "†", "‡"
"""Marks of what is significantly higher and lower."""


class Cell(NamedTuple):
    """A cell on paper: its text, in bold where it is the best of its column; a mark, and an interval in
    parentheses, "" for none."""

    text: str
    best: bool = False
    mark: str = ""
    interval: str = ""


@dataclass(frozen=True, slots=True)
class Paper:
    """A table on paper: heads, and cells by row; ``numbers``: which columns are aligned to the right.

    ``note``: the method, below the table. ``label``: what LaTeX refers to the table by, such as
    "systems-by-organ".
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    numbers: Sequence[bool]
    caption: str = ""
    note: str = ""
    label: str = ""


# Declared columns on paper: as in the terminal, with the signs that print has.


_ON_PAPER: dict[Callable[[Any], str], Callable[[Any], str]] = {
    decimals: lambda value: writing.NOTHING if value is None else writing.number(value, 4),
    signed: partial(writing.number, places=4, sign=True),
    ends_text: lambda pair: writing.NOTHING if None in pair else writing.span(*pair, places=4),
    p_text: writing.p_value,
}
_NUMBER = re.compile(r"[<>] |[-+−]?[\d\[]|[–-]?$")
_NUMBERS = {decimals, signed, ends_text, p_text, percent, whole}


def on_paper(table: Table, caption: str = "") -> Paper:
    """Every column with a head in the terminal, headed by its title on pages, or that head with a capital."""
    columns = [column for column in table.columns if column.head is not None]
    rows = [
        [_ON_PAPER.get(column.text, column.text)(column.value_of(row)) for column in columns]
        for row in table.rows
    ]
    numbers = [
        column.text in _NUMBERS or all_numbers([row[place] for row in rows])
        for place, column in enumerate(columns)
    ]
    cells = [[Cell(text) for text in row] for row in rows]
    return Paper([_heading(column) for column in columns], cells, numbers, caption)


def _heading(column: Column) -> str:
    """With a capital, but for symbols such as n and p."""
    head = column.head or ""
    if column.title is not None:
        return column.title.strip()
    return head[:1].upper() + head[1:] if head[1:2].isalpha() else head


def all_numbers(cells: Sequence[object]) -> bool:
    """Whether texts are numbers, intervals or nothing, so that they are aligned to the right.

    >>> all_numbers(["< 0.001", "−0.5 to +0.2", "–", ""]), all_numbers(["C0000001"]), all_numbers([])
    (True, False, False)
    """
    return any(cells) and all(isinstance(cell, str) and _NUMBER.match(cell) for cell in cells)


# Text, frames and HTML, for terminals and notebooks.


def text_lines(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Columns padded to their widest cell, numbers to the right, two spaces between."""
    table = [[plain(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    numeric = [all_numbers([row[column] for row in table[1:]]) for column in range(len(header))]
    lines = []
    for row in table:
        cells = zip(row, widths, numeric, strict=True)
        padded = [cell.rjust(width) if right else cell.ljust(width) for cell, width, right in cells]
        lines.append("  ".join(padded).rstrip())
    return lines


def frame(table: Table) -> pd.DataFrame:
    """The rows under the names they have in JSON, numbers in full; NaN where there is none."""
    import pandas as pd

    names = [column.name for column in table.columns if column.name]
    return pd.DataFrame(table.records(), columns=names)


def html(paper: Paper) -> str:
    """An HTML table, its note below it, every text escaped."""

    def line(tag: str, cells: Iterable[str]) -> str:
        styled = (
            f'<{tag} style="text-align: {"right" if number else "left"}">{cell}</{tag}>'
            for cell, number in zip(cells, paper.numbers, strict=True)
        )
        return f"<tr>{''.join(styled)}</tr>"

    def written(cell: Cell) -> str:
        text, mark, interval = map(escape_html, (cell.text, cell.mark, cell.interval))
        small = f" <small>({interval})</small>" if interval else ""
        return f"{f'<b>{text}</b>' if cell.best else text}{mark}{small}"

    head, body = (
        line("th", map(escape_html, paper.heads)),
        [line("td", map(written, row)) for row in paper.rows],
    )
    above = f"<caption>{escape_html(paper.caption)}</caption>" if paper.caption else ""
    below = f"<p><small>{escape_html(paper.note)}</small></p>" if paper.note else ""
    return f"<table>{above}<thead>{head}</thead><tbody>{''.join(body)}</tbody></table>{below}"


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
_NO_LABEL = re.compile("[^A-Za-z0-9]+")
"""A hyphen takes its place in a label."""
SIDE_BY_SIDE = 8
"""Columns of a table with a label at most; more are set in panels one below the other."""


def escape_latex(text: str) -> str:
    r"""Text that LaTeX prints as it is, on one line.

    >>> print(escape_latex("lin_seco & 5%"))
    lin\_seco \& 5\%
    >>> print(escape_latex("[new] a--b"))
    {[}new{]} a-{}-b
    """
    printed = (_LATEX_SPECIAL.get(character, character) for character in writing.plain(text))
    return _DASHES.sub("{}", "".join(printed))


def latex(paper: Paper) -> str:
    """A ``tabular``, or with a caption a whole ``table`` with its note below; needs the package booktabs."""
    if not paper.caption:
        return "\n".join(_tabular(paper, 1, len(paper.heads))) + "\n"
    last = len(paper.heads)
    step = SIDE_BY_SIDE if paper.label else last
    panels = [_tabular(paper, first, first + step) for first in range(1, max(last, 2), step)]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape_latex(paper.caption)}}}",
        *([rf"\label{{tab:{_NO_LABEL.sub('-', paper.label).strip('-')}}}"] if paper.label else []),
        *(line for i, panel in enumerate(panels) for line in ([r"\par\medskip"] if i else []) + panel),
        *(
            [rf"\par\smallskip{{\footnotesize\raggedright {escape_latex(paper.note)}\par}}"]
            * bool(paper.note)
        ),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _tabular(paper: Paper, first: int, end: int) -> list[str]:
    """The first column and those from one place to another, with rules."""

    def line(cells: Sequence[str]) -> str:
        return rf"{' & '.join([cells[0], *cells[first:end]])} \\"

    sides = ["r" if number else "l" for number in paper.numbers]
    rows = [line(list(map(_in_latex, row))) for row in paper.rows]
    return [
        rf"\begin{{tabular}}{{{''.join([sides[0], *sides[first:end]])}}}",
        r"\toprule",
        line(list(map(escape_latex, paper.heads))),
        *([r"\midrule", *rows] if rows else []),
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _in_latex(cell: Cell) -> str:
    text, interval = escape_latex(cell.text), escape_latex(cell.interval)
    mark = {"": "", HIGHER: r"$^\dagger$", LOWER: r"$^\ddagger$"}[cell.mark]
    small = rf" {{\footnotesize({interval})}}" if interval else ""
    return (rf"\textbf{{{text}}}" if cell.best else text) + mark + small


# Tables in Markdown, as GitHub, GitLab and Pandoc read them.

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&$])")


def escape_markdown(text: str) -> str:
    r"""Text that Markdown shows as it is, in one cell of a table.

    >>> print(escape_markdown("lbp_glcm | *"))
    lbp\_glcm \| \*
    """
    return _SPECIAL.sub(r"\\\1", writing.plain(text))


def markdown(paper: Paper) -> str:
    """A table, with its caption and its note below."""
    rule = ["---:" if number else ":---" for number in paper.numbers]
    rows = [list(map(_in_markdown, row)) for row in paper.rows]
    lines = [f"| {' | '.join(cells)} |" for cells in (list(map(escape_markdown, paper.heads)), rule, *rows)]
    below = [line for text in (paper.caption, paper.note) if text for line in ("", escape_markdown(text))]
    return "\n".join([*lines, *below]) + "\n"


def _in_markdown(cell: Cell) -> str:
    text = escape_markdown(cell.text)
    ends = f" ({cell.interval})" if cell.interval else ""
    return f"{f'**{text}**' if cell.best else text}{cell.mark}{ends}"
