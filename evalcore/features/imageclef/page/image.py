"""The images of one run: which went wrong, and for one of them what is true and what was predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from evalcore import __version__
from evalcore.features.imageclef.board import compared_by
from evalcore.features.imageclef.page import keys
from evalcore.features.imageclef.page.results import SCORE, title
from evalcore.figures.numbers import NOTHING, things
from evalcore.ui.components import select, table, tiles
from evalcore.values.arrays import digest_of, position
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.imageclef.result import Result
    from evalcore.ui.frame.context import Context
    from evalcore.values.arrays import Bools, Floats
    from evalcore.values.model import Study

ALL, NOTHING_RIGHT, PERFECT = "All", "Nothing right", "Perfect"
BETTER, WORSE = "Better than the baseline", "Worse than the baseline"


def section(context: Context, results: Sequence[Result[Any]], one: Result[Any], baseline: str) -> None:
    """Scores per image, lowest first, and the image that is selected, at first the lowest."""
    metric = compared_by(results)
    columns = {each.name: each.values[metric] for each in results}
    column, reference = columns[one.name], columns[baseline] if one.name != baseline else None
    score = f"{title(metric)} ↑"
    offered = (ALL, NOTHING_RIGHT, PERFECT, *((BETTER, WORSE) if reference is not None else ()))
    wanted = select.segments("Show", offered, keep=keys.IMAGES, label_visibility="collapsed")
    order = np.argsort(np.where(np.isnan(column), np.inf, column), kind="stable")
    order = order[kept(wanted, column, reference)[order]]
    if not len(order):
        st.info("No image matches.", icon=":material/search_off:")
        return
    rows = pd.DataFrame({"Image": [plain(image) for image in one.images], score: column})
    if reference is not None:
        rows["Difference"] = column - reference
    row = table.show(
        rows.iloc[order], key=f"images-{digest_of(one.name, wanted)}", choose=True, height=300,
        placeholder=NOTHING, file=f"{one.name.rsplit('.', 1)[0]}_images",
        saved=lambda: _tidy(one, metric, column, reference, baseline),
        note=f"{things(len(order), 'image')}, lowest score first. Select a row to see what is true and what "
        "was predicted.",
        alt=f"{title(metric)} of {things(len(order), 'image')}, lowest first",
        columns=table.numbers(SCORE, *rows.columns[1:]),
    )  # fmt: skip
    _one(context.study, one, one.images[int(order[row or 0])])


def kept(wanted: str, column: Floats, reference: Floats | None) -> Bools:
    """Which images a filter keeps; ``reference`` are the scores of the baseline, None for itself."""
    masks: dict[str, Bools] = {NOTHING_RIGHT: column == 0, PERFECT: column >= 1}
    if reference is not None:
        masks |= {BETTER: column > reference, WORSE: column < reference}
    return masks.get(wanted, np.ones(len(column), bool))


def _one(study: Study, one: Result[Any], image: str) -> None:
    """Picture and caption, where the open study has them, beside truth and prediction."""
    known = position(study.image_ids, image)
    shown = tiles.tile(study, known) if known >= 0 else None
    texts = st.container()
    if shown is not None:
        picture, texts = st.columns([1, 2.2], gap="medium")
        picture.image(shown, alt=f"Image {plain(image)}", width="stretch")
    with texts:
        st.markdown(f"**{md_escape(image)}**")
        if one.detail is not None:
            _concepts(study, one, image)
        else:
            st.markdown(f"**True:** {md_escape(one.truth.get(image, '') or 'nothing')}")
            st.markdown(f"**Predicted:** {md_escape(one.run.scored.get(image, '') or 'nothing')}")
        caption = study.caption_of(known)
        if caption and one.detail is not None:
            st.markdown(f"**Caption in the open study:** {md_escape(caption)}")
        if shown is None:
            st.caption("The open study has no picture of this image.")


def _concepts(study: Study, one: Result[tuple[str, ...]], image: str) -> None:
    true = {cui.strip() for cui in one.truth.get(image, ()) if cui.strip()}
    own = {cui.strip() for cui in one.run.scored.get(image, ()) if cui.strip()}
    rows = (
        ("Found", "green", ":material/check:", true & own),
        ("Missed", "orange", ":material/remove:", true - own),
        ("Wrong", "blue", ":material/add:", own - true),
    )
    for heading, colour, icon, cuis in rows:
        names = " ".join(f":{colour}-badge[{icon} {md_escape(study.name_of(cui))}]" for cui in sorted(cuis))
        st.markdown(f"**{heading}:** {names or NOTHING}")


def _tidy(
    one: Result[Any], metric: str, column: Floats, reference: Floats | None, baseline: str
) -> pd.DataFrame:
    """One row per image, for the file."""
    rows = pd.DataFrame({"run": one.name, "image": one.images, "metric": metric, "value": column})
    if reference is not None:
        rows = rows.assign(compared_with=baseline, difference=column - reference)
    return rows.assign(edition=one.edition.key, version=__version__)
