"""The page Synthetic: what is compared, and its parts one after the other."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.features.synthetic.ablation import own_ablation
from evalcore.features.synthetic.evaluation.evaluate import Evaluation
from evalcore.features.synthetic.evaluation.sensitivity import Sensitivity, setting_rows
from evalcore.features.synthetic.figures import dropped_bars, settings_map
from evalcore.features.synthetic.images import ImageSettings
from evalcore.features.synthetic.page import choose, copying, others, scores, upload, words
from evalcore.features.synthetic.page import upload as work
from evalcore.features.synthetic.page.choose import OWN, Chosen
from evalcore.features.synthetic.read import uploaded
from evalcore.features.synthetic.read.material import Material, NoMaterial
from evalcore.features.synthetic.tables import ablation_table
from evalcore.features.synthetic.tversky import CHANNELS, UNIFORM
from evalcore.figures.theme import Theme
from evalcore.stats.levels import SAME
from evalcore.ui.components import download, figure, fold, messages, select, table
from evalcore.ui.frame import state
from evalcore.ui.frame.context import Context
from evalcore.values.errors import CuiscopeError
from evalcore.values.model import SystemLook
from evalcore.values.writing import md_escape, number, pluralize, pluralize_all

# What the method takes for granted, in plain sight.

PLAIN = (
    "**The features were chosen by hand.** The score sees brightness, texture, objects and sharpness, and "
    "nothing else. What a radiologist would notice first may not be among them.",
    "**A feature is present or it is not.** It is present when its value is in the range of most real "
    "images. A value just outside counts as much as one far away.",
    "**Features outside the range in both are ignored.**",
    "**Real images score below 1, too.** Each feature leaves some of them outside by design. Compare a group "
    "with held-out real images, not with 1.",
    "**A high score proves neither quality nor novelty:** a perfect copy of a real image scores as high as "
    "the image itself. Look at “Copies and diversity” too.",
)
EXPERT = (
    "WSI = C / (C + αU + βV) after Tversky (1977), features weighted, as proposed by Brooks & Deshpande "
    "(2025, arXiv 2503.22658). The full text’s feature list and data were not available: the features here "
    "are a substitute of first-order, Haralick, object and sharpness statistics.",
    "Stipulated by the paper: which features matter, their weights, the tolerance quantiles, and which side "
    "α and β weigh (here α the subject’s surplus, β its lack). Defaults α = β = 1 (Jaccard), inferred from "
    "the ablation values 2/3 and 1/3.",
    "Joint absences count nowhere: features that subject and archetype both lack leave numerator and "
    "denominator alone. The table lists how many there are on average.",
    "Two interpretations: against one archetype with every feature (score of single images), or the mean "
    "over all archetype images with the features each has (statements on pairs). Pairs and nearest images "
    "always use the second.",
    "Tolerances are quantiles of the archetypes themselves, so these pass each feature with the width of the "
    "quantiles (about 90%), and others of the same kind slightly less often. Correlated features are each "
    "counted.",
    "With α ≠ β a pair of generated images has two values; self-similarity takes their mean.",
)


def assumptions_section(context: Context, evaluation: Evaluation, groups: str) -> None:
    """Five sentences for everybody, six for who wants to know; and what the groups are, if known."""
    st.markdown("\n".join(f"- {text}" for text in (PLAIN if context.choice.plain else EXPERT)))
    how = evaluation.settings
    against = "one archetype with every feature" if how.archetype == "tolerance" else "each real image"
    st.caption(
        f"Now: compared with {against}, alpha {how.alpha:g}, beta {how.beta:g}, quantiles "
        f"{how.quantiles[0]:g} and {how.quantiles[1]:g}, {len(evaluation.names)} features."
    )
    if groups:
        st.caption(f"Groups: {groups}.")


# Weights of one's own: the file, what is wrong with it, and a table of the features to write it with.


def weights_section(context: Context, of: Material, evaluation: Evaluation, chosen: Chosen) -> None:
    """The form; and, where uploaded weights count, what could not be used of them."""
    study = context.entry.path
    with st.container(border=True):
        st.markdown("**Weights of your own**")
        st.caption(
            "A table feature,weight: a number of at least 0 for a feature, or for a whole channel by its "
            "name. Anything it does not name has weight 1."
        )
        if chosen.own is not None and (report := work.own_weights(of, chosen)[1]).problems:
            messages.problems(report, key="own-weights")
        file = state.emptied(words.OWN_WEIGHTS)
        st.file_uploader("Weights", key=file, max_upload_size=10)
        with st.container(horizontal=True):
            st.button(
                "Use these weights",
                key="add-weights",
                icon=":material/upload:",
                on_click=upload.add,
                args=(
                    words.OWN_WEIGHTS,
                    partial(uploaded.add_file, study, uploaded.WEIGHTS),
                    "now weights the features.",
                    (words.WEIGHTS, OWN),
                ),
                disabled=state.get(file) is None,
            )
            if uploaded.weights(study) is not None:
                st.button("Remove weights", key="remove-weights", on_click=_remove, args=(study,))
            now = pd.DataFrame({"feature": evaluation.names, "weight": evaluation.weights})
            download.csv(now, context.stem("weights"), label="Weights now")


@upload.guarded
def _remove(study: Path) -> None:
    """Callback: forget them; every feature weighs the same again."""
    state.set_value(words.WEIGHTS, UNIFORM)
    uploaded.remove_file(study, uploaded.WEIGHTS)


# Sensitivity: the mean score of a group under other settings, and without each feature.

WEIGHTINGS = {UNIFORM: "equal features", CHANNELS: "equal channels"}


def settings_matter_section(context: Context, of: Material, evaluation: Evaluation, chosen: Chosen) -> None:
    """Sentence over all groups, then maps and bars of one."""
    matter = work.settings_matter(of, evaluation, chosen)
    if matter is None:
        return
    messages.lead(_lead(matter))
    group = scores.group_of(evaluation)
    k = matter.groups.index(group.name)
    how = evaluation.settings
    now = None
    if how.beta in matter.betas and how.alpha in matter.alphas:
        now = matter.betas.index(how.beta), matter.alphas.index(how.alpha)
    drawn = settings_map(
        _texts(matter.alphas),
        _texts(matter.betas),
        matter.sides[k].T,
        group=group.name,
        now=now,
        theme=context.theme,
        axes=("weight of what is extra (alpha)", "weight of what is missing (beta)"),
    )
    figure.show(context, drawn, key="sides")
    if how.archetype == "tolerance":
        st.caption(
            "Compared with one archetype with every feature, alpha changes nothing: an image cannot have "
            "more than every feature."
        )
    _levels(context, matter, k, evaluation)
    names = [words.feature(name, plain=context.choice.plain) for name in matter.names]
    change = matter.without[k] - group.distribution.mean
    figure.show(context, dropped_bars(names, change, group=group.name, theme=context.theme), key="dropped")
    if len(set(of.archetypes.table.channels)) > 1 and all(part.pictures for part in of.parts):
        fold.section(
            "Without a channel",
            channels_section,
            context,
            of,
            evaluation,
            group.name,
            chosen.images,
            keep=words.CHANNELS_REMOVED,
        )
    rows = pd.DataFrame(setting_rows(matter))
    table.show(
        rows,
        key="synthetic-sensitivity",
        height=320,
        alt=f"Table of {pluralize(len(rows), 'setting')}",
        file=context.stem("synthetic-sensitivity"),
        note=scores.method(evaluation),
        columns=table.numbers("%.4f", "mean"),
    )


def channels_section(
    context: Context, of: Material, evaluation: Evaluation, group: str, by: ImageSettings
) -> None:
    """What the score of a group becomes without each channel, and without every two."""
    (images,) = [part.table for part in of.groups if part.name == group]
    try:
        steps = own_ablation(
            of.archetypes.table,
            images,
            images_by=by,
            settings=evaluation.settings,
            weights=evaluation.weights,
        )
    except CuiscopeError as error:
        st.info(md_escape(str(error)), icon=":material/info:")
        return
    whole, *others = steps
    lost = min(others, key=lambda step: whole.mean - step.mean)
    st.markdown(
        f"Without a channel, or two, the mean score falls from **{number(whole.mean)}** by at least "
        f"**{number(whole.mean - lost.mean)}** (without {' and '.join(lost.without)})."
    )
    table.declared(
        context,
        ablation_table(steps),
        key="synthetic-channels",
        alt=f"Scores of {pluralize(len(steps), 'choice')} of channels",
        stem=context.stem("synthetic-channels"),
        note="Predicted: the features of removed channels count as absent. Ideal: were everything within "
        "tolerance but those. Detected: share of those features out of tolerance.",
    )


def _levels(context: Context, matter: Sensitivity, k: int, evaluation: Evaluation) -> None:
    """Shares of the real images that a tolerance holds, by the two ways to weigh features."""
    if matter.by_level is None:
        return
    values = matter.by_level[k][np.newaxis]
    now = round(evaluation.settings.quantiles[1] - evaluation.settings.quantiles[0], 6)
    at = [j for j, level in enumerate(matter.levels) if abs(level - now) < 1e-9]
    drawn = settings_map(
        [f"{level:.0%}" for level in matter.levels],
        ["mean score"],
        values,
        axes=("middle share of the real images counted as within", ""),
        group=matter.groups[k],
        now=(0, at[0]) if at else None,
        theme=context.theme,
        what="how wide the tolerance is",
    )
    figure.show(context, drawn, key="levels", note=False)
    if matter.by_share is not None:
        drawn = settings_map(
            [f"±{share:.0%}" for share in matter.shares],
            ["mean score"],
            matter.by_share[k][np.newaxis],
            axes=("tolerance in place of quantiles: so much of the mean of the real images", ""),
            group=matter.groups[k],
            now=None,
            theme=context.theme,
            what="how wide the tolerance is",
        )
        figure.show(context, drawn, key="shares", note=False)
    weighed = ", ".join(
        f"{WEIGHTINGS.get(name, name)} **{number(float(value))}**"
        for name, value in zip(matter.weightings, matter.by_weights[k], strict=True)
    )
    st.markdown(f"Weights: {weighed}.")


def _lead(matter: Sensitivity) -> str:
    """Do the settings change which group is best or worst?"""
    names, groups = matter.groups[1:], matter.sides[1:]
    known = np.isfinite(groups).all(axis=0)
    if len(names) < 2 or not known.any():
        low, high = (float(f(groups)) for f in (np.nanmin, np.nanmax)) if known.any() else (np.nan, np.nan)
        name = md_escape(names[0])
        return f"The mean score of **{name}** is between **{number(low)}** and **{number(high)}**."
    rest = groups[:, known]
    apart = np.ptp(rest, axis=0) > SAME
    if not apart.any():
        return "Under every pair of alpha and beta, all groups are equally close to the real images."
    winners, counts = np.unique(rest[:, apart].argmax(axis=0), return_counts=True)
    first, n = names[int(winners[counts.argmax()])], int(apart.sum())
    if len(winners) == 1:
        level = f" (tied under {int((~apart).sum())} more)" if not apart.all() else ""
        tell = "tells" if n == 1 else "tell"
        return (
            f"**{md_escape(first)}** is most like the real images under {pluralize_all(n, 'pair')} of "
            "alpha and "
            f"beta that {tell} groups apart{level}."
        )
    return (
        f"**{md_escape(first)}** is most like the real images under {int(counts.max())} of {n} pairs of "
        "alpha and beta; under the others it is another group."
    )


def _texts(values: tuple[float, ...]) -> list[str]:
    return [f"{value:g}" for value in values]


TRAINING = "training images"
"""What the archetypes are called where copies are spoken of."""
TABS = {
    "scores": "Scores",
    "features": "Features",
    "settings": "Sensitivity",
    "copies": "Copies and diversity",
    "others": "Other scores",
}


def show(context: Context) -> None:
    """Choose, measure, and the open part; below it, closed, what decides the answer."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="synthetic-compared"):
        groups = choose.groups(context)
    messages.show(words.OUTCOME)
    answer = st.container()
    chosen = choose.settings(context, groups)
    evaluation = None
    with answer:
        if chosen.why:
            st.info(chosen.why, icon=":material/info:")
        else:
            evaluation = _answer(context, chosen)
    upload.section(context, first=bool(chosen.why))
    if evaluation is not None:
        fold.section(
            "Assumptions of this score",
            assumptions_section,
            context,
            evaluation,
            choose.about(chosen),
            keep=words.ASSUMED,
            icon=":material/rule:",
        )


def _answer(context: Context, chosen: Chosen) -> Evaluation | None:
    """The open tab only: the others take no time. None while the images are measured, or cannot be."""
    of = work.material(chosen)
    if of is None:
        return None
    if isinstance(of, NoMaterial):
        st.error("These groups cannot be compared.")
        messages.problems(of.report, key="no-material")
        return None
    try:
        evaluation = work.evaluated(of, chosen)
    except CuiscopeError as error:
        st.error(md_escape(str(error)))
        return None
    context = replace(context, theme=_one_look_each(context, of))
    parts = {
        "scores": lambda: scores.section(context, of, evaluation),
        "features": lambda: _features(context, of, evaluation, chosen),
        "settings": lambda: settings_matter_section(context, of, evaluation, chosen),
        "copies": lambda: copying.section(context, of, evaluation, chosen),
        "others": lambda: others.section(context, of, evaluation),
    }
    if chosen.demonstration:
        st.caption(choose.DEMONSTRATION)
    select.parts(parts, keep=words.PART, shown=TABS.__getitem__)
    _problems(of)
    return evaluation


def _features(context: Context, of: Material, evaluation: Evaluation, chosen: Chosen) -> None:
    scores.features_section(context, of, evaluation)
    weights_section(context, of, evaluation, chosen)


def _one_look_each(context: Context, of: Material) -> Theme:
    """Colours and markers by the order of the groups, the same in every figure of the page."""
    looks = {group.name: SystemLook(place=i) for i, group in enumerate(of.groups, 1)}
    real = SystemLook(place=18)  # the eighth colour and the ninth marker
    return replace(
        context.theme,
        looks={TRAINING: real, of.archetypes.name: real, f"{of.archetypes.name}, held out": real, **looks},
    )


def _problems(of: Material) -> None:
    """What was found wrong with the images, behind a fold."""
    counted = zip(messages.kinds_of_problems(of.report), ("error", "remark"), strict=True)
    if title := " and ".join(pluralize(n, word) for n, word in counted if n):
        with st.expander(f"{title} on the images", icon=":material/rule_folder:"):
            messages.problems(of.report, key="material-problems")
