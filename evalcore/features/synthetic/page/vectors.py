"""Vectors of images: those that were uploaded, a system's, ResNet-18's, or the features themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from evalcore.features.synthetic.distances import feature_vectors
from evalcore.features.synthetic.models import resnet
from evalcore.features.synthetic.page import keys
from evalcore.figures.numbers import things
from evalcore.ui.components import select
from evalcore.ui.frame import jobs
from evalcore.values.arrays import Floats, digest_of
from evalcore.values.errors import CuiscopeError, InputError
from evalcore.values.markdown import md_escape
from evalcore.values.progress import part_of

if TYPE_CHECKING:
    from evalcore.features.synthetic.read.material import Material
    from evalcore.ui.frame.context import Context
    from evalcore.values.progress import Progress

FEATURES, UPLOADED, NETWORK, SYSTEM = "@features", "@uploaded", "@resnet18", "system:"
WORDS = {
    FEATURES: "the features themselves",
    UPLOADED: "uploaded vectors",
    NETWORK: "ResNet-18 (local weights)",
}


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Of the archetypes and of each group, rows of NaN for images without one; ``what`` they are; a key."""

    archetypes: Floats
    groups: tuple[Floats, ...]
    what: str
    key: str


def offered(context: Context, of: Material) -> list[str]:
    """What vectors these groups can have."""
    found = [FEATURES]
    if all(one.vectors is not None for one in of.parts):
        found.insert(0, UPLOADED)
    pictures = [one.pictures for one in of.parts if one.pictures is not None]
    if len(pictures) < len(of.parts):
        return found
    if all(one.files is context.study.images and not one.kind for one in pictures):  # unaltered ones
        found += [f"{SYSTEM}{name}" for name in sorted(context.study.embeddings)]
    return [*found, NETWORK]


def ask(context: Context, of: Material) -> str:
    """Which vectors are used, on every part of the page."""
    options = offered(context, of)
    return select.one(
        "Vectors of the images", options, keep=keys.VECTORS, width=280,
        shown=lambda one: WORDS.get(one, f"vectors of {one.removeprefix(SYSTEM)}"),
    )  # fmt: skip


def of_parts(context: Context, of: Material, kind: str) -> Vectors | None:
    """The vectors that were chosen; None while they are made or where they cannot be."""
    if kind == UPLOADED:
        parts = [np.asarray(one.vectors, float) for one in of.parts if one.vectors is not None]
        return _checked(Vectors(parts[0], tuple(parts[1:]), WORDS[kind], kind))
    if kind.startswith(SYSTEM):
        return _of_system(context, of, kind.removeprefix(SYSTEM))
    if kind == NETWORK:
        return _by_network(of)
    names, real, others = feature_vectors(of.archetypes.table, [one.table for one in of.groups])
    what = f"{things(len(names), 'feature')} in spreads of the real images"
    return Vectors(real, tuple(others), what, f"{FEATURES} {len(names)}")


def _checked(found: Vectors) -> Vectors:
    widths = {one.shape[1] for one in (found.archetypes, *found.groups)}
    if len(widths) > 1:
        said = ", ".join(map(str, sorted(widths)))
        raise InputError(
            f"The uploaded vectors differ in length ({said}). Compute all of them with the same model."
        )
    return found


def _of_system(context: Context, of: Material, system: str) -> Vectors:
    held = context.study.embeddings[system]
    parts = []
    for one in of.parts:
        assert one.pictures is not None
        rows = held.rows[np.asarray(one.pictures.at)]
        values = np.where(rows[:, np.newaxis] >= 0, held.vectors[rows].astype(float), np.nan)
        parts.append(values)
    return Vectors(parts[0], tuple(parts[1:]), f"vectors of {system}", f"{SYSTEM}{system} {held.digest}")


def _by_network(of: Material) -> Vectors | None:
    """Vectors by ResNet-18, made in the background when its weights are there."""
    try:
        path = resnet.weights_path()
    except CuiscopeError as error:
        st.info(md_escape(str(error), limit=600), icon=":material/download_for_offline:")
        return None
    key = f"synthetic resnet {of.digest} {path} {path.stat().st_mtime_ns}"

    def made(progress: Progress) -> tuple[Floats, ...]:
        encode = resnet.load_encoder(str(path))
        found = []
        for i, one in enumerate(of.parts):
            assert one.pictures is not None
            found.append(encode(one.pictures.all(), part_of(progress, i, len(of.parts))))
        return tuple(found)

    found = jobs.run(key, made, label="Vectors by ResNet-18")
    if found is None:
        return None
    return Vectors(found[0], found[1:], "ResNet-18, average pool, 512 numbers", f"{NETWORK} {digest_of(key)}")
