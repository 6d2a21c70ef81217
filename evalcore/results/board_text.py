"""A board written down: LaTeX with booktabs, Markdown, or HTML for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from evalcore.results.caption import IN_PARENTHESES
from evalcore.results.writers import escape_latex, escape_markdown, latex_label, markdown_lines, tabular

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcore.results.board import Board, BoardCell

BOUND = "Bound"
SIDE_BY_SIDE = 8
"""Columns of a LaTeX table at most; more are set in panels one below the other."""


def as_latex(board: Board, *, intervals: bool = True) -> str:
    """A whole ``table`` with caption, label and a note below; needs the package booktabs, and nothing else.

    ``intervals``: in brackets after each mean, in small type.
    """
    starts = range(0, max(len(board.columns), 1), SIDE_BY_SIDE)
    panels = [_panel(board, first, intervals) for first in starts]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption[{escape_latex(board.short)}]{{{escape_latex(_caption(board, intervals))}}}",
        rf"\label{{tab:{latex_label(board.label)}}}",
        *(line for i, panel in enumerate(panels) for line in ([r"\par\medskip"] if i else []) + panel),
        rf"\par\smallskip{{\footnotesize\raggedright {escape_latex(_note(board, intervals))}\par}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _panel(board: Board, first: int, intervals: bool) -> list[str]:
    """The columns from one place on, with every row."""
    part = slice(first, first + SIDE_BY_SIDE)
    rows = [
        " & ".join([escape_latex(_named(board, name)), *(_in_latex(cell, intervals) for cell in cells[part])])
        for name, cells in zip(board.systems, board.cells, strict=True)
    ]
    bound = [" & ".join([BOUND, *map(escape_latex, board.bound[part])])] if board.bound else []
    columns = board.columns[part]
    head = [f"System & {' & '.join(map(escape_latex, columns))} \\\\"]
    return tabular(f"l{'r' * len(columns)}", head, [rows, bound])


def as_markdown(board: Board, *, intervals: bool = True) -> str:
    """A table in Markdown, its caption and the note below."""
    rows = [
        [escape_markdown(_named(board, name)), *(_in_markdown(cell, intervals) for cell in cells)]
        for name, cells in zip(board.systems, board.cells, strict=True)
    ]
    if board.bound:
        rows.append([BOUND, *board.bound])
    lines = markdown_lines(["System", *map(escape_markdown, board.columns)], rows)
    below = [escape_markdown(text) for text in (_caption(board, intervals), _note(board, intervals))]
    return "\n".join([*lines, "", below[0], "", below[1]]) + "\n"


def as_html(board: Board) -> str:
    """A table in HTML for notebooks, caption above and note below; every text is escaped."""

    def line(tag: str, cells: Iterable[str]) -> str:
        styled = (f'<{tag} style="text-align: left">{cell}</{tag}>' for cell in cells)
        return f"<tr>{''.join(styled)}</tr>"

    rows = [
        line("td", [escape(_named(board, name)), *map(_in_html, cells)])
        for name, cells in zip(board.systems, board.cells, strict=True)
    ]
    if board.bound:
        rows.append(line("td", [BOUND, *map(escape, board.bound)]))
    head = line("th", ["System", *map(escape, board.columns)])
    caption, note = escape(" ".join(board.caption)), escape(" ".join(board.note))
    return (
        f"<table><caption>{caption}</caption><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"
        f"<p><small>{note}</small></p>"
    )


def _in_html(cell: BoardCell) -> str:
    mean = f"<b>{escape(cell.mean)}</b>" if cell.best else escape(cell.mean)
    ends = f" <small>({escape(cell.interval)})</small>" if cell.interval else ""
    return f"{mean}{escape(cell.mark)}{ends}"


def _named(board: Board, name: str) -> str:
    return f"{name} (baseline)" if name == board.baseline else name


def _caption(board: Board, intervals: bool) -> str:
    return " ".join(without_intervals(board.caption) if not intervals else board.caption)


def _note(board: Board, intervals: bool) -> str:
    return " ".join(without_intervals(board.note) if not intervals else board.note)


def without_intervals(sentences: Iterable[str]) -> tuple[str, ...]:
    """The sentences of a caption or a note that hold for a table without intervals too."""
    return tuple(sentence for sentence in sentences if not sentence.startswith(IN_PARENTHESES))


def _in_latex(cell: BoardCell, intervals: bool) -> str:
    mean = rf"\textbf{{{cell.mean}}}" if cell.best else cell.mean
    mark = {"": "", "†": r"$^\dagger$", "‡": r"$^\ddagger$"}[cell.mark]
    ends = rf" {{\footnotesize({cell.interval})}}" if intervals and cell.interval else ""
    return f"{mean}{mark}{ends}"


def _in_markdown(cell: BoardCell, intervals: bool) -> str:
    mean = f"**{cell.mean}**" if cell.best else cell.mean
    return f"{mean}{cell.mark}" + (f" ({cell.interval})" if intervals and cell.interval else "")
