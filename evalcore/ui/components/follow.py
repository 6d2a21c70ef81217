"""Figures that follow alpha, maximum distance and k of the sidebar in the browser, before the page is drawn
again: from values sent with the page, so within a frame or two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import NamedTuple

import streamlit as st

from evalcore.figures.frame import Drawn
from evalcore.figures.lines import Line
from evalcore.figures.systems import Rows, ranked
from evalcore.values.bundled import bundled
from evalcore.values.model import Interval

_HTML = '<p id="values" role="status"></p>'


def sliders(
    drawn: Drawn,
    *,
    figure: str,
    alphas: Sequence[float],
    lines: Mapping[int, Sequence[Line]],
    titles: Mapping[int, str],
    at: tuple[float, int],
) -> None:
    """Draw the line of values, and let it and a figure of `alpha_lines` follow; call before it is drawn.

    ``figure``: the key it is drawn with. ``lines``, ``titles``: by the maximum distance, all with the systems
    of the figure in its order; a distance that is missing leaves the figure as it is. ``at``: alpha and
    maximum distance that the figure shows.
    """
    drawn.figure.layout.meta = {"alpha": at[0], "threshold": at[1]}
    sent = {str(threshold): [_sent(line) for line in some] for threshold, some in lines.items()}
    _send(
        figure,
        alphas=list(alphas),
        lines=sent,
        titles={str(threshold): title for threshold, title in titles.items()},
        at=list(at),
    )


class Setting(NamedTuple):
    """What the sliders say."""

    k: int
    alpha: float
    threshold: int

    def __str__(self) -> str:
        """As the browser writes numbers."""
        return f"{self.k}|{self.alpha:g}|{self.threshold}"


def begin(drawn: Drawn, means: Mapping[str, Interval], *, at: Setting, baseline: str) -> None:
    """Let a figure of `leaderboard_dots` say what it shows, to follow later; call before it is drawn."""
    order = ranked(means)
    line = order.index(baseline) if baseline in order and isfinite(means[baseline].mean) else None
    drawn.figure.layout.meta = {**at._asdict(), "systems": order, "baseline": line}


def dots(figure: str, systems: Sequence[str], rows: Mapping[Setting, Rows], *, later: bool = False) -> None:
    """Let the figure of `leaderboard_dots` drawn with the key ``figure`` follow (see `begin`).

    ``rows``: what it would show at other settings, of these systems; at any other it stays as it is. Means
    without an interval are shown alone until the page is drawn again. ``later``: there is more to send; while
    nothing else is to do, the browser `asks` for it.
    """
    frames = {str(at): of for at, of in rows.items()}
    _send(figure, systems=list(systems), frames=frames, later=later)


def asks(figure: str) -> bool:
    """Whether the browser asks now for what was left for later."""
    given = st.session_state.get(f"follow-{figure}")
    return bool(given is not None and given.get("later"))


def _send(figure: str, **data: object) -> None:
    component = st.components.v2.component(
        "cuiscope_follow",
        html=_HTML,
        css=bundled(__package__, "follow.css"),
        js=bundled(__package__, "follow.js"),
    )
    component(
        data={"figure": figure, **data}, key=f"follow-{figure}", on_later_change=_asked, height="content"
    )


def _asked() -> None:
    """Callback; the fragment is drawn again."""


def _sent(line: Line) -> dict[str, object]:
    ends = {
        name: [value if isfinite(value) else None for value in (getattr(one, name) for one in line.row)]
        for name in ("mean", "low", "high")
    }
    return {"name": line.name, **ends}
