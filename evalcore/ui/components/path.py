"""A path of the terminology drawn and in words; one that turns is a stack of boxes on a narrow screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from evalcore.figures.frame import Drawn
from evalcore.figures.graph import layout_of, path_figure
from evalcore.figures.words import path_sentence, relation
from evalcore.graph import Step
from evalcore.ui.components import figure
from evalcore.ui.frame.context import Context
from evalcore.values.writing import md_escape

ARROWS = {"up": ":material/arrow_upward:", "down": ":material/arrow_downward:"}


def show(
    context: Context, path: Sequence[str], along: Sequence[Step], *, n_shortest: int, key: str, **look: Any
) -> None:
    """The figure of a path, and the sentence that says it; ``n_shortest``: how many are as short.

    ``look`` goes to `figure.show`.
    """
    names, reading = context.study.names, context.reading
    drawn = path_figure(path, along, names=names, theme=context.theme, reading=reading)
    _draw(context, drawn, path, along, key=key, **look)
    if along:
        st.markdown(
            md_escape(path_sentence(path, along, names=names, reading=reading, n_shortest=n_shortest))
        )


def _draw(
    context: Context, drawn: Drawn, path: Sequence[str], along: Sequence[Step], *, key: str, **look: Any
) -> None:
    """The figure, and the concepts one below the other where columns had no room.

    The style sheet shows one of the two, by the width of the window.
    """
    if len({column for column, _ in layout_of(along)}) == 1:
        figure.show(context, drawn, key=key, **look)
        return
    with st.container(key=f"{key}-drawn"):
        figure.show(context, drawn, key=key, **look)
    names = context.study.name_of
    with st.container(key=f"{key}-stacked", gap="xxsmall"):
        for cui, step in zip(path, (*along, None), strict=True):
            with st.container(border=True):
                st.markdown(f"**{md_escape(names(cui), limit=80)}**", text_alignment="center")
            if step is not None:
                st.caption(f"{ARROWS[step.direction]} {md_escape(relation(step))}", text_alignment="center")
