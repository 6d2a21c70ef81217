"""Figures for print: the very Plotly figures of the pages as SVG or PDF, as wide as a journal's columns.

Drawn by Kaleido in a Chromium without a window, both optional: `why_unavailable` says what is missing.
Nothing is asked of the network: Plotly's script comes with Plotly, and the browser's proxy leads nowhere.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import plotly.graph_objects as go

from evalcore.figures.frame import AccessibleFigure, fitted
from evalcore.figures.theme import LIGHT
from evalcore.values import extras
from evalcore.values.errors import InputError
from evalcore.values.progress import Progress, silent

Format = Literal["svg", "pdf"]
Width = Literal["single", "double"]
WIDTHS: Mapping[Width, float] = {"single": 85.0, "double": 180.0}
"""Millimetres: one and two columns of a journal."""
PX_PER_MM = 420 / 85
"""Pixels of the figure on a millimetre of paper: its 12 pixels of text become 6.9 points."""
FONT = "Arial, Helvetica, Liberation Sans, DejaVu Sans, sans-serif"
PAPER = replace(LIGHT, font=FONT, width=385)
"""The light theme, in a font that every printer and journal has, for one column of a journal."""
BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "microsoft-edge",
)
_NOWHERE = "127.0.0.1:9"
PATIENCE = 60.0
"""Seconds for a browser to draw one figure."""
_CSS_PX_PER_MM = 96 / 25.4


class Wanted(NamedTuple):
    """One file of one figure."""

    drawn: AccessibleFigure
    format: Format
    width: Width


def browser() -> str | None:
    """Where Chromium, Chrome or Edge is: ``BROWSER_PATH``, else the first on the PATH; None without one."""
    named = os.environ.get("BROWSER_PATH")
    result = [shutil.which(name) for name in ((named,) if named else BROWSERS)]
    return next((path for path in result if path), None)


def why_unavailable() -> str:
    """Why figures cannot be written as SVG or PDF, with the way out; "" where they can."""
    if not extras.is_installed("kaleido"):
        return extras.missing("print", "Drawing figures for print", "kaleido")
    remedy = "Install Chromium or Chrome, or name its place in BROWSER_PATH."
    return "" if browser() else f"Drawing figures for print needs a browser, and none was found. {remedy}"


def printed(wanted: Sequence[Wanted], *, progress: Progress = silent) -> list[bytes]:
    """The content of each file, in order; a browser is started once for all.

    Widths are exact (85 or 180 mm), heights follow the figure. PDF embeds its fonts; SVG names them.

    Raises
    ------
    InputError
        Kaleido or a browser is missing, or the browser did not start.
    """
    if reason := why_unavailable():
        raise InputError(reason)
    # In a thread of its own: whoever asks may be inside a loop already, as notebooks are.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(_all(wanted, progress))).result() if wanted else []


async def _all(wanted: Sequence[Wanted], progress: Progress) -> list[bytes]:
    from choreographer.errors import BrowserClosedError, BrowserFailedError

    result: list[bytes] = []
    try:
        try:
            await _rest(wanted, result, progress)
        except TimeoutError:  # it runs, but does not answer: another one does
            await _rest(wanted, result, progress)
    except (BrowserFailedError, BrowserClosedError, TimeoutError) as reason:
        remedy = "Check that it starts, or name another one in BROWSER_PATH."
        raise InputError(f"The browser {browser()} did not draw the figures. {remedy}") from reason
    return result


async def _rest(wanted: Sequence[Wanted], result: list[bytes], progress: Progress) -> None:
    """Add what ``result`` lacks, drawn by one browser; TimeoutError when it does not answer."""
    from kaleido import Kaleido

    # It logs with a traceback what it then ignores, such as half a message of a browser that ends.
    logging.getLogger("choreographer").setLevel(logging.CRITICAL)
    async with Kaleido(mathjax=False, path=browser(), proxy_server=_NOWHERE) as kaleido:
        for number, file in enumerate(wanted[len(result) :], start=len(result)):
            progress(number / len(wanted), f"figure {number + 1} of {len(wanted)}")
            figure = fitted(file.drawn.figure, pixels(file.width))
            drawing = kaleido.calc_fig(figure, opts=_options(file, figure))
            data = await asyncio.wait_for(drawing, PATIENCE)
            result.append(_sized(data, file, figure))


def pixels(width: Width) -> int:
    """How wide a figure is drawn that is to be printed so wide."""
    return round(WIDTHS[width] * PX_PER_MM)


def _options(wanted: Wanted, figure: go.Figure) -> Any:
    wide = pixels(wanted.width)
    # A PDF is printed by the browser, which knows pixels of 1/96 inch.
    scale = WIDTHS[wanted.width] * _CSS_PX_PER_MM / wide if wanted.format == "pdf" else 1
    return {"format": wanted.format, "width": wide, "height": int(figure.layout.height), "scale": scale}


def _sized(data: bytes, wanted: Wanted, figure: go.Figure) -> bytes:
    """An SVG with its size on paper."""
    if wanted.format == "pdf":
        return data
    wide = WIDTHS[wanted.width]
    high = wide * figure.layout.height / pixels(wanted.width)
    head, rest = data.decode().split(">", 1)
    head = re.sub(r' width="\d+"', f' width="{wide:g}mm"', head, count=1)
    head = re.sub(r' height="\d+"', f' height="{high:.3f}mm"', head, count=1)
    return f"{head}>{rest}".encode()


def plotly_script() -> str:
    """Plotly's own JavaScript, 5 MB: for a document that draws its figures itself."""
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())
