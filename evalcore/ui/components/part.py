"""A part that reports have too (`report.parts`), drawn on a page: answer, figures, table with its method."""

from __future__ import annotations

from typing import Any

from evalcore.report.parts import Section
from evalcore.ui.components import figure, fold, table
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.writing import md_escape


def figures(context: Context, section: Section | None, **look: Any) -> None:
    """Its figures, none where there is nothing to ask; ``look``: as of `figure.show`."""
    clicked = f"-{context.study.digest}" if "clicked" in look else ""
    for named in section.figures(context.theme) if section else ():
        figure.show(context, named.drawn, key=f"{named.name}{clicked}", file=named.name, **look)


def numbers(
    context: Context, section: Section, *, file: str, more: str = "", param: Key | None = None
) -> None:
    """Its table with the method, and its file; ``more``: Markdown after the method; ``param`` of its fold."""
    assert section.table is not None, "asked for parts with a table"
    rows, note = (
        section.table,
        f"{md_escape(section.method.removesuffix('.'), limit=2_000)}{context.chosen}. {more}".strip(),
    )

    def draw() -> None:
        table.results_table(context, rows, key=f"{file}-table", file=file, note=note, alt=section.caption)

    if param is None:
        draw()
    else:
        fold.section("Table, and how this was compared", draw, param=param)
