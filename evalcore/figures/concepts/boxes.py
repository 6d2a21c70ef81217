"""Concepts as boxes: what a box looks like and says, and the marks that make boxes report a click."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.figures.marks import click_marks, muted, note
from evalcore.figures.words import safe, wrapped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme

Spot = tuple[float, float]
"""Where a box stands: column and row, or column and layer."""


def box(text: str, spot: Spot, theme: Theme, *, end: bool, small: bool = False) -> Parts:
    """A concept as an annotation; both ends of a path have a stronger border."""
    return note(
        text, *spot, theme.ink, size=12 if small else 13, align="center", borderpad=5 if small else 7,
        bgcolor=theme.raised, bordercolor=theme.accent if end else theme.muted, borderwidth=2 if end else 1,
    )  # fmt: skip


def box_text(cui: str, names: Mapping[str, str], width: int, theme: Theme) -> str:
    """The name in lines of about ``width`` characters over the CUI; the CUI alone where no name is known."""
    if cui not in names:
        return f"<b>{safe(cui)}</b>"
    return f"<b>{wrapped(names[cui], width)}</b><br>{muted(safe(cui), theme)}"


def marks_over(spots: Sequence[tuple[str, Spot]], names: Mapping[str, str]) -> Parts:
    """What makes the boxes of these concepts report a click: each carries its CUI."""
    hover = [f"{safe(names.get(cui, 'no name known'))}<br>{safe(cui)}" for cui, _ in spots]
    marks = click_marks([spot for _, spot in spots], [cui for cui, _ in spots], hover, 40)
    return marks | {"cliponaxis": False}
