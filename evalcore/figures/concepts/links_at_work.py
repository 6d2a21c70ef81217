"""Which neighbouring concepts change the most image pairs? A bar for each pair of concepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import NO_AXIS, figure, nothing
from evalcore.figures.marks import bars, row_axis
from evalcore.figures.numbers import count, things
from evalcore.figures.words import safe, wrapped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.evaluate.graph_effect import WorkingPair
    from evalcore.figures.theme import Theme

HOW_TO_READ = Reading(
    "Each bar is a link of the terminology that makes images count as related. Select one to see such images "
    "and judge whether the link makes sense.",
    "Unordered image pairs in which one image holds one concept, the other the other, as the count rule "
    "asks; an image pair counts under each of its concept pairs.",
)
TOP = 12
ROW = 34
NAME = 44
NOTHING = "No two images of this study carry related concepts, so the terminology changes nothing here."


def working_pair_bars(
    pairs: Sequence[WorkingPair], *, names: Mapping[str, str], theme: Theme, selected: int | None = None
) -> Drawn:
    """The ``TOP`` concept pairs by the number of image pairs between which they are at work.

    ``selected`` (a position in ``pairs``) is drawn solid, the others lighter. A click carries [CUI, CUI].
    """
    if not pairs:
        return nothing(NOTHING, HOW_TO_READ, theme=theme)
    shown = pairs[:TOP]
    most = max(pair.image_pairs for pair in shown)
    chosen = [selected is None or k == selected for k in range(len(shown))]
    colours = [theme.accent if at else theme.raised for at in chosen]
    solid = {"marker": {"opacity": 1}}
    trace = bars(
        [pair.image_pairs for pair in shown], [_hover(pair, names) for pair in shown],
        {"color": colours, "line": {"color": theme.accent, "width": 1.5}}, cliponaxis=False,
        customdata=[[pair.a, pair.b] for pair in shown],
        text=[count(pair.image_pairs) for pair in shown], textposition="outside",
        textfont={"size": 12, "color": theme.ink}, selected=solid, unselected=solid,
    )  # fmt: skip
    rest = f" · {count(len(pairs) - len(shown))} more below" if len(pairs) > len(shown) else ""
    drawn = figure(
        theme=theme, height=ROW * len(shown) + 6, title="Links that change the most", right=64, bottom=4,
        subtitle=f"{things(len(pairs), 'pair')} of related concepts, by image pairs{rest}",
        traces=[trace], bargap=0.4, x=NO_AXIS | {"range": [0, most]},
        y=row_axis([wrapped(_pair(pair, names), NAME, lines=2) for pair in shown], theme, grid=False),
    )  # fmt: skip
    first = "; ".join(f"{_pair(one, names)}: {things(one.image_pairs, 'image pair')}" for one in pairs[:3])
    alt = f"{things(len(pairs), 'pair')} of related concepts in use. {first}."
    return Drawn(drawn, alt, HOW_TO_READ)


def _pair(pair: WorkingPair, names: Mapping[str, str]) -> str:
    return f"{names.get(pair.a, pair.a)} – {names.get(pair.b, pair.b)}"


def _hover(pair: WorkingPair, names: Mapping[str, str]) -> str:
    return (
        f"<b>{safe(names.get(pair.a, pair.a))}</b> ({safe(pair.a)}), {things(pair.images_a, 'image')}<br>"
        f"<b>{safe(names.get(pair.b, pair.b))}</b> ({safe(pair.b)}), {things(pair.images_b, 'image')}<br>"
        f"{things(pair.distance, 'step')} apart · {things(pair.image_pairs, 'image pair')}"
    )
