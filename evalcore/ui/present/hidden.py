"""The open study as others may see it: images by number instead of id, the corners of pictures covered.

Only names change. Numbers, orders and digests are those of the study, so everything computed before is used.
An address that names an image is turned to the names in use, in both directions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.ui.concepts.keys import IMAGE_A, IMAGE_B
from evalcore.ui.frame import state
from evalcore.ui.query.keys import LARGE, QUERY, WHY
from evalcore.values.arrays import position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.model import Study

NAMING = (QUERY, WHY, LARGE, IMAGE_A, IMAGE_B)
"""Keys whose values can be ids of images."""


def names_of(image_ids: Sequence[str]) -> tuple[str, ...]:
    """What images are called instead, in the same order: "Image 007".

    >>> names_of(["patient 9, 2021", "x"])
    ('Image 1', 'Image 2')
    """
    width = len(str(len(image_ids)))
    return tuple(f"Image {i:0{width}d}" for i in range(1, len(image_ids) + 1))


def hide(study: Study, *, corners: bool) -> Study:
    """The study with its images numbered; ``corners``: their pictures without what stands in the corners."""
    images = study.images
    if corners and images is not None:
        images = replace(images, corners_covered=True, digest=f"{images.digest}-corners")
    concepts = replace(study.concepts, image_ids=names_of(study.image_ids))
    return replace(study, concepts=concepts, images=images)


def turn_addresses(study: Study, *, hidden: bool) -> None:
    """Let the address and the session name images as they are called from here on.

    A name that is an id of the study stays one: only what is none is read as the other kind.
    """
    ids, names = study.image_ids, names_of(study.image_ids)
    old, new = (ids, names) if hidden else (names, ids)
    said = {text for key in NAMING for text in (*st.query_params.get_all(key), str(state.get(key, "")))}
    turned = {text: new[position(old, text)] for text in said if position(old, text) >= 0}
    if not hidden:
        turned = {text: name for text, name in turned.items() if position(ids, text) < 0}
    if turned:
        state.rename(NAMING, turned)
