"""Other scores: distances between Gaussians, and whether the scores agree with each other and with people."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.features.synthetic import distances, field
from evalcore.features.synthetic.evaluation.evaluate import Evaluation
from evalcore.features.synthetic.figures import distance_rows
from evalcore.features.synthetic.figures.likeness import far
from evalcore.features.synthetic.page import scores, upload, words
from evalcore.features.synthetic.page.upload import Vectors
from evalcore.features.synthetic.read import uploaded
from evalcore.features.synthetic.read.material import Material
from evalcore.features.synthetic.tables import distances_table, field_table
from evalcore.figures.maps import agreement_matrix
from evalcore.ui.components import figure, fold, messages, select, table
from evalcore.ui.frame import jobs
from evalcore.ui.frame.context import Context
from evalcore.values.arrays import Floats
from evalcore.values.errors import CuiscopeError
from evalcore.values.progress import Progress
from evalcore.values.writing import brief, count, listed, md_escape, number, plain, pluralize, span

FORWARD, BACKWARD, FRECHET = "forward", "backward", "frechet"
NAMES = {FORWARD: "KL(group ‖ real)", BACKWARD: "KL(real ‖ group)", FRECHET: "Fréchet distance, squared"}
SCORES = {"wsi": "WSI", "minus_mahalanobis": "− Mahalanobis", "nearest_cosine": "nearest real (cosine)"}


def section(context: Context, of: Material, evaluation: Evaluation) -> None:
    """The distances of all groups, then agreement within one."""
    try:
        chosen = upload.of_parts(context, of, upload.ask(context, of))
        got = None if chosen is None else _distances(of, chosen)
    except CuiscopeError as error:
        st.info(md_escape(str(error)), icon=":material/info:")
        return
    if chosen is None or got is None:
        return
    messages.lead(_lead(got, context))
    _shrinkage(got, chosen)
    which = select.segments("Distance", NAMES, keep=words.DISTANCE, first=FRECHET, width="content")
    values = [
        float("nan") if group.distances is None else getattr(group.distances, which) for group in got.groups
    ]
    drawn = distance_rows(
        [group.name for group in got.groups],
        values,
        [getattr(one, which) for one in got.halves],
        distance=NAMES[which],
        theme=context.theme,
    )
    figure.show(context, drawn, key="distances")
    _table(context, got, chosen)
    fold.section("Precision, coverage and other measures", _field, context, of, chosen, keep=words.FIELD)
    st.header("Do the scores agree?", anchor=False)
    _agreement(context, of, evaluation, got, chosen)


def _distances(of: Material, chosen: Vectors) -> distances.AllDistances | None:
    groups = {group.name: rows for group, rows in zip(of.groups, chosen.groups, strict=True)}

    def work(progress: Progress) -> distances.AllDistances:
        return distances.all_distances(chosen.archetypes, groups, progress=progress)

    return jobs.run(f"synthetic distances {of.digest} {chosen.key}", work, label="Fitting Gaussians")


def _field(context: Context, of: Material, chosen: Vectors) -> None:
    """What other measures say of the same groups, and where they disagree."""
    groups = {group.name: rows for group, rows in zip(of.groups, chosen.groups, strict=True)}

    def work(progress: Progress) -> tuple[field.FieldRow, ...]:
        return field.field(chosen.archetypes, groups, progress=progress)

    rows = jobs.run(f"synthetic field {of.digest} {chosen.key}", work, label="Comparing neighbours")
    if rows is None:
        return
    if verdict := field.verdict(rows):
        st.markdown(md_escape(verdict))
    table.declared(
        context,
        field_table(rows),
        key="synthetic-field",
        alt=f"Precision, recall, density, coverage and KID of {pluralize(len(rows) - 1, 'group')}",
        stem=context.stem("synthetic-field"),
        note="Precision: generated images within reach of a real one. Recall and coverage: real images that "
        f"are reached. Reach: the distance to the {field.K}th nearest image of the same kind. KID: 0 for the "
        f"same distribution. 95% intervals by {field.N_RESAMPLES} resamples of images. First row: one half "
        "of the real images against the other half.",
    )


def _lead(got: distances.AllDistances, context: Context) -> str:
    known = [(group.distances.frechet, group.name) for group in got.groups if group.distances is not None]
    if not known:
        return "No group has enough images with different vectors for a distance."
    (near, first), (most, last) = min(known), max(known)
    text = f"**{md_escape(first)}** is nearest to the real images (Fréchet {far(near)})"
    if len(known) > 1:
        text += f", **{md_escape(last)}** farthest ({far(most)})"
    if got.halves:
        low, high = (end(one.frechet for one in got.halves) for end in (min, max))
        text += f"; halves of the real images are {span(low, high)} apart"
        if near <= high and context.choice.plain:
            text += ", so it is as near as real images are to each other"
    return f"{text}."


def _shrinkage(got: distances.AllDistances, chosen: Vectors) -> None:
    """How the Gaussians were fitted, in plain sight."""
    fitted = "Sample covariances (n − 1)."
    if got.shrunk:
        known = [group for group in got.groups if group.shrinkage is not None]
        shares = [f"{md_escape(one.name)} {one.shrinkage:.2f}" for one in known]
        fitted = (
            ":material/warning: Shrunk covariances (Ledoit–Wolf), because a group has no more images than "
            "vectors have numbers, or its vectors span fewer dimensions: share of the identity "
            f"{got.shrinkage or 0:.2f} for the real images; {listed(shares, limit=8)}. Distances then depend "
            "on the sizes of the groups."
        )
    st.caption(
        f"Vectors: {md_escape(chosen.what)}, {pluralize(got.dimensions, 'dimension')}; "
        f"{pluralize(got.n, 'real image')}. {fitted}"
    )
    why = [f"{md_escape(group.name)} ({group.why})" for group in got.groups if group.why]
    if why:
        st.caption(f"Without a distance: {listed(why)}.")


def _table(context: Context, got: distances.AllDistances, chosen: Vectors) -> None:
    table.declared(
        context,
        distances_table(got),
        key="synthetic-distances",
        alt=f"Distances of {pluralize(len(got.groups), 'group')}",
        stem=context.stem("synthetic-distances"),
        note=f"In nats, of Gaussians of {md_escape(chosen.what)}. Mean Mahalanobis distance of real images "
        f"{number(float(np.mean(got.own)))}; {count(len(got.halves))} random halves, seed {got.seed}. LPIPS "
        "needs the packages lpips and torchvision and is a command (`synthetic distances`, `lpips=default`).",
    )


def _agreement(
    context: Context, of: Material, evaluation: Evaluation, got: distances.AllDistances, chosen: Vectors
) -> None:
    group = scores.group_of(evaluation)
    k = evaluation.groups.index(group)
    scored = distances.score_columns(group.values, got.groups[k].each, chosen.groups[k], chosen.archetypes)
    of_images = {SCORES[name]: values for name, values in scored.items()}
    people = uploaded.people(context.entry.path)
    ids = of.groups[k].table.ids
    judged = distances.in_order(ids, people) if people else np.full(len(ids), np.nan)
    columns = of_images | ({"people": judged} if np.isfinite(judged).sum() >= distances.FEWEST else {})
    both = distances.agreement(columns)
    left_out = f", {count(both.left_out)} without one of the scores" if both.left_out else ""
    drawn = agreement_matrix(
        both.names,
        both.rho,
        both.tau,
        of=f"{pluralize(both.n, 'image')} of {plain(group.name)}{left_out}",
        theme=context.theme,
    )
    figure.show(context, drawn, key="score-agreement", square=True)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        upload.people_section(context)
    with right:
        _with_people(of_images, judged, people is not None)
    rows = pd.DataFrame({"image": ids, "group": group.name, **of_images, "people": judged})
    table.beside(
        "Every score of every image of the group; more is better (distances with a minus).",
        rows,
        context.stem("synthetic-other-scores"),
    )


def _with_people(of_images: dict[str, Floats], judged: Floats, given: bool) -> None:
    """Which score orders the images as people do?"""
    known = int(np.isfinite(judged).sum())
    if not given:
        st.caption("With a ranking by people, this shows which score orders the images as they do.")
        return
    if known < distances.FEWEST:
        st.info(
            f"The ranking names {pluralize(known, 'image')} of this group; {distances.FEWEST} are needed. "
            "Ids must be those of the images.",
            icon=":material/info:",
        )
        return
    peoples = sorted(
        distances.with_people(of_images, judged), key=lambda people: -np.nan_to_num(people.rho, nan=-2)
    )
    shown = pd.DataFrame(
        {
            "Score": [one.name for one in peoples],
            "Spearman’s ρ (95%)": [
                f"{brief(one.rho)} ({span(one.low, one.high, places=2)})" for one in peoples
            ],
            "Images": [str(one.n) for one in peoples],
        }
    )
    st.markdown("**Agreement with people**")
    table.wrapped(shown, alt=f"Agreement of {pluralize(len(peoples), 'score')} with people")
    st.caption("Percentile bootstrap over images, 999 resamples, seed 0.")
