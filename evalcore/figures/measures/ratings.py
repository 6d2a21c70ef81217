"""Which similarity of concepts orders pairs as people do? A dot on its interval for each, best first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from evalcore.figures.chance import Mark, against_chance
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import nothing
from evalcore.figures.marks import n_of
from evalcore.figures.numbers import number, span, things
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.theme import Theme

HOW_TO_READ = Reading(
    "Further right: the measure puts pairs of concepts in an order more like that of the people who rated "
    "them. At the dotted line it does no better than chance. Filled: similarity by the hierarchy. Open: "
    "relatedness, which also counts what merely belongs together. If two lines overlap a lot, do not call "
    "one better.",
    "Spearman’s rho between the measure and the mean ratings over the pairs with two known concepts, "
    "unconnected ones 0; percentile bootstrap over pairs, the same draws wherever n agrees. Filled: "
    "similarity; open: relatedness. Overlap of intervals is no test.",
)
NAME = 30
ROW = 40


class RatedRow(NamedTuple):
    """A similarity of concepts: its name, whether it is relatedness, rho with its interval, and the pairs."""

    name: str
    relatedness: bool
    rho: float
    low: float
    high: float
    n: int


def rated_concepts(rows: Sequence[RatedRow], *, ratings: str, level: float, theme: Theme) -> Drawn:
    """The similarities in the order given; those without a value are named without a mark.

    ``ratings``: what they are held against, such as the name of a file; ``level`` of the intervals.
    """
    known = [row for row in rows if math.isfinite(row.rho)]
    if not known:
        return nothing("No measure knows enough of the rated concepts.", HOW_TO_READ, theme=theme)
    drawn = against_chance(
        [_mark(row, level) for row in rows], statistic="agreement in order", chance=0.0, theme=theme, row=ROW,
        width=NAME, title=f"Measures against {short(ratings, 40)}",
        subtitle=f"Agreement in order (Spearman’s rho) and its {level:.0%} interval · "
        f"{n_of((row.n for row in known), 'pair')}",
    )  # fmt: skip
    best = max(known, key=lambda row: row.rho)
    said = (
        f"{things(len(known), 'measure')} against {ratings}: {best.name} agrees most, rho {number(best.rho)} "
        f"({span(best.low, best.high)}) over {things(best.n, 'pair')}."
    )
    return Drawn(drawn, said, HOW_TO_READ)


def _mark(row: RatedRow, level: float) -> Mark:
    kind = "relatedness" if row.relatedness else "similarity"
    said = f"<b>{safe(row.name)}</b> ({kind})<br>{number(row.rho)}, {level:.0%} interval "
    said += f"{span(row.low, row.high)}<br>{things(row.n, 'pair')}"
    return Mark(row.name, row.rho, row.low, row.high, said, row.relatedness)
