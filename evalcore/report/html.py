"""The page of a report: a template in which everything that comes in is escaped."""

from __future__ import annotations

import base64
import re
from typing import Any

from markupsafe import Markup, escape

from evalcore.values.writing import plain

_SIGN = re.compile(r"\\(.)|(\*\*)|(\u2060)", re.DOTALL)


def page(**content: Any) -> str:
    """A report of its content; see ``report.html.j2``."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("evalcore", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        finalize=_shown,
    )
    environment.filters |= {"markdown": from_markdown, "code": code, "base64": as_base64}
    return environment.get_template("report.html.j2").render(content)


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
