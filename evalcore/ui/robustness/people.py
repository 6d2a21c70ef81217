"""Measures against people: physicians' ratings of concept pairs, judgments of results, and a judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

import streamlit as st

from evalcore.evaluate.judges import JudgedScore
from evalcore.evaluate.ratings import N_RESAMPLES, RatedMeasure, against_ratings
from evalcore.figures.measures import RatedRow, rated_concepts
from evalcore.ranking.metrics import lower_is_better
from evalcore.relevance.concept_pairs import concept_similarities
from evalcore.results.judges import judged_sentence, judged_table
from evalcore.results.study import ratings_table
from evalcore.study.concept_ratings import TEMPLATE, parse_ratings
from evalcore.study.tables.schema import Rows
from evalcore.study.workspace import kept_files as workspace
from evalcore.ui.components import download, figure, fold, messages, select, table
from evalcore.ui.frame import cache, jobs
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.ui.robustness import work
from evalcore.values.errors import CuiscopeError
from evalcore.values.writing import md_escape, number, pluralize, span

RATINGS, LEVEL = "concept_ratings", 0.95
JUDGE, PEOPLE = Key("judge", of_study=True), Key("by_people", of_study=True)
FILLED = Key("filled_in")
NN_IOU = {"nn-iou": "Same or related concepts (nn-IoU)", "iou": "Same concepts (IoU)"}


def ratings(context: Context, _measures: Mapping[str, str]) -> None:
    """A table of rated concept pairs, and how every similarity of concepts agrees with it."""
    st.markdown(
        "Physicians rated how similar pairs of medical concepts are. A measure that orders the pairs as "
        "physicians do captures what they mean. One published table is UMNSRS (Pakhomov et al. 2010)."
    )
    study, rated = context.study, _uploaded()
    if not concept_similarities(study):
        messages.empty(
            "Nothing to compare",
            "Similarity of concepts needs a concept graph, or vectors of concepts.",
            label="Add a graph or vectors",
            key="no-concept-measures",
        )
    elif rated is not None:
        vectors = [vectors.digest for vectors in study.concept_vectors.values()]
        result = jobs.run(
            f"concept ratings {study.digest} {vectors} {workspace.kept_files()[RATINGS].mark}",
            lambda _: against_ratings(study, rated, level=LEVEL),
            label="Comparing the measures with the ratings",
        )
        if result is not None:
            _rated(context, rated, result)


def _uploaded() -> Rows | None:
    """Where the table is uploaded, and what could be read of it; None while there is none."""
    about = "One row per pair: CUI1, CUI2, Mean (higher: more similar). Other columns are ignored."
    kept = download.uploader(RATINGS, "Rated pairs of concepts", template=TEMPLATE, help=about)
    if kept is None:
        return None
    rated, report = cache.cached(
        ("concept ratings", kept.mark), lambda: parse_ratings(kept.content(), file=kept.name)
    )
    if errors := report.total("error"):
        left_out = "Those rows are left out." if rated is not None else "Nothing in it can be used."
        st.error(f"{pluralize(errors, 'problem')} in the file. {left_out}", icon=":material/error:")
    messages.problems(report, key="rated-problems")
    return rated


def _rated(context: Context, rated: Rows, measures: tuple[RatedMeasure, ...]) -> None:
    """The sentence, the figure, the table; measures without a value come last."""
    simple = context.choice.plain
    names = {row.measure: row.title if simple else row.measure for row in measures}
    known = [row for row in measures if isfinite(row.spearman)]
    if known:
        best = known[0]
        value = f"{number(best.spearman)} ({span(best.ci_low, best.ci_high)})"
        agrees = (
            f"agreement {value}, where 1 is the same order and 0 is chance," if simple else f"rho {value}"
        )
        others = " The rest contain concepts it does not cover." if best.n_known < rated.rows else ""
        messages.headline(
            f"**{md_escape(names[best.measure])}** comes closest to the ratings: {agrees} over "
            f"{best.n_known:,} of {pluralize(rated.rows, 'rated pair')}.{others}"
        )
    rows = [
        RatedRow(names[row.measure], row.relatedness, row.spearman, row.ci_low, row.ci_high, row.n_known)
        for row in measures
    ]
    drawn = rated_concepts(rows, ratings=rated.file, level=LEVEL, theme=context.theme)
    figure.show(context, drawn, key="rated", file="concept-ratings")
    messages.small_sample_warning([row.n_known for row in known], unit="pairs")
    note = (
        "*Similarity*: the two are nearly the same thing. *Relatedness*: they belong together, like kidney "
        "and dialysis. Unconnected pairs count as completely dissimilar. Measures that cover different "
        "numbers of pairs cannot be compared with each other."
    )
    if not simple:
        note += f" Percentile bootstrap over pairs, {N_RESAMPLES:,} resamples, seed 0."
    facts = {"ratings": rated.file, "ci_level": LEVEL, "resamples": N_RESAMPLES, "seed": 0}
    table.results_table(
        context,
        ratings_table(measures, names=names, rho="Agreement" if simple else "Rho")._replace(facts=facts),
        key="rated-table",
        alt=f"{pluralize(len(measures), 'measure')} against the ratings",
        note=note,
        file="concept-ratings",
    )


def judgments(context: Context, _measures: Mapping[str, str]) -> None:
    """How many files there are; folded, scores with a judge."""
    files = context.study.qrels.values()
    people = sum(not file.by_program for file in files)
    programs = f", {pluralize(len(files) - people, 'file')} of programs" if len(files) > people else ""
    messages.headline(f"{pluralize(people, 'file')} of judgments by people{programs}.")
    title = "Few people and a judge: what would people say of all queries, if they judged only some?"
    fold.section(title, _with_a_judge, context, param=FILLED)


def _with_a_judge(context: Context) -> None:
    study, systems = context.study, work.systems(context)
    fewest_first = sorted(study.qrels.values(), key=lambda qrels: qrels.n_queries)
    by_people = {qrels.relevance: qrels.name for qrels in fewest_first if not qrels.by_program}
    judges = {qrels.relevance: qrels.name for qrels in study.qrels.values() if qrels.by_program}
    if len(study.concepts.indices):
        judges |= NN_IOU if study.knows_neighbours else {"iou": NN_IOU["iou"]}
    if not by_people or not judges or not systems:
        st.markdown(
            "This needs judgments of people, and a judge: put what a language model or a classifier says "
            "into the folder judges, or add concepts."
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        people = select.selectbox("By people", by_people, param=PEOPLE)
        judge = select.selectbox("Judge of the other queries", judges, param=JUDGE)
    metric = f"nDCG({people})@{context.choice.k}"
    try:
        rows = work.measured(
            context,
            (judge,),
            ("judged",),
            metrics=(metric,),
            systems=systems,
            n=None,
            seed=0,
            answer=lambda analysis: analysis.judged(judge),
            label="Scoring by people and the judge",
        )
    except CuiscopeError as error:
        st.warning(md_escape(str(error), limit=600), icon=":material/block:")
        return
    if rows is None:
        return
    st.markdown(_judged_in_words(rows, by_people[people], judges[judge]))
    table.results_table(
        context,
        judged_table(rows),
        key="judged-scores",
        alt="Systems by people's judgments with those of the judge",
        stem="judged-scores",
        note=f"{metric}. The queries that people judged show how wrong the judge is, so they must be "
        "drawn at random from all. Method: prediction-powered inference (PPI++).",
    )


def _judged_in_words(rows: Sequence[JudgedScore], people: str, judge: str) -> str:
    """How many queries people judged, what all of them would say of the best system, its lead; Markdown."""
    best, powered = rows[0], rows[0].powered
    total = powered.n + powered.n_more
    text = (
        f"People (**{md_escape(people)}**) judged **{powered.n:,}** of {pluralize(total, 'query', 'queries')}"
    )
    text += f", the judge (**{md_escape(judge)}**) all of them. "
    if not isfinite(powered.low):
        return text + judged_sentence(rows)
    text += (
        f"If people judged all {total:,}, **{md_escape(best.system)}** would score about "
        f"**{powered.mean:.3f}** (probably between {span(powered.low, powered.high, joint='and')}), "
        f"the {'lowest' if lower_is_better(best.metric) else 'highest'} of {pluralize(len(rows), 'system')}. "
    )
    if len(rows) > 1 and (lead := rows[1].lead) is not None and isfinite(lead.low):
        second, ends = md_escape(rows[1].system), sorted((abs(lead.low), abs(lead.high)))
        if lead.low <= 0 <= lead.high:
            text += f"Its lead over **{second}** may be chance. "
        else:
            text += f"It leads **{second}** by probably {span(*ends)}. "
    return text + judged_sentence(rows)
