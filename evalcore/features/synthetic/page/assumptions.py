"""What the method takes for granted, in plain sight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from evalcore.features.synthetic.evaluation.evaluate import Evaluation
    from evalcore.ui.frame.context import Context

PLAIN = (
    "**The features were chosen by hand.** The score sees brightness, texture, objects and sharpness, and "
    "nothing else. What a radiologist would notice first may not be among them.",
    "**A feature is there or it is not.** It is there when its value lies where most of the real images lie. "
    "A value just outside counts as much as one far away.",
    "**Features outside the range in both are ignored.**",
    "**Real images score below 1, too.** Each feature leaves some of them outside by design. Compare a group "
    "with held-out real images, not with 1.",
    "**A high score is no proof of quality,** and no proof of novelty: a perfect copy of a real image scores "
    "as high as the image itself. Look at “Copies and diversity” too.",
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


def section(context: Context, found: Evaluation) -> None:
    """Five sentences for everybody, six for who wants to know."""
    with st.expander("Assumptions of this score", icon=":material/rule:"):
        for one in PLAIN if context.choice.plain else EXPERT:
            st.markdown(f"- {one}")
        how = found.settings
        reading = "one archetype with every feature" if how.archetype == "tolerance" else "each real image"
        st.caption(
            f"Now: compared with {reading}, alpha {how.alpha:g}, beta {how.beta:g}, quantiles "
            f"{how.quantiles[0]:g} and {how.quantiles[1]:g}, {len(found.names)} features."
        )
