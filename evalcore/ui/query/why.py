"""The drawer behind "Why?": what two images share, what that adds up to, and what if."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.errors import UnknownName
from evalcore.figures.concepts.path_words import path_sentence
from evalcore.figures.explain import contribution_bars, match_matrix
from evalcore.figures.numbers import number, things
from evalcore.figures.paths import path_figure
from evalcore.graph import shortest_paths, steps
from evalcore.relevance.explain import explain
from evalcore.ui.components import cards, figure, messages, tiles
from evalcore.ui.components.text import md_escape
from evalcore.ui.concepts.keys import FROM, TO
from evalcore.ui.frame import state
from evalcore.ui.query import keys, large, why_measure

if TYPE_CHECKING:
    from evalcore.relevance.explain import Explanation, NeighbourMatch
    from evalcore.settings import Settings
    from evalcore.ui.frame.context import Context

WIDTH = 720
PATHS_DRAWN = 6


def drawer(context: Context, query: int) -> None:
    """Open the drawer when a result was asked about, in this session or by the address."""
    asked = state.carry(keys.WHY, "")
    if not asked:
        return
    try:
        candidate = context.study.concepts.index(asked)
    except UnknownName as unknown:
        st.warning(md_escape(str(unknown), limit=400), icon=":material/link_off:")
        state.put(keys.WHY, "")
        return
    _open(context, query, candidate)


def _closed() -> None:
    state.put(keys.WHY, "")


@st.dialog("Why does this image count?", width=WIDTH, position="right", on_dismiss=_closed)
def _open(context: Context, query: int, candidate: int) -> None:
    ids = context.study.image_ids
    above, pictures = st.container(), st.container()
    settings = context.choice.settings
    explanation = explain(context.study, ids[query], ids[candidate], settings=settings)
    matches = bool(explanation.exact or explanation.neighbours)
    if matches and context.study.knows_neighbours:
        settings = _what_if(settings)
        explanation = explain(context.study, ids[query], ids[candidate], settings=settings)
    with above:
        messages.lead(_sentence(explanation, context))
    with pictures:
        _images(context, query, candidate)
        large.button_for(context, candidate)
    _values(explanation, context)
    if matches:
        _evidence(explanation, context)
        _paths(explanation, context, settings)
    why_measure.section(context, ids[query], ids[candidate])


def _sentence(explanation: Explanation, context: Context) -> str:
    """What the two images share, in one sentence."""
    names = context.study.name_of
    exact = [md_escape(names(cui)) for cui in explanation.exact]
    near = [m for m in explanation.neighbours if m.side == "query"] or list(explanation.neighbours)
    if not exact and not near:
        linked = ", and no two of theirs are linked closely enough to count"
        return (
            "**Nothing matches: by its concepts it scores 0.** The two images share none"
            f"{linked if context.study.knows_neighbours else ''}."
        )
    parts = []
    if exact:
        parts.append(
            f"Both carry **{', '.join(exact[:4])}**{f' and {len(exact) - 4} more' if len(exact) > 4 else ''}"
        )
    if near:
        m = near[0]
        more = f", and {things(len(near) - 1, 'more pair')} like it" if len(near) > 1 else ""
        parts.append(
            f"the terminology links **{md_escape(names(m.cui))}** with **{md_escape(names(m.matched))}** "
            f"({things(m.distance, 'step')} apart){more}"
        )
    sentence = "; ".join(parts) + "."
    return sentence[0].upper() + sentence[1:]


def _what_if(settings: Settings) -> Settings:
    """The credit for related concepts, to try here only."""
    alpha = st.slider(
        "What if related concepts earned this much credit (α)?", 0.0, 1.0, settings.alpha, 0.05,
        key=keys.WHAT_IF, help="Only in this drawer; the sidebar keeps its value.",
    )  # fmt: skip
    return replace(settings, alpha=round(float(alpha), 4))


def _images(context: Context, query: int, candidate: int) -> None:
    columns = st.columns(2, gap="small")
    for column, title, image in zip(columns, ("Query", "Result"), (query, candidate), strict=True):
        with column:
            st.markdown(f"**{title}** {md_escape(context.study.image_ids[image])}")
            picture = tiles.tile(context.study, image, size=tiles.LARGE)
            if picture is not None:
                st.image(picture, width="stretch", alt=cards.describe(context.study, image))
            cards.words(context.study, image, caption=260, technical=not context.choice.plain)


def _values(explanation: Explanation, context: Context) -> None:
    """The value under every measure."""
    shown = {
        name: value for name, value in explanation.values.items()
        if not context.choice.plain or name in {"iou", "nn-iou"}
    }  # fmt: skip
    words = {"iou": "Same concepts (IoU)", "nn-iou": "Including related concepts (nn-IoU)"}
    with st.container(horizontal=True):
        for name, value in shown.items():
            label = words.get(name, name) if context.choice.plain else name
            st.metric(md_escape(label), number(value), border=True)


def _evidence(explanation: Explanation, context: Context) -> None:
    names, theme = context.study.names, context.theme
    figure.show(
        context, match_matrix(explanation, names=names, theme=theme), key="why-matrix", file="matches"
    )
    figure.show(
        context,
        contribution_bars(explanation, names=names, theme=theme),
        key="why-parts",
        file="contributions",
    )


def _paths(explanation: Explanation, context: Context, settings: Settings) -> None:
    """The way from each related concept to its match, drawn and in words."""
    pairs = _unlike_pairs(explanation.neighbours)
    if not pairs or context.study.graph is None:
        return
    st.subheader("How the related concepts are connected", anchor=False)
    for i, match in enumerate(pairs[:PATHS_DRAWN]):
        _path(context, match, settings, key=f"why-path-{i}", first=i == 0)
    if len(pairs) > PATHS_DRAWN:
        st.caption(f"{things(len(pairs) - PATHS_DRAWN, 'more pair')} not drawn.")


def _unlike_pairs(matches: tuple[NeighbourMatch, ...]) -> list[NeighbourMatch]:
    """Each pair of concepts once, though it may earn credit on both sides."""
    seen: dict[frozenset[str], NeighbourMatch] = {}
    for match in matches:
        seen.setdefault(frozenset((match.cui, match.matched)), match)
    return list(seen.values())


def _path(context: Context, match: NeighbourMatch, settings: Settings, *, key: str, first: bool) -> None:
    graph, names = context.study.graph, context.study.names
    assert graph is not None
    found = shortest_paths(graph, match.cui, match.matched, direction=settings.direction)
    path = match.path
    along = steps(graph, path)
    drawn = path_figure(path, along, names=names, theme=context.theme, reading=context.reading)
    figure.show(context, drawn, key=key, file="path", note=first)
    st.markdown(
        md_escape(
            path_sentence(path, along, names=names, reading=context.reading, n_shortest=found.n_shortest)
        )
    )
    ends = {FROM: match.cui, TO: match.matched}
    messages.go_to("concepts", label="Open this path on the Concepts page", params=ends)
