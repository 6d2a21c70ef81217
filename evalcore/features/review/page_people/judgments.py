"""The tab Readers: which measure agrees best with them, do they agree, how much have they judged."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, cast

import pandas as pd
import streamlit as st

from evalcore.features.review.agreement.measures import MeasureAgreement, best_first
from evalcore.features.review.figures import MeasureRow, measures_against_readers
from evalcore.features.review.page_people import agreement, differ, keys, sentences, work
from evalcore.features.review.readers.results import usual_measures
from evalcore.figures.numbers import count, listed, things
from evalcore.relevance.registry import offered, weighed_ones
from evalcore.ui.components import figure, messages, select, table, tidy
from evalcore.ui.measures.compared import label
from evalcore.values.markdown import md_escape
from evalcore.values.model import Interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.features.review.agreement.consensus import How
    from evalcore.features.review.readers.results import ReaderResults
    from evalcore.ui.frame.context import Context

EVERY = "@every"
"""All tasks together, in the address; no task has such a name."""
BEST = "@best"
WITHIN, AUC, VOTES = "order", "auc", "votes"


class Statistic(NamedTuple):
    """What it is called plainly and technically, its value at chance, what is counted, where its value is."""

    words: str
    technical: str
    chance: float
    unit: str
    of: Callable[[MeasureAgreement], Interval | None]


STATISTICS = {
    WITHIN: Statistic(
        "Order of a query’s results", "Kendall’s τ-b within queries", 0.0, "query", attrgetter("within")
    ),
    AUC: Statistic("Relevant above the rest", "Area under the ROC curve", 0.5, "result", attrgetter("auc")),
    VOTES: Statistic(
        "Votes between two lists", "Share of votes won by the higher nDCG", 0.5, "vote", attrgetter("votes")
    ),
}


def show(context: Context) -> None:
    """The whole tab; an empty state where nothing was judged yet."""
    everything = work.said(context)
    if not everything.names:
        messages.empty(
            "What do readers say about the results?", "Nothing has been judged in this study yet.",
            label="Judge results on the page Review", key="readers", page="review", params={},
        )  # fmt: skip
        return
    with st.expander("Tasks and measures", icon=":material/tune:", expanded=not context.choice.plain):
        task = _task(everything)
        labels = _measures(context)
        reference, how = _expert(context, labels)
    if not labels:
        st.info("Select at least one measure.", icon=":material/straighten:")
        return
    chosen = everything.of("" if task == EVERY else task)
    found = work.results(
        context, chosen, tuple(labels), reference=None if reference == BEST else reference, how=how
    )
    if found is None:
        return
    _simulated(found)
    ranked = best_first(found.measures)
    if found.grades.items:
        messages.lead(sentences.headline(found, ranked, labels, plain=context.choice.plain))
    if ranked:
        messages.few([ranked[0].within.n])
    if missing := sentences.left_out(found, labels):
        st.warning(missing, icon=":material/filter_alt:")
    if ranked:
        _against(context, found, ranked, labels)
    agreement.between(context, found)
    if found.coverage:
        agreement.coverage(context, found)
    if ranked:
        differ.section(context, found, labels, ranked[0].measure, sentences.who(found))


def _task(everything: work.Said) -> str:
    names = everything.names
    if len(names) < 2:
        return EVERY
    titles = {EVERY: "All tasks"} | {name: everything.title(name) for name in names}
    return select.one("Task", titles, keep=keys.TASK, width=340)


def _measures(context: Context) -> dict[str, str]:
    """The picker of the measures held against the readers, and what each is called."""
    named = (*offered(context.study), *weighed_ones(context.study))
    everything = {name: label(name, plain=context.choice.plain) for name in named}
    picked = select.some(
        "Measures compared with readers", everything, keep=keys.MEASURES,
        first=usual_measures(context.study), placeholder="Select measures",
    )  # fmt: skip
    return {name: called for name, called in everything.items() if name in picked}


def _expert(context: Context, labels: Mapping[str, str]) -> tuple[str, How]:
    """What the measures are compared with, and how several readers become one; chosen by researchers."""
    if context.choice.plain:
        return BEST, "median"
    names = {BEST: "the best"} | dict(labels)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        reference = select.one("Compare with", names, keep=keys.REFERENCE, width=260)
        how = select.segments("Several readers", ("median", "mean"), keep=keys.HOW)
    return reference, cast("How", how)


def _simulated(found: ReaderResults) -> None:
    """Who of the readers is simulated, before anything else is said."""
    if not found.simulated:
        return
    if sentences.all_simulated(found):
        st.warning(
            "**Simulated judgments.** No person gave them: a program made them up. They show what this page "
            "does, and say nothing about readers.", icon=":material/smart_toy:",
        )  # fmt: skip
        return
    names = listed([md_escape(name) for name in found.simulated])
    st.warning(
        f"**Partly simulated.** No person is behind {names}, whose judgments count like the others here.",
        icon=":material/smart_toy:",
    )


def _against(
    context: Context, found: ReaderResults, ranked: Sequence[MeasureAgreement], labels: Mapping[str, str]
) -> None:
    called = {
        name: one.words if context.choice.plain else one.technical for name, one in STATISTICS.items()
        if name != VOTES or found.n_votes
    }  # fmt: skip
    statistic = select.segments(
        "Agreement on", called, keep=keys.STATISTIC,
        help="The order of the results of one query; whether results graded in the upper half come before "
        "the others; whether the list that readers prefer scores higher.",
    )  # fmt: skip
    rows = [
        MeasureRow(labels[one.measure], one.measure, value, _tested(one, statistic)) for one in ranked
        if (value := STATISTICS[statistic].of(one)) is not None
    ]  # fmt: skip
    rows.sort(key=lambda row: -row.value.mean)
    n = things(len(found.readers), "simulated reader" if sentences.all_simulated(found) else "reader")
    drawn = measures_against_readers(
        rows, statistic=called[statistic], chance=STATISTICS[statistic].chance, readers=n,
        unit=STATISTICS[statistic].unit, theme=context.theme,
    )  # fmt: skip
    figure.show(context, drawn, key="against-readers")
    table.beside(
        _method(found, statistic), tidy.counted(context, _as_table(found, ranked)),
        context.stem("measures-readers"),
    )  # fmt: skip


def _tested(one: MeasureAgreement, statistic: str) -> float | None:
    """p against the reference, which is about the order within queries; None of the reference itself."""
    if statistic != WITHIN:
        return float("nan")
    return None if one.against is None else one.against.p_corrected


def _method(found: ReaderResults, statistic: str) -> str:
    """Over what, and how sure."""
    one = found.measures[0]
    of = one.within
    if statistic == VOTES:
        said = f"{things(found.n_votes, 'vote')} for one of two lists, nDCG of their first {found.k}"
        said += f"; {count(found.no_preference)} without a preference" if found.no_preference else ""
        said += f"; {count(found.not_comparable)} on other systems" if found.not_comparable else ""
    else:
        said = f"{things(one.pooled.n, 'result')} of {things(one.pooled.n_groups, 'query')}, the "
        said += f"{found.how} of the readers of each"
        said += f"; {things(of.n, 'query', 'queries')} with different grades" if statistic == WITHIN else ""
        left = 0 if found.pairs is None else found.pairs.left_out
        said += f"; {count(left)} left out, as a measure has no value for them" if left else ""
    return f"{said}. {of.method.capitalize()}, {count(of.n_resamples)} resamples, seed {of.seed}."


def _as_table(found: ReaderResults, ranked: Sequence[MeasureAgreement]) -> pd.DataFrame:
    """One row per measure and statistic."""
    return pd.DataFrame(
        [
            {
                "measure": one.measure, "statistic": name, "value": value.mean, "ci_low": value.low,
                "ci_high": value.high, "n": value.n, "n_queries": value.n_groups,
                "ci_resamples": value.n_resamples, "seed": value.seed,
                "reference": one.against.reference if one.against else "",
                "difference_tau_within": one.against.difference if one.against else None,
                "p_corrected": one.against.p_corrected if one.against else None,
                "readers": len(found.readers), "simulated_readers": len(found.simulated),
                "several_readers": found.how,
            }
            for one in ranked
            for name, value in (
                ("tau_within", one.within), ("rho_within", one.within_rho), ("tau_pooled", one.pooled),
                ("rho_pooled", one.pooled_rho), ("auc", one.auc), ("votes", one.votes),
            )
            if value is not None
        ]
    )  # fmt: skip
