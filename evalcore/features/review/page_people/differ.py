"""Results that readers and a measure place most differently, each with its pictures one click away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.features.review.page_people import keys
from evalcore.features.review.readers.results import differ_most
from evalcore.figures.numbers import brief, number, things
from evalcore.ui.components import cards, messages, select, table, tidy
from evalcore.ui.query.keys import QUERY, WHY
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.evaluate.measures.agreement import Disagreement
    from evalcore.features.review.readers.results import ReaderResults
    from evalcore.ui.frame.context import Context

LISTED, IN_FILE = 8, 1_000
SIDE = 102
"""Pixels of a picture on a card: two stand side by side on a phone too."""


def section(context: Context, found: ReaderResults, labels: Mapping[str, str], first: str, who: str) -> None:
    """The measure looked at, cards of the results, and their file."""
    st.header(f"Where {who} and a measure differ most", anchor=False)
    measure = select.one("Measure", labels, keep=keys.DIFFER, first=first, width=340)
    listed = differ_most(found, measure, n=LISTED)
    if not listed:
        st.info("They rank these results alike.", icon=":material/done_all:")
        return
    st.caption(
        "All judged results are ranked twice, by grade and by the measure. Shown are those whose two ranks "
        "are furthest apart, one of each query."
    )
    called = who.removeprefix("the ").capitalize()
    grid = st.grid(4, min_column_width=230)
    for i, one in enumerate(listed, start=1):
        with grid.container(border=True, key=f"differs-{i}"):
            _card(context, i, one, labels[measure], called)
    every = differ_most(found, measure, n=IN_FILE)
    table.beside(
        f"The file holds {things(len(every), 'result')}, the largest differences first.",
        tidy.counted(context, _as_table(context, found, measure, every)), context.stem("readers-differ"),
    )  # fmt: skip


def _card(context: Context, i: int, one: Disagreement, label: str, who: str) -> None:
    study, pair = context.study, (one.query, one.candidate)
    with st.container(horizontal=True, gap="xsmall"):
        for image in pair:
            cards.picture(study, image, width=SIDE)
    st.caption(f"{i} · {who if one.gap > 0 else 'Measure'} higher")
    st.markdown(
        f"{who} **{brief(one.value_a)}** :gray[· above {one.place_a:.0%} of results]  \n"
        f"{md_escape(label)} **{number(one.value_b)}** :gray[· above {one.place_b:.0%}]"
    )
    ids = [study.image_ids[image] for image in pair]
    st.markdown(f":gray[Query {md_escape(ids[0], limit=26)}, result {md_escape(ids[1], limit=26)}]")
    messages.go_to("query", label="See both images", icon=":material/image_search:",
                   params={QUERY: ids[0], WHY: ids[1]})  # fmt: skip


def _as_table(
    context: Context, found: ReaderResults, measure: str, listed: Sequence[Disagreement]
) -> pd.DataFrame:
    ids = context.study.image_ids
    return pd.DataFrame(
        [
            {
                "query": ids[one.query], "result": ids[one.candidate], "measure": measure,
                "grade": one.value_a, "value": one.value_b, "share_below_grade": one.place_a,
                "share_below_value": one.place_b, "simulated": bool(found.simulated),
            }
            for one in listed
        ]
    )  # fmt: skip
