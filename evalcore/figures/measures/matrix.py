"""How alike do measures order things? Rank correlations of every two as a heat map with numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.figures.cells import heat, numbers_in_cells, square
from evalcore.figures.colour import blend
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import figure, nothing
from evalcore.figures.words import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.values.arrays import Floats

HOW_TO_READ = Reading(
    "Each square compares two measures. Strong blue and near 1: they put things in the same order, so either "
    "will do. Faint: they look at different things. Orange: one rises where the other falls.",
    "Spearman's rho above the diagonal and Kendall's tau-b below it (ties corrected); empty where a measure "
    "does not vary.",
)
NAME = 28
NOTHING = "Fewer than two measures order these at all, so there is no agreement to show."


def agreement_matrix(
    labels: Sequence[str], spearman: Floats, kendall: Floats, *, of: str, theme: Theme, both: bool = True
) -> Drawn:
    """Measures against measures: blue where two order alike, orange where they order the other way.

    Parameters
    ----------
    labels
        Names of the m measures, in the order of rows and columns.
    spearman, kendall
        Shape (m, m); NaN cells stay empty.
    of
        What was ordered and how many, for the subtitle: "10,000 pairs of images".
    both
        Spearman above the diagonal and Kendall below; else Kendall in both halves.
    """
    m = len(labels)
    shown = np.where(np.triu(np.ones((m, m), bool), 1) & both, spearman, kendall)
    shown[np.diag_indices(m)] = np.nan
    pairs = [(float(kendall[i, j]), j, i) for i in range(m) for j in range(i) if np.isfinite(kendall[i, j])]
    if not pairs:
        return nothing(NOTHING, HOW_TO_READ, theme=theme)
    kinds = "above the diagonal Spearman’s ρ, below Kendall’s τ" if both else "Kendall’s τ"
    drawn = figure(
        theme=theme, title="Do the measures agree?",
        subtitle=f"{of} · {kinds} · 1 same order, 0 unrelated, −1 reversed",
        traces=[_cells(labels, shown, theme, both), *_numbers(shown, theme)],
        **square(labels, theme, width=NAME),
    )  # fmt: skip
    return Drawn(drawn, _take_away(labels, pairs, of), HOW_TO_READ)


def _take_away(labels: Sequence[str], pairs: Sequence[tuple[float, int, int]], of: str) -> str:
    """The two that agree most and the two that agree least, by Kendall's tau."""
    (low, i, j), (high, k, m) = min(pairs), max(pairs)
    return (
        f"Agreement of {len(labels)} measures on {of}, Kendall's tau: most alike {labels[k]} and {labels[m]} "
        f"({_two(high)}), least alike {labels[i]} and {labels[j]} ({_two(low)})."
    )


def _cells(labels: Sequence[str], shown: Floats, theme: Theme, both: bool) -> Parts:
    hover = [
        [
            f"{safe(a)} and {safe(b)}<br>{'Spearman’s ρ' if both and j > i else 'Kendall’s τ'} "
            f"{_two(shown[i, j], 3)}"
            for j, b in enumerate(labels)
        ]
        for i, a in enumerate(labels)
    ]
    return heat(shown, (theme.down, theme.surface, theme.up), -1, 1, hover=hover)


def _numbers(shown: Floats, theme: Theme) -> list[Parts]:
    def cell(value: float) -> str:
        return blend(theme.surface, theme.up if value > 0 else theme.down, abs(value))

    size = 13 if len(shown) <= 10 else 11
    return numbers_in_cells(shown, cell=cell, text=_two, size=size, theme=theme)


def _two(value: float, places: int = 2) -> str:
    """A correlation: two decimals, "1" only when it is exactly that.

    >>> _two(0.997), _two(1.0), _two(-0.25)
    ('>0.99', '1', '−0.25')
    """
    if not np.isfinite(value):
        return ""
    if value == 1:
        return "1"
    written = f"{value:.{places}f}"
    if float(written) == 1:
        return ">0." + "9" * places
    return written.replace("-", "−")
