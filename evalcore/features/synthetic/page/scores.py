"""Scores: how like real images each group is, and the images themselves with what is outside the range."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.features.synthetic.evaluation.evaluate import Evaluation, Suspected, headline
from evalcore.features.synthetic.evaluation.scores import GroupScores
from evalcore.features.synthetic.features import channel_of
from evalcore.features.synthetic.figures import presence_map, score_rows, tolerance_rows
from evalcore.features.synthetic.figures.scores import ScoredGroup, ToleranceRow
from evalcore.features.synthetic.page import upload, words
from evalcore.features.synthetic.read.folders import Pictures
from evalcore.features.synthetic.read.material import Material
from evalcore.features.synthetic.tables import features_table, groups_table, images_table
from evalcore.figures.theme import style_of
from evalcore.study.pictures.image_files import shrunk
from evalcore.ui.components import figure, fold, messages, select, table, tiles
from evalcore.ui.frame import state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.errors import CuiscopeError
from evalcore.values.writing import brief, count, listed, md_escape, number, plain, pluralize, share

# Tiles of pictures that belong to no study: uploaded ones and altered copies.

SIZE, WIDTH = 192, 132
"""Pixels of a tile as it is made, and as it is drawn."""


def tile(pictures: Pictures, place: int) -> bytes | None:
    """A picture on its tile; None where it cannot be read."""
    return _tile(pictures.digest, place, pictures)


def gallery(shown: Sequence[tuple[bytes, str, str]], *, key: str) -> None:
    """Pictures in rows, each with its caption (Markdown) and what it is called; one element of the page."""
    if shown:
        images, captions, names = (list(column) for column in zip(*shown, strict=True))
        with st.container(key=f"gallery-{key}"):
            st.image(images, captions, WIDTH, alt=[plain(name, limit=200) for name in names])


@st.cache_data(max_size="60MB", show_spinner=False)
def _tile(digest: str, place: int, _pictures: Pictures) -> bytes | None:  # noqa: ARG001
    try:
        return tiles.mounted(
            shrunk(_pictures.shown(place), file=_pictures.ids[place], size=SIZE), size=SIZE, framed=False
        )
    except CuiscopeError:
        return None


SHOWN = 24
ORDERS = {"lowest": "lowest scores", "highest": "highest scores"}
LISTED = 4


def section(context: Context, of: Material, evaluation: Evaluation) -> None:
    """The sentence and the figure; closed, the groups as a table and the images of one group."""
    messages.lead(_scores_lead(evaluation, upload.suspected(of) or ()))
    groups = [
        ScoredGroup(row.name, row.values, row.distribution.low, row.distribution.high)
        for row in evaluation.rows
    ]
    score = "Score" if context.choice.plain else "WSI"
    figure.show(context, score_rows(groups, score=score, theme=context.theme), key="synthetic-scores")
    fold.section("Scores as a table", _scores_table, context, evaluation, keep=words.TABLE)
    fold.section(
        "Image by image: what is outside the range of real images",
        _images,
        context,
        of,
        evaluation,
        keep=words.IMAGES,
        opened_by=(words.GROUP, words.ORDER),
    )


def _scores_lead(evaluation: Evaluation, suspected: Sequence[Suspected]) -> str:
    return " ".join(headline(evaluation, suspected, name=lambda one: f"**{md_escape(one)}**", number=number))


def method(evaluation: Evaluation) -> str:
    """How the numbers came about, for the line under a table."""
    how = evaluation.settings
    against = "one archetype with every feature" if how.archetype == "tolerance" else "each archetype image"
    return (
        f"WSI = C / (C + {how.alpha:g} U + {how.beta:g} V), {pluralize(len(evaluation.names), 'feature')}, "
        "against "
        f"{against}; quantiles {how.quantiles[0]:g} and {how.quantiles[1]:g}; "
        f"{pluralize(how.n_resamples, 'resample')} of images, seed {how.seed}."
    )


def _scores_table(context: Context, evaluation: Evaluation) -> None:
    table.declared(
        context,
        groups_table(evaluation),
        key="synthetic-groups",
        alt=f"Scores of {pluralize(len(evaluation.rows), 'group')}",
        stem=context.stem("synthetic-scores"),
        note=method(evaluation),
        saved=images_table(evaluation),
    )


def group_of(evaluation: Evaluation, *, keep: Key = words.GROUP, first: str = "") -> GroupScores:
    """The group that is looked at; at first the one with the lowest mean, or ``first`` if it is there."""
    names = [group.name for group in evaluation.groups]
    usual = first if first in names else _first(evaluation)
    state.follow_default(keep)
    name = select.one("Group", names, keep=keep, first=usual, width=260)
    return next(group for group in evaluation.groups if group.name == name)


def _first(evaluation: Evaluation) -> str:
    """The group with the lowest mean is worth a look first."""
    known = [group for group in evaluation.groups if group.distribution.n]
    return min(known or evaluation.groups, key=lambda one: one.distribution.mean).name


def _images(context: Context, of: Material, evaluation: Evaluation) -> None:
    """The images of a group in the order of their scores."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        group = group_of(evaluation)
        order = select.segments("First", ORDERS, keep=words.ORDER, width="content")
    part = of.groups[evaluation.groups.index(group)]
    known = np.flatnonzero(np.isfinite(group.values))
    signed = group.values[known] if order == "lowest" else -group.values[known]
    places = known[np.argsort(signed, kind="stable")][:SHOWN].tolist()
    if not places:
        st.info("No image of this group has a score.", icon=":material/search_off:")
        return
    st.caption(
        f"{count(len(places))} of {pluralize(len(group.values), 'image')}, {order} scores first. With each "
        "image: its score and the features outside the range of real images."
    )
    ids = group.tally.ids
    outside = {place: _outside(context, group, place) for place in places}
    drawn = {} if part.pictures is None else {place: tile(part.pictures, place) for place in places}
    gallery(
        [
            (
                made,
                f"**{_score(group, place)}** · {md_escape(ids[place], limit=40)} · {outside[place]}",
                ids[place],
            )
            for place, made in drawn.items()
            if made is not None
        ],
        key="images",
    )
    rest = [place for place in places if drawn.get(place) is None]
    if rest:
        rows = {
            "Image": [md_escape(ids[place], limit=40) for place in rest],
            "Score": [_score(group, place) for place in rest],
            "Outside the range": [outside[place] for place in rest],
        }
        table.wrapped(pd.DataFrame(rows), alt=f"{pluralize(len(rest), 'image')} without a picture")


def _score(group: GroupScores, place: int) -> str:
    return brief(float(group.values[place]))


def _outside(context: Context, scores: GroupScores, place: int) -> str:
    """The features of an image outside the range of real images, in words, Markdown."""
    missing = [words.feature(name, plain=context.choice.plain) for name in scores.tally.missing(place)]
    if not missing:
        return "all within the range"
    return md_escape(listed(missing, limit=LISTED), limit=200)


# Features: what the real images allow, which groups keep within it, and what to mind about it.

REMARKS = 12
MOST_DRAWN, MOST_CHANNELS = 60, 8


def features_section(context: Context, of: Material, evaluation: Evaluation) -> None:
    """Sentence, remarks, the intervals, the shares, and both as one table."""
    plain_words = context.choice.plain
    names = [words.feature(name, plain=plain_words) for name in evaluation.names]
    messages.lead(_lead(evaluation, names))
    _remarks(evaluation)
    kept = _kept(evaluation)
    if evaluation.bounds is not None and evaluation.intervals is not None:
        groups = [group.name for group in of.groups]
        rows = [
            ToleranceRow(
                name,
                float(evaluation.bounds.low[j]),
                float(evaluation.bounds.high[j]),
                (float(evaluation.intervals.low[0, j]), float(evaluation.intervals.low[1, j])),
                (float(evaluation.intervals.high[0, j]), float(evaluation.intervals.high[1, j])),
                [pd.Series(group.table.values[:, j]).median() for group in of.groups],
            )
            for j, name in enumerate(names)
            if j in kept
        ]
        low, high = evaluation.bounds.quantiles
        images = pluralize(evaluation.bounds.n_images, "real image")
        what = f"from the {low:.0%} to the {high:.0%} quantile of {images}"
        figure.show(context, tolerance_rows(rows, groups, of=what, theme=context.theme), key="tolerances")
        _legend(groups, context)
    shares = np.column_stack([scores.share for scores in evaluation.everyone])
    everyone = [scores.name for scores in evaluation.everyone]
    drawn = presence_map([names[j] for j in kept], everyone, shares[kept], theme=context.theme)
    figure.show(context, drawn, key="presence")
    fold.section("Features as a table", _table, context, evaluation, keep=words.TABLE)


def _kept(evaluation: Evaluation) -> list[int]:
    """The features drawn: those of one channel where there are several, and where still too many, those that
    most often lie outside."""
    channels = list(dict.fromkeys(channel_of(name) for name in evaluation.names))
    kept = list(range(len(evaluation.names)))
    if 1 < len(channels) <= MOST_CHANNELS and len(kept) > MOST_DRAWN // 2:
        channel = select.segments("Channel", channels, keep=words.CHANNEL, width="content")
        kept = [j for j in kept if channel_of(evaluation.names[j]) == channel]
    if len(kept) > MOST_DRAWN:
        least = np.min([np.nan_to_num(group.share, nan=1.0) for group in evaluation.groups], axis=0)
        st.caption(
            f"Drawn: the {MOST_DRAWN} of {pluralize(len(kept), 'feature')} most often outside the range."
        )
        kept = sorted(sorted(kept, key=lambda j: least[j])[:MOST_DRAWN])
    return kept


def _legend(groups: list[str], context: Context) -> None:
    """Which mark is which group: shapes in words, since colour alone says nothing to some."""
    shown = [
        f"**{md_escape(group)}** {style_of(group, groups, context.theme).symbol.replace('-', ' ')}"
        for group in groups
    ]
    st.caption(f"Marks: {', '.join(shown)}.")


def _lead(evaluation: Evaluation, names: list[str]) -> str:
    lost = []
    for group in evaluation.groups:
        gone = np.flatnonzero(group.share < 0.5)
        if len(gone):
            worst = gone[np.argsort(group.share[gone], kind="stable")][:3]
            what = listed([f"{names[j]} ({share(1 - float(group.share[j]))})" for j in worst])
            lost.append(
                f"**{md_escape(group.name)}**: {pluralize(len(gone), 'feature')} outside the range in most "
                f"images, most often {md_escape(what)}"
            )
    if not lost:
        return (
            "In every group, every feature is within the range of real images in at least half of the images."
        )
    more = len(lost) - 2
    others = f"; {pluralize(more, 'more group')} likewise" if more > 0 else ""
    return f"{'; '.join(lost[:2])}{others}."


def _remarks(evaluation: Evaluation) -> None:
    """What the reader of the tolerances should know."""
    if not evaluation.remarks.problems:
        return
    n = len(evaluation.remarks.problems)
    with st.expander(f"{pluralize(n, 'remark')} on the features", icon=":material/info:"):
        for problem in evaluation.remarks.problems[:REMARKS]:
            st.markdown(
                f"- **{md_escape(problem.file)}**: {md_escape(problem.message, limit=400)} "
                f"{md_escape(problem.remedy)}"
            )


def _table(context: Context, evaluation: Evaluation) -> None:
    interval = ""
    if evaluation.intervals is not None:
        interval = (
            f"Intervals of the ends: {evaluation.intervals.level:.0%} percentile bootstrap over real images, "
            f"{pluralize(evaluation.intervals.n_resamples, 'resample')}, seed {evaluation.intervals.seed}."
        )
    table.declared(
        context,
        features_table(evaluation, lambda name: plain(words.feature(name, plain=context.choice.plain))),
        key="synthetic-features",
        height=420,
        alt=f"Table of {pluralize(len(evaluation.names), 'feature')}",
        stem=context.stem("synthetic-features"),
        note=interval,
        columns=table.names(context, "Feature"),
    )
