"""Scores: how like real images each group is, and the images themselves with what is outside the range."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.features.synthetic.evaluation.headline import headline
from evalcore.features.synthetic.figures import score_rows
from evalcore.features.synthetic.figures.scores import ScoredGroup
from evalcore.features.synthetic.page import keys, pictures, words, work
from evalcore.figures.numbers import brief, count, listed, number, things
from evalcore.ui.components import figure, messages, select, table
from evalcore.ui.frame import state
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.synthetic.evaluation.evaluate import Evaluation
    from evalcore.features.synthetic.evaluation.headline import Suspected
    from evalcore.features.synthetic.evaluation.scores import GroupScores
    from evalcore.features.synthetic.read.material import Material
    from evalcore.ui.frame.context import Context
    from evalcore.ui.frame.state import Key

SHOWN = 24
ORDERS = {"lowest": "lowest scores", "highest": "highest scores"}
LISTED = 4


def section(context: Context, of: Material, found: Evaluation) -> None:
    """The sentence, the figure, the groups as a table, and the images of one group."""
    messages.lead(_lead(found, work.suspected(of) or ()))
    groups = [
        ScoredGroup(one.name, one.values, one.distribution.low, one.distribution.high) for one in found.rows
    ]
    score = "Score" if context.choice.plain else "WSI"
    figure.show(context, score_rows(groups, score=score, theme=context.theme), key="synthetic-scores")
    _table(context, found)
    _images(context, of, found)


def _lead(found: Evaluation, suspected: Sequence[Suspected]) -> str:
    return " ".join(headline(found, suspected, name=lambda one: f"**{md_escape(one)}**", number=number))


def method(found: Evaluation) -> str:
    """How the numbers came about, for the line under a table."""
    how = found.settings
    against = "one archetype with every feature" if how.archetype == "tolerance" else "each archetype image"
    return (
        f"WSI = C / (C + {how.alpha:g} U + {how.beta:g} V), {things(len(found.names), 'feature')}, against "
        f"{against}; quantiles {how.quantiles[0]:g} and {how.quantiles[1]:g}; "
        f"{things(how.n_resamples, 'resample')} of images, seed {how.seed}."
    )


def _table(context: Context, found: Evaluation) -> None:
    rows = pd.DataFrame(
        {
            "Group": [plain(one.name) for one in found.rows],
            "Images": [len(one.values) for one in found.rows],
            "Mean ↑": [one.distribution.mean for one in found.rows],
            "From": [one.distribution.low for one in found.rows],
            "To": [one.distribution.high for one in found.rows],
            "Median": [one.distribution.median for one in found.rows],
            "Lowest": [one.distribution.minimum for one in found.rows],
            "Highest": [one.distribution.maximum for one in found.rows],
            "Both outside": [pd.Series(one.both_lack).mean() for one in found.rows],
            "Without a score": [int(np.isnan(one.values).sum()) for one in found.rows],
        }
    )
    both_lack = st.column_config.NumberColumn(
        format="%.1f",
        help="Features outside the range in an image and in a real image, on average: they count nowhere.",
    )
    table.show(
        rows, key="synthetic-groups", alt=f"Scores of {things(len(rows), 'group')}",
        file=context.stem("synthetic-scores"), note=method(found), saved=lambda: saved(found),
        columns=table.numbers("%.3f", "Mean ↑", "From", "To", "Median", "Lowest", "Highest")
        | {"Both outside": both_lack},
    )  # fmt: skip


def saved(found: Evaluation) -> pd.DataFrame:
    """The file: every image with its score and what is outside the range."""
    return pd.DataFrame(
        [
            {"group": one.name, "image": image, "wsi": value, "missing": "; ".join(one.tally.missing(i)),
             **found.settings.as_dict()}
            for one in found.everyone
            for i, (image, value) in enumerate(zip(one.tally.ids, one.values.tolist(), strict=True))
        ]
    )  # fmt: skip


def group_of(found: Evaluation, *, keep: Key = keys.GROUP, first: str = "") -> GroupScores:
    """The group that is looked at; at first the one with the lowest mean, or ``first`` if it is there."""
    names = [one.name for one in found.groups]
    usual = first if first in names else _first(found)
    state.follow_default(keep)
    name = select.one("Group", names, keep=keep, first=usual, width=260)
    return next(one for one in found.groups if one.name == name)


def _first(found: Evaluation) -> str:
    """The group with the lowest mean is worth a look first."""
    known = [one for one in found.groups if one.distribution.n]
    return min(known or found.groups, key=lambda one: one.distribution.mean).name


@state.fragment()
def _images(context: Context, of: Material, found: Evaluation) -> None:
    """The images of a group in the order of their scores."""
    st.header("Image by image", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        one = group_of(found)
        order = select.segments("First", ORDERS, keep=keys.ORDER, width="content")
    part = of.groups[found.groups.index(one)]
    known = np.flatnonzero(np.isfinite(one.values))
    signed = one.values[known] if order == "lowest" else -one.values[known]
    places = known[np.argsort(signed, kind="stable")][:SHOWN]
    if not len(places):
        st.info("No image of this group has a score.", icon=":material/search_off:")
        return
    st.caption(
        f"{count(len(places))} of {things(len(one.values), 'image')}, {order} scores first. Below each "
        "image: its score and the features outside the range of real images."
    )
    grid = st.grid(min_column_width=132 if part.pictures else 190, gap="xsmall")
    for place in places.tolist():
        with grid.container(border=True, gap="xxsmall"):
            if part.pictures is not None:
                pictures.show(part.pictures, place)
            st.markdown(
                f"**{brief(float(one.values[place]))}**  "
                f"\n:small[{md_escape(one.tally.ids[place], limit=40)}]"
            )
            st.caption(_outside(context, one, place))


def _outside(context: Context, one: GroupScores, place: int) -> str:
    """The features of an image outside the range of real images, in words, Markdown."""
    missing = [words.feature(name, plain=context.choice.plain) for name in one.tally.missing(place)]
    if not missing:
        return "All within the range"
    return f"Outside the range: {md_escape(listed(missing, limit=LISTED), limit=200)}"
