"""Score bars under a tile, drawn as a small picture: numbers and constant words only."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from evalcore.figures.numbers import brief, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.theme import Theme

WIDTH, ROW = 128, 16
_LABEL, _VALUE = 48, 28
COSINE = "cosine, as this system sees it"
SHORT = {"With related": "Related", COSINE: "cosine"}
"""Labels where there is no room for the whole one."""
_FONT = "Segoe UI, Helvetica, Arial, sans-serif"


def score_bars(rows: Sequence[tuple[str, float]], *, theme: Theme) -> str:
    """SVG: one row per (constant label, value 0 to 1): label, bar, number. NaN draws no bar and "–"."""
    parts = [_row(i, SHORT.get(label, label), value, theme) for i, (label, value) in enumerate(rows)]
    height = ROW * len(rows)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="{_FONT}" font-size="11">{"".join(parts)}</svg>'
    )


def _row(i: int, label: str, value: float, theme: Theme) -> str:
    middle, full = ROW * i + ROW / 2, WIDTH - _LABEL - _VALUE
    length = full * min(max(value, 0.0), 1.0) if isfinite(value) else 0.0
    bar = f'x="{_LABEL}" y="{middle - 3.5:g}" height="7" rx="2"'
    return (
        f'<text x="0" y="{middle + 4:g}" fill="{theme.muted}">{label}</text>'
        f'<rect {bar} width="{full}" fill="{theme.grid}"/>'
        f'<rect {bar} width="{length:.2f}" fill="{theme.accent}"/>'
        f'<text x="{WIDTH}" y="{middle + 4:g}" text-anchor="end" fill="{theme.ink}">{brief(value)}</text>'
    )


def bars_alt(rows: Sequence[tuple[str, float]]) -> str:
    """The same in words."""
    return ", ".join(f"{label} {number(value)}" for label, value in rows)
