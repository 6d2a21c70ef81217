"""The page Synthetic: what is compared, and its parts one after the other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.features.synthetic.page import (
    assumptions,
    choose,
    copying,
    features,
    keys,
    others,
    scores,
    settings_matter,
    upload,
    weights,
    work,
)
from evalcore.features.synthetic.read.material import NoMaterial
from evalcore.figures.numbers import things
from evalcore.ui.components import messages, select
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import md_escape
from evalcore.values.system_styles import MARKERS, PALETTE, SystemLook

if TYPE_CHECKING:
    from evalcore.features.synthetic.evaluation.evaluate import Evaluation
    from evalcore.features.synthetic.page.choose import Chosen
    from evalcore.features.synthetic.read.material import Material
    from evalcore.figures.theme import Theme
    from evalcore.ui.frame.context import Context

TRAINING = "training images"
"""What the archetypes are called where copies are spoken of."""
TABS = {
    "scores": "Scores", "features": "Features", "settings": "Sensitivity", "copies": "Copies and diversity",
    "others": "Other scores",
}  # fmt: skip


def show(context: Context) -> None:
    """Choose, measure, and the open part."""
    chosen = choose.ask(context)
    upload.section(context)
    if chosen.why:
        st.info(chosen.why, icon=":material/info:")
        return
    if about := choose.said(chosen):
        st.caption(about)
    found = work.material(chosen)
    if found is None:
        return
    if isinstance(found, NoMaterial):
        st.error("These groups cannot be compared.")
        messages.problems(found.report, key="no-material")
        return
    _problems(found)
    _parts(context, found, chosen)


def _parts(context: Context, of: Material, chosen: Chosen) -> None:
    """The open tab only: the others take no time."""
    try:
        found = work.evaluated(of, chosen)
    except CuiscopeError as error:
        st.error(md_escape(str(error)))
        return
    assumptions.section(context, found)
    context = replace(context, theme=_one_look_each(context, of))
    parts = {
        "scores": lambda: scores.section(context, of, found),
        "features": lambda: _features(context, of, found, chosen),
        "settings": lambda: settings_matter.section(context, of, found, chosen),
        "copies": lambda: copying.section(context, of, found, chosen),
        "others": lambda: others.section(context, of, found),
    }
    select.parts(parts, keep=keys.PART, shown=TABS.__getitem__)


def _features(context: Context, of: Material, found: Evaluation, chosen: Chosen) -> None:
    features.section(context, of, found)
    weights.section(context, of, found, chosen)


def _one_look_each(context: Context, of: Material) -> Theme:
    """Colours and markers by the order of the groups, the same in every figure of the page."""
    looks = {
        one.name: SystemLook(colour=i % PALETTE + 1, marker=MARKERS[i % len(MARKERS)])
        for i, one in enumerate(of.groups)
    }
    real = SystemLook(colour=PALETTE - 2, marker=MARKERS[-1])
    return replace(
        context.theme,
        looks={TRAINING: real, of.archetypes.name: real, f"{of.archetypes.name}, held out": real, **looks},
    )


def _problems(of: Material) -> None:
    """What was found wrong with the images, behind a fold."""
    counted = zip(messages.kinds_of_problems(of.report), ("error", "remark"), strict=True)
    if said := " and ".join(things(n, word) for n, word in counted if n):
        with st.expander(f"{said} on the images", icon=":material/rule_folder:"):
            messages.problems(of.report, key="material-problems")
