"""Do the measures agree: on pairs of images, on queries, on systems?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.evaluate.measures.sampling import N_PAIRS
from evalcore.figures.measures import agreement_matrix
from evalcore.figures.numbers import all_things, count, things
from evalcore.ui.components import figure, messages, select, table, tidy
from evalcore.ui.frame import state
from evalcore.ui.measures import compared, judged, keys, pairs, sentences, work

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.evaluate.measures.agreement import Agreement
    from evalcore.evaluate.measures.sampling import Drawn
    from evalcore.ui.frame.context import Context
    from evalcore.ui.measures.work import OnPairs

PAIRS, QUERIES, SYSTEMS = "Pairs of images", "Queries", "Systems"
RESULTS, ANY = "returned by a system", "any two images"
MOST_BESIDE = 9
SIZES = (2_000, N_PAIRS, 50_000)


def section(context: Context, measures: Mapping[str, str]) -> None:
    """The sentence at the chosen level, the matrix, and for pairs what lies behind it."""
    level = select.segments(
        "What is ranked", (PAIRS, QUERIES, SYSTEMS), keep=keys.LEVEL,
        help="Pairs of images: which image is closer to which. Queries: which searches went well. Systems: "
        "which system is best.",
    )  # fmt: skip
    if level == PAIRS:
        _on_pairs(context, measures)
        return
    found = judged.ask(context, measures)
    if found is not None:
        agreement = found.queries if level == QUERIES else found.systems
        _lead(context, agreement, measures)
        _matrix(
            context, agreement, measures, note=judged.method(context, found, measures),
            drawn_by=judged.drawn(found) | {
                "score": found.scores.metrics[0].partition("(")[0], "k": context.choice.k,
            },
        )  # fmt: skip


def _lead(context: Context, found: Agreement, measures: Mapping[str, str]) -> None:
    names = [measures[name] for name in found.measures]
    messages.lead(sentences.agreement(found, names, plain=context.choice.plain))


def _matrix(
    context: Context, found: Agreement, measures: Mapping[str, str], *, note: str,
    drawn_by: Mapping[str, object],
) -> None:  # fmt: skip
    """The correlations as a figure, how they were made, and their file."""
    of = f"{count(found.n)} {sentences.WHAT[found.level]}"
    of += f", mean of {things(found.averaged_over, 'system')}" if found.level == "queries" else ""
    drawn = agreement_matrix(
        [measures[name] for name in found.measures], found.spearman, found.kendall, of=of,
        theme=context.theme, both=not context.choice.plain,
    )  # fmt: skip
    figure.show(context, drawn, key="agreement", square=True)
    rows = as_table(found).assign(**drawn_by)
    table.beside(note, tidy.counted(context, rows), context.stem(f"agreement-{found.level}"))


def as_table(found: Agreement) -> pd.DataFrame:
    """One row per two measures."""
    m = found.measures
    return pd.DataFrame(
        [
            {
                "level": found.level, "measure": m[i], "other_measure": m[j], "n": found.n,
                "left_out": found.left_out, "kendall_tau_b": found.kendall[i, j],
                "spearman_rho": found.spearman[i, j],
            }
            for i in range(len(m))
            for j in range(i + 1, len(m))
        ]
    )  # fmt: skip


# --------------------------------------------------------------------------- pairs of images


def _on_pairs(context: Context, measures: Mapping[str, str]) -> None:
    systems = compared.systems(context)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        pool, n, seed = _pool(systems), _n_pairs(context), judged.drawing_seed(context)
    drawn: Drawn = "results" if pool == RESULTS else "images"
    found = work.on_pairs(context, tuple(measures), drawn=drawn, n=n, systems=systems, seed=seed)
    if found is None:
        return
    _lead(context, found.agreement, measures)
    # Many measures need the whole width for their numbers.
    grid = st.grid(2 if len(measures) <= MOST_BESIDE else 1, min_column_width=420, gap="medium")
    with grid.container():
        _matrix(
            context, found.agreement, measures, note=_method(found, context),
            drawn_by={"pairs": found.sample.drawn, "population": found.sample.population, "seed": seed},
        )  # fmt: skip
    if len(measures) > 1:
        with grid.container():
            chosen = pairs.two(measures)
            listed = pairs.cloud(context, found, measures, chosen)
        pairs.listing(context, found, measures, chosen, listed)


def _pool(systems: tuple[str, ...]) -> str:
    """From which pairs the sample is drawn."""
    if not systems:
        return ANY
    return select.segments(
        "Which pairs", (RESULTS, ANY), keep=keys.DRAWN, shown=str.capitalize,
        help="Pairs returned by a system are the ones a reader would see. Any two images mostly have nothing "
        "in common.",
    )  # fmt: skip


def _n_pairs(context: Context) -> int:
    """How many pairs at most, chosen by researchers."""
    if context.choice.plain:
        return int(state.carry(keys.N_PAIRS, N_PAIRS, state.whole(1, SIZES[-1])))
    return select.amount(
        "Pairs sampled", SIZES, 1, SIZES[-1], keep=keys.N_PAIRS, first=N_PAIRS, shown=count, width=140
    )


def _method(found: OnPairs, context: Context) -> str:
    """How many pairs, of how many, drawn how."""
    sample = found.sample
    pairs = all_things(sample.population, "pair")
    if len(sample) < sample.population:
        drawn = f"{count(len(sample))} drawn at random (seed {sample.seed})"
        pairs = f"{drawn} from the {things(sample.population, 'pair')}"
    of = (
        f"that the systems return in their first ten for {things(sample.n_queries, 'query')}"
        if sample.drawn == "results"
        else "of a query and another annotated image"
    )
    text = f"{pairs[0].upper()}{pairs[1:]} {of}."
    if found.values.left_out:
        text += f" {things(found.values.left_out, 'pair')} left out: a measure has no value for them."
    s = context.choice.settings
    return text if context.choice.plain else f"{text} α {s.alpha:g}, threshold {s.threshold}, {s.count_rule}."
