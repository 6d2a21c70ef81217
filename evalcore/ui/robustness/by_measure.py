"""Does the winner depend on the measure, and which measure separates the systems?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext

import streamlit as st

from evalcore.evaluate.measures import Form, RankSwap, places, power_at_the_floor, rank_swaps
from evalcore.figures.measures import Separated, rank_slopes, significance_curves
from evalcore.results.measures import means_table, power_table
from evalcore.results.rows import Table, only_shown
from evalcore.ui.components import figure, fold, messages, select, table
from evalcore.ui.frame import state
from evalcore.ui.frame.choices import MORE_FLIPS
from evalcore.ui.frame.context import Context
from evalcore.ui.robustness import measure_sentences as sentences
from evalcore.ui.robustness import work
from evalcore.ui.robustness.work import OnSystems
from evalcore.values.writing import count, listed, md_escape, plain, pluralize

# The systems under every measure: on which queries, with which score, and how that was done in words.

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
            "No systems to compare",
            "No retrieval system is selected. Select one on the left, or add its rankings or vectors.",
            label="Add a system's rankings or vectors",
            key="no-systems",
        )
        return None
    with (
        st.container(horizontal=True, vertical_alignment="bottom")
        if not context.choice.plain
        else nullcontext()
    ):
        form, (asked, seed) = _form(context), sample(context, measures)
    return work.on_systems(context, tuple(measures), systems=systems, form=form, asked=asked, seed=seed)


def _form(context: Context) -> Form:
    """How a list is scored, chosen by researchers."""
    if context.choice.plain:
        return FORMS[state.read_param(work.FORM, NDCG, state.one_of(*FORMS))]
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
        asked = int(state.read_param(work.ASKED, usual, state.whole(1, ALL)))
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
        return int(state.read_param(work.SEED, 0, state.whole(0, SEEDS)))
    return select.whole("Seed", 0, SEEDS, keep=work.SEED, first=0, width=140)


def sampled(asked: int, n_all: int, seed: int) -> str:
    """How many queries were used, in words."""
    if asked == n_all:
        return f"{pluralize(n_all, 'query')} used"
    return f"{count(asked)} of {pluralize(n_all, 'query')} used, drawn at random (seed {seed})"


def drawn(systems: OnSystems) -> dict[str, object]:
    """How many queries were used and how they were drawn, for a file."""
    return {"queries_used": systems.asked, "queries_of_study": systems.n_all, "seed": systems.seed}


def method(context: Context, systems: OnSystems, measures: Mapping[str, str]) -> str:
    """What the scores are, over which queries, and what was left out."""
    scores = systems.scores
    text = sampled(systems.asked, systems.n_all, systems.seed) + context.chosen
    text += f"; {pluralize(len(scores.queries), 'has', 'have')} a value"
    left_out = pluralize(scores.left_out, "does", "do")
    text += f" under every measure, {left_out} not." if scores.left_out else "."
    own = [name for name in scores.systems if f"cosine:{name}" in measures]
    if own:
        name = md_escape(own[0])
        text += f" “{md_escape(measures[f'cosine:{own[0]}'])}” is {name}’s own measure and favours {name}."
    if context.choice.plain:
        depth = int(scores.metrics[0].rpartition("@")[2])
        counted = pluralize(depth, "result of each system counts", "results of each system count")
        return f"{text} The first {counted}."
    s = context.choice.settings
    return (
        f"{text} Metrics {listed([md_escape(name) for name in scores.metrics], limit=4)}; α {s.alpha:g}, "
        f"threshold {s.threshold}, {md_escape(s.count_rule)}, equal scores by {s.ties}, {s.gain} gain. "
        f"Study {context.study.digest}."
    )


SWAPS_SHOWN = 8


def ranking(context: Context, measures: Mapping[str, str]) -> None:
    """Slope chart of the systems' ranks, the crossings in words, the means as a table."""
    result = ask(context, measures)
    if result is None:
        return
    reference = _reference(context, measures)
    scores, names = result.scores, list(measures.values())
    swapped = rank_swaps(scores, reference=reference)
    messages.lead(sentences.ranking(scores, swapped, names, measures[reference]))
    drawn = rank_slopes(
        places(scores.means),
        scores.means,
        names=scores.systems,
        labels=names,
        theme=context.theme,
        systems=context.study.systems,
        of=pluralize(len(scores.queries), "query"),
    )
    figure.show(context, drawn, key="slopes", file="places", square=len(measures) > 3)
    if swapped:
        title = f"{pluralize(len(swapped), 'crossing')} in words"
        fold.section(title, _crossings, swapped, measures, result, keep=work.CROSSINGS)
    fold.section(
        "Mean under each measure, and how it was computed", _means, context, result, measures, keep=work.MEANS
    )


def _reference(context: Context, measures: Mapping[str, str]) -> str:
    """The measure the others are compared with, chosen by researchers or a link."""
    usual = "nn-iou" if "nn-iou" in measures else next(iter(measures))
    if context.choice.plain:
        return str(state.read_param(work.REFERENCE, usual, state.one_of(*measures)))
    return select.one(
        "Compared with",
        measures,
        keep=work.REFERENCE,
        width=320,
        first=usual,
        help="Systems swap ranks where a measure ranks them in another order than this one.",
    )


def _crossings(swapped: Sequence[RankSwap], measures: Mapping[str, str], systems: OnSystems) -> None:
    power = {one.measure: one for one in systems.power}
    st.markdown(f"**Lines that cross, compared with {md_escape(measures[swapped[0].reference])}:**")
    lines = [sentences.swap(swap, measures, power) for swap in swapped[:SWAPS_SHOWN]]
    st.markdown("\n".join(f"- {line}." for line in lines))
    if len(swapped) > SWAPS_SHOWN:
        st.caption(f"{pluralize(len(swapped) - SWAPS_SHOWN, 'more crossing')}: see the table.")


def _means(context: Context, systems: OnSystems, measures: Mapping[str, str]) -> None:
    scores = systems.scores
    columns = (
        only_shown("System", scores.systems.__getitem__, cell=plain),
        *(
            only_shown(f"{plain(name)} ↑", scores.means[:, j].__getitem__, "%.3f")
            for j, name in enumerate(measures.values())
        ),
    )
    table.declared(
        context,
        Table(range(len(scores.systems)), columns),
        key="means",
        alt=f"Mean of {pluralize(len(scores.systems), 'system')} under each measure",
        file="places",
        note=method(context, systems, measures),
        saved=means_table(scores, drawn(systems)),
        columns=table.names(context, "System"),
    )


# --------------------------------------------------------------------------- discriminative power


def power(context: Context, measures: Mapping[str, str]) -> None:
    """How many pairs of systems each measure separates, and for researchers the curves behind it."""
    result = ask(context, measures)
    if result is None:
        return
    if not result.power:
        st.info("There must be two systems to separate. Select more on the left.", icon=":material/info:")
        return
    names = list(measures.values())
    messages.lead(sentences.power(result.power, names, plain=context.choice.plain))
    rows = [
        Separated(name, row.separated, len(row.pairs), row.curve)
        for name, row in zip(names, result.power, strict=True)
    ]
    first, of = result.power[0], pluralize(len(result.scores.queries), "query")
    if not context.choice.plain:
        curves = significance_curves(
            rows,
            measures=names,
            theme=context.theme,
            of=of,
            level=first.level,
            floor=1 / (first.n_resamples + 1),
        )
        figure.show(context, curves, key="curves-p", file="p-values")
    _weigh(context, result, measures)


def _weigh(context: Context, systems: OnSystems, measures: Mapping[str, str]) -> None:
    """One row per measure: what to weigh when choosing one."""
    first = systems.power[0]
    note = (
        "Detecting more differences does not make a measure right: they may not matter. Also consider what "
        "the measure means and whether experts agree with it. "
    )
    if not context.choice.plain:
        note += (
            f"Pairs separated: {md_escape(first.test)}, {count(first.n_resamples)} resamples, seed "
            f"{first.seed}, {first.correction} over the {pluralize(len(first.pairs), 'pair')} of each "
            "measure, "
            f"p < {first.level:g}. "
        )
        note += f"{power_at_the_floor(systems.power, more=MORE_FLIPS)} ".lstrip()
    table.declared(
        context,
        power_table(systems.power, measures, drawn(systems)),
        key="power-table",
        alt=f"{pluralize(len(systems.power), 'measure')} and their power",
        file="told-apart",
        note=note + method(context, systems, measures),
        columns=table.names(context, "Measure"),
    )
