"""Why does a result count as relevant: which concepts match, and what each match adds to the score."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.marks import bars, beside, muted, note, row_axis, scatter
from evalcore.figures.theme import Theme, blend
from evalcore.figures.words import HEADS, place_of
from evalcore.relevance.explain import Explanation
from evalcore.relevance.set_similarity import Side
from evalcore.values.concept_values import ConceptKinds
from evalcore.values.writing import number, pluralize, safe, short, wrapped

# The matching pairs of an explanation, as both figures draw them.

NAME = 26
"""Characters of a concept's name beside a row or a column."""


class Match(NamedTuple):
    """One pair of matching concepts: steps between them (0: the same) and what it adds to the score."""

    query: str
    candidate: str
    distance: int
    adds: float


def matches_of(explanation: Explanation) -> list[Match]:
    """All matching pairs, exact ones first, then the nearer ones.

    A pair found from both sides (the query's concept and the candidate's concept point at each
    other) is one match that adds both parts.
    """
    result = {(cui, cui): Match(cui, cui, 0, explanation.exact_adds) for cui in explanation.exact}
    for near in explanation.neighbours:
        pair = (near.cui, near.matched) if near.side == "query" else (near.matched, near.cui)
        before = result[pair].adds if pair in result else 0.0
        result[pair] = Match(*pair, near.distance, before + near.adds)
    return sorted(result.values(), key=lambda match: (match.distance, match.query, match.candidate))


def pairs_in_order(explanation: Explanation, kinds: ConceptKinds | None) -> list[Match]:
    """The related pairs, each once: findings first where kinds are known, then what adds most, then near."""

    def place(match: Match) -> tuple[int, float, int, str, str]:
        kind = min(place_of(match.query, kinds), place_of(match.candidate, kinds))
        return kind, -round(match.adds, 12), match.distance, match.query, match.candidate

    return sorted((match for match in matches_of(explanation) if match.distance), key=place)


def hover(match: Match, names: Mapping[str, str]) -> str:
    """Hover text of one match."""
    if match.distance == 0:
        pair = f"<b>{full(match.query, names)}</b><br>in both"
    else:
        pair = f"<b>{full(match.query, names)}</b><br>near <b>{full(match.candidate, names)}</b>"
        pair += f"<br>{pluralize(match.distance, 'step')} apart"
    return f"{pair}<br>adds {number(match.adds)}"


def full(cui: str, names: Mapping[str, str]) -> str:
    return f"{safe(names[cui])} ({safe(cui)})" if cui in names else safe(cui)


# What does each match add to the score? One place for each concept of either image, filled by its match.

CONTRIBUTIONS_READING = Reading(
    "Each concept found in either image gets an equal share of the bar. Shared concepts fill their share, "
    "related ones part of it. The filled length is the score.",
    "One place of width 1/|A ∪ B| per concept of the union: a shared concept fills it, each "
    "counted neighbour match alpha of its concept's; the parts sum to the value. Two "
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
        by_fill = Counter(share(place.fill) for place in self.places)
        return f"({' + '.join(f'{n} × {fill}' for fill, n in by_fill.items())}) / {self.union}"


def sum_of(explanation: Explanation, kinds: ConceptKinds | None = None) -> Sum:
    """What is filled in the union of both concept sets, in rows.

    Shared concepts first, then the nearer matches; where ``kinds`` are known, by kind, findings first.
    """
    everything = {
        *explanation.exact,
        *explanation.unmatched["query"],
        *explanation.unmatched["candidate"],
        *(cui for match in explanation.neighbours for cui in (match.cui, match.matched)),
    }
    shared, union = set(explanation.exact), len(everything)
    adds = {("both", cui): explanation.exact_adds for cui in explanation.exact}
    matched: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for match in sorted(explanation.neighbours, key=lambda m: (m.distance, m.cui, m.matched)):
        place = ("both" if match.cui in shared else match.side, match.cui)
        adds[place] = adds.get(place, 0.0) + match.adds
        matched.setdefault(place, []).append((match.matched, match.distance))
    places = tuple(
        Place(side, cui, tuple(matched.get((side, cui), ())), amount * union)
        for (side, cui), amount in adds.items()
        if amount
    )
    rows = sorted(_rows(places), key=lambda row: min(place_of(one.cui, kinds) for one in row))
    return Sum(tuple(rows), union, explanation.values.get(MEASURE, math.nan))


def _rows(places: Sequence[Place]) -> list[tuple[Place, ...]]:
    """Places one by one, but two that were matched with each other and nothing else together."""
    alone = {
        (place.side, place.cui, place.matched[0][0]): place
        for place in places
        if place.side != "both" and len(place.matched) == 1
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
) -> Drawn:
    """The union as places on a line from 0 to 1, what fills each, and the nn-IoU they make."""
    result = sum_of(explanation, kinds)
    if not result.places or not math.isfinite(result.value):
        message = f"No match adds to the score ({SHOWN} {number(result.value)})."
        return nothing(message, CONTRIBUTIONS_READING, theme=theme, height=120)
    n_empty = result.union - len(result.places)
    ticks = [_row_text(row[0], names, theme) for row in result.rows]
    amounts = [f"{share(sum(place.fill for place in row))} / {result.union}" for row in result.rows]
    if n_empty:
        ticks.append(muted(f"{pluralize(n_empty, 'concept')} without a match", theme))
        amounts.append(f"0 / {result.union}")
    total = sum(place.fill for place in result.places)
    drawn = figure(
        theme=theme,
        height=44 * (len(ticks) + 1),
        title=f"How the score {number(result.value)} is made up",
        subtitle=f"{result.formula} concepts in either image = {number(result.value)}",
        right=AMOUNT,
        bottom=36,
        traces=[
            _outlines(result, n_empty, theme),
            _parts(result, names, theme),
            bars([result.value], None, {"color": theme.ink}, y=[len(ticks)]),
        ],
        bargap=0.45,
        barmode="overlay",
        notes=[
            beside(row, text, "", theme, width=AMOUNT)
            for row, text in enumerate([*amounts, f"{share(total)} / {result.union}"])
        ],
        x=axis(theme, range=[0, max(1.0, result.value)], tickvals=[0, 0.5, 1], tickangle=0),
        y=row_axis([*ticks, f"<b>{SHOWN}</b>"], theme, grid=False),
    )
    return Drawn(drawn, _contributions_take_away(result, names), CONTRIBUTIONS_READING)


def _outlines(total: Sum, n_empty: int, theme: Theme) -> Parts:
    """Every place, and the whole line beside the value."""
    n = total.union
    base, width = [i / n for i in range(n)], [1 / n] * n
    marker = {"color": "rgba(0,0,0,0)", "line": {"color": theme.muted, "width": 1}}
    filled = len(total.rows)
    below = [*_row_of_place(total), *[filled] * n_empty, filled + bool(n_empty)]
    return bars([*width, 1.0], None, marker, y=below, base=[*base, 0.0])


def _row_of_place(total: Sum) -> list[int]:
    return [i for i, row in enumerate(total.rows) for _ in row]


def _parts(total: Sum, names: Mapping[str, str], theme: Theme) -> Parts:
    """What fills each place: solid for a shared concept, hatched for a nearby one."""
    near = blend(theme.accent, theme.surface, 0.3)
    shared = [place.side == "both" for place in total.places]
    hatch = {
        "shape": ["" if one else "/" for one in shared],
        "size": 7,
        "fgcolor": theme.accent,
        "fillmode": "overlay",
        "solidity": 0.35,
    }
    marker = {"color": [theme.accent if one else near for one in shared], "pattern": hatch}
    return bars(
        [place.fill / total.union for place in total.places],
        [_hover(place, total.union, names) for place in total.places],
        marker,
        y=_row_of_place(total),
        base=[i / total.union for i in range(len(total.places))],
    )


def _contributions_take_away(total: Sum, names: Mapping[str, str]) -> str:
    """The sum in words: every part and the score."""
    parts = "; ".join(_in_words(row, names) for row in total.rows)
    empty = total.union - len(total.places)
    left = f" {pluralize(empty, 'concept')} without a match." if empty else ""
    return f"{SHOWN} {number(total.value)} = {total.formula}: {parts}.{left}"


def _in_words(row: Sequence[Place], names: Mapping[str, str]) -> str:
    place, fill = row[0], sum(place.fill for place in row)
    name = names.get(place.cui, place.cui)
    near = [f"{names.get(cui, cui)} ({pluralize(steps, 'step')})" for cui, steps in place.matched]
    how = " and ".join(
        (["in both"] if place.side == "both" else []) + ([f"near {', '.join(near)}"] if near else [])
    )
    return f"{name} {how} fills {share(fill)}"


def _hover(place: Place, union: int, names: Mapping[str, str]) -> str:
    lines = [f"<b>{full(place.cui, names)}</b>", _WHERE[place.side]]
    lines += [
        f"near <b>{full(cui, names)}</b>, {pluralize(steps, 'step')} apart" for cui, steps in place.matched
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
    below = f"{pluralize(steps, 'step')} to {second}{more}"
    return f"{first}<br>{muted(below, theme)}"


# Which concepts of the query match which of the result? A dot for every matching pair.

MATRIX_READING = Reading(
    "A ringed dot is a concept both images share. A small dot joins two concepts that are closely linked "
    "in the terminology; its number says how many steps apart.",
    "Pairs that count under the chosen rule, distance and threshold; dot area falls as 1/(1 + distance). "
    "Concepts in grey have no match.",
)
KINDS_READING = Reading(
    f"{MATRIX_READING.plain} Dashed lines separate kinds of concepts; their names are beside the rows.",
    f"{MATRIX_READING.technical} Dashed lines separate kinds, in the same order on both sides.",
)
ROW_NAME = 17
"""Characters of a line of a row's name."""
MOST = 24
"""Concepts drawn per side; matched ones come first, so only concepts without a match are cut."""
ROW, ROW_OF_KIND = 42, 58
EXACT, EXACT_SMALL = 26, 18
"""Pixels of a row (more where it may say its kind), and of the dot of an exact match (the smaller one beyond
eight columns)."""


def match_matrix(
    explanation: Explanation, *, names: Mapping[str, str], theme: Theme, kinds: ConceptKinds | None = None
) -> Drawn:
    """Concepts of the query (rows) against those of the result (columns), a dot where two match.

    The dot's area falls with the distance (1/(1 + d), as far as its text fits), its text says how many
    steps apart; an exact match has a ring and "=". Concepts without a match stand last, in muted ink,
    with no dot. Where ``kinds`` are known, rows and columns stand in groups by kind, findings first.
    """
    matches = matches_of(explanation)
    rows, columns = _side(matches, explanation, "query"), _side(matches, explanation, "candidate")
    if not rows or not columns:
        who = "query" if not rows else "result"
        return nothing(f"The {who} has no concepts, so nothing can match.", MATRIX_READING, theme=theme)
    cut = max(0, len(rows) - MOST) + max(0, len(columns) - MOST)
    rows, columns = (sorted(ones[:MOST], key=lambda cui: place_of(cui, kinds)) for ones in (rows, columns))
    shown = [m for m in matches if m.query in rows and m.candidate in columns]
    known = {cui for match in matches for cui in (match.query, match.candidate)}
    right, above = _room([short(names.get(cui, cui), NAME) for cui in columns])
    drawn = figure(
        theme=theme,
        height=(ROW if kinds is None else ROW_OF_KIND) * len(rows),
        right=right,
        above=above,
        title="Which concepts match",
        subtitle="Rows: query · columns: result · = the same · number: steps apart"
        + (f" · {cut} without a match not shown" if cut else ""),
        traces=_cells(shown, rows, columns, names, theme),
        notes=[
            _column_name(j, _label(cui, names, cui in known, theme), theme) for j, cui in enumerate(columns)
        ],
        shapes=[*_parting(rows, "y", kinds, theme), *_parting(columns, "x", kinds, theme)],
        x=axis(
            theme, range=[-0.5, len(columns) - 0.5], tickvals=list(range(len(columns))), showticklabels=False
        ),
        y=row_axis(_row_names(rows, names, known, kinds, theme), theme),
    )
    return Drawn(drawn, _take_away(matches, names), MATRIX_READING if kinds is None else KINDS_READING)


def _take_away(matches: Sequence[Match], names: Mapping[str, str]) -> str:
    """The take-away: which concepts are shared, which are only related."""
    if not matches:
        return "No concept of the query matches one of the result, neither exactly nor as a related concept."
    same = [names.get(match.query, match.query) for match in matches if match.distance == 0]
    pairs = ((names.get(m.query, m.query), names.get(m.candidate, m.candidate), m.distance) for m in matches)
    near = [f"{a} with {b} ({pluralize(distance, 'step')})" for a, b, distance in pairs if distance]
    summary = [f"Shared: {', '.join(same)}" if same else "No shared concept"]
    summary += [f"related: {', '.join(near)}"] if near else []
    return "; ".join(summary) + "."


def _side(matches: Sequence[Match], explanation: Explanation, side: Side) -> list[str]:
    """Concepts of one side: in the order of their best match, then those without one."""
    matched = [match.query if side == "query" else match.candidate for match in matches]
    own = {*explanation.exact, *explanation.unmatched[side], *matched}
    return [*dict.fromkeys(matched), *sorted(own - set(matched))]


def _cells(
    matches: Sequence[Match],
    rows: Sequence[str],
    columns: Sequence[str],
    names: Mapping[str, str],
    theme: Theme,
) -> list[Parts]:
    """Rings of the exact matches, then the dots of all with their distance in them."""
    size = EXACT if len(columns) <= 8 else EXACT_SMALL
    place = [(columns.index(match.candidate), rows.index(match.query)) for match in matches]
    exact = [xy for xy, match in zip(place, matches, strict=True) if match.distance == 0]
    rings = scatter(
        [x for x, _ in exact],
        [y for _, y in exact],
        "markers",
        cliponaxis=False,
        marker={"size": size + 8, "color": "rgba(0,0,0,0)", "line": {"color": theme.accent, "width": 2}},
    )
    dots = scatter(
        [x for x, _ in place],
        [y for _, y in place],
        "markers+text",
        [hover(match, names) for match in matches],
        text=["=" if match.distance == 0 else str(match.distance) for match in matches],
        textposition="middle center",
        cliponaxis=False,
        textfont={"size": 12, "color": theme.surface, "family": theme.font},
        customdata=[[match.query, match.candidate] for match in matches],
        marker={
            "size": [max(size / (1 + match.distance) ** 0.5, 13) for match in matches],
            "color": theme.accent,
            "opacity": 1,
            "line": {"width": 0},
        },
    )
    return [rings, dots]


def _row_names(
    rows: Sequence[str], names: Mapping[str, str], known: Set[str], kinds: ConceptKinds | None, theme: Theme
) -> list[str]:
    """The names in lines, so that the plot has room on a narrow screen; the first of a kind says its kind."""
    texts, before = [], ""
    for cui in rows:
        text, kind = _label(cui, names, cui in known, theme, width=ROW_NAME), _kind(cui, kinds)
        texts.append(f"{muted(f'<b>{HEADS[kind]}</b>', theme)}<br>{text}" if kind != before else text)
        before = kind
    return texts


def _kind(cui: str, kinds: ConceptKinds | None) -> str:
    return "" if kinds is None else kinds.kind_of(cui)


def _parting(cuis: Sequence[str], along: str, kinds: ConceptKinds | None, theme: Theme) -> list[Parts]:
    """A line between every two kinds."""
    line = {"color": theme.muted, "width": 1, "dash": "3px,3px"}
    across = "x" if along == "y" else "y"
    return [
        {
            "type": "line",
            f"{along}0": i - 0.5,
            f"{along}1": i - 0.5,
            f"{across}0": 0,
            f"{across}1": 1,
            f"{across}ref": "paper",
            "line": line,
            "layer": "below",
        }
        for i in range(1, len(cuis))
        if _kind(cuis[i], kinds) != _kind(cuis[i - 1], kinds)
    ]


def _label(cui: str, names: Mapping[str, str], matched: bool, theme: Theme, *, width: int = 0) -> str:
    name = short(names.get(cui, cui), NAME)
    text = wrapped(name, width, lines=2) if width else safe(name)
    return text if matched else f'<span style="color:{theme.muted}">{text}</span>'


def _room(columns: Sequence[str]) -> tuple[float, float]:
    """Pixels right of and above the plot that hold the slanted column names.

    A character of a slanted name takes about 5.2 pixels across and 4.3 upwards; few columns are at least
    24 pixels apart, on a narrow screen too.
    """
    apart = 24 if len(columns) <= 6 else 18
    over = max(5.2 * len(name) - apart * (len(columns) - j - 0.5) for j, name in enumerate(columns))
    return max(20, over + 8), 22 + 4.3 * max(len(name) for name in columns)


def _column_name(column: int, text: str, theme: Theme) -> Parts:
    """A slanted annotation: plotly hides tick labels that reach over the edge."""
    return note(
        text,
        column,
        1,
        theme.ink,
        size=13,
        textangle=-38,
        yref="paper",
        xshift=-6,
        yshift=4,
        xanchor="left",
        yanchor="bottom",
    )
