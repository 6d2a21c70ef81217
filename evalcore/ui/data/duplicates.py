"""Near duplicates of the data page: pairs, and the groups they propose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.evaluate.duplicates import (
    BITS,
    MORE_NEAR,
    NEAR,
    group_rows,
    near_duplicates,
    proposed,
    same_group,
)
from evalcore.figures.numbers import count, things
from evalcore.results.recorded import of_study
from evalcore.ui.components import download, select, table
from evalcore.ui.data import keys
from evalcore.ui.frame import jobs
from evalcore.values.markdown import plain

if TYPE_CHECKING:
    from evalcore.evaluate.duplicates import Duplicates
    from evalcore.ui.frame.context import Context
    from evalcore.values.model import Study


def section(context: Context) -> None:
    """Looked for when asked: every picture has to be read."""
    study = context.study
    if study.images is None and study.captions is None:
        return
    st.header("Near duplicates", anchor=False)
    wanted = select.switch(
        "Look for images that are nearly the same", keep=keys.DUPLICATES,
        help="Compares all pictures by a perceptual hash, and all captions letter by letter.",
    )  # fmt: skip
    if not wanted:
        return
    with st.container(horizontal=True):
        mirrored = select.switch("Mirrored copies too", keep=keys.MIRRORED)
        cropped = select.switch(
            "Cropped copies too", keep=keys.CROPPED,
            help="Up to 8% cut off at any side. Takes 1 s for 1,000 pictures, some 20 s for 10,000.",
        )  # fmt: skip
    found = jobs.run(
        f"duplicates-{study.digest}-{mirrored}-{cropped}",
        lambda progress: near_duplicates(study, mirrored=mirrored, cropped=cropped, progress=progress),
        label="Looking for near duplicates",
    )  # fmt: skip
    if found is not None:
        _pairs(context, found)


def _pairs(context: Context, found: Duplicates) -> None:
    study = context.study
    st.markdown(
        f"Of {things(found.n_pictures, 'picture')}, **{things(found.n_alike, 'pair')}** look alike; of "
        f"{things(found.n_captions, 'caption')}, **{things(found.n_same_caption, 'pair')}** are identical."
    )
    if not found.pairs:
        return
    table.show(
        _rows(study, found), key="duplicates", file=context.stem("near-duplicates"),
        saved=_tidy(study, found),
        note=f"Difference hash of {count(BITS)} bits; at most {NEAR} differ, of cropped ones "
        f"{NEAR + MORE_NEAR}. Turned copies are not found. Of images with one caption, each is shown beside "
        "the first.",
        placeholder="", alt=f"{things(len(found.pairs), 'pair')} of images that are nearly the same",
    )  # fmt: skip
    groups = proposed(study, found)
    rows = pd.DataFrame(group_rows(study, groups), columns=["ID", groups.name])
    st.markdown(
        f"As groups these are {things(groups.n, 'group')} of {things(len(rows), 'image')}. Look at the "
        "pairs, then upload the file under “Open or upload”: results of the query’s own group are then left "
        "out."
    )
    download.csv(rows, "groups", label="groups.csv")


def _rows(study: Study, found: Duplicates) -> pd.DataFrame:
    ids, groups = study.image_ids, study.groups
    rows = pd.DataFrame(
        {
            "Image": [plain(ids[one.first]) for one in found.pairs],
            "And image": [plain(ids[one.second]) for one in found.pairs],
            "Bits that differ": [one.bits for one in found.pairs],
            "How": [one.how for one in found.pairs],
            "Same caption": ["yes" if one.same_caption else "" for one in found.pairs],
        }
    )
    if groups is not None:
        rows[f"Same {plain(groups.name, limit=20)}"] = [
            "yes" if same_group(study, one) else "" for one in found.pairs
        ]
    return rows


def _tidy(study: Study, found: Duplicates) -> pd.DataFrame:
    """One row per pair of images, for the file."""
    ids, same = study.image_ids, of_study(study)
    return pd.DataFrame(
        [
            {
                "image": ids[one.first], "other_image": ids[one.second], "bits_that_differ": one.bits,
                "how": one.how,
                "same_caption": one.same_caption, **same,
            }
            for one in found.pairs
        ]
    )  # fmt: skip
