"""Which concepts of the query match which of the result? A dot for every matching pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.explain.matches import NAME, Match, hover, matches_of
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.kind_words import HEADS, place_of
from evalcore.figures.marks import HOVER, muted, note, row_axis
from evalcore.figures.numbers import things
from evalcore.figures.words import safe, short, wrapped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.relevance.explain import Explanation
    from evalcore.relevance.set_similarity import Side
    from evalcore.values.concept_values import ConceptKinds

HOW_TO_READ = Reading(
    "A ringed dot is a concept both images share. A small dot joins two concepts that are closely linked "
    "in the terminology; its number says how many steps apart.",
    "Pairs that count under the chosen rule, distance and threshold; dot area falls as 1/(1 + distance). "
    "Concepts in grey have no match.",
)
HOW_TO_READ_KINDS = Reading(
    f"{HOW_TO_READ.plain} Dashed lines separate kinds of concepts; their names are beside the rows.",
    f"{HOW_TO_READ.technical} Dashed lines separate kinds, in the same order on both sides.",
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
) -> Drawn:  # fmt: skip
    """Concepts of the query (rows) against those of the result (columns), a dot where two match.

    The dot's area falls with the distance (1/(1 + d), as far as its text fits), its text says how many
    steps apart; an exact match has a ring and "=". Concepts without a match stand last, in muted ink,
    with no dot. Where ``kinds`` are known, rows and columns stand in groups by kind, findings first.
    """
    matches = matches_of(explanation)
    rows, columns = _side(matches, explanation, "query"), _side(matches, explanation, "candidate")
    if not rows or not columns:
        who = "query" if not rows else "result"
        return nothing(f"The {who} has no concepts, so nothing can match.", HOW_TO_READ, theme=theme)
    cut = max(0, len(rows) - MOST) + max(0, len(columns) - MOST)
    rows, columns = (sorted(ones[:MOST], key=lambda cui: place_of(cui, kinds)) for ones in (rows, columns))
    shown = [m for m in matches if m.query in rows and m.candidate in columns]
    known = {cui for match in matches for cui in (match.query, match.candidate)}
    right, above = _room([short(names.get(cui, cui), NAME) for cui in columns])
    drawn = figure(
        theme=theme, height=(ROW if kinds is None else ROW_OF_KIND) * len(rows), right=right, above=above,
        title="Which concepts match",
        subtitle="Rows: query · columns: result · = the same · number: steps apart"
        + (f" · {cut} without a match not shown" if cut else ""),
        traces=_cells(shown, rows, columns, names, theme),
        notes=[
            _column_name(j, _label(cui, names, cui in known, theme), theme) for j, cui in enumerate(columns)
        ],
        shapes=[*_parting(rows, "y", kinds, theme), *_parting(columns, "x", kinds, theme)],
        x=axis(theme, range=[-0.5, len(columns) - 0.5], tickvals=list(range(len(columns))),
               showticklabels=False),
        y=row_axis(_row_names(rows, names, known, kinds, theme), theme),
    )  # fmt: skip
    return Drawn(drawn, _take_away(matches, names), HOW_TO_READ if kinds is None else HOW_TO_READ_KINDS)


def _take_away(matches: Sequence[Match], names: Mapping[str, str]) -> str:
    """The take-away: which concepts are shared, which are only related."""
    if not matches:
        return "No concept of the query matches one of the result, neither exactly nor as a related concept."
    same = [names.get(match.query, match.query) for match in matches if match.distance == 0]
    pairs = ((names.get(m.query, m.query), names.get(m.candidate, m.candidate), m.distance) for m in matches)
    near = [f"{a} with {b} ({things(distance, 'step')})" for a, b, distance in pairs if distance]
    summary = [f"Shared: {', '.join(same)}" if same else "No shared concept"]
    summary += [f"related: {', '.join(near)}"] if near else []
    return "; ".join(summary) + "."


def _side(matches: Sequence[Match], explanation: Explanation, side: Side) -> list[str]:
    """Concepts of one side: in the order of their best match, then those without one."""
    matched = [match.query if side == "query" else match.candidate for match in matches]
    own = {*explanation.exact, *explanation.unmatched[side], *matched}
    return [*dict.fromkeys(matched), *sorted(own - set(matched))]


def _cells(
    matches: Sequence[Match], rows: Sequence[str], columns: Sequence[str], names: Mapping[str, str],
    theme: Theme,
) -> list[Parts]:  # fmt: skip
    """Rings of the exact matches, then the dots of all with their distance in them."""
    size = EXACT if len(columns) <= 8 else EXACT_SMALL
    place = [(columns.index(match.candidate), rows.index(match.query)) for match in matches]
    exact = [xy for xy, match in zip(place, matches, strict=True) if match.distance == 0]
    rings = {
        "type": "scatter", "x": [x for x, _ in exact], "y": [y for _, y in exact], "mode": "markers",
        "hoverinfo": "skip", "cliponaxis": False,
        "marker": {"size": size + 8, "color": "rgba(0,0,0,0)", "line": {"color": theme.accent, "width": 2}},
    }  # fmt: skip
    dots = {
        "type": "scatter", "x": [x for x, _ in place], "y": [y for _, y in place], "mode": "markers+text",
        "text": ["=" if match.distance == 0 else str(match.distance) for match in matches],
        "textposition": "middle center", "cliponaxis": False,
        "textfont": {"size": 12, "color": theme.surface, "family": theme.font},
        "customdata": [[match.query, match.candidate] for match in matches],
        "hovertext": [hover(match, names) for match in matches], "hovertemplate": HOVER,
        "marker": {
            "size": [max(size / (1 + match.distance) ** 0.5, 13) for match in matches],
            "color": theme.accent, "opacity": 1, "line": {"width": 0},
        },
    }  # fmt: skip
    return [rings, dots]


def _row_names(
    rows: Sequence[str], names: Mapping[str, str], known: Set[str], kinds: ConceptKinds | None, theme: Theme
) -> list[str]:  # fmt: skip
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
            "type": "line", f"{along}0": i - 0.5, f"{along}1": i - 0.5, f"{across}0": 0, f"{across}1": 1,
            f"{across}ref": "paper", "line": line, "layer": "below",
        }
        for i in range(1, len(cuis)) if _kind(cuis[i], kinds) != _kind(cuis[i - 1], kinds)
    ]  # fmt: skip


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
        text, column, 1, theme.ink, size=13, textangle=-38, yref="paper", xshift=-6, yshift=4,
        xanchor="left", yanchor="bottom",
    )  # fmt: skip
