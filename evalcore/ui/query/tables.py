"""The result lists as tables that a screen reader can read, and as one file."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from evalcore.ui.components import cards, download, table
from evalcore.ui.components.places import ask
from evalcore.ui.components.results import Result
from evalcore.ui.frame import pages, state
from evalcore.ui.frame.context import Context
from evalcore.values.writing import md_escape, number, plain, pluralize

Lists = Sequence[tuple[str, str, Sequence[Result]]]
"""(side, system, its results) of A, B and so on."""

OF_TWO = "Rank in the other system"


def show(context: Context, query: int, lists: Lists) -> None:
    """One table per system, the question Why?, and the file of all."""
    for letter, system, found in lists:
        st.markdown(f"**{letter} · {md_escape(system)}**")
        if found:
            with st.container(key=f"results-of-{letter}"):
                table.wrapped(
                    _table(context, found, _against(lists, letter)),
                    alt=f"{pluralize(len(found), 'result')} of system {letter} with their scores",
                )
        else:
            st.caption("This system returned nothing for this query.")
    pick, save = st.columns([3, 1], vertical_alignment="bottom")
    known = {
        r.image: f"{letter} {r.rank}" for letter, _, found in reversed(lists) for r in found if r.image >= 0
    }
    ids = context.study.image_ids
    asked = {ids[image]: f"{place} · {plain(ids[image], limit=60)}" for image, place in known.items()}
    pick.selectbox(
        "Why does a result count?",
        list(asked),
        index=None,
        placeholder="Select a result",
        key=pages.ASK_WHY,
        format_func=lambda image: asked.get(image, image),
        on_change=_why,
    )
    with save:
        download.file(
            "CSV",
            lambda: download.csv_safe(table.scored(context, evidence(context, query, lists))),
            f"results-{download.safe_file(ids[query])}-{context.study.digest[:8]}.csv",
            "text/csv",
            key="results-csv",
            width="stretch",
        )


def _why() -> None:
    """Callback: open the drawer about the chosen result, and be ready to be asked about the same again."""
    chosen = state.get(pages.ASK_WHY)
    if chosen:
        ask(str(chosen), "")
        state.drop(pages.ASK_WHY)


def _against(lists: Lists, side: str) -> str:
    """The heading of the ranks in the list that results of this side are held against; "" for none."""
    if len(lists) == 2:
        return OF_TWO
    return "" if side == lists[0][0] else f"Rank in {lists[0][0]} · {md_escape(lists[0][1], limit=30)}"


def _table(context: Context, found: Sequence[Result], against: str) -> pd.DataFrame:
    study = context.study
    rows = []
    for result in found:
        known = result.image >= 0
        own = cards.score_rows(context, result)
        scores = {md_escape(label): number(value) for label, value in own}
        rows.append(
            {
                "Rank": str(result.rank),
                "Image": md_escape(study.image_ids[result.image], limit=60) if known else "unknown image",
                **({"Counts": md_escape(result.mark.words)} if result.mark else {}),
                **({against: "–" if result.elsewhere is None else str(result.elsewhere)} if against else {}),
                **({} if against == OF_TWO else {"Also in": pluralize(result.also_in, "other list")}),
                **scores,
                "Concepts": _names(context, result.image) if known else "",
            }
        )
    return pd.DataFrame(rows)


def _names(context: Context, image: int) -> str:
    study = context.study
    names = sorted(study.name_of(cui) for cui in study.concepts.of_image(image))
    return md_escape(", ".join(names), limit=160)


def evidence(context: Context, query: int, lists: Lists) -> pd.DataFrame:
    """Every result of all systems with every score, full precision; one row per result.

    ``place_in_other_list``: of two systems in that of the other, of more in that of the first.
    """
    ids = context.study.image_ids
    return pd.DataFrame(
        [
            {
                "query": ids[query],
                "system": system,
                "place": r.rank,
                "image": ids[r.image] if r.image >= 0 else "",
                "place_in_other_list": r.elsewhere,
                "in_other_lists": r.also_in,
                "iou": r.iou,
                "nn_iou": r.nn_iou,
                "cosine": r.cosine,
                "metric": r.mark.metric if r.mark else None,
                "gain_of_result": r.mark.gain if r.mark else None,
                "counted": r.mark.counted if r.mark else None,
            }
            for _, system, found in lists
            for r in found
        ]
    )
