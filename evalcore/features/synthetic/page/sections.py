"""The page on generated images: what is scored, what it found, and what it rests on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.features.synthetic.ablation import ALPHA_BETA
from evalcore.features.synthetic.answers import ABLATION, settings_figures
from evalcore.features.synthetic.findings import capitalised, remarks
from evalcore.features.synthetic.page import found, scored, words, work
from evalcore.features.synthetic.page.work import Compared
from evalcore.stats.levels import SAME
from evalcore.ui.components import figure, fold, messages
from evalcore.ui.frame.context import Context
from evalcore.values.errors import CuiscopeError
from evalcore.values.model import SystemLook
from evalcore.values.writing import md_escape, number, pluralize

PLAIN = (
    "**The features were chosen by hand.** The score sees brightness, texture, objects and sharpness, and "
    "nothing else. What a radiologist would notice first may not be among them.",
    "**A feature is present or it is not.** It is present when its value is in the range of most real "
    "images. A value just outside counts as much as one far away.",
    "**Features outside the range in both are ignored.**",
    "**Real images score below 1, too.** Each feature leaves some of them outside by design. Compare a "
    "group with held-out real images, not with 1.",
    "**A high score proves neither quality nor novelty:** a perfect copy of a real image scores as high "
    "as the image itself. Look at “Copies and diversity” too.",
)
EXPERT = (
    "WSI = C / (C + αU + βV) after Tversky (1977), features weighted, as proposed by Brooks & Deshpande "
    "(2025, arXiv 2503.22658). The full text’s feature list and data were not available: the features "
    "here are a substitute of first-order, Haralick, object and sharpness statistics.",
    "Stipulated by the paper: which features matter, their weights, the tolerance quantiles, and which "
    "side α and β weigh (here α the subject’s surplus, β its lack). Defaults α = β = 1 (Jaccard), "
    "inferred from the ablation values 2/3 and 1/3.",
    "Joint absences count nowhere: features that subject and archetype both lack leave numerator and "
    "denominator alone. The table lists how many there are on average.",
    "Two interpretations: against one archetype with every feature (score of single images), or the mean "
    "over all archetype images with the features each has (statements on pairs). Pairs and nearest images "
    "always use the second.",
    "Tolerances are quantiles of the archetypes themselves, so these pass each feature with the width of "
    "the quantiles (about 90%), and others of the same kind slightly less often. Correlated features are "
    "each counted.",
    "With α ≠ β a pair of generated images has two values; self-similarity takes their mean.",
)


def show(context: Context) -> None:
    """What is scored; then, once the images are measured, what it found and what it rests on."""
    chosen = scored.section(context)
    if chosen.why:
        return
    st.header("What it found", anchor=False)
    result = work.measured(chosen)
    if result is None:
        return
    material, report = result
    if material is None:
        st.error("These groups cannot be compared.")
        messages.problems(report, key="no-material")
        return
    try:
        of = work.compared(material, report, chosen)
    except CuiscopeError as error:
        st.error(md_escape(str(error)))
        return
    context = _one_look_each(context, of)
    found.section(context, of)
    st.header("What it rests on", anchor=False)
    with st.expander("What the score takes into account, and how it was computed", icon=":material/rule:"):
        _assumptions(context, of)
    _remarks(of)
    title = "Would other settings change the scores?"
    fold.section(title, settings, context, of, keep=words.SETTINGS, icon=":material/tune:")


def _one_look_each(context: Context, of: Compared) -> Context:
    """Colours and markers by the order of the groups, the same in every figure of the page."""
    groups = {group.name: SystemLook(place=i) for i, group in enumerate(of.material.groups, 1)}
    real = SystemLook(place=18)  # the eighth colour and the ninth marker
    name = of.material.real.name
    looks = {"training images": real, name: real, f"{name}, held out": real, **groups}
    return replace(context, theme=replace(context.theme, looks=looks))


def _assumptions(context: Context, of: Compared) -> None:
    """Five sentences for everybody, six for who wants to know; and what the groups are, if known."""
    st.markdown("\n".join(f"- {text}" for text in (PLAIN if context.choice.plain else EXPERT)))
    config, (low, high) = of.chosen.config, of.chosen.config.quantiles
    against = "one archetype with every feature" if config.archetype == "tolerance" else "each real image"
    st.caption(
        f"Now: compared with {against}, alpha {config.alpha:g}, beta {config.beta:g}, quantiles {low:g} "
        f"and {high:g}, {len(of.evaluation.names)} features."
    )
    if of.chosen.about:
        st.caption(f"Groups: {of.chosen.about}.")


def _remarks(of: Compared) -> None:
    """What to know about the features, and what is wrong with the images; behind a fold."""
    report = of.report + remarks(of.evaluation)
    kinds = zip(messages.kinds_of_problems(report), ("error", "remark"), strict=True)
    if title := " and ".join(pluralize(n, word) for n, word in kinds if n):
        with st.expander(f"{title} on images and features", icon=":material/rule_folder:"):
            messages.problems(report, key="material-problems")


def settings(context: Context, of: Compared) -> None:
    """The mean score of a group under other settings, without each feature, and without channels."""
    answer = of.other_settings()
    if answer is None:
        return
    table, group = answer.tables["sensitivity"], found.group_of(of)
    st.markdown(_settings_lead(pd.DataFrame(table.rows), [each.name for each in of.evaluation.groups]))

    def called(name: str) -> str:
        return words.feature(name, plain=context.choice.plain)

    for stem, drawn in settings_figures(table, group, of.chosen.config, context.theme, called).items():
        figure.show(context, drawn, key=f"settings-{stem}", note=stem in ("alpha-beta", "without"))
    channels = f"channels-{of.evaluation.groups.index(group) + 1}"
    if channels in answer.tables:
        st.markdown(f"**Images of {md_escape(group.name)} without channels**")
        found.answer_table(context, answer, channels, note=ABLATION)
    found.answer_table(context, answer, "sensitivity")


def _settings_lead(rows: pd.DataFrame, groups: list[str]) -> str:
    """Do alpha and beta change which group is best?"""
    of_sides = rows[rows["what"] == ALPHA_BETA].pivot(index="setting", columns="group", values="mean")
    means = of_sides[groups].dropna()
    if len(groups) < 2 or means.empty:
        low, high = (
            md_escape(number(float(end))) for end in (means[groups[0]].min(), means[groups[0]].max())
        )
        return f"The mean score of **{md_escape(groups[0])}** is between **{low}** and **{high}**."
    apart = means[np.ptp(means.to_numpy(), axis=1) > SAME]
    if apart.empty:
        return "Under every pair of alpha and beta, all groups are equally close to the real images."
    wins = apart.idxmax(axis=1).value_counts()
    of_all = f"{wins.iloc[0]} of {pluralize(len(means), 'pair')} of alpha and beta"
    return f"**{capitalised(md_escape(wins.index[0]))}** is most like the real images under {of_all}."
