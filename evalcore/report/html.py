"""The page of a report: a template in which everything that comes in is escaped, and figures as files."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from markupsafe import Markup, escape

from evalcore.figures.printed import WIDTHS, Format, Wanted, Width, printed, why_not
from evalcore.report.figures import every_figure
from evalcore.report.results import Content
from evalcore.results.rows import Table as Rows
from evalcore.results.writers import printed as printed_rows
from evalcore.values.progress import Progress, silent
from evalcore.values.writing import plain

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["FigureFile", "figure_files", "why_not"]

_SIGN = re.compile(r"\\(.)|(\*\*)|(\u2060)", re.DOTALL)


class Table(NamedTuple):
    """A table; ``numbers``: which columns stand to the right. Nothing of no rows."""

    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    caption: str
    numbers: Sequence[bool]


def drawn(table: Rows, caption: str) -> Table:
    """Rows by the declaration of their columns, as on paper."""
    head, rows, numbers = printed_rows(table)
    return Table(head, rows, caption, numbers)


def page(**content: Any) -> str:
    """A report of its content; see ``report.html.j2``."""
    return _template().render(content)


def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("evalcore", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        finalize=_shown,
    )
    environment.filters |= {"markdown": from_markdown, "code": code, "base64": as_base64}
    return environment.get_template("report.html.j2")


def _shown(value: object) -> object:
    """Any text on one line, without hidden signs; what is markup already as it is."""
    return value if isinstance(value, Markup) else plain(str(value))


def from_markdown(sentence: str) -> Markup:
    """A sentence of ours in Markdown, in which names are `md_escape`d and the only marks are bold ones.

    >>> print(from_markdown("**a\\\\_b** \\\\<i\\\\> 1 < 2"))
    <strong>a_b</strong> &lt;i&gt; 1 &lt; 2
    """
    result, at, bold = Markup(), 0, False
    for sign in _SIGN.finditer(sentence):
        result += sentence[at : sign.start()]
        at = sign.end()
        if sign[1] is not None:
            result += sign[1]
        elif sign[2]:
            bold = not bold
            result += Markup("<strong>" if bold else "</strong>")
    return result + sentence[at:] + Markup("</strong>") * bold


def code(value: str) -> Markup:
    """Text to copy: spaces and line ends stay, hidden signs are shown as "�"."""
    return escape("".join(sign if sign.isprintable() or sign == "\n" else "�" for sign in value))


def as_base64(data: str | bytes) -> Markup:
    """Content for an address that begins with ``data:``."""
    return Markup(base64.b64encode(data.encode() if isinstance(data, str) else data).decode())


# The figures of a report as files of their own.


class FigureFile(NamedTuple):
    """A file: its name, how wide it is on paper, what it shows in a sentence, its content."""

    file: str
    width_mm: float
    alt: str
    data: bytes


def figure_files(
    result: Content, *, formats: Sequence[str], widths: Sequence[str], progress: Progress = silent
) -> list[FigureFile]:
    """Every figure in every format and width; InputError where they cannot be drawn (`why_not`).

    Maps of constant values are left out: the report has a sentence for each.
    Those that one column is too narrow for are as wide as two.
    """
    drawn = [named for named in every_figure(result) if not named.drawn.constant]
    wanted = [
        (f"{named.name}-{width}.{kind}", Wanted(named.drawn, cast("Format", kind), cast("Width", width)))
        for named in drawn
        for width, kind in product(
            ["double"] if named.wide else dict.fromkeys(widths), dict.fromkeys(formats)
        )
    ]
    data = printed([figure for _, figure in wanted], progress=progress)
    return [
        FigureFile(name, WIDTHS[figure.width], figure.drawn.alt, content)
        for (name, figure), content in zip(wanted, data, strict=True)
    ]
