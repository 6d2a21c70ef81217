"""What it found: scores, features, copies and diversity, distances, and whether people agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.features.synthetic.answers import Answer, most_outside
from evalcore.features.synthetic.figures import presence_map, score_rows, tolerance_rows
from evalcore.features.synthetic.page import words
from evalcore.features.synthetic.page.work import Compared, bold, vectors
from evalcore.features.synthetic.read import uploads
from evalcore.features.synthetic.read.pictures import NEAR_COPIES, Pictures
from evalcore.features.synthetic.tables import features_table, groups_table
from evalcore.features.synthetic.wsi import GroupScore
from evalcore.results.rows import Table
from evalcore.study.pictures.image_files import QUALITY, jpeg
from evalcore.ui.components import figure, fold, messages, select, table, tiles
from evalcore.ui.frame import state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.errors import CuiscopeError
from evalcore.values.writing import brief, count, listed, md_escape, plain, pluralize

TABS = {
    "scores": "Scores",
    "features": "Features",
    "copies": "Copies and diversity",
    "others": "Distances and people",
}
SHOWN, LISTED, NEAREST_SHOWN = 24, 4, 12
ORDERS = {"lowest": "lowest scores", "highest": "highest scores"}


def section(context: Context, of: Compared) -> None:
    """The open tab only: the others take no time."""
    parts = {"scores": scores, "features": features, "copies": copies, "others": distances}
    drawn = {name: lambda part=part: part(context, of) for name, part in parts.items()}
    select.parts(drawn, keep=words.PART, shown=TABS.__getitem__)


def lead(answer: Answer) -> None:
    """The answer in a few sentences."""
    messages.lead(" ".join(answer.lead))


def answer_table(
    context: Context, answer: Answer, name: str, *, note: str = "", rows: Table | None = None
) -> None:
    """A table of an answer; ``rows``: what is shown of it."""
    made = answer.tables[name]
    table.declared(
        context,
        rows or made,
        key=f"synthetic-{name}",
        height=320,
        alt=f"Table of {pluralize(len(made.rows), 'row')}: {name}",
        stem=context.stem(f"synthetic-{name}"),
        note=note,
        saved=made,
    )


def group_of(of: Compared, *, keep: Key = words.GROUP, first: str = "") -> GroupScore:
    """The group that is looked at; at first the one with the lowest mean, or ``first`` if it is there."""
    groups = of.evaluation.groups
    known = [group for group in groups if len(group.defined)] or groups
    names, lowest = [group.name for group in groups], min(known, key=lambda group: group.mean).name
    state.follow_default(keep)
    name = select.one("Group", names, keep=keep, first=first if first in names else lowest, width=260)
    return next(group for group in groups if group.name == name)


def scores(context: Context, of: Compared) -> None:
    """The sentence and the figure; closed, the groups as a table and the images of one group."""
    answer = of.scores()
    if answer is None:
        return
    lead(answer)
    score = "Score" if context.choice.plain else "WSI"
    drawn = score_rows(of.evaluation.rows, score=score, theme=context.theme)
    figure.show(context, drawn, key="synthetic-scores")
    config = of.chosen.config
    against = (
        "one archetype with every feature" if config.archetype == "tolerance" else "each archetype image"
    )
    low, high = config.quantiles
    note = (
        f"WSI = C / (C + {config.alpha:g} U + {config.beta:g} V), {len(of.evaluation.names)} features, "
        f"against {against}; quantiles {low:g} and {high:g}; {config.n_resamples:,} resamples of images, "
        f"seed {config.seed}."
    )

    rows = groups_table(of.evaluation)
    fold.section(
        "Scores as a table",
        lambda: answer_table(context, answer, "scores", note=note, rows=rows),
        keep=words.TABLE,
    )
    title = "Image by image: what is outside the range of real images"
    fold.section(title, _images, context, of, keep=words.IMAGES)


def _images(context: Context, of: Compared) -> None:
    """The images of a group in the order of their scores."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        group = group_of(of)
        order = select.segments("First", ORDERS, keep=words.ORDER, width="content")
    values = group.values.dropna().sort_values(ascending=order == "lowest", kind="stable")[:SHOWN]
    if not len(values):
        st.info("No image of this group has a score.", icon=":material/search_off:")
        return
    st.caption(
        f"{count(len(values))} of {pluralize(len(group.values), 'image')}, {order} scores first. With each "
        "image: its score and the features outside the range of real images."
    )
    captions = {}
    for image, value in values.items():
        at = int(group.values.index.get_loc(image))
        lacks = [
            words.feature(name, plain=context.choice.plain)
            for name in group.presence.missing(at, of.evaluation.names)
        ]
        outside = md_escape(listed(lacks, limit=LISTED), limit=200) if lacks else "all within the range"
        captions[str(image)] = f"**{brief(float(value))}** · {md_escape(str(image), limit=40)} · {outside}"
    gallery([(of.group(group.name).pictures, image, text) for image, text in captions.items()], key="images")


def features(context: Context, of: Compared) -> None:
    """The intervals, the shares, and both as one table."""
    answer, evaluation, plainly = of.scores(), of.evaluation, context.choice.plain
    if answer is None:
        return
    outside = [(int((group.shares < 0.5).sum()), group.name) for group in evaluation.groups]
    lost = [f"{bold(name)} {pluralize(n, 'feature')}" for n, name in sorted(outside, reverse=True) if n]
    messages.lead(
        f"Outside the range of real images in most images of a group: {listed(lost, limit=8)}."
        if lost
        else "In every group, every feature is within the range of real images in half of the images or more."
    )
    kept, everyone = most_outside(evaluation), [group.name for group in evaluation.everyone]
    if len(kept) < len(evaluation.names):
        n = len(evaluation.names)
        st.caption(f"Drawn: the {len(kept)} of {n} features most often outside the range.")
    shares = np.column_stack([group.shares for group in evaluation.everyone])[kept]
    names = [words.feature(evaluation.names[j], plain=plainly) for j in kept]
    medians = pd.DataFrame({group.name: group.features.median() for group in of.material.groups}).iloc[kept]
    config, (low, high) = evaluation.config, evaluation.config.quantiles
    real = pluralize(len(evaluation.archetypes.values), "real image")
    what = f"from the {low:.0%} to the {high:.0%} quantile of {real}"
    bounds, intervals = evaluation.bounds[:, kept], evaluation.bound_intervals[:, :, kept]
    drawn = tolerance_rows(names, bounds, intervals, medians, of=what, theme=context.theme)
    figure.show(context, drawn, key="tolerances")
    figure.show(context, presence_map(names, everyone, shares, theme=context.theme), key="presence")
    note = (
        f"Intervals of the ends: {config.level:.0%} percentile bootstrap over real images, "
        f"{pluralize(config.n_resamples, 'resample')}, seed {config.seed}."
    )
    rows = features_table(evaluation, lambda name: plain(words.feature(name, plain=plainly)))
    fold.section(
        "Features as a table",
        lambda: answer_table(context, answer, "features", note=note, rows=rows),
        keep=words.TABLE,
    )


def copies(context: Context, of: Compared) -> None:
    """One group against the training images, which are the real ones."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = group_of(of, keep=words.COPYING, first=NEAR_COPIES).name
        try:
            held = vectors(of.material)
            answer = None if held is None else of.copies(name, held)
        except CuiscopeError as error:
            st.info(md_escape(str(error)), icon=":material/info:")
            return
    if answer is None:
        return
    lead(answer)
    test = answer.tables["tests"].rows[0].comparison
    note = (
        f"{pluralize(test.n_generated, 'generated image')}, {pluralize(test.n_training, 'training image')} "
        f"(the real images of this page); {answer.document['test']}, {count(test.n_resamples)} "
        f"relabellings, p = (b+1)/(n+1), seed {test.seed}; intervals: percentile bootstrap over images; "
        "each test by itself at .05."
    )
    answer_table(context, answer, "tests", note=note)
    figure.show(context, answer.figures(context.theme)["pairs-1"], key="pairs-within")
    own, real = of.group(name).pictures, of.material.real.pictures

    def nearest() -> None:
        rows = sorted(answer.tables["nearest"].rows, key=lambda row: -np.nan_to_num(row["cosine"], nan=-2))
        st.caption("The nearest pairs first: each generated image, then its nearest training image.")
        shown: list[tuple[Pictures | None, str, str]] = []
        for row in rows[:NEAREST_SHOWN]:
            if row["nearest_cosine"] is not None:
                values = f"cosine {brief(row['cosine'])} · WSI {brief(row['wsi'])}"
                shown.append((own, row["image"], f"{md_escape(row['image'], limit=30)} · {values}"))
                shown.append((real, row["nearest_cosine"], md_escape(row["nearest_cosine"], limit=30)))
        gallery(shown, key="nearest")
        note = "Features take few values, so many training images can be equally near."
        answer_table(context, answer, "nearest", note=note)

    def duplicates() -> None:
        if own is None or real is None:
            st.caption("These groups have features only; near duplicates are found in pictures.")
            return
        rows = answer.tables["near-duplicates"].rows
        of_training = len({row["generated"] for row in rows if row["of_training"]})
        images = pluralize(len(own.items), "generated image")
        st.markdown(f"**{count(of_training)}** of {images} are near-identical to a training image.")
        note = "Difference hash, at most 16 of 256 bits apart. Turned, mirrored and cut ones are not found."
        answer_table(context, answer, "near-duplicates", note=note)

    fold.section("The nearest training image", nearest, keep=words.NEAREST)
    fold.section("Near-duplicate pictures", duplicates, keep=words.DUPLICATES)


def distances(context: Context, of: Compared) -> None:
    """The distances of all groups, then agreement of scores with each other and with people."""
    try:
        held = vectors(of.material)
        answer = None if held is None else of.distances(context.entry.path, held)
    except CuiscopeError as error:
        st.info(md_escape(str(error)), icon=":material/info:")
        return
    if answer is None:
        return
    lead(answer)
    st.caption(md_escape(str(answer.shown[0]), limit=400))
    for stem, drawn in answer.figures(context.theme).items():
        figure.show(context, drawn, key=f"distances-{stem}", note=stem == "frechet")
    note = (
        "KL in nats. LPIPS needs the packages lpips and torchvision and is a command (`synthetic distances`)."
    )
    answer_table(context, answer, "distances", note=note)
    note = (
        "Precision: generated images within reach of a real one. Recall and coverage: real images that "
        "are reached. KID: 0 for the same distribution. First row: one half of the real images against "
        "the other half."
    )
    answer_table(context, answer, "fidelity", note=note)
    st.subheader("Do the scores agree?", anchor=False)
    if uploads.kept(context.entry.path, uploads.PEOPLE) is None:
        st.caption("With judgments of people (under Own images), this shows which score agrees with them.")
    for name, note in AGREEMENT.items():
        if name in answer.tables:
            answer_table(context, answer, name, note=note)


AGREEMENT = {
    "pairs": "The share of pairs about which a score makes the same choice as people, with the percentile "
    "bootstrap over judgments.",
    "confusion": "Which image of a pair people prefer, and which the score.",
    "agreement": "Spearman’s ρ within each group; more is better (distances with a minus). With people: "
    "percentile bootstrap over images.",
}


# Tiles of pictures that belong to no study: uploaded ones and altered copies.

SIZE, WIDTH = 192, 132
"""Pixels of a tile as it is made, and as it is drawn."""


def gallery(shown: Sequence[tuple[Pictures | None, str, str]], *, key: str) -> None:
    """Images in rows: where the picture is, its id and its caption (Markdown); those without a picture as
    captions alone."""
    made = [
        (None if own is None else _tile(own.digest, image, own), image, text) for own, image, text in shown
    ]
    with_tile = [(tile, image, text) for tile, image, text in made if tile is not None]
    if with_tile:
        images, names, captions = (list(column) for column in zip(*with_tile, strict=True))
        with st.container(key=f"gallery-{key}"):
            st.image(images, captions, WIDTH, alt=[plain(name, limit=200) for name in names])
    if rest := [f"- {text}" for tile, _, text in made if tile is None]:
        st.markdown("\n".join(rest))


@st.cache_data(max_size="60MB", show_spinner=False)
def _tile(digest: str, image: str, _pictures: Pictures) -> bytes | None:  # noqa: ARG001
    item = next(item for item in _pictures.items if item.image == image)
    try:
        return tiles.mounted(jpeg(_pictures.picture(item), quality=QUALITY), size=SIZE)
    except CuiscopeError:
        return None
