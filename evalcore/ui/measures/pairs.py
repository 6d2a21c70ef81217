"""Two measures looked at closely: the cloud of sampled pairs, and those they disagree on most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.evaluate.measures.agreement import disagreements
from evalcore.figures.measures import measure_cloud
from evalcore.figures.measures.cloud import Marked
from evalcore.figures.numbers import count, number, percent, things
from evalcore.relevance.registry import describe
from evalcore.ui.components import cards, figure, messages, select, table, tidy
from evalcore.ui.frame import pages
from evalcore.ui.measures import keys
from evalcore.ui.query.keys import QUERY, WHY, WHY_BY
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.evaluate.measures.agreement import Disagreement
    from evalcore.ui.frame.context import Context
    from evalcore.ui.frame.state import Key
    from evalcore.ui.measures.work import OnPairs
    from evalcore.values.arrays import Floats

    Two = tuple[str, str]

LISTED, IN_FILE = 8, 1_000


def two(measures: Mapping[str, str]) -> Two:
    """The two measures looked at closely; they may be the same."""
    names = list(measures)
    first = "iou" if "iou" in measures else names[0]
    others = [name for name in names if name != first]
    second = "nn-iou" if "nn-iou" in others else others[0]
    with st.container(horizontal=True):
        return (
            select.one("Horizontal axis", measures, keep=keys.ACROSS, first=first),
            select.one("Vertical axis", measures, keep=keys.UPWARD, first=second),
        )


def cloud(
    context: Context, found: OnPairs, measures: Mapping[str, str], chosen: Two
) -> Sequence[Disagreement]:
    """Both measures on all sampled pairs; returns the pairs ringed in it, which the list below names."""
    a, b = chosen
    concepts = context.study.concepts
    listed = disagreements(found.values, a, b, n=LISTED, concepts=concepts) if a != b else ()
    ids, x, y = context.study.image_ids, found.values.column(a), found.values.column(b)
    marked = [
        Marked(one.value_a, one.value_b, f"{ids[one.query]}\t{ids[one.candidate]}",
               f"{i}: {ids[one.query]} and {ids[one.candidate]}")
        for i, one in enumerate(listed, start=1)
    ]  # fmt: skip
    at = found.values.measures.index
    drawn = measure_cloud(
        x, y, a=measures[a], b=measures[b], theme=context.theme, marked=marked,
        of=things(len(x), "pair"), rho=float(found.agreement.spearman[at(a), at(b)]),
    )  # fmt: skip
    figure.show(
        context, drawn, key="cloud", file="two-measures",
        opens=lambda ring: pages.go("query", _explained(ring.split("\t"), chosen)),
    )  # fmt: skip
    return listed


def _explained(ids: Sequence[str], by: Two) -> dict[Key, str]:
    """What opens the explanation of a query and an image, by the measure that compares single concepts."""
    taxonomic = [name for name in by if describe(name).family in ("taxonomy", "vectors")]
    return {QUERY: ids[0], WHY: ids[1]} | ({WHY_BY: taxonomic[-1]} if taxonomic else {})


def listing(
    context: Context, found: OnPairs, measures: Mapping[str, str], chosen: Two, listed: Sequence[Disagreement]
) -> None:
    """The pairs two measures rank most differently, each with its way to the explanation."""
    a, b = chosen
    names = (md_escape(measures[a]), md_escape(measures[b]))
    st.header(f"Where {names[0]} and {names[1]} disagree most", anchor=False)
    if not listed:
        st.info("They put these pairs in the same order.", icon=":material/done_all:")
        return
    st.caption(
        f"Each measure ranks the {count(len(found.values.queries))} pairs. Beside each value is the share "
        "of pairs that it calls less close, and of those it calls just as close. The largest differences "
        "come first; of pairs with the same concepts, one is shown."
    )
    grid = st.grid(4, min_column_width=230)
    for i, one in enumerate(listed, start=1):
        with grid.container(border=True, key=f"disagree-{i}"):
            rows = [
                f"{name} **{number(value)}** :gray[· {_standing(found.values.column(measure), value)}]"
                for name, measure, value in zip(names, chosen, (one.value_a, one.value_b), strict=True)
            ]
            _card(context, i, one, rows, chosen)
    every = disagreements(found.values, a, b, n=IN_FILE)
    table.beside(
        f"The file holds {things(len(every), 'pair')}, the largest differences first.",
        tidy.counted(context, _as_table(context, a, b, every)), context.stem("disagreements"),
    )  # fmt: skip


def _standing(values: Floats, value: float) -> str:
    """Where a value stands among all: "above 61.9%", "lowest (tied with 31.6% of pairs)"."""
    n, below, equal = len(values), int((values < value).sum()), int((values == value).sum())
    text = f"above {percent(below, n)}" if below else "lowest"
    return f"{text} (tied with {percent(equal, n)} of pairs)" if equal > 1 else text


def _card(context: Context, i: int, one: Disagreement, rows: Sequence[str], by: Two) -> None:
    study, pair = context.study, (one.query, one.candidate)
    if study.images is not None:
        for column, image in zip(st.columns(2, gap="xsmall"), pair, strict=True):
            with column:
                cards.picture(study, image)
    st.caption(f"Pair {i}")
    for row in rows:
        st.markdown(row)
    for image in pair:
        caption = study.caption_of(image)
        st.markdown(f"**{md_escape(study.image_ids[image], limit=26)}** {md_escape(caption or '', limit=60)}")
        st.markdown(cards.concepts(study, image, technical=not context.choice.plain))
    ids = [study.image_ids[image] for image in pair]
    messages.go_to("query", label="Why?", icon=":material/help:", params=_explained(ids, by))


def _as_table(context: Context, a: str, b: str, listed: Sequence[Disagreement]) -> pd.DataFrame:
    """One row per pair of images."""
    ids = context.study.image_ids
    return pd.DataFrame(
        [
            {
                "query": ids[one.query], "candidate": ids[one.candidate], "a": a, "b": b,
                "value_a": one.value_a, "value_b": one.value_b, "share_below_a": one.place_a,
                "share_below_b": one.place_b,
            }
            for one in listed
        ]
    )  # fmt: skip
