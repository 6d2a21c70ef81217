"""A board written down: LaTeX with booktabs, or Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.exports import latex, markdown

if TYPE_CHECKING:
    from evalcore.exports.board import Board, BoardCell

BOUND = "Bound"


def as_latex(board: Board, *, intervals: bool = True) -> str:
    """A whole ``table`` with caption and label; needs the package booktabs, and nothing else.

    ``intervals``: in brackets after each mean, in small type.
    """
    rows = [
        " & ".join([latex.escape(_named(board, name)), *(_in_latex(cell, intervals) for cell in cells)])
        for name, cells in zip(board.systems, board.cells, strict=True)
    ]
    bound = [" & ".join([BOUND, *map(latex.escape, board.bound)])] if board.bound else []
    head = [f"System & {' & '.join(map(latex.escape, board.metrics))} \\\\"]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex.escape(' '.join(_caption(board, intervals)))}}}",
        r"\label{tab:systems}",
        *latex.tabular(f"l{'r' * len(board.metrics)}", head, [rows, bound]),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def as_markdown(board: Board, *, intervals: bool = True) -> str:
    """A table in Markdown and its caption below."""
    rows = [
        [markdown.escape(_named(board, name)), *(_in_markdown(cell, intervals) for cell in cells)]
        for name, cells in zip(board.systems, board.cells, strict=True)
    ]
    if board.bound:
        rows.append([BOUND, *board.bound])
    lines = markdown.table(["System", *map(markdown.escape, board.metrics)], rows)
    caption = markdown.escape(" ".join(_caption(board, intervals)))
    return "\n".join([*lines, "", caption]) + "\n"


def _named(board: Board, name: str) -> str:
    return f"{name} (baseline)" if name == board.baseline else name


def _caption(board: Board, intervals: bool) -> list[str]:
    return [line for line in board.caption if intervals or not line.startswith("In parentheses")]


def _in_latex(cell: BoardCell, intervals: bool) -> str:
    mean = rf"\textbf{{{cell.mean}}}" if cell.best else cell.mean
    mark = {"": "", "†": r"$^\dagger$", "‡": r"$^\ddagger$"}[cell.mark]
    ends = rf" {{\footnotesize({cell.interval})}}" if intervals and cell.interval else ""
    return f"{mean}{mark}{ends}"


def _in_markdown(cell: BoardCell, intervals: bool) -> str:
    mean = f"**{cell.mean}**" if cell.best else cell.mean
    return f"{mean}{cell.mark}" + (f" ({cell.interval})" if intervals and cell.interval else "")
