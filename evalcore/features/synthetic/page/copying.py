"""Copies and diversity: does a group repeat itself, or the training images?"""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.features.synthetic.copies import Copies, clustered_order, near_copies
from evalcore.features.synthetic.diversity import Diversity, Likeness
from evalcore.features.synthetic.evaluation.evaluate import Evaluation
from evalcore.features.synthetic.figures import likeness_square, nearest_cloud, pair_lines
from evalcore.features.synthetic.memorisation import METHOD, Comparison
from evalcore.features.synthetic.page import scores, upload, words
from evalcore.features.synthetic.page import upload as work
from evalcore.features.synthetic.page.choose import Chosen
from evalcore.features.synthetic.read.material import Material, Part
from evalcore.features.synthetic.read.uploaded import NEAR
from evalcore.features.synthetic.tables import Tested, copies_table, nearest_rows, nearest_table, tests_table
from evalcore.results.rows import Table, only_shown
from evalcore.ui.components import figure, fold, messages, select, table
from evalcore.ui.frame import jobs, state
from evalcore.ui.frame.context import Context
from evalcore.values.errors import CuiscopeError
from evalcore.values.progress import Progress
from evalcore.values.writing import brief, count, md_escape, number, p_equals, pluralize, signed_span

ALIKE = {"features": "by features (WSI)", "vectors": "by vectors (cosine)"}
QUESTIONS = {"self-similarity": "Similar to each other", "nearest training image": "Nearest training image"}
SQUARE, PAIRS_SHOWN, NEAREST_SHOWN = 240, 200, 12
AT_ONCE = 400
"""Pictures up to which near duplicates are looked for without being asked."""


def section(context: Context, of: Material, evaluation: Evaluation, chosen: Chosen) -> None:
    """One group against the training images, which are the archetypes."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        group = scores.group_of(evaluation, keep=words.COPYING, first=NEAR)
        kind = upload.ask(context, of)
    k = evaluation.groups.index(group)
    try:
        got = work.diverse(of, evaluation, chosen, k, upload.of_parts(context, of, kind))
    except CuiscopeError as error:
        st.info(md_escape(str(error)), icon=":material/info:")
        return
    if got is None:
        return
    messages.lead(_lead(got, group.name))
    _tests(context, got)
    likeness = got.features
    if got.vectors is not None and kind != upload.FEATURES:
        which = select.segments("Similarity of two images", ALIKE, keep=words.SIMILARITY, width="content")
        likeness = got.vectors if which == "vectors" else got.features
    of_what = "WSI of pairs" if likeness is got.features else "cosine of pairs"
    names = ("training images", group.name)
    drawn = pair_lines(*likeness.pairs, names=names, of=of_what, theme=context.theme)
    figure.show(context, drawn, key="pairs-within")
    left, right = figure.side_by_side()
    with left:
        _square(figure.within(context), likeness, of_what)
    with right:
        _cloud(figure.within(context), got, group.name)
    training, own = of.archetypes, of.groups[k]
    fold.section("The nearest training image", _nearest, context, got, training, own, keep=words.NEAREST)
    fold.section("Near-duplicate pictures", _near_copies, context, training, own, keep=words.ALIKE)


def _lead(got: Diversity, name: str) -> str:
    likenesses = [got.features, *([] if got.vectors is None else [got.vectors])]
    itself, copied = got.itself, likenesses[-1].near
    repeats = (
        f"**{md_escape(name)}** lacks variety: its images resemble each other more "
        f"({number(itself.generated)}) than real ones do ({number(itself.training)})"
        if itself.flagged()
        else f"**{md_escape(name)}** does not repeat itself more than the training images do"
    )
    joint = "and" if itself.flagged() else "but"
    copies = (
        f"{joint} its images are nearer to a training image ({number(copied.generated)}) than training "
        f"images to each other ({number(copied.training)}): they may be copies"
        if any(likeness.near.flagged() for likeness in likenesses)
        else "and its images are not nearer to training images than these are to each other"
    )
    return f"{repeats}, {copies}."


def _tests(context: Context, got: Diversity) -> None:
    plain_words, own = context.choice.plain, got.drawn
    rows = [Tested("", *test, own) for test in got.tests("features (WSI)", "vectors (cosine)")]
    columns = (
        only_shown("Question", "question", cell=QUESTIONS.__getitem__),
        only_shown("By", "by"),
        only_shown("Generated", "comparison.generated", cell=number),
        only_shown("Training", "comparison.training", cell=number),
        only_shown("Difference (95%)", "comparison", cell=_difference),
        only_shown("Could be chance?" if plain_words else "Chance", "comparison.p", cell=p_equals),
        only_shown("Verdict", lambda row: "**more similar**" if row.comparison.flagged() else "as expected"),
    )
    shown = pd.DataFrame(Table(rows, columns).on_page())
    table.wrapped(shown, alt=f"{pluralize(len(rows), 'test')} of copies and diversity")
    one = got.itself
    sample = " A sample of a larger group." if got.drawn else ""
    saved = pd.DataFrame(tests_table(rows).saved()).drop(columns="group").rename(columns={"by": "similarity"})
    table.beside(
        f"{pluralize(one.n_generated, 'generated image')}, {pluralize(one.n_training, 'training image')} "
        "(the real "
        f"images of this page); {METHOD}, {count(one.n_resamples)} relabellings, p = (b+1)/(n+1), seed "
        f"{one.seed}; intervals: percentile bootstrap over images; each test by itself at .05.{sample}",
        saved,
        context.stem("synthetic-copies"),
    )


def _difference(comparison: Comparison) -> str:
    return f"{number(comparison.difference)} ({signed_span(comparison.low, comparison.high)})"


def _square(context: Context, likeness: Likeness, of_what: str) -> None:
    """All with all, a sample of them where they are many."""
    n = len(likeness.similarity)
    kept = np.arange(n) if n <= SQUARE else np.unique(np.linspace(0, n - 1, SQUARE).round().astype(int))
    part = likeness.similarity[np.ix_(kept, kept)]
    cut = f", {len(kept)} of {n} images" if len(kept) < n else ""
    drawn = likeness_square(
        part, clustered_order(part), likeness.generated[kept], of=f"{of_what}{cut}", theme=context.theme
    )
    figure.show(context, drawn, key="square")


def _cloud(context: Context, got: Diversity, name: str) -> None:
    """Both kinds of nearness side by side."""
    if got.vectors is None:
        st.info(
            "No vectors to compare with. Upload some (npz or parquet), or compute them with ResNet-18 under "
            "“Other scores”.",
            icon=":material/info:",
        )
        return
    drawn = nearest_cloud(
        got.generated_ids,
        got.features.nearest.value,
        got.vectors.nearest.value,
        training=(got.features.of_training, got.vectors.of_training),
        group=name,
        theme=context.theme,
    )
    figure.show(context, drawn, key="nearest-cloud")


def _nearest(context: Context, got: Diversity, training: Part, own: Part) -> None:
    """The generated images nearest to a training image, beside it; the whole list as a table."""
    by = got.vectors or got.features
    known = np.flatnonzero(by.nearest.image >= 0)
    order = known[np.argsort(-by.nearest.value[known], kind="stable")]
    if own.pictures is not None and training.pictures is not None:
        at = {image: i for i, image in enumerate(own.table.ids)}
        to = {image: i for i, image in enumerate(training.table.ids)}
        st.caption("The nearest pairs first: each generated image, then its nearest training image.")
        shown = []
        for i in order[:NEAREST_SHOWN].tolist():
            image, real = got.generated_ids[i], got.training_ids[int(by.nearest.image[i])]
            values = f"WSI {brief(float(got.features.nearest.value[i]))}"
            if got.vectors is not None:
                values = f"cosine {brief(float(got.vectors.nearest.value[i]))} · {values}"
            left, right = scores.tile(own.pictures, at[image]), scores.tile(training.pictures, to[real])
            if left is not None and right is not None:
                shown.append((left, f"{md_escape(image, limit=30)} · {values}", image))
                shown.append((right, md_escape(real, limit=30), real))
        scores.gallery(shown, key="nearest")
    rows = nearest_rows(got)
    both = got.vectors is not None
    table.declared(
        context,
        nearest_table([rows[i] for i in order], vectors=both),
        key="synthetic-nearest",
        height=300,
        saved=nearest_table(rows, vectors=both),
        alt=f"Nearest training images of {pluralize(len(rows), 'image')}",
        stem=context.stem("synthetic-nearest"),
        note="Features take few values, so many training images can be equally near.",
    )


def _near_copies(context: Context, training: Part, own: Part) -> None:
    """Pictures that are near-identical to a perceptual hash."""
    if own.pictures is None or training.pictures is None:
        st.caption("These groups have features only; near duplicates are found in pictures.")
        return
    real, fake = training.pictures, own.pictures
    shown = [*real.all(), *fake.all()]
    generated = np.arange(len(shown)) >= len(real.ids)

    def looked(progress: Progress) -> Copies:
        return near_copies(shown, generated, progress=progress)

    key = f"synthetic near copies {real.digest} {fake.digest} {real.side} {fake.side}"
    if len(shown) > AT_ONCE and not state.get(f"look-{key}") and not jobs.began(key):
        st.button(
            "Look for near duplicates",
            key="look-near-copies",
            icon=":material/content_copy:",
            on_click=state.set_plain,
            args=(f"look-{key}", True),
        )
        return
    result = jobs.run(key, looked, label="Looking for near duplicates")
    if result is None:
        return
    copies = copies_table([(own.name, [*real.ids, *fake.ids], result)])
    of_training = len({pair.first for pair in result.pairs if pair.of_training})
    st.markdown(
        f"**{count(of_training)}** of {pluralize(len(fake.ids), 'generated image')} are near-identical to a "
        f"training image, and {pluralize(sum(not pair.of_training for pair in result.pairs), 'pair')} of "
        "generated "
        "images like each other."
    )
    table.declared(
        context,
        copies._replace(rows=copies.rows[:PAIRS_SHOWN]),
        key="synthetic-near-copies",
        saved=copies,
        height=300,
        alt=f"{pluralize(len(copies.rows), 'pair')} of near-identical pictures",
        stem=context.stem("synthetic-near-copies"),
        note="Difference hash, at most 16 of 256 bits apart. Turned, mirrored and cut ones are not found.",
    )
