"""Parts of an HTML document made of text alone: everything that comes in is escaped here."""

from __future__ import annotations

import re
from html import escape
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, cast

from evalcore.figures.printed import WIDTHS, Wanted, printed, why_not
from evalcore.report.figures import every_figure
from evalcore.values.markdown import plain
from evalcore.values.progress import silent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcore.figures.printed import Format, Width
    from evalcore.report.found import Found
    from evalcore.values.progress import Progress

__all__ = ["FigureFile", "figure_files", "why_not"]


SHORT = 25
"""Rows of a table that is not parted between pages."""
_SIGN = re.compile(r"\\(.)|(\*\*)|(\u2060)", re.DOTALL)


def text(value: object) -> str:
    """Any text as HTML that shows these characters, on one line, without hidden ones."""
    return escape(plain(str(value)))


def from_markdown(sentence: str) -> str:
    """A sentence of ours in Markdown, in which names are `md_escape`d and the only marks are bold ones.

    >>> from_markdown("**a\\\\_b** \\\\<i\\\\> 1 < 2")
    '<strong>a_b</strong> &lt;i&gt; 1 &lt; 2'
    """
    found, at, bold = [], 0, False
    for sign in _SIGN.finditer(sentence):
        found.append(escape(sentence[at : sign.start()]))
        at = sign.end()
        if sign[1] is not None:
            found.append(escape(sign[1]))
        elif sign[2]:
            bold = not bold
            found.append("<strong>" if bold else "</strong>")
    found.append(escape(sentence[at:]) + "</strong>" * bold)
    return "".join(found)


def paragraph(html: str, kind: str = "") -> str:
    """A paragraph of HTML; nothing of nothing."""
    return f"<p{f' class={kind!r}' if kind else ''}>{html}</p>" if html else ""


def heading(title: str, level: int = 2) -> str:
    return f"<h{level}>{text(title)}</h{level}>"


def table(head: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str, words: int = 1) -> str:
    """A table: the first ``words`` columns are text, the others numbers, to the right. Nothing of no rows."""
    body = [[text(cell) for cell in row] for row in rows]
    if not body:
        return ""
    kinds = ["" if place < words else ' class="n"' for place in range(len(head))]
    top = "".join(f'<th scope="col"{kind}>{text(one)}</th>' for one, kind in zip(head, kinds, strict=True))
    cells = "".join(
        "<tr>" + "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(row, kinds, strict=True)) + "</tr>"
        for row in body
    )
    said = f"<caption>{text(caption)}</caption>"
    kind = ' class="short"' if len(body) <= SHORT else ""
    return f"<table{kind}>{said}<thead><tr>{top}</tr></thead><tbody>{cells}</tbody></table>"


def facts(pairs: Iterable[tuple[str, object]]) -> str:
    """Names and what is said of each; those of which nothing is said are left out."""
    said = [(text(name), text(value)) for name, value in pairs if str(value)]
    return "<dl>" + "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in said) + "</dl>"


def code(value: str) -> str:
    """Text to copy: spaces and line ends stay, hidden signs are shown as "�"."""
    shown = "".join(sign if sign.isprintable() or sign == "\n" else "�" for sign in value)
    return f"<pre>{escape(shown)}</pre>"


# The figures of a report as files of their own.


class FigureFile(NamedTuple):
    """A file: its name, how wide it is on paper, what it shows in a sentence, its content."""

    file: str
    width_mm: float
    alt: str
    data: bytes


def figure_files(
    found: Found, *, formats: Sequence[str], widths: Sequence[str], progress: Progress = silent
) -> list[FigureFile]:
    """Every figure in every format and width; InputError where they cannot be drawn (`why_not`).

    Those that one column is too narrow for are as wide as two.
    """
    drawn = every_figure(found)
    wanted = [
        (f"{one.name}-{width}.{kind}", Wanted(one.drawn, cast("Format", kind), cast("Width", width)))
        for one in drawn
        for width, kind in product(["double"] if one.wide else dict.fromkeys(widths), dict.fromkeys(formats))
    ]
    data = printed([one for _, one in wanted], progress=progress)
    return [
        FigureFile(name, WIDTHS[one.width], one.drawn.alt, content)
        for (name, one), content in zip(wanted, data, strict=True)
    ]
