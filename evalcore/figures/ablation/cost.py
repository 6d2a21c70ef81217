"""What does a relevance cost? Seconds for its dictionary of neighbours and for scoring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.figures.colour import MARK_CONTRAST, TEXT_CONTRAST, readable
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.marks import bars, beside, hatched, legend_entry, row_axis
from evalcore.figures.numbers import number, things
from evalcore.figures.theme import OKABE_ITO
from evalcore.figures.words import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.cost import Cost
    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme

HOW_TO_READ = Reading(
    "How long the computer takes. Looking further for related concepts costs more time; finding them is "
    "done once per study.",
    "Wall-clock time, fastest of the repeats, after warm-up; scoring: all candidates, first 30 results.",
)
ROW = 46


def cost_bars(costs: Sequence[Cost], *, machine: str, theme: Theme) -> Drawn:
    """A bar per relevance: scoring, and behind it finding the neighbours beforehand.

    Parameters
    ----------
    costs
        See `evaluate.cost`.
    machine
        What they were measured on.
    """
    if not costs:
        return nothing("Nothing was measured yet.", HOW_TO_READ, theme=theme)
    first = costs[0]
    drawn = figure(
        theme=theme, height=ROW * len(costs), title="Time on this study and this machine", bottom=46,
        right=104, above=22,
        subtitle=f"{things(first.n_queries, 'query')}, {first.pairs:,} pairs · fastest of "
        f"{first.repeats:,} · {machine}",
        traces=[_bars(costs, "scoring", theme), _bars(costs, "dictionary", theme)],
        notes=[
            *(
                beside(i, f"{number(one.scoring + one.dictionary)} s", _times(one, first), theme, width=100)
                for i, one in enumerate(costs)
            ),
            legend_entry("■ scoring", 0, _colour("scoring", theme, TEXT_CONTRAST), size=12),
            legend_entry("▨ finding the neighbours, once", 84, _colour("dictionary", theme, TEXT_CONTRAST),
                         size=12),
        ],
        x=axis(theme, title="seconds · less is better", rangemode="tozero"),
        y=row_axis([cost_name(one) for one in costs], theme), barmode="stack",
    )  # fmt: skip
    return Drawn(drawn, _take_away(costs, machine), HOW_TO_READ)


def _take_away(costs: Sequence[Cost], machine: str) -> str:
    """The take-away: how many times longer than IoU each relevance takes."""
    summary = "; ".join(
        f"{cost_name(one)} {number(one.scoring)} s to score"
        + (f" and {number(one.dictionary)} s to find neighbours once" if one.dictionary else "")
        for one in costs
    )
    return f"{costs[0].pairs:,} pairs on {machine}: {summary}."


def cost_name(one: Cost) -> str:
    """ "IoU", "nn-IoU, n = 2"."""
    return "IoU" if one.relevance == "iou" else f"nn-IoU, n = {one.threshold}"


def _times(one: Cost, first: Cost) -> str:
    if one is first or not first.scoring:
        return ""
    return f"{number(one.scoring / first.scoring)} x to score"


def _colour(part: str, theme: Theme, least: float = MARK_CONTRAST) -> str:
    return readable(OKABE_ITO[0] if part == "scoring" else OKABE_ITO[1], theme.surface, least)


def _bars(costs: Sequence[Cost], part: str, theme: Theme) -> Parts:
    seconds = [one.scoring if part == "scoring" else one.dictionary for one in costs]
    words = "scoring" if part == "scoring" else "finding the neighbours"
    hover = [safe(f"{cost_name(one)}, {words}: {number(s)} s") for one, s in zip(costs, seconds, strict=True)]
    pattern = hatched("" if part == "scoring" else "/", theme)
    marker = {"color": _colour(part, theme), "line": {"width": 0}, "pattern": pattern}
    return bars(seconds, hover, marker, name=words, width=0.5)
