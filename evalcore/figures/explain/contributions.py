"""What does each match add to the score? One place for each concept of either image, filled by its match."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from evalcore.figures.colour import blend
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.explain.matches import NAME, full
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.kind_words import place_of
from evalcore.figures.marks import bars, beside, muted, row_axis
from evalcore.figures.numbers import number, things
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.relevance.explain import Explanation
    from evalcore.values.concept_values import ConceptKinds


HOW_TO_READ = Reading(
    "Each concept found in either image gets an equal share of the bar. Shared concepts fill their share, "
    "related ones part of it. The filled length is the score.",
    "One place of width 1/|A ∪ B| per concept of the union: a shared concept fills it (1 - alpha of it in "
    "the convex form), each counted neighbour match alpha of its concept's; the parts sum to the value. Two "
    "concepts matched with each other are one row. A concept of several counted matches can fill more than "
    "its place.",
)
MEASURE, SHOWN = "nn-iou", "nn-IoU"
"""The measure the parts of an explanation add up to, by its key and as it is written."""
AMOUNT = 60
"""Pixels of the column of amounts."""


class Place(NamedTuple):
    """One concept of the union: its side ("both" where shared), what it was matched with at which distance,
    and how much of its place it fills: 1 is all of it. Several matches of one concept fill one place."""

    side: str
    cui: str
    matched: tuple[tuple[str, int], ...]
    fill: float


class Sum(NamedTuple):
    """The places that are filled, the number of concepts in either image, and the value.

    ``rows``: the places by row; two concepts that were matched with each other are one.
    """

    rows: tuple[tuple[Place, ...], ...]
    union: int
    value: float

    @property
    def places(self) -> tuple[Place, ...]:
        return tuple(place for row in self.rows for place in row)

    @property
    def formula(self) -> str:
        """How the value comes about: "(2 × 1 + 3 × 0.5) / 7"."""
        by_fill = Counter(share(one.fill) for one in self.places)
        return f"({' + '.join(f'{n} × {fill}' for fill, n in by_fill.items())}) / {self.union}"


def sum_of(explanation: Explanation, kinds: ConceptKinds | None = None) -> Sum:
    """What is filled in the union of both concept sets, in rows.

    Shared concepts first, then the nearer matches; where ``kinds`` are known, by kind, findings first.
    """
    everything = {
        *explanation.exact, *explanation.unmatched["query"], *explanation.unmatched["candidate"],
        *(cui for match in explanation.neighbours for cui in (match.cui, match.matched)),
    }  # fmt: skip
    shared, union = set(explanation.exact), len(everything)
    adds = {("both", cui): explanation.exact_adds for cui in explanation.exact}
    matched: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for match in sorted(explanation.neighbours, key=lambda m: (m.distance, m.cui, m.matched)):
        place = ("both" if match.cui in shared else match.side, match.cui)
        adds[place] = adds.get(place, 0.0) + match.adds
        matched.setdefault(place, []).append((match.matched, match.distance))
    places = tuple(
        Place(side, cui, tuple(matched.get((side, cui), ())), amount * union)
        for (side, cui), amount in adds.items() if amount
    )  # fmt: skip
    rows = sorted(_rows(places), key=lambda row: min(place_of(one.cui, kinds) for one in row))
    return Sum(tuple(rows), union, explanation.values.get(MEASURE, math.nan))


def _rows(places: Sequence[Place]) -> list[tuple[Place, ...]]:
    """Places one by one, but two that were matched with each other and nothing else together."""
    alone = {
        (one.side, one.cui, one.matched[0][0]): one
        for one in places
        if one.side != "both" and len(one.matched) == 1
    }
    rows: list[tuple[Place, ...]] = []
    done: set[Place] = set()
    for place in places:
        if place in done:
            continue
        other = None
        if (place.side, place.cui, place.matched[0][0] if place.matched else "") in alone:
            across = "candidate" if place.side == "query" else "query"
            other = alone.get((across, place.matched[0][0], place.cui))
        row = (place,) if other is None else (place, other) if place.side == "query" else (other, place)
        done.update(row)
        rows.append(row)
    return rows


def share(fill: float) -> str:
    """How much of a place is filled: "1", "0.5"."""
    return f"{round(fill, 6):g}"


def contribution_bars(
    explanation: Explanation, *, names: Mapping[str, str], theme: Theme, kinds: ConceptKinds | None = None
) -> Drawn:  # fmt: skip
    """The union as places on a line from 0 to 1, what fills each, and the nn-IoU they make."""
    found = sum_of(explanation, kinds)
    if not found.places or not math.isfinite(found.value):
        message = f"No match adds to the score ({SHOWN} {number(found.value)})."
        return nothing(message, HOW_TO_READ, theme=theme, height=120)
    n_empty = found.union - len(found.places)
    ticks = [_row_text(row[0], names, theme) for row in found.rows]
    amounts = [f"{share(sum(place.fill for place in row))} / {found.union}" for row in found.rows]
    if n_empty:
        ticks.append(muted(f"{things(n_empty, 'concept')} without a match", theme))
        amounts.append(f"0 / {found.union}")
    total = sum(place.fill for place in found.places)
    drawn = figure(
        theme=theme, height=44 * (len(ticks) + 1), title=f"How the score {number(found.value)} is made up",
        subtitle=f"{found.formula} concepts in either image = {number(found.value)}", right=AMOUNT, bottom=36,
        traces=[
            _outlines(found, n_empty, theme), _parts(found, names, theme),
            bars([found.value], None, {"color": theme.ink}, y=[len(ticks)]),
        ],
        bargap=0.45, barmode="overlay",
        notes=[
            beside(row, text, "", theme, width=AMOUNT)
            for row, text in enumerate([*amounts, f"{share(total)} / {found.union}"])
        ],
        x=axis(theme, range=[0, max(1.0, found.value)], tickvals=[0, 0.5, 1], tickangle=0),
        y=row_axis([*ticks, f"<b>{SHOWN}</b>"], theme, grid=False),
    )  # fmt: skip
    return Drawn(drawn, _take_away(found, names), HOW_TO_READ)


def _outlines(found: Sum, n_empty: int, theme: Theme) -> Parts:
    """Every place, and the whole line beside the value."""
    n = found.union
    base, width = [i / n for i in range(n)], [1 / n] * n
    marker = {"color": "rgba(0,0,0,0)", "line": {"color": theme.muted, "width": 1}}
    filled = len(found.rows)
    below = [*_row_of_place(found), *[filled] * n_empty, filled + bool(n_empty)]
    return bars([*width, 1.0], None, marker, y=below, base=[*base, 0.0])


def _row_of_place(found: Sum) -> list[int]:
    return [i for i, row in enumerate(found.rows) for _ in row]


def _parts(found: Sum, names: Mapping[str, str], theme: Theme) -> Parts:
    """What fills each place: solid for a shared concept, hatched for a nearby one."""
    near = blend(theme.accent, theme.surface, 0.3)
    shared = [place.side == "both" for place in found.places]
    hatch = {"shape": ["" if one else "/" for one in shared], "size": 7,
             "fgcolor": theme.accent, "fillmode": "overlay", "solidity": 0.35}  # fmt: skip
    marker = {"color": [theme.accent if one else near for one in shared], "pattern": hatch}
    return bars(
        [place.fill / found.union for place in found.places],
        [_hover(place, found.union, names) for place in found.places], marker, y=_row_of_place(found),
        base=[i / found.union for i in range(len(found.places))],
    )  # fmt: skip


def _take_away(found: Sum, names: Mapping[str, str]) -> str:
    """The sum in words: every part and the score."""
    parts = "; ".join(_in_words(row, names) for row in found.rows)
    empty = found.union - len(found.places)
    left = f" {things(empty, 'concept')} without a match." if empty else ""
    return f"{SHOWN} {number(found.value)} = {found.formula}: {parts}.{left}"


def _in_words(row: Sequence[Place], names: Mapping[str, str]) -> str:
    place, fill = row[0], sum(one.fill for one in row)
    name = names.get(place.cui, place.cui)
    near = [f"{names.get(cui, cui)} ({things(steps, 'step')})" for cui, steps in place.matched]
    how = " and ".join(
        (["in both"] if place.side == "both" else []) + ([f"near {', '.join(near)}"] if near else [])
    )
    return f"{name} {how} fills {share(fill)}"


def _hover(place: Place, union: int, names: Mapping[str, str]) -> str:
    lines = [f"<b>{full(place.cui, names)}</b>", _WHERE[place.side]]
    lines += [
        f"near <b>{full(cui, names)}</b>, {things(steps, 'step')} apart" for cui, steps in place.matched
    ]
    return "<br>".join([*lines, f"adds {share(place.fill)} / {union} = {number(place.fill / union)}"])


_WHERE = {"both": "in both images", "query": "in the query", "candidate": "in the result"}


def _row_text(place: Place, names: Mapping[str, str], theme: Theme) -> str:
    """The name of a place: the concept, and below it how it matches."""
    first = safe(short(names.get(place.cui, place.cui), NAME))
    if not place.matched:
        return f"{first}<br>{muted('in both', theme)}"
    cui, steps = place.matched[0]
    more = f" and {len(place.matched) - 1} more" if len(place.matched) > 1 else ""
    second = safe(short(names.get(cui, cui), NAME - 2 - len(more)))
    below = f"{things(steps, 'step')} to {second}{more}"
    return f"{first}<br>{muted(below, theme)}"
