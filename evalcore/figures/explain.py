"""Why does a result count as relevant: which concepts match, and what each match adds to the score."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import accumulate
from typing import NamedTuple

from evalcore.figures.frame import AccessibleFigure, Parts, Reading, axis, figure, nothing
from evalcore.figures.marks import (
    across,
    bars,
    hatched,
    level_line,
    muted,
    note,
    number_beside,
    row_axis,
    scatter,
)
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


# What does each match add to the score? The parts, one after the other.

CONTRIBUTIONS_READING = Reading(
    "Each concept found in either image can add an equal share. Shared concepts add theirs, related ones "
    "part of it. The parts one after the other make the score.",
    "1/|A ∪ B| per concept of the union: a shared concept adds it, each counted neighbour match alpha of its "
    "concept's; the parts sum to the value. Two concepts matched with each other are one row.",
)
MEASURE, SHOWN = "nn-iou", "nn-IoU"
"""The measure the parts of an explanation add up to, by its key and as it is written."""
AMOUNT = 60
"""Pixels of the column of amounts."""


def contribution_bars(
    explanation: Explanation, *, names: Mapping[str, str], theme: Theme, kinds: ConceptKinds | None = None
) -> AccessibleFigure:
    """What each match adds, one after the other, and the nn-IoU they make; by kind where kinds are known."""
    value = explanation.values.get(MEASURE, math.nan)
    matches = [match for match in matches_of(explanation) if match.adds]
    matches.sort(key=lambda match: min(place_of(cui, kinds) for cui in match[:2]))
    if not matches or not math.isfinite(value):
        message = f"No match adds to the score ({SHOWN} {number(value)})."
        return nothing(message, CONTRIBUTIONS_READING, theme=theme, height=120)
    matched = {cui for match in matches for cui in match[:2]}
    near = {cui for match in matches_of(explanation) for cui in match[:2]}
    lone = {*explanation.unmatched["query"], *explanation.unmatched["candidate"], *near} - matched
    union, n_rows = len(matched | lone), len(matches) + bool(lone)
    fills = [f"{round(match.adds * union, 6):g}" for match in matches]
    formula = f"({' + '.join(f'{n} × {fill}' for fill, n in Counter(fills).items())}) / {union}"
    ticks = [_row_text(match, names, theme) for match in matches]
    amounts = [f"{fill} / {union}" for fill in fills]
    if lone:
        ticks.append(muted(f"{pluralize(len(lone), 'concept')} without a match", theme))
        amounts.append(f"0 / {union}")
    total = f"{round(sum(match.adds for match in matches) * union, 6):g} / {union}"
    parts = bars(
        [match.adds for match in matches],
        [hover(match, names) for match in matches],
        {
            "color": [blend(theme.accent, theme.surface, 0.3 if match.distance else 0) for match in matches],
            "pattern": hatched("", theme) | {"shape": ["/" if match.distance else "" for match in matches]},
        },
        base=[0.0, *accumulate(match.adds for match in matches)][:-1],
    )
    drawn = figure(
        theme=theme,
        height=44 * (n_rows + 1),
        title=f"How the score {number(value)} is made up",
        subtitle=f"{formula} concepts in either image = {number(value)}",
        right=AMOUNT,
        bottom=36,
        traces=[parts, bars([value], None, {"color": theme.ink}, y=[n_rows])],
        bargap=0.45,
        barmode="overlay",
        notes=[
            number_beside(row, text, "", theme, width=AMOUNT) for row, text in enumerate([*amounts, total])
        ],
        x=axis(theme, range=[0, max(1.0, value)], tickvals=[0, 0.5, 1], tickangle=0),
        y=row_axis([*ticks, f"<b>{SHOWN}</b>"], theme, grid=False),
    )
    each = "; ".join(
        f"{_in_words(match, names)} adds {fill}" for match, fill in zip(matches, fills, strict=True)
    )
    rest = f" {pluralize(len(lone), 'concept')} without a match." if lone else ""
    return AccessibleFigure(
        drawn, f"{SHOWN} {number(value)} = {formula}: {each}.{rest}", CONTRIBUTIONS_READING
    )


def _in_words(match: Match, names: Mapping[str, str]) -> str:
    a, b = (names.get(cui, cui) for cui in match[:2])
    return f"{a} near {b} ({pluralize(match.distance, 'step')})" if match.distance else f"{a} in both"


def _row_text(match: Match, names: Mapping[str, str], theme: Theme) -> str:
    """The name of the query's concept, and below it how it matches."""
    below = "in both"
    if match.distance:
        other = safe(short(names.get(match.candidate, match.candidate), NAME - 2))
        below = f"{pluralize(match.distance, 'step')} to {other}"
    return f"{safe(short(names.get(match.query, match.query), NAME))}<br>{muted(below, theme)}"


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
DASHED = "3px,3px"
EXACT, EXACT_SMALL = 26, 18
"""Pixels of a row (more where it may say its kind), and of the dot of an exact match (the smaller one beyond
eight columns)."""


def match_matrix(
    explanation: Explanation, *, names: Mapping[str, str], theme: Theme, kinds: ConceptKinds | None = None
) -> AccessibleFigure:
    """Concepts of the query (rows) against those of the result (columns), a dot where two match.

    The dot's area falls with the distance (1/(1 + d), as far as its text fits), its text says how many
    steps apart; an exact match has a ring and "=". Concepts without a match are last, in muted ink,
    with no dot. Where ``kinds`` are known, rows and columns are grouped by kind, findings first.
    """
    matches = matches_of(explanation)
    rows, columns = _side(matches, explanation, "query"), _side(matches, explanation, "candidate")
    if not rows or not columns:
        who = "query" if not rows else "result"
        return nothing(f"The {who} has no concepts, so nothing can match.", MATRIX_READING, theme=theme)
    cut = max(0, len(rows) - MOST) + max(0, len(columns) - MOST)
    rows, columns = (sorted(cuis[:MOST], key=lambda cui: place_of(cui, kinds)) for cuis in (rows, columns))
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
        shapes=[
            *(across(y, theme.muted, 1, dash=DASHED, layer="below") for y in _parting(rows, kinds)),
            *(level_line(x, theme, width=1, dash=DASHED) for x in _parting(columns, kinds)),
        ],
        x=axis(
            theme, range=[-0.5, len(columns) - 0.5], tickvals=list(range(len(columns))), showticklabels=False
        ),
        y=row_axis(_row_names(rows, names, known, kinds, theme), theme),
    )
    return AccessibleFigure(
        drawn, _alt_text(matches, names), MATRIX_READING if kinds is None else KINDS_READING
    )


def _alt_text(matches: Sequence[Match], names: Mapping[str, str]) -> str:
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
    """The names in lines, so that the plot has room on a narrow screen; the first of a kind names it."""
    texts, before = [], ""
    for cui in rows:
        text, kind = _label(cui, names, cui in known, theme, width=ROW_NAME), _kind(cui, kinds)
        texts.append(f"{muted(f'<b>{HEADS[kind]}</b>', theme)}<br>{text}" if kind != before else text)
        before = kind
    return texts


def _kind(cui: str, kinds: ConceptKinds | None) -> str:
    return "" if kinds is None else kinds.kind_of(cui)


def _parting(cuis: Sequence[str], kinds: ConceptKinds | None) -> list[float]:
    """Where between the places of two concepts a kind ends."""
    return [i - 0.5 for i in range(1, len(cuis)) if _kind(cuis[i], kinds) != _kind(cuis[i - 1], kinds)]


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
