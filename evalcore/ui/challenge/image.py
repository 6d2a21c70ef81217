"""The images of a submission: which went wrong, and for one of them what is true and what was predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.challenge.board import compared_by
from evalcore.figures.numbers import things
from evalcore.model import position
from evalcore.ui.challenge import keys
from evalcore.ui.challenge.behind import SCORE
from evalcore.ui.challenge.results import TITLES
from evalcore.ui.components import download, tiles
from evalcore.ui.components.table import ROWS_SHOWN
from evalcore.ui.components.text import md_escape, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.challenge.result import Result
    from evalcore.model import Bools, Floats, Study
    from evalcore.ui.frame.context import Context


def images(results: Sequence[Result[Any]], one: Result[Any], baseline: str) -> int | None:
    """Scores per image, worst first; the position of the chosen image."""
    used = compared_by(results)
    metric, values = TITLES.get(used, used), {each.name: each.values[used] for each in results}
    ids = one.images
    column = values[one.name]
    table = pd.DataFrame({"Image": [plain(i) for i in ids], f"{metric} ↑": column})
    if one.name != baseline:
        table["Difference from the baseline"] = column - values[baseline]
    order = np.argsort(np.where(np.isnan(column), np.inf, column), kind="stable")
    order = order[_kept(column, values[baseline], alone=one.name == baseline)[order]]
    shown = st.dataframe(
        table.iloc[order[:ROWS_SHOWN]], hide_index=True, key=f"images-{one.name}", on_select="rerun",
        selection_mode="single-row", height=300, placeholder="–",
        alt=f"{metric} of {things(len(table), 'image')}, lowest first",
        column_config=dict.fromkeys(table.columns[1:], st.column_config.NumberColumn(format=SCORE)),
    )  # fmt: skip
    note, save = st.columns([4, 1], vertical_alignment="center")
    note.caption(f"{things(len(order), 'image')}, lowest first. Choose a row to see truth and prediction.")
    save.download_button(
        "CSV", download.csv_safe(table), "images.csv", "text/csv", icon=":material/download:",
        on_click="ignore", width="stretch", key=f"save-images-{one.name}",
    )  # fmt: skip
    rows = [row for row in shown["selection"]["rows"] if row < len(order)]
    return int(order[rows[0]]) if rows else int(order[0]) if len(order) else None


def _kept(column: Floats, baseline: Floats, *, alone: bool) -> Bools:
    """Which images the reader wants to see."""
    masks: dict[str, Bools] = {
        "All": np.ones(len(column), bool),
        "Nothing right": column == 0,
        "Perfect": column >= 1,
    }
    if not alone:
        masks |= {"Better than the baseline": column > baseline, "Worse": column < baseline}
    wanted = st.segmented_control(
        "Show", list(masks), default="All", key=keys.IMAGES, label_visibility="collapsed"
    )
    return masks.get(str(wanted), masks["All"])


def beside(context: Context, one: Result[Any], at: int) -> None:
    """Picture and caption (if the open study has the image) beside truth and prediction."""
    study = context.study
    image = one.images[at]
    known = position(study.image_ids, image)
    picture, texts = st.columns([1, 2.2], gap="medium")
    with picture:
        shown = tiles.tile(study, known) if known >= 0 else None
        if shown is None:
            st.caption("The open study has no picture of this image.")
        else:
            st.image(shown, alt=f"Image {plain(image)}", width="stretch")
    with texts:
        st.markdown(f"**{md_escape(image)}**")
        if one.detail is not None:
            _concepts(study, one, image)
        else:
            st.markdown(f"**True:** {md_escape(one.truth.get(image, '') or 'nothing')}")
            st.markdown(f"**Predicted:** {md_escape(one.run.scored.get(image, '') or 'nothing')}")
        caption = study.captions.texts[known] if known >= 0 and study.captions else None
        if caption:
            st.markdown(f"**Caption in the open study:** {md_escape(caption)}")


def _concepts(study: Study, one: Result[tuple[str, ...]], image: str) -> None:
    true = {cui.strip() for cui in one.truth.get(image, ()) if cui.strip()}
    own = {cui.strip() for cui in one.run.scored.get(image, ()) if cui.strip()}
    rows = (
        ("Found", "green", ":material/check:", true & own),
        ("Missed", "orange", ":material/remove:", true - own),
        ("Wrong", "blue", ":material/add:", own - true),
    )
    for title, colour, icon, cuis in rows:
        names = " ".join(f":{colour}-badge[{icon} {md_escape(study.name_of(cui))}]" for cui in sorted(cuis))
        st.markdown(f"**{title}:** {names or '–'}")
