"""The systems under every measure: on which queries, with which score, and how that was done in words."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from evalcore.evaluate.measures.table_one import Form
from evalcore.ui.components import messages, select
from evalcore.ui.frame import state
from evalcore.ui.frame.context import Context
from evalcore.ui.measures import work
from evalcore.ui.measures.work import OnSystems
from evalcore.values.markdown import md_escape
from evalcore.values.writing import count, listed, things

NDCG, MEAN = "best list possible", "average closeness"
FORMS: dict[str, Form] = {NDCG: "nDCG", MEAN: "mean"}
"""{name in links: the score of a list}"""
ASKED = (500, 2_000, 5_000)
ALL = 1_000_000
"""In links: so many queries are all of them."""
SEEDS = 999_999


def ask(context: Context, measures: Mapping[str, str]) -> OnSystems | None:
    """The systems under the measures; None while that is computed, or with a message why it cannot be."""
    systems = work.systems(context)
    if not systems:
        messages.empty(
            "No systems to judge",
            "No retrieval system is selected (a measure used as a system would be judged by itself).",
            label="Add a system's rankings or vectors",
            key="no-systems",
        )
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        form, (asked, seed) = _form(context), sample(context, measures)
    return work.on_systems(context, tuple(measures), systems=systems, form=form, asked=asked, seed=seed)


def _form(context: Context) -> Form:
    """How a list is scored, chosen by researchers."""
    if context.choice.plain:
        return FORMS[state.carry(work.FORM, NDCG, state.one_of(*FORMS))]
    form = select.segments(
        "Score of a list",
        {NDCG: "nDCG", MEAN: "Mean relevance"},
        keep=work.FORM,
        help="nDCG(measure)@k: compared with the best possible list under the same measure. "
        "mean(measure)@k: mean relevance of the first k.",
    )
    return FORMS[form]


def sample(context: Context, measures: Mapping[str, str]) -> tuple[int | None, int]:
    """How many queries are used (None: all), and the seed that draws them; researchers choose both here."""
    n_all, usual = len(context.study.queries), work.queries_asked(context.study, tuple(measures)) or ALL
    if context.choice.plain:
        asked = int(state.carry(work.ASKED, usual, state.whole(1, ALL)))
    else:
        asked = select.amount(
            "Queries used",
            {*(n for n in ASKED if n < n_all), ALL},
            1,
            ALL,
            keep=work.ASKED,
            first=usual,
            shown=lambda n: "All" if n >= n_all else count(n),
            width=140,
            help="Taxonomy measures take longer: of many queries, only a sample is used at first.",
        )
    return (None if asked >= n_all else asked), drawing_seed(context)


def drawing_seed(context: Context) -> int:
    """The seed of what is drawn at random, chosen by researchers."""
    if context.choice.plain:
        return int(state.carry(work.SEED, 0, state.whole(0, SEEDS)))
    return select.whole("Seed", 0, SEEDS, keep=work.SEED, first=0, width=140)


def sampled(asked: int, n_all: int, seed: int) -> str:
    """How many queries were used, in words."""
    if asked == n_all:
        return f"{things(n_all, 'query')} used"
    return f"{count(asked)} of {things(n_all, 'query')} used, drawn at random (seed {seed})"


def drawn(found: OnSystems) -> dict[str, object]:
    """How many queries were used and how they were drawn, for a file."""
    return {"queries_used": found.asked, "queries_of_study": found.n_all, "seed": found.seed}


def method(context: Context, found: OnSystems, measures: Mapping[str, str]) -> str:
    """What the scores are, over which queries, and what was left out."""
    scores = found.scores
    text = sampled(found.asked, found.n_all, found.seed) + context.chosen
    text += f"; {things(len(scores.queries), 'has', 'have')} a value"
    left_out = things(scores.left_out, "does", "do")
    text += f" under every measure, {left_out} not." if scores.left_out else "."
    own = [name for name in scores.systems if f"cosine:{name}" in measures]
    if own:
        name = md_escape(own[0])
        text += f" “{md_escape(measures[f'cosine:{own[0]}'])}” is {name}’s own measure and favours {name}."
    if context.choice.plain:
        depth = int(scores.metrics[0].rpartition("@")[2])
        counted = things(depth, "result of each system counts", "results of each system count")
        return f"{text} The first {counted}."
    s = context.choice.settings
    return (
        f"{text} Metrics {listed([md_escape(name) for name in scores.metrics], limit=4)}; α {s.alpha:g}, "
        f"threshold {s.threshold}, {md_escape(s.count_rule)}, equal scores by {s.ties}, {s.gain} gain. "
        f"Study {context.study.digest}."
    )
