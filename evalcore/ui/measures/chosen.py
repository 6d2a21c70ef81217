"""The measures page, top: which relevance measures are on view, what each is called, and its tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.relevance.registry import available, describe, parse_relevance
from evalcore.ui.frame import state
from evalcore.ui.measures import keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.model import Study
    from evalcore.ui.frame.context import Context

AGREE, SYSTEMS, POWER, SEARCH, ABOUT = (
    "Do they agree?", "Places of systems", "Telling systems apart", "As search engines", "What each one is",
)  # fmt: skip
FIRST = (
    "iou", "cosine", "overlap", "nn-iou", "best-match:path", "best-match:lin-seco", "matching:cs2-levels",
)  # fmt: skip
"""On view at first: one of each kind. Dice orders all pairs as IoU does."""

HOW_TO_CHOOSE = """
1. **Say what you mean.** Under *What each one is* every measure has one sentence. Leave out those that do
   not say what “relevant” means to you.
2. **See which agree.** Under *Do they agree?* two measures near 1 put images in the same order: take the
   simpler one. Where they differ, open the pairs below and decide which measure you side with.
3. **See whether it matters.** Under *Places of systems* lines that do not cross mean that every measure names
   the same winner, and you need not choose.
4. **See what it can tell.** Among measures that mean the same, one that tells more systems apart needs fewer
   queries. Seeing more is not being right: that takes the judgement of experts.
"""


def offered(study: Study) -> tuple[str, ...]:
    """Every measure the page can show: over concepts, by the taxonomy, by each system's vectors."""
    return (*available(study), *(f"cosine:{system}" for system in study.embeddings))


def label(measure: str, *, plain: bool) -> str:
    """What a measure is called: its title for a clinician, its name for a researcher."""
    if not plain:
        return measure
    system = parse_relevance(measure).system
    return describe(measure).title if system is None else f"Looks alike to {system}"


def labels(context: Context, measures: Sequence[str]) -> list[str]:
    """What the measures are called, for the reader of this page."""
    return [label(measure, plain=context.choice.plain) for measure in measures]


def chosen(context: Context) -> tuple[str, ...]:
    """The picker of the measures compared; at least one, in the order of the registry."""
    everything = offered(context.study)
    first = [name for name in FIRST if name in everything]
    first += [f"cosine:{system}" for system in list(context.study.embeddings)[:1]]
    picked: list[str] = state.carry(keys.YARDSTICKS, first, state.some_of(*everything))
    st.multiselect(
        "Measures compared", everything, key=state.seed(keys.YARDSTICKS, picked),
        format_func=lambda name: label(name, plain=context.choice.plain),
        on_change=state.take_widget, args=(keys.YARDSTICKS,), placeholder="Choose measures",
        help="A measure says how relevant one image is for another. None is right by itself: they look at "
        "different things.",
    )  # fmt: skip
    if context.choice.plain:
        with st.expander("How do I choose one?", icon=":material/help:"):
            st.markdown(HOW_TO_CHOOSE)
    return tuple(name for name in everything if name in picked)


def real_systems(context: Context) -> tuple[str, ...]:
    """The sidebar's systems without ``@measure`` ones, which a measure would judge by itself."""
    return tuple(sorted(name for name in context.choice.systems if not name.startswith("@")))
