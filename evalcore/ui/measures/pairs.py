"""Two measures looked at closely: the cloud of sampled pairs, and those they disagree on most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from evalcore.evaluate.agreement import disagreements
from evalcore.figures.measures import measure_cloud, measure_cloud_alt
from evalcore.figures.measures.cloud import Marked
from evalcore.figures.numbers import count, number, percent, things
from evalcore.figures.reading import how_to_read
from evalcore.relevance.registry import describe
from evalcore.ui.components import cards, charts, messages, tiles
from evalcore.ui.components.text import md_escape
from evalcore.ui.frame import state
from evalcore.ui.frame.pages import page_info
from evalcore.ui.measures import chosen as measures_page
from evalcore.ui.measures import files as measures_page_files
from evalcore.ui.measures import keys
from evalcore.ui.query.keys import QUERY, WHY, WHY_BY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.agreement import Disagreement
    from evalcore.model import Floats
    from evalcore.ui.frame.context import Context
    from evalcore.ui.frame.state import Key
    from evalcore.ui.measures.work import OnPairs

LISTED, IN_FILE = 8, 1_000


def two(context: Context, measures: tuple[str, ...]) -> tuple[str, str]:
    """The two measures looked at closely."""
    first = "iou" if "iou" in measures else measures[0]
    others = [name for name in measures if name != first]
    second = "nn-iou" if "nn-iou" in others else others[0]
    found = []
    with st.container(horizontal=True):
        for key, text, usual in ((keys.ACROSS, "Across", first), (keys.UPWARD, "Upwards", second)):
            picked = str(state.carry(key, usual, state.one_of(*measures)))
            st.selectbox(
                text, measures, key=state.seed(key, picked), on_change=state.take_widget, args=(key,),
                format_func=lambda name: measures_page.label(name, plain=context.choice.plain),
            )  # fmt: skip
            found.append(picked)
    return found[0], found[1]


def cloud(context: Context, found: OnPairs, a: str, b: str) -> Sequence[Disagreement]:
    """Both measures on all sampled pairs; returns the pairs ringed in it, which the list below names."""
    concepts = context.study.concepts
    listed = disagreements(found.values, a, b, n=LISTED, concepts=concepts) if a != b else ()
    ids, x, y = context.study.image_ids, found.values.column(a), found.values.column(b)
    names = measures_page.labels(context, (a, b))
    marked = [
        Marked(one.value_a, one.value_b, f"{ids[one.query]}\t{ids[one.candidate]}",
               f"{i}: {ids[one.query]} and {ids[one.candidate]}")
        for i, one in enumerate(listed, start=1)
    ]  # fmt: skip
    rho = found.agreement.spearman[found.values.measures.index(a), found.values.measures.index(b)]
    clicked = st.plotly_chart(
        measure_cloud(
            x, y, a=names[0], b=names[1], theme=context.theme, marked=marked,
            of=f"{count(len(x))} pairs",
        ),
        theme=None, key="cloud", on_select="rerun", selection_mode="points",
        config=charts.toolbar(context, "two-measures"),
        alt=measure_cloud_alt(x, y, a=names[0], b=names[1], rho=float(rho)),
    )  # fmt: skip
    messages.how_to_read(how_to_read("measure_cloud", context.reading))
    _open_clicked(clicked, _looked_at_by(a, b))
    return listed


def _looked_at_by(*measures: str) -> dict[Key, str]:
    """What tells the explanation by which of the measures to compare findings, where one of them does."""
    taxonomic = [name for name in measures if describe(name).family == "taxonomy"]
    return {WHY_BY: taxonomic[-1]} if taxonomic else {}


def _open_clicked(clicked: Any, by: dict[Key, str]) -> None:
    """Go to the explanation of a clicked ring, by the ids it carries."""
    for point in clicked["selection"]["points"]:
        told = point.get("customdata")
        carried = told[0] if isinstance(told, (list, tuple)) else told
        if carried:
            query, _, candidate = str(carried).partition("\t")
            state.set_value(QUERY, query)
            state.set_value(WHY, candidate)
            params = state.link_params({QUERY: query, WHY: candidate, **by})
            for key, measure in by.items():
                state.set_value(key, measure)
            st.switch_page(page_info("query").file, query_params=params)


def listing(context: Context, found: OnPairs, a: str, b: str, listed: Sequence[Disagreement]) -> None:
    """The pairs two measures place most differently, each with its way to the explanation."""
    names = [md_escape(name) for name in measures_page.labels(context, (a, b))]
    st.subheader(f"Where {names[0]} and {names[1]} disagree most", anchor=False)
    if not listed:
        st.info("They put these pairs in the same order.", icon=":material/done_all:")
        return
    st.caption(
        f"Each measure puts the {count(len(found.values.queries))} pairs in its own order; beside each value "
        "stands how many of them it calls less close, and how many just as close. The largest differences "
        "first; of pairs with the same findings one is shown."
    )
    grid = st.grid(4, min_column_width=230)
    for i, one in enumerate(listed, start=1):
        with grid.container(border=True, key=f"disagree-{i}"):
            told = [_place(found.values.column(a), one.value_a), _place(found.values.column(b), one.value_b)]
            _card(context, i, one, (names[0], names[1]), told, _looked_at_by(a, b))
    every = disagreements(found.values, a, b, n=IN_FILE)
    measures_page_files.beside(
        context, f"The file holds {things(len(every), 'pair')}, the largest differences first.",
        measures_page_files.disagreements(context, a, b, every), "disagreements",
    )  # fmt: skip


def _place(values: Floats, value: float) -> str:
    """Where a value stands among all of them: "above 61.9 %", "lowest, level with 31.6 %"."""
    n, below, level = len(values), int((values < value).sum()), int((values == value).sum())
    told = [f"above {percent(below, n)}" if below else "lowest"]
    told += [f"level with {percent(level, n)}"] if level > 1 else []
    return ", ".join(told)


def _card(
    context: Context, i: int, one: Disagreement, names: tuple[str, str], told: list[str], by: dict[Key, str]
) -> None:
    ids = context.study.image_ids
    pictures = [(image, tiles.tile(context.study, image)) for image in (one.query, one.candidate)]
    shown = [(image, picture) for image, picture in pictures if picture is not None]
    if shown:
        for column, (image, picture) in zip(st.columns(2, gap="xsmall"), shown, strict=False):
            column.image(picture, width="stretch", alt=cards.describe(context.study, image))
    st.caption(f"Pair {i}")
    for name, value, place in zip(names, (one.value_a, one.value_b), told, strict=True):
        st.markdown(f"{name} **{number(value)}** :gray[· {place}]")
    for image in (one.query, one.candidate):
        st.markdown(f"**{md_escape(ids[image], limit=26)}** {_caption(context, image)}")
        st.markdown(cards.concepts(context.study, image, technical=not context.choice.plain))
    messages.go_to(
        "query", label="Why?", icon=":material/help:",
        params={QUERY: ids[one.query], WHY: ids[one.candidate], **by},
    )  # fmt: skip


def _caption(context: Context, image: int) -> str:
    text = context.study.captions.texts[image] if context.study.captions else None
    return md_escape(text or "", limit=60)
