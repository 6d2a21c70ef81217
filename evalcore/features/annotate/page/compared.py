"""Concepts found against those the study was given: how good they are, and what they do to the systems."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import streamlit as st

from evalcore.features.annotate.page import work
from evalcore.features.annotate.quality import Estimate, Quality, Standings, quality, standings
from evalcore.features.annotate.tables import concepts_table, quality_table, standings_table
from evalcore.features.annotate.values import Annotation
from evalcore.ui.components import table
from evalcore.ui.frame import jobs
from evalcore.ui.frame.context import Context
from evalcore.values.arrays import digest_of
from evalcore.values.markdown import md_escape, plain
from evalcore.values.model import Study
from evalcore.values.progress import Progress
from evalcore.values.settings import Settings
from evalcore.values.writing import count, fixed, percent, pluralize, share

MOST = 200
"""Concepts that are listed one by one."""


class Held(NamedTuple):
    """Concepts found against those given, and the systems under both; ``ranked`` None without systems."""

    quality: Quality
    ranked: Standings | None


def section(context: Context, made: Annotation) -> None:
    """Where the study has concepts of its own."""
    study = context.study
    if not study.concepts.annotated.any():
        return
    st.subheader("Against the concepts this study has", anchor=False)
    choice = context.choice
    wanted = [choice.metric, *study.systems, repr(choice.settings)]
    held = jobs.run(
        f"annotate-quality {digest_of([study.content, made.digest, *wanted])}",
        partial(_held, study, made, choice.metric, choice.settings),
        label="Comparing with the concepts of this study",
    )
    if held is None:
        return
    _quality(context, held.quality)
    if held.ranked is not None:
        _systems(context, held.ranked)
    with st.expander("Concept by concept", icon=":material/list:"):
        _concepts(context, held.quality)


def _held(study: Study, made: Annotation, metric: str, settings: Settings, progress: Progress) -> Held:
    ids, groups = study.image_ids, study.groups
    given = {
        image: study.concepts.of_image(at) if study.concepts.annotated[at] else None
        for at, image in enumerate(ids)
    }
    of_image = None if groups is None else dict(zip(ids, groups.of_image.tolist(), strict=True))
    progress(0.0, "precision and recall")
    good = quality(given, made.concepts, named=made.names.concepts or None, groups=of_image)
    if not study.systems:
        return Held(good, None)
    (ranked,) = standings(study, made.concepts, metrics=[metric], settings=settings, progress=progress)
    return Held(good, ranked)


def _quality(context: Context, good: Quality) -> None:
    """Precision, recall and F1 in a sentence and a small table."""
    st.markdown(
        f"Of what was found **{_share(good.micro.precision)}** is given too; of what is given "
        f"**{_share(good.micro.recall)}** was found."
    )
    table.declared(
        context,
        quality_table(good),
        key="annotate-quality",
        alt="Precision, recall and F1 of the concepts found, with their intervals",
    )
    drawn = pluralize(good.n_groups, "group") if good.n_groups else pluralize(good.n_images, "image")
    left = f"; {pluralize(good.left_out, 'image')} without given concepts left out" if good.left_out else ""
    st.caption(
        f"{share(good.level)} intervals: bootstrap over {drawn}, {count(good.n_resamples)} resamples, seed "
        f"{good.seed}{left}. In {pluralize(good.not_annotated, 'image')} no known term was found."
    )
    if (held := good.coverage) is not None:
        st.caption(
            f"{count(held.named)} of {pluralize(held.concepts, 'given concept')} have a name to look for: "
            f"{percent(held.named_occurrences, held.occurrences)} of what is given could be found at all. "
            "What a caption does not say cannot be found in it."
        )


def _share(one: Estimate) -> str:
    return "–" if one.value != one.value else share(one.value)


def _systems(context: Context, ranked: Standings) -> None:
    """The leaderboard under given and found concepts, side by side."""
    metric = md_escape(context.choice.metric_shown)
    st.markdown(f"**{metric}** under both: {_order(ranked)}")
    table.declared(
        context,
        standings_table(ranked),
        key="annotate-standings",
        file="given-and-found-concepts",
        note=f"{pluralize(ranked.n_queries, 'query')} with a value under both; "
        f"{count(ranked.n_given)} under the given concepts, {count(ranked.n_found)} under those found.",
        alt=f"{pluralize(len(ranked.systems), 'system')} under the given concepts and under those found",
    )


def _order(ranked: Standings) -> str:
    if not ranked.n_queries:
        return "no query has a value under both."
    if ranked.n_pairs == 0:
        return "one system, so there is no order."
    if not ranked.swaps:
        return f"the order of the systems is the same (Kendall’s τ {fixed(ranked.tau, 2)})."
    return (
        f"{pluralize(len(ranked.swaps), 'pair')} of {count(ranked.n_pairs)} swap their order (Kendall’s τ "
        f"{fixed(ranked.tau, 2)})."
    )


def _concepts(context: Context, good: Quality) -> None:
    some = good.concepts[:MOST]
    table.declared(
        context,
        concepts_table(some, lambda concept: plain(work.named(context.study, concept), limit=80)),
        key="annotate-concepts",
        file="concepts-found",
        note=f"The {pluralize(len(some), 'concept')} given most often.",
        alt=f"{pluralize(len(some), 'concept')}: given, found and both",
    )
