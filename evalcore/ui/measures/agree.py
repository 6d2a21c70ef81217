"""Do the measures agree: on pairs of images, on queries, on systems?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.evaluate.sampling import N_PAIRS
from evalcore.figures.measures import (
    agreement_matrix,
    agreement_matrix_alt,
)
from evalcore.figures.numbers import count, things
from evalcore.figures.reading import how_to_read
from evalcore.ui.components import charts, messages
from evalcore.ui.frame import state
from evalcore.ui.measures import chosen as measures_page
from evalcore.ui.measures import files as measures_page_files
from evalcore.ui.measures import judged as measures_page_judged
from evalcore.ui.measures import keys
from evalcore.ui.measures import pairs as measures_page_pairs
from evalcore.ui.measures import sentences as words
from evalcore.ui.measures import work as measures_page_work

if TYPE_CHECKING:
    from evalcore.evaluate.agreement import Agreement
    from evalcore.ui.frame.context import Context
    from evalcore.ui.measures.work import OnPairs

PAIRS, QUERIES, SYSTEMS = "Pairs of images", "Queries", "Systems"
RESULTS, ANY = "returned by a system", "any two images"
MOST_BESIDE = 9
SIZES = (2_000, N_PAIRS, 50_000)


def section(context: Context, measures: tuple[str, ...]) -> None:
    """The finding at the chosen level, the matrix, and for pairs what lies behind it."""
    level = _level()
    if level == PAIRS:
        _on_pairs(context, measures)
        return
    judged = measures_page_judged.ask(context, measures)
    if judged is None:
        return
    found = judged.queries if level == QUERIES else judged.systems
    _lead(context, found)
    _matrix(context, found)
    _file(context, measures_page_judged.method(context, judged), found)


def _level() -> str:
    chosen = str(state.carry(keys.LEVEL, PAIRS, state.one_of(PAIRS, QUERIES, SYSTEMS)))
    st.segmented_control(
        "What is put in order", (PAIRS, QUERIES, SYSTEMS), required=True, key=state.seed(keys.LEVEL, chosen),
        on_change=state.take_widget, args=(keys.LEVEL,),
        help="Pairs of images: which image is closer to which. Queries: which searches went well. Systems: "
        "which system is best.",
    )  # fmt: skip
    return chosen


def _lead(context: Context, found: Agreement) -> None:
    names = measures_page.labels(context, found.measures)
    messages.lead(words.agreement(found, names, plain=context.choice.plain))


def _file(context: Context, told: str, found: Agreement) -> None:
    measures_page_files.beside(
        context, told, measures_page_files.agreement(found), f"agreement-{found.level}"
    )


def _matrix(context: Context, found: Agreement) -> None:
    names = measures_page.labels(context, found.measures)
    of = f"{count(found.n)} {words.WHAT[found.level]}"
    of += f", mean of {things(found.averaged_over, 'system')}" if found.level == "queries" else ""
    st.plotly_chart(
        agreement_matrix(
            names, found.spearman, found.kendall, of=of, theme=context.theme, both=not context.choice.plain
        ),
        theme=None, key="agreement", config=charts.toolbar(context, "agreement"),
        alt=agreement_matrix_alt(names, found.kendall, of=of),
    )  # fmt: skip
    messages.how_to_read(how_to_read("agreement_matrix", context.reading))


# --------------------------------------------------------------------------- pairs of images


def _on_pairs(context: Context, measures: tuple[str, ...]) -> None:
    drawn, n, seed = _sample(context)
    found = measures_page_work.on_pairs(
        context.study, measures, drawn="results" if drawn == RESULTS else "images", n=n,
        systems=measures_page.real_systems(context), seed=seed, settings=context.choice.settings,
    )  # fmt: skip
    if found is None:
        return
    _lead(context, found.agreement)
    # Many measures need the whole width for their numbers.
    grid = st.grid(2 if len(measures) <= MOST_BESIDE else 1, min_column_width=420, gap="medium")
    with grid.container():
        _matrix(context, found.agreement)
        _file(context, _drawn(found, context), found.agreement)
    if len(measures) < 2:
        return
    with grid.container():
        two = measures_page_pairs.two(context, measures)
        listed = measures_page_pairs.cloud(context, found, *two)
    measures_page_pairs.listing(context, found, *two, listed)


def _sample(context: Context) -> tuple[str, int, int]:
    """Which pairs, how many, and the seed; the last two are for researchers."""
    kinds = (RESULTS, ANY) if measures_page.real_systems(context) else (ANY,)
    drawn = str(state.carry(keys.DRAWN, kinds[0], state.one_of(*kinds)))
    n = int(state.carry(keys.N_PAIRS, N_PAIRS, state.whole(1, SIZES[-1])))
    seed = int(state.carry(keys.SEED, 0, state.whole(0, 999_999)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(kinds) > 1:
            st.segmented_control(
                "Which pairs", kinds, required=True, key=state.seed(keys.DRAWN, drawn),
                on_change=state.take_widget, args=(keys.DRAWN,),
                help="Pairs a system returned are those a reader would see. Any two images mostly have "
                "nothing in common.",
            )  # fmt: skip
        if not context.choice.plain:
            st.selectbox(
                "Pairs at most", sorted({*SIZES, n}), key=state.seed(keys.N_PAIRS, n), width=140,
                on_change=state.take_widget, args=(keys.N_PAIRS,), format_func=count,
            )  # fmt: skip
            st.number_input(
                "Seed", 0, 999_999, key=state.seed(keys.SEED, seed), on_change=state.take_widget,
                args=(keys.SEED,), width=140,
            )  # fmt: skip
    return drawn, n, seed


def _drawn(found: OnPairs, context: Context) -> str:
    """How many pairs, of how many, drawn how."""
    sample = found.sample
    pool = (
        f"the {count(sample.population)} pairs that the systems return in their first ten for "
        f"{things(sample.n_queries, 'query', 'queries')}"
        if sample.drawn == "results"
        else f"the {count(sample.population)} pairs of a query and another annotated image"
    )
    told = (
        f"All of {pool}."
        if len(sample) == sample.population
        else f"{count(len(sample))} drawn at random (seed {sample.seed}) from {pool}."
    )
    if found.values.left_out:
        told += f" {things(found.values.left_out, 'pair')} left out: a measure has no value for them."
    s = context.choice.settings
    return told if context.choice.plain else f"{told} α {s.alpha:g}, threshold {s.threshold}, {s.count_rule}."
