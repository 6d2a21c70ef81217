"""Which relevance measures the page compares, and what each is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.relevance.registry import describe, offered, parse_relevance, weighed_ones
from evalcore.ui.components import select
from evalcore.ui.measures import keys

if TYPE_CHECKING:
    from evalcore.ui.frame.context import Context

FIRST = (
    "iou", "cosine", "overlap", "nn-iou", "best-match:path", "best-match:lin-seco", "matching:cs2-levels",
)  # fmt: skip
"""On view at first: one of each kind. Dice orders all pairs as IoU does."""

HOW_TO_CHOOSE = f"""
1. **Decide what you mean.** Under *{keys.ABOUT}*, one sentence describes each measure. Leave out those that
   do not say what “relevant” means to you.
2. **See which agree.** Under *{keys.AGREE}*, two measures near 1 put images in the same order: use the
   simpler one. Where they differ, open the pairs below and decide which measure you side with.
3. **See whether it matters.** Under *{keys.title(keys.RANKING, plain=True)}*, lines that do not cross mean
   that every measure ranks the systems alike, so you need not choose.
4. **See how much they detect.** Under *{keys.title(keys.POWER, plain=True)}*, of measures that mean the same,
   one that separates more systems needs fewer queries. Detecting more is not being right: that takes the
   judgement of experts.
"""


def label(measure: str, *, plain: bool) -> str:
    """What a measure is called: its title for a clinician, its name for a researcher."""
    one = describe(measure)
    if not plain:
        return f"{measure} (relatedness)" if one.relatedness else measure
    system = parse_relevance(measure).system
    return one.title if system is None else f"Similarity by {system}"


def measures(context: Context) -> dict[str, str]:
    """The picker of the measures compared, and what each is called: one or more, in the registry's order."""
    named = (*offered(context.study), *weighed_ones(context.study))
    everything = {name: label(name, plain=context.choice.plain) for name in named}
    first = [name for name in FIRST if name in everything]
    first += [f"cosine:{system}" for system in list(context.study.embeddings)[:1]]
    picked = select.some(
        "Measures compared", everything, keep=keys.COMPARED, first=first, placeholder="Select measures",
        help="A measure says how relevant one image is for another. None is right by itself: they look at "
        "different things.",
    )  # fmt: skip
    if context.choice.plain:
        with st.expander("How do I choose one?", icon=":material/help:"):
            st.markdown(HOW_TO_CHOOSE)
    return {name: called for name, called in everything.items() if name in picked}


def systems(context: Context) -> tuple[str, ...]:
    """The sidebar's systems without ``@measure`` ones, which a measure would judge by itself."""
    return tuple(sorted(name for name in context.choice.systems if not name.startswith("@")))
