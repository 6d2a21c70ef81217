"""Which neighbouring concepts change the most image pairs? A bar for each pair of concepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.figures.frame import NO_AXIS, empty_figure, figure
from evalcore.figures.marks import TOLD, row_axis
from evalcore.figures.numbers import things
from evalcore.figures.words import safe, wrapped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import plotly.graph_objects as go

    from evalcore.evaluate.graph_effect import WorkingPair
    from evalcore.figures.theme import Theme

TOP = 12
ROW = 34
NAME = 44
NOTHING = "No two images of this study hold findings that are neighbours, so the graph changes nothing here."


def working_pair_bars(
    pairs: Sequence[WorkingPair], *, names: Mapping[str, str], theme: Theme, selected: int | None = None
) -> go.Figure:
    """The ``TOP`` concept pairs by the number of image pairs between which they are at work.

    ``selected`` (a position in ``pairs``) is drawn solid, the others lighter. A click carries [CUI, CUI].
    """
    if not pairs:
        return empty_figure(NOTHING, theme=theme)
    shown = pairs[:TOP]
    most = max(pair.image_pairs for pair in shown)
    chosen = [selected is None or k == selected for k in range(len(shown))]
    bars = {
        "type": "bar", "orientation": "h", "x": [pair.image_pairs for pair in shown],
        "y": list(range(len(shown))), "customdata": [[pair.a, pair.b] for pair in shown],
        "hovertext": [_told(pair, names) for pair in shown], "hovertemplate": TOLD, "cliponaxis": False,
        "text": [f"{pair.image_pairs:,}" for pair in shown], "textposition": "outside",
        "textfont": {"size": 12, "color": theme.ink},
        "marker": {"color": [theme.accent if at else theme.raised for at in chosen],
                   "line": {"color": theme.accent, "width": 1.5}},
        "selected": {"marker": {"opacity": 1}}, "unselected": {"marker": {"opacity": 1}},
    }  # fmt: skip
    rest = f" · {len(pairs) - len(shown):,} more below" if len(pairs) > len(shown) else ""
    return figure(
        theme=theme, height=ROW * len(shown) + 6, title="Links that change the most", right=64, bottom=4,
        subtitle=f"{things(len(pairs), 'pair')} of related findings, by image pairs{rest}",
        traces=[bars], bargap=0.4, x=NO_AXIS | {"range": [0, most]},
        y=row_axis([wrapped(_pair(pair, names), NAME, lines=2) for pair in shown], theme, grid=False),
    )  # fmt: skip


def working_pair_bars_alt(pairs: Sequence[WorkingPair], *, names: Mapping[str, str]) -> str:
    """The take-away: the three pairs that change the most."""
    if not pairs:
        return NOTHING
    told = "; ".join(f"{_pair(pair, names)}: {things(pair.image_pairs, 'image pair')}" for pair in pairs[:3])
    return f"{things(len(pairs), 'pair')} of neighbouring findings at work. {told}."


def _pair(pair: WorkingPair, names: Mapping[str, str]) -> str:
    return f"{names.get(pair.a, pair.a)} – {names.get(pair.b, pair.b)}"


def _told(pair: WorkingPair, names: Mapping[str, str]) -> str:
    return (
        f"<b>{safe(names.get(pair.a, pair.a))}</b> ({safe(pair.a)}), {things(pair.images_a, 'image')}<br>"
        f"<b>{safe(names.get(pair.b, pair.b))}</b> ({safe(pair.b)}), {things(pair.images_b, 'image')}<br>"
        f"{things(pair.distance, 'step')} apart · {things(pair.image_pairs, 'image pair')}"
    )
