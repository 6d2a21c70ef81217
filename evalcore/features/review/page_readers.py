"""What readers say: which measure agrees with them; folded, what that is based on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from math import isfinite
from operator import attrgetter
from typing import NamedTuple

import streamlit as st

from evalcore.evaluate.against_readers import MeasureAgreement, best_first
from evalcore.evaluate.measures import Disagreement
from evalcore.evaluate.readers import (
    ReaderAgreement,
    ReaderResults,
    differ_most,
    rating_means,
    reader_results,
    usual_measures,
)
from evalcore.features.review import page_reader_study
from evalcore.features.review.figures import MeasureRow, measures_against_readers
from evalcore.features.review.page_desk import visible_names
from evalcore.relevance.registry import offered, weighted_relevances
from evalcore.results.readers import differing_table, means_table, measures_table
from evalcore.results.rows import Column, Table, named, only_shown
from evalcore.stats.correction import CLEAR
from evalcore.study.reader_judgments import ReaderJudgment, files_of_readers, read_reader_judgments
from evalcore.ui.components import cards, figure, fold, messages, select, table
from evalcore.ui.frame import jobs, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.measures import IN_WORDS, called
from evalcore.ui.frame.pages import QUERY, WHY
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.model import Interval
from evalcore.values.progress import Progress
from evalcore.values.writing import listed, md_escape, number, plain, pluralize, span

TASK = Key("task", of_study=True)
MEASURES = Key("against_readers", of_study=True)
STATISTIC = Key("agreeing")
DIFFER = Key("differs", of_study=True)
DIFFERING, BETWEEN, SIMULATED = (Key(name) for name in ("differing", "between", "simulated_readers"))
"""What is closed at first."""
MANY = 0.1
"""From this share of results on, those left out are worth a warning."""
EVERY = "@every"
"""All files together, in the address."""
LISTED, IN_FILE = 8, 1_000
SIDE = 102
"""Pixels of a picture on a card: two are side by side on a phone too."""
WITHIN, VOTES = "order", "votes"


class Statistic(NamedTuple):
    """What it is called plainly and technically, its value at chance, what is counted, where its value is."""

    words: str
    technical: str
    chance: float
    unit: str
    value: Callable[[MeasureAgreement], Interval | None]


STATISTICS = {
    WITHIN: Statistic(
        "Order of a query’s results", "Kendall’s τ-b within queries", 0.0, "query", attrgetter("within")
    ),
    VOTES: Statistic(
        "Votes between two lists", "Share of votes won by the higher nDCG", 0.5, "vote", attrgetter("votes")
    ),
}


class Whose(NamedTuple):
    """The judgments that are shown, and what their readers are called: "reader" or "simulated reader"."""

    judgments: tuple[ReaderJudgment, ...]
    noun: str

    @property
    def readers(self) -> str:
        return f"the {self.noun}s"


def show(context: Context) -> None:
    """Readers' judgments in the study; simulated readers are a part of their own."""
    people = _judgments(context, simulated=False)
    if people:
        _analysis(context, Whose(people, "reader"))
    else:
        messages.empty(
            "No readers yet.",
            "What readers say is here once a task is closed under “Judge results”, or when the study has the "
            "judgments of others in its folder judgments.",
            label="Judge results",
            key="readers",
            page="readers",
            params={state.TAB: "judge"},
        )
    if simulated := _judgments(context, simulated=True):
        fold.section(
            "Simulated readers: a program made these judgments up, to try the analysis",
            _analysis,
            context,
            Whose(simulated, "simulated reader"),
            param=SIMULATED,
        )


def _judgments(context: Context, *, simulated: bool) -> tuple[ReaderJudgment, ...]:
    """The judgments in the files of the study that are chosen, or in all."""
    folder = context.entry.path
    names = list(files_of_readers(folder, simulated=simulated))
    chosen = ""
    if len(names) > 1 and not simulated:
        titles = {EVERY: "All tasks"} | {name: name for name in names}
        chosen = select.selectbox("Task", titles, param=TASK, width=340)
    try:
        rows = read_reader_judgments(folder, [chosen] if chosen in names else (), simulated=simulated)
        shown = visible_names(context.entry, [row.reader for row in rows])
        return tuple(row._replace(reader=shown[row.reader]) for row in rows)
    except InputError as error:
        messages.failed(error, key="judgments-failed")
        return ()


def _analysis(context: Context, whose: Whose) -> None:
    """The sentence and the figure; folded, what they are based on."""
    answer = st.container()
    with fold.settings("Measures", key=whose.noun):
        labels = _measures(context)
    if not labels and usual_measures(context.study):
        answer.info("Select at least one measure.", icon=":material/straighten:")
        return
    with answer:
        results = _results(context, whose, tuple(labels))
        if results is not None:
            _answer(context, whose, results, labels)


def _measures(context: Context) -> dict[str, str]:
    """The measures compared with the readers, and what each is called."""
    study = context.study
    named = (*offered(study), *weighted_relevances(study)) if usual_measures(study) else ()
    everything = {name: called(name, plain=context.choice.plain) for name in named}
    if context.choice.plain:
        everything |= {name: words for name, words in IN_WORDS.items() if name in everything}
    picked = select.multiselect(
        "Measures compared with readers",
        everything,
        param=MEASURES,
        first=usual_measures(study),
        placeholder="Select measures",
    )
    return {name: label for name, label in everything.items() if name in picked}


def _results(context: Context, whose: Whose, measures: tuple[str, ...]) -> ReaderResults | None:
    """The analysis of the judgments; None while it is computed."""
    study, settings = context.study, context.choice.settings

    def work(progress: Progress) -> ReaderResults:
        return reader_results(study, whose.judgments, measures=measures, settings=settings, progress=progress)

    version = digest_of([repr(row) for row in whose.judgments])
    key = f"readers {(study.digest, version, measures, settings)!r}"
    return jobs.run(key, work, label="Comparing the measures with the readers")


def _answer(context: Context, whose: Whose, results: ReaderResults, labels: Mapping[str, str]) -> None:
    ranked = best_first(results.measures)
    if not labels:
        st.markdown("Without concepts and vectors no measure can be compared with readers.")
    elif results.grades.items:
        messages.headline(headline(results, ranked, labels, whose.noun, plain=context.choice.plain))
    if missing := _left_out(results, labels):
        st.warning(missing, icon=":material/filter_alt:")
    if ranked:
        _against(context, whose, results, ranked, labels)
        fold.section(
            f"Where {whose.readers} and a measure differ most",
            _differing,
            context,
            whose,
            results,
            labels,
            ranked[0].measure,
            param=DIFFERING,
        )
    if results.grades.items or results.votes.items:
        title = f"Do {whose.readers} agree with each other?"
        fold.section(title, _between, context, whose, results, param=BETWEEN)
    else:
        st.markdown(
            "Readers judged whole lists or by criteria here, which says nothing about measures of single "
            "results."
        )
    if means := rating_means(whose.judgments):
        st.markdown("**What readers say of each system, by criterion**")
        alt = "Mean rating of every system by every criterion"
        note = "Mean over queries, each the mean over its readers; bootstrap intervals over queries."
        table.results_table(
            context, means_table(means), key="reader-means", file="ratings", note=note, alt=alt
        )
    fold.section(
        "Would other readers judge the systems the same?",
        page_reader_study.section,
        context,
        whose.judgments,
        param=page_reader_study.FOLD,
    )


# Sentences, each for both kinds of reader.


def headline(
    results: ReaderResults,
    ranked: Sequence[MeasureAgreement],
    labels: Mapping[str, str],
    noun: str,
    *,
    plain: bool,
) -> str:
    """Which measure agrees best with the readers, how well, and which are not clearly worse."""
    known = [agreement for agreement in ranked if isfinite(agreement.within.mean)]
    if not known:
        return (
            f"No measure can be compared with the {noun}s yet: that takes a query with results they grade "
            "differently."
        )
    best, within = known[0], known[0].within
    ends = f"{number(within.low, 2)} and {number(within.high, 2)}"
    over = f"{pluralize(len(results.readers), noun)}, {_graded(results)}"
    value = (
        f"**{number(within.mean, 2)}**, where 1 means the same order of a query’s results and 0 no relation. "
        f"The true value is probably between {ends}."
        if plain
        else f"Kendall’s τ-b within queries **{number(within.mean)}** ({span(within.low, within.high)} with "
        f"95% confidence; {over})."
    )
    first = f"**{md_escape(labels[best.measure])}** agrees best with the {noun}s: {value}"
    return f"{first} {_others(known, labels)}".strip()


def _others(known: Sequence[MeasureAgreement], labels: Mapping[str, str]) -> str:
    """Which measures are not clearly worse than the best; "" where none was compared with it."""
    tested = {
        agreement.measure: agreement.against.p_corrected
        for agreement in known[1:]
        if agreement.against is not None and agreement.against.reference == known[0].measure
    }
    close = [f"**{md_escape(labels[name])}**" for name, p in tested.items() if not p < CLEAR]
    if not tested:
        return ""
    if not close:
        return "All others agree clearly less."
    if len(close) == len(tested) > 1:
        return "None of the others is clearly worse."
    return f"Not clearly worse: {listed(close, limit=4)}."


def _left_out(results: ReaderResults, labels: Mapping[str, str]) -> str:
    """Measures without a value for many of the judged results, which are then left out; "" for none."""
    n = 0 if results.pairs is None else results.pairs.left_out
    if results.pairs is None or n < MANY * (n + len(results.pairs.queries)):
        return ""
    each = [f"**{md_escape(labels[name])}** ({k:,})" for name, k in results.without.items()]
    return (
        f"{n:,} of {pluralize(n + len(results.pairs.queries), 'judged result')} are left out under all "
        f"measures, as some have no value for them: {listed(each, limit=4)}. Remove them under “Measures”."
    )


def between_sentences(agreement: ReaderAgreement, noun: str, what: str, *, plain: bool) -> str:
    """How far readers agree with each other."""
    if agreement.why_none:
        return agreement.why_none
    a = agreement.alpha
    readers, ends = pluralize(len(agreement.readers), noun), span(a.low, a.high)
    if plain:
        return (
            f"On {what}, {readers} agree **{_how_well(a.mean)}**: {number(a.mean, 2)}, where 1 means always "
            f"and 0 no more than by chance ({ends} with 95% confidence; {pluralize(a.n, 'item')} judged by "
            "two or more)."
        )
    return (
        f"On {what}: Krippendorff’s α ({agreement.level}) **{number(a.mean)}** (95% {ends}, bootstrap over "
        f"{pluralize(agreement.n_queries, 'query')}, {a.n_resamples:,} resamples, seed {a.seed}); "
        f"{readers}, {pluralize(a.n, 'item')} judged by at least two."
    )


def _how_well(alpha: float) -> str:
    """Krippendorff's own thresholds in words: reliable from 0.8, tentative from 0.667."""
    if alpha >= 0.8:
        return "well"
    return "fairly well" if alpha >= 0.667 else "only in part" if alpha >= 0.2 else "hardly"


# The parts.


@state.fragment()
def _against(
    context: Context,
    whose: Whose,
    results: ReaderResults,
    ranked: Sequence[MeasureAgreement],
    labels: Mapping[str, str],
) -> None:
    names = {
        name: statistic.words if context.choice.plain else statistic.technical
        for name, statistic in STATISTICS.items()
        if name != VOTES or results.n_votes
    }
    place = st.container()
    chosen = select.segments(
        "Agreement on",
        names,
        param=STATISTIC,
        help="The order of the results of one query; whether the list that readers prefer scores higher.",
    )
    statistic = STATISTICS[chosen]
    rows = [
        MeasureRow(labels[agreement.measure], agreement.measure, value, _tested(agreement, chosen))
        for agreement in ranked
        if (value := statistic.value(agreement)) is not None
    ]
    drawn = measures_against_readers(
        sorted(rows, key=lambda row: -row.value.mean),
        statistic=names[chosen],
        chance=statistic.chance,
        readers=pluralize(len(results.readers), whose.noun),
        unit=statistic.unit,
        theme=context.theme,
    )
    with place:
        figure.show(context, drawn, key=f"against-{whose.noun}")
        messages.small_sample_warning([ranked[0].within.n])
    draw = partial(
        table.caption_and_download,
        _method(results, chosen),
        table.in_file(context, measures_table(results, ranked)),
        context.stem("measures-readers"),
    )
    fold.section("How this was compared", draw, param=fold.HOW_COMPARED)


def _tested(agreement: MeasureAgreement, statistic: str) -> float | None:
    """p against the reference, which is about the order within queries; None of the reference itself."""
    if statistic != WITHIN:
        return float("nan")
    return None if agreement.against is None else agreement.against.p_corrected


def _graded(results: ReaderResults) -> str:
    """How many graded results of how many queries the measures are compared on."""
    queries = () if results.pairs is None else results.pairs.queries
    return f"{pluralize(len(queries), 'result')} of {pluralize(len({*queries}), 'query')}"


def _method(results: ReaderResults, statistic: str) -> str:
    """Over what, and how sure."""
    within = results.measures[0].within
    if statistic == VOTES:
        parts = [
            f"{pluralize(results.n_votes, 'vote')} for one of two lists, nDCG of their first {results.k}"
        ]
        parts += [f"{results.no_preference:,} without a preference"] if results.no_preference else []
        parts += [f"{results.not_comparable:,} on other systems"] if results.not_comparable else []
    else:
        parts = [f"{_graded(results)}, the median of the readers of each"]
        parts += [f"{pluralize(within.n, 'query')} with different grades"]
        n = 0 if results.pairs is None else results.pairs.left_out
        parts += [f"{n:,} left out, as a measure has no value for them"] if n else []
    how = f"{within.method.capitalize()}, {within.n_resamples:,} resamples, seed {within.seed}."
    return f"{'; '.join(parts)}. {how}"


def _differing(
    context: Context, whose: Whose, results: ReaderResults, labels: Mapping[str, str], first: str
) -> None:
    """Results that readers and a measure place most differently, each with its pictures one click away."""
    measure = select.selectbox("Measure", labels, param=DIFFER, first=first, width=340)
    pairs = differ_most(results, measure, n=LISTED)
    if not pairs:
        st.info("They rank these results in the same order.", icon=":material/done_all:")
        return
    st.caption(
        "All judged results are ranked twice, by grade and by the measure. Shown: those whose two ranks are "
        "furthest apart, one of each query."
    )
    grid = st.grid(4, min_column_width=230)
    for i, disagreement in enumerate(pairs, start=1):
        with grid.container(border=True, key=f"differs-{i}"):
            _card(context, i, disagreement, labels[measure], f"{whose.noun}s".capitalize())
    every = differ_most(results, measure, n=IN_FILE)
    table.caption_and_download(
        f"The file contains {pluralize(len(every), 'result')}, the largest differences first.",
        table.in_file(context, differing_table(context.study, every, measure)),
        context.stem("readers-differ"),
    )


def _card(context: Context, i: int, disagreement: Disagreement, label: str, readers: str) -> None:
    study, pair = context.study, (disagreement.query, disagreement.candidate)
    with st.container(horizontal=True, gap="xsmall"):
        for image in pair:
            cards.picture(study, image, width=SIDE)
    st.caption(f"{i} · {readers if disagreement.gap > 0 else 'Measure'} higher")
    st.markdown(
        f"{readers} **{number(disagreement.value_a, 2)}** :gray[· above {disagreement.place_a:.0%}]  \n"
        f"{md_escape(label)} **{number(disagreement.value_b)}** :gray[· above {disagreement.place_b:.0%}]"
    )
    ids = [study.image_ids[image] for image in pair]
    st.markdown(f":gray[Query {md_escape(ids[0], limit=26)}, result {md_escape(ids[1], limit=26)}]")
    messages.go_to(
        "queries",
        label="See both images",
        icon=":material/image_search:",
        params={QUERY: ids[0], WHY: ids[1]},
    )


def _between(context: Context, whose: Whose, results: ReaderResults) -> None:
    """The sentence on grades and on votes, and every two readers as a table."""
    simple = context.choice.plain
    kinds = (("grades", results.between), ("votes", results.between_votes))
    for what, agreement in kinds:
        if agreement.n_items:
            st.markdown(between_sentences(agreement, whose.noun, what, plain=simple))
    pairs = [
        asdict(pair) | {"on": what, "weights": agreement.weights}
        for what, agreement in kinds
        for pair in agreement.pairs
        if pair.n
    ]
    if not pairs:
        return
    kappa = "Agreement beyond chance" if simple else "Cohen’s κ"
    columns = (
        only_shown("Readers", "{a} and {b}".format_map, cell=plain),
        Column("on").on_page("On"),
        *named("a", "b"),
        Column("n").on_page("Judged by both"),
        Column("same").on_page("Same answer", "%.0f%%", cell=lambda part: 100 * part),
        Column("cohen_kappa", "kappa").on_page(kappa, "%.2f" if simple else "%.3f"),
        Column("weights", title=None if simple else "Weights"),
    )
    alt = "Agreement of every two readers"
    table.results_table(context, Table(pairs, columns), key="reader-pairs", alt=alt, file="readers")
