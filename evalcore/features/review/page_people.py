"""What readers say: which measure agrees with readers; closed, what that is based on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from operator import attrgetter, itemgetter
from typing import NamedTuple, cast

import streamlit as st

from evalcore.evaluate.measures import Disagreement
from evalcore.features.review import page_reader_study
from evalcore.features.review.agreement.between import ReaderAgreement
from evalcore.features.review.agreement.measures import Coverage, MeasureAgreement, best_first
from evalcore.features.review.agreement.ratings import How
from evalcore.features.review.figures import MeasureRow, measures_against_readers
from evalcore.features.review.judgments import Judgment
from evalcore.features.review.page.who import as_seen
from evalcore.features.review.read.task_files import read_tasks
from evalcore.features.review.read.together import judgments_of
from evalcore.features.review.readers import (
    ReaderResults,
    as_asked,
    differ_most,
    reader_results,
    usual_measures,
)
from evalcore.features.review.tables import coverage_table, differing_table, statistics_table
from evalcore.features.review.tasks import Task
from evalcore.relevance.registry import offered, weighed_ones
from evalcore.results.rows import Column, Table
from evalcore.stats.correction import CLEAR
from evalcore.ui.components import cards, figure, fold, messages, select, table
from evalcore.ui.frame import jobs, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.measures import called
from evalcore.ui.frame.pages import QUERY, WHY
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.model import Interval, Study
from evalcore.values.progress import Progress
from evalcore.values.writing import brief, count, listed, md_escape, number, percent, plain, pluralize, span

# What the tab on readers says, in one sentence each, for both kinds of reader.

MANY = 0.1
"""From this share of results on, those left out are worth a warning."""


def bold(name: str) -> str:
    return f"**{md_escape(name)}**"


def all_simulated(found: ReaderResults) -> bool:
    """Whether nobody is behind any of the readers."""
    return bool(found.readers) and set(found.simulated) >= set(found.readers)


def who(found: ReaderResults) -> str:
    """ "the readers", or "the simulated readers"."""
    return "the simulated readers" if all_simulated(found) else "the readers"


def headline(
    found: ReaderResults, ranked: Sequence[MeasureAgreement], labels: Mapping[str, str], *, plain: bool
) -> str:
    """Which measure agrees best with the readers, how well, and which are not clearly worse."""
    known = [agreement for agreement in ranked if isfinite(agreement.within.mean)]
    if not known:
        return (
            f"No measure can be compared with {who(found)} yet: that takes a query with results they grade "
            "differently."
        )
    best, of = known[0], known[0].within
    by = f"{pluralize(len(found.readers), 'reader')}, {pluralize(best.pooled.n, 'result')} of "
    by += pluralize(best.pooled.n_groups, "query")
    first = f"{bold(labels[best.measure])} agrees best with {who(found)}: "
    first += (
        f"**{brief(of.mean)}**, where 1 means the same order of a query’s results and 0 no relation. The "
        f"true value is probably between {brief(of.low)} and {brief(of.high)}."
        if plain
        else f"Kendall’s τ-b within queries **{number(of.mean)}** ({span(of.low, of.high)} with 95% "
        f"confidence; {by})."
    )
    return f"{first} {_others(known, labels)}".strip()


def _others(known: Sequence[MeasureAgreement], labels: Mapping[str, str]) -> str:
    """Which measures are not clearly worse than the best; said only where they were compared with it."""
    best = known[0].measure
    compared = [
        agreement
        for agreement in known[1:]
        if agreement.against is not None and agreement.against.reference == best
    ]
    if not compared:
        return ""
    close = [
        bold(labels[agreement.measure])
        for agreement in compared
        if agreement.against and not agreement.against.p_corrected < CLEAR
    ]
    if not close:
        return "All others agree clearly less."
    if len(close) == len(compared) > 1:
        return "None of the others is clearly worse."
    return f"Not clearly worse: {listed(close, limit=4)}."


def left_out(found: ReaderResults, labels: Mapping[str, str]) -> str:
    """Measures without a value for many of the judged results, which are then left out; "" where none is."""
    n = 0 if found.pairs is None else found.pairs.left_out
    if found.pairs is None or n < MANY * (n + len(found.pairs.queries)):
        return ""
    each = listed([f"{bold(labels[name])} ({count(k)})" for name, k in found.without.items()], limit=4)
    return (
        f"{count(n)} of {pluralize(n + len(found.pairs.queries), 'judged result')} are left out under all "
        f"measures, as some have no value for them: {each}. Remove them under “Tasks and measures”."
    )


def between_sentences(agreement: ReaderAgreement, simulated: bool, what: str, *, plain: bool) -> str:
    """How far readers agree with each other."""
    if agreement.why_none:
        return agreement.why_none
    a = agreement.alpha
    readers = pluralize(len(agreement.readers), "simulated reader" if simulated else "reader")
    ends = span(a.low, a.high)
    if plain:
        return (
            f"On {what}, {readers} agree **{_how_well(a.mean)}**: {brief(a.mean)}, where 1 means always and "
            f"0 no more than by chance ({ends} with 95% confidence; {pluralize(a.n, 'item')} judged by two "
            "or "
            "more)."
        )
    kappa = ""
    if isfinite(agreement.fleiss) and agreement.level != "interval":
        kappa = f" Fleiss’ κ {number(agreement.fleiss)} over the {count(agreement.n_by_all)} judged by all."
    return (
        f"On {what}: Krippendorff’s α ({agreement.level}) **{number(a.mean)}** (95% {ends}, bootstrap over "
        f"{pluralize(agreement.n_queries, 'query')}, {count(a.n_resamples)} resamples, seed {a.seed}); "
        f"{readers}, {pluralize(a.n, 'item')} judged by at least two.{kappa}"
    )


def _how_well(alpha: float) -> str:
    """Krippendorff's own thresholds in words: reliable from 0.8, tentative from 0.667."""
    if alpha >= 0.8:
        return "well"
    return "fairly well" if alpha >= 0.667 else "only in part" if alpha >= 0.2 else "hardly"


def coverage_sentences(rows: Sequence[Coverage], *, plain: bool) -> str:
    """How much of the lists was judged, and whose score suffers."""
    if not rows:
        return "The study has no systems whose lists could have been judged."
    k = rows[0].k
    poor = sorted((coverage for coverage in rows if coverage.poor), key=lambda coverage: coverage.share)
    over = f"the first {pluralize(k, 'result')} of {pluralize(rows[0].n_queries, 'judged query')}"
    if not poor:
        return f"Of {over}, at least 90% were judged for every system."
    each = listed(
        [f"{bold(coverage.system)} {percent(coverage.judged, coverage.n_results)}" for coverage in poor],
        limit=6,
    )
    text = (
        f"Of {over}, less than 90% were judged for {each}. Results without a judgment count as not relevant, "
        "so such a system may score lower than it deserves."
    )
    return text if plain else f"{text} `nDCG(judged,only=judged)` ignores them."


# What the readers' judgments are looked at by.

COMPARED_THERE = {"part": "measures", "view": "judgments"}
"""The part of Robustness about judgments of others, as links call it."""
TASK = Key("task", of_study=True)
MEASURES = Key("against_readers", of_study=True)
STATISTIC = Key("agreeing")
REFERENCE = Key("reference_measure", of_study=True)
HOW = Key("several_readers")
DIFFER = Key("differs", of_study=True)
DIFFERING, BETWEEN, COVERED = Key("differing"), Key("between"), Key("covered")
"""What is closed at first."""

# The tab Readers: which measure agrees best with them, do they agree, how much have they judged.

# Results that readers and a measure place most differently, each with its pictures one click away.

LISTED, IN_FILE = 8, 1_000
SIDE = 102
"""Pixels of a picture on a card: two stand side by side on a phone too."""


def section(context: Context, found: ReaderResults, labels: Mapping[str, str], first: str, who: str) -> None:
    """The measure looked at, cards of the results, and their file."""
    measure = select.one("Measure", labels, keep=DIFFER, first=first, width=340)
    listed = differ_most(found, measure, n=LISTED)
    if not listed:
        st.info("They rank these results in the same order.", icon=":material/done_all:")
        return
    st.caption(
        "All judged results are ranked twice, by grade and by the measure. Shown: those whose two ranks are "
        "furthest apart, one of each query."
    )
    called = who.removeprefix("the ").capitalize()
    grid = st.grid(4, min_column_width=230)
    for i, disagreement in enumerate(listed, start=1):
        with grid.container(border=True, key=f"differs-{i}"):
            _card(context, i, disagreement, labels[measure], called)
    every, simulated = differ_most(found, measure, n=IN_FILE), bool(found.simulated)
    table.beside(
        f"The file contains {pluralize(len(every), 'result')}, the largest differences first.",
        table.in_file(context, differing_table(context.study, every, measure, simulated=simulated)),
        context.stem("readers-differ"),
    )


def _card(context: Context, i: int, disagreement: Disagreement, label: str, who: str) -> None:
    study, pair = context.study, (disagreement.query, disagreement.candidate)
    with st.container(horizontal=True, gap="xsmall"):
        for image in pair:
            cards.picture(study, image, width=SIDE)
    st.caption(f"{i} · {who if disagreement.gap > 0 else 'Measure'} higher")
    st.markdown(
        f"{who} **{brief(disagreement.value_a)}** :gray[· above {disagreement.place_a:.0%} of results]  \n"
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


# The judgments of the open study, and what they say; computed once for the same judgments and settings.


class StudyJudgments(NamedTuple):
    """The tasks of a study, and all that was said in them."""

    tasks: tuple[Task, ...]
    judgments: tuple[Judgment, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The tasks with a judgment."""
        return tuple(sorted({judgment.task for judgment in self.judgments}))

    def title(self, name: str) -> str:
        """What a task is called; its name where its file is gone."""
        return next((task.title for task in self.tasks if task.name == name), name)

    def of(self, name: str) -> StudyJudgments:
        """One task alone; all for ""."""
        if not name:
            return self
        return StudyJudgments(
            tuple(task for task in self.tasks if task.name == name),
            tuple(judgment for judgment in self.judgments if judgment.task == name),
        )


def said(context: Context) -> StudyJudgments:
    """What was said in the open study; with a message in its place where that cannot be read."""
    path = context.entry.path
    try:
        return StudyJudgments(read_tasks(path)[0], as_seen(context.entry, judgments_of(path)))
    except InputError as error:
        st.error(md_escape(str(error), limit=600), icon=":material/error:")
        return StudyJudgments((), ())


def results(
    context: Context, judgments: StudyJudgments, measures: tuple[str, ...], *, reference: str | None, how: How
) -> ReaderResults | None:
    """What the judgments say; None while it is computed."""
    study, settings = context.study, context.choice.settings
    k, level = as_asked(judgments.tasks)

    def work(progress: Progress) -> ReaderResults:
        return reader_results(
            study,
            judgments.judgments,
            measures=measures,
            reference=reference,
            level=level,
            how=how,
            k=k,
            settings=settings,
            progress=progress,
        )

    version = digest_of(
        [f"{judgment.id} {judgment.said} {judgment.value}" for judgment in judgments.judgments]
    )
    parts = (study.digest, version, measures, reference, how, k, level, settings)
    return jobs.run(f"readers {parts!r}", work, label="Comparing the measures with the readers")


# Do readers agree with each other, and how much have they judged?


def between_judgments(context: Context, found: ReaderResults) -> None:
    """The sentence on grades and on votes, and every two readers as a table."""
    simple, simulated = context.choice.plain, all_simulated(found)
    kinds = (("grades", found.between), ("votes", found.between_votes))
    for what, one in kinds:
        if one.n_items:
            st.markdown(between_sentences(one, simulated, what, plain=simple))
    pairs = [(what, p, one.weights) for what, one in kinds for p in one.pairs if p.n]
    if not pairs:
        return
    kappa = "Agreement beyond chance" if simple else "Cohen’s κ"
    columns = (
        Column("on", itemgetter(0)).on_page("On"),
        Column("a", lambda row: row[1].a),
        Column("b", lambda row: row[1].b),
        Column("n", lambda row: row[1].n).on_page("Judged by both"),
        Column("same", lambda row: row[1].same).on_page(
            "Same answer", "%.0f%%", cell=lambda part: 100 * part
        ),
        Column("cohen_kappa", lambda row: row[1].kappa).on_page(kappa, "%.2f" if simple else "%.3f"),
        Column("weights", itemgetter(2), title=None if simple else "Weights"),
    )
    both = Column("", lambda row: f"{row[1].a} and {row[1].b}").on_page("Readers", cell=plain)
    table.declared(
        context,
        Table(pairs, (both, *columns)),
        key="reader-pairs",
        alt="Agreement of every two readers",
        file="readers",
    )


def coverage_judgments(context: Context, found: ReaderResults) -> None:
    """The sentence on what was not judged, and every system as a table."""
    st.markdown(coverage_sentences(found.coverage, plain=context.choice.plain))
    rows = coverage_table(found.coverage)
    share = st.column_config.ProgressColumn(format="%.0f%%", min_value=0, max_value=100)
    table.declared(
        context,
        rows,
        key="judged-at-k",
        alt="Share of the first results of each system that was judged",
        file="judged",
        columns={title: share for title in rows.on_page() if title.startswith("Judged of")},
    )


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
    AUC: Statistic(
        "Relevant results ranked first", "Area under the ROC curve", 0.5, "result", attrgetter("auc")
    ),
    VOTES: Statistic(
        "Votes between two lists", "Share of votes won by the higher nDCG", 0.5, "vote", attrgetter("votes")
    ),
}


def show(context: Context) -> None:
    """The whole tab; an empty state where nothing was judged yet."""
    everything = said(context)
    if not everything.names:
        if context.study.qrels:
            _of_others(context.study)
        messages.empty(
            "What do readers say about the results?",
            "No reader has judged in a task of this program yet."
            if context.study.qrels
            else "Nothing has been judged in this study yet.",
            label="Judge results",
            key="readers",
            page="readers",
            params={state.TAB: "judge"},
        )
        return
    answer = st.container()
    with fold.settings("Tasks and measures", key="people", first=not context.choice.plain):
        task = _task(everything)
        labels = _measures(context)
        reference, how = _expert(context, labels)
    if not labels:
        answer.info("Select at least one measure.", icon=":material/straighten:")
        return
    chosen = everything.of("" if task == EVERY else task)
    with answer:
        result = results(
            context, chosen, tuple(labels), reference=None if reference == BEST else reference, how=how
        )
        if result is not None:
            _answer(context, result, labels, chosen)
    if context.study.qrels:
        messages.go_to("robustness", label="See the judgments of others too", params=COMPARED_THERE)


def _of_others(study: Study) -> None:
    """That the study has judgments of others, and where they are compared."""
    people = [f"“{md_escape(of.name)}”" for of in study.qrels.values() if not of.by_program]
    programs = [f"“{md_escape(of.name)}”" for of in study.qrels.values() if of.by_program]
    whose = [f"of people: {listed(people, limit=4)}"] if people else []
    whose += [f"of programs: {listed(programs, limit=4)}"] if programs else []
    messages.empty(
        "This study has judgments of others.",
        f"Files {'; '.join(whose)}. How far they agree, and who is best by each, is on the page Measures.",
        label="See the judgments",
        key="judged-by-others",
        page="robustness",
        params=COMPARED_THERE,
    )


def _answer(
    context: Context, result: ReaderResults, labels: Mapping[str, str], judgments: StudyJudgments
) -> None:
    """The sentence and the figure; closed, what they are based on."""
    _simulated(result)
    ranked = best_first(result.measures)
    if result.grades.items:
        messages.lead(headline(result, ranked, labels, plain=context.choice.plain))
    if missing := left_out(result, labels):
        st.warning(missing, icon=":material/filter_alt:")
    if ranked:
        _against(context, result, ranked, labels)
        fold.section(
            f"Where {who(result)} and a measure differ most",
            section,
            context,
            result,
            labels,
            ranked[0].measure,
            who(result),
            keep=DIFFERING,
            opened_by=(DIFFER,),
        )
    if result.grades.items or result.votes.items:
        fold.section(
            f"Do {who(result)} agree with each other?", between_judgments, context, result, keep=BETWEEN
        )
    else:
        st.markdown(
            "Readers judged whole lists or by criteria here, which says nothing about measures of single "
            "results."
        )
    if result.coverage:
        fold.section("How much has been judged?", coverage_judgments, context, result, keep=COVERED)
    if page_reader_study.offered(judgments.tasks, judgments.judgments):
        fold.section(
            "Would other readers judge the systems the same?",
            page_reader_study.section,
            context,
            judgments.tasks,
            judgments.judgments,
            keep=page_reader_study.FOLD,
            opened_by=page_reader_study.USED,
        )


def _task(everything: StudyJudgments) -> str:
    names = everything.names
    if len(names) < 2:
        return EVERY
    titles = {EVERY: "All tasks"} | {name: everything.title(name) for name in names}
    return select.one("Task", titles, keep=TASK, width=340)


def _measures(context: Context) -> dict[str, str]:
    """The picker of the measures compared with the readers, and what each is called."""
    named = (*offered(context.study), *weighed_ones(context.study))
    everything = {name: called(name, plain=context.choice.plain) for name in named}
    picked = select.some(
        "Measures compared with readers",
        everything,
        keep=MEASURES,
        first=usual_measures(context.study),
        placeholder="Select measures",
    )
    return {name: called for name, called in everything.items() if name in picked}


def _expert(context: Context, labels: Mapping[str, str]) -> tuple[str, How]:
    """What the measures are compared with, and how several readers become one; chosen by researchers."""
    if context.choice.plain:
        return BEST, "median"
    names = {BEST: "the best"} | dict(labels)
    with select.row():
        reference = select.one("Compare with", names, keep=REFERENCE, width=260)
        how = select.segments("Several readers", ("median", "mean"), keep=HOW)
    return reference, cast("How", how)


def _simulated(found: ReaderResults) -> None:
    """Who of the readers is simulated, before anything else is said."""
    if not found.simulated:
        return
    if all_simulated(found):
        st.warning(
            "**Simulated judgments.** A program made them up: they show what this page does, not what "
            "readers think.",
            icon=":material/smart_toy:",
        )
        return
    names = listed([md_escape(name) for name in found.simulated])
    st.warning(
        f"**Partly simulated.** {names} {'is' if len(found.simulated) == 1 else 'are'} simulated, but "
        "counted like real readers here.",
        icon=":material/smart_toy:",
    )


@state.fragment()
def _against(
    context: Context, found: ReaderResults, ranked: Sequence[MeasureAgreement], labels: Mapping[str, str]
) -> None:
    called = {
        name: statistic.words if context.choice.plain else statistic.technical
        for name, statistic in STATISTICS.items()
        if name != VOTES or found.n_votes
    }
    place = st.container()
    statistic = select.segments(
        "Agreement on",
        called,
        keep=STATISTIC,
        help="The order of the results of one query; whether results graded in the upper half come before "
        "the others; whether the list that readers prefer scores higher.",
    )
    rows = [
        MeasureRow(labels[agreement.measure], agreement.measure, value, _tested(agreement, statistic))
        for agreement in ranked
        if (value := STATISTICS[statistic].of(agreement)) is not None
    ]
    rows.sort(key=lambda row: -row.value.mean)
    n = pluralize(len(found.readers), "simulated reader" if all_simulated(found) else "reader")
    drawn = measures_against_readers(
        rows,
        statistic=called[statistic],
        chance=STATISTICS[statistic].chance,
        readers=n,
        unit=STATISTICS[statistic].unit,
        theme=context.theme,
    )
    with place:
        figure.show(context, drawn, key="against-readers")
        messages.few([ranked[0].within.n])
    fold.section(
        "How this was compared", _how_compared, context, found, ranked, statistic, keep=fold.HOW_COMPARED
    )


def _how_compared(
    context: Context, found: ReaderResults, ranked: Sequence[MeasureAgreement], statistic: str
) -> None:
    table.beside(
        _method(found, statistic),
        table.in_file(context, statistics_table(found, ranked)),
        context.stem("measures-readers"),
    )


def _tested(agreement: MeasureAgreement, statistic: str) -> float | None:
    """p against the reference, which is about the order within queries; None of the reference itself."""
    if statistic != WITHIN:
        return float("nan")
    return None if agreement.against is None else agreement.against.p_corrected


def _method(found: ReaderResults, statistic: str) -> str:
    """Over what, and how sure."""
    one = found.measures[0]
    of = one.within
    if statistic == VOTES:
        text = f"{pluralize(found.n_votes, 'vote')} for one of two lists, nDCG of their first {found.k}"
        text += f"; {count(found.no_preference)} without a preference" if found.no_preference else ""
        text += f"; {count(found.not_comparable)} on other systems" if found.not_comparable else ""
    else:
        text = f"{pluralize(one.pooled.n, 'result')} of {pluralize(one.pooled.n_groups, 'query')}, the "
        text += f"{found.how} of the readers of each"
        text += (
            f"; {pluralize(of.n, 'query', 'queries')} with different grades" if statistic == WITHIN else ""
        )
        left = 0 if found.pairs is None else found.pairs.left_out
        text += f"; {count(left)} left out, as a measure has no value for them" if left else ""
    return f"{text}. {of.method.capitalize()}, {count(of.n_resamples)} resamples, seed {of.seed}."
