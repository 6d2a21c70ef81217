"""The systems under every measure: asking for it, and saying how it was done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.figures.numbers import count, listed, things
from evalcore.ui.components import messages
from evalcore.ui.components.text import md_escape
from evalcore.ui.frame import state
from evalcore.ui.frame.context import COMMON_QUERIES
from evalcore.ui.measures import chosen as measures_page
from evalcore.ui.measures import keys
from evalcore.ui.measures import work as measures_page_work

if TYPE_CHECKING:
    from evalcore.evaluate.under_measures import Form
    from evalcore.ui.frame.context import Context
    from evalcore.ui.measures.work import OnSystems

NDCG, MEAN = "best list possible", "average closeness"
FORMS: dict[str, Form] = {NDCG: "nDCG", MEAN: "mean"}
ASKED = (500, 2_000, 5_000)
ALL = 1_000_000
"""In the address: so many queries are all of them."""


def ask(context: Context, measures: tuple[str, ...]) -> OnSystems | None:
    """The systems under the measures; None while that is computed, or with a message why it cannot be."""
    systems = measures_page.real_systems(context)
    if not systems:
        messages.empty(
            "No systems to judge",
            "This study has no retrieval system on view (a measure as a system would be judged by itself).",
            page="data", label="Add a system's rankings or vectors", key="no-systems",
            params={state.TAB: "Open or upload"},
        )  # fmt: skip
        return None
    form, asked, seed = _controls(context, measures)
    return measures_page_work.on_systems(
        context.study, measures, systems=systems, form=form, k=context.choice.k, asked=asked, seed=seed,
        settings=context.choice.settings, common=context.choice.queries == COMMON_QUERIES,
    )  # fmt: skip


def _controls(context: Context, measures: tuple[str, ...]) -> tuple[Form, int | None, int]:
    form = str(state.carry(keys.FORM, NDCG, state.one_of(*FORMS)))
    asked, seed = carried_sample(context, measures)
    if not context.choice.plain:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.segmented_control(
                "Score of a list", list(FORMS), required=True, key=state.seed(keys.FORM, form),
                on_change=state.take_widget, args=(keys.FORM,),
                help="nDCG(measure)@k: against the best list possible under the same measure. "
                "mean(measure)@k: average relevance of the first k.",
            )  # fmt: skip
            sample_controls(context, asked, seed)
    return FORMS[form], asked, seed


def carried_sample(context: Context, measures: tuple[str, ...]) -> tuple[int | None, int]:
    """How many queries are asked (None: all), and the seed that draws them."""
    usual = measures_page_work.queries_asked(context.study, measures) or ALL
    asked = int(state.carry(keys.ASKED, usual, state.whole(1, ALL)))
    seed = int(state.carry(keys.SEED, 0, state.whole(0, 999_999)))
    return (None if asked >= len(context.study.queries) else asked), seed


def sample_controls(context: Context, asked: int | None, seed: int) -> None:
    """Widgets of `carried_sample`, for researchers."""
    shown = asked or ALL
    st.selectbox(
        "Queries asked", sorted({*(n for n in ASKED if n < len(context.study.queries)), ALL, shown}),
        key=state.seed(keys.ASKED, shown), on_change=state.take_widget, args=(keys.ASKED,), width=140,
        format_func=lambda n: "All" if n == ALL else count(n),
        help="Measures by the taxonomy take longer: with many queries a sample is asked at first.",
    )  # fmt: skip
    st.number_input(
        "Seed", 0, 999_999, key=state.seed(keys.SEED, seed), on_change=state.take_widget,
        args=(keys.SEED,), width=140,
    )  # fmt: skip


def sampled(asked: int, n_all: int, seed: int) -> str:
    """How many queries were asked, in words."""
    if asked == n_all:
        return f"{things(n_all, 'query', 'queries')} asked"
    return f"{count(asked)} of {things(n_all, 'query', 'queries')} asked, drawn at random (seed {seed})"


def method(context: Context, judged: OnSystems) -> str:
    """What the scores are, over which queries, and what was left out."""
    scores = judged.scores
    told = f"{sampled(judged.asked, judged.n_all, _seed())}; {count(len(scores.queries))} have a value"
    told += f" under every measure, {count(scores.left_out)} do not." if scores.left_out else "."
    own = [name for name in scores.systems if f"cosine:{name}" in scores.measures]
    if own:
        eye = measures_page.label(f"cosine:{own[0]}", plain=context.choice.plain)
        told += f" “{md_escape(eye)}” is that system’s own eye: it favours {md_escape(own[0])}."
    if context.choice.plain:
        return f"{told} Each system’s first {scores.metrics[0].rpartition('@')[2]} results count."
    s = context.choice.settings
    return (
        f"{told} Metrics {listed([md_escape(name) for name in scores.metrics], limit=4)}; α {s.alpha:g}, "
        f"threshold {s.threshold}, {md_escape(s.count_rule)}, ties by {s.ties}, {s.gain} gain. "
        f"Study {context.study.digest}."
    )


def _seed() -> int:
    return int(state.get(keys.SEED, 0))
