"""Judgments of others: how far files agree, and scores by few people and a program that judges all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

import streamlit as st

from evalcore.evaluate.judges import JudgedScore, files_agree, judgment_files, measures_against_judgments
from evalcore.ranking.metrics import lower_is_better
from evalcore.results.judges import (
    agreement_of_files,
    files_table,
    judged_sentence,
    judged_table,
    measures_judged_table,
)
from evalcore.ui.components import fold, messages, select, table
from evalcore.ui.frame import jobs
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.ui.robustness import work
from evalcore.values.errors import CuiscopeError
from evalcore.values.writing import extreme, md_escape, pluralize, span

JUDGE, PEOPLE = Key("judge", of_study=True), Key("by_people", of_study=True)
FILLED, AGAINST = Key("filled_in"), Key("against_judgments")
NN_IOU = {"nn-iou": "Same or related concepts (nn-IoU)", "iou": "Same concepts (IoU)"}


def section(context: Context, measures: Mapping[str, str]) -> None:
    """What the files contain, how far they agree; folded, measures against them and scores with a judge."""
    study = context.study
    work_of = jobs.run(
        f"judgments {study.digest} {context.choice.k}",
        lambda _progress: (judgment_files(study, k=context.choice.k), files_agree(study, k=context.choice.k)),
        label="Comparing the judgments",
        shared=True,
    )
    if work_of is None:
        return
    files, agree = work_of
    people = sum(not of.by_program for of in files)
    programs = f", {pluralize(len(files) - people, 'file')} of programs" if len(files) > people else ""
    known = [of for of in agree if isfinite(of.alpha.value)]
    least = min(known, key=lambda of: of.alpha.value, default=None)
    text = f"{pluralize(people, 'file')} of judgments by people{programs}."
    if least is not None:
        text += (
            f" **{md_escape(least.a)}** and **{md_escape(least.b)}** agree least: α "
            f"**{least.alpha.value:.2f}**, where 1 is full agreement and 0 chance."
        )
    messages.lead(text)
    table.declared(
        context,
        files_table(files),
        key="judgment-files",
        alt="Files of judgments, with how much each contains",
        stem="judgments",
        note="A result without a judgment counts as not relevant: a low share in the top results "
        "means that scores by this file are too low.",
    )
    if agree:
        table.declared(
            context,
            agreement_of_files(agree),
            key="judgments-agree",
            alt="How far every two files, and every two readers of one file, agree",
            stem="judgments-agree",
            note="Intervals: 95%, bootstrap over queries, or over groups such as patients.",
        )
    fold.section(
        "**Measures and these judgments**: does a measure put results in the judges’ order?",
        _of_measures,
        context,
        measures,
        keep=AGAINST,
        icon=":material/balance:",
    )
    fold.section(
        "**Few people and a judge**: what would people say of all queries, if they judged only some?",
        _filled,
        context,
        keep=FILLED,
        icon=":material/smart_toy:",
        opened_by=(JUDGE, PEOPLE),
    )


def _of_measures(context: Context, measures: Mapping[str, str]) -> None:
    study, choice = context.study, context.choice
    if not [name for name in measures if len(study.qrels) > 1 or name != f"qrels:{next(iter(study.qrels))}"]:
        st.markdown("Select a measure under “Measures compared”, or add a second file of judgments.")
        return
    decides = ([*measures], choice.k, choice.settings, work.systems(context))
    rows = jobs.run(
        f"against judgments {study.digest} {decides!r}",
        lambda progress: measures_against_judgments(
            study,
            [*measures],
            k=choice.k,
            settings=choice.settings,
            systems=work.systems(context),
            progress=progress,
        ),
        label="Comparing the measures with the judgments",
        shared=True,
    )
    if rows is None:
        return
    known = [row for row in rows if isfinite(row.within.value)]
    best = max(known, key=lambda row: row.within.value, default=None)
    if best is not None:
        st.markdown(
            f"**{md_escape(measures[best.measure])}** is closest to **{md_escape(best.judgments)}**: "
            f"τ **{best.within.value:.2f}**, probably between "
            f"{span(best.within.low, best.within.high, joint='and')}, where 1 is the same order of a query’s "
            "results and 0 no relation."
        )
    table.declared(
        context,
        measures_judged_table(rows),
        key="measures-judged",
        alt="Every measure against every file of judgments",
        stem="measures-judgments",
        note="Over results with a grade. Order of systems: by the mean nDCG of their top results.",
    )


def _filled(context: Context) -> None:
    study = context.study
    fewest_first = sorted(study.qrels.values(), key=lambda of: of.n_queries)
    of_people = {of.relevance: of.name for of in fewest_first if not of.by_program}
    judges = {of.relevance: of.name for of in study.qrels.values() if of.by_program}
    if len(study.concepts.indices):
        judges |= NN_IOU if study.knows_neighbours else {"iou": NN_IOU["iou"]}
    if not of_people or not judges or not work.systems(context):
        st.markdown(
            "This needs judgments of people, and a judge: put what a language model or a classifier says "
            "into the folder judges, or add concepts."
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        people = select.one("By people", of_people, keep=PEOPLE)
        judge = select.one("Judge of the other queries", judges, keep=JUDGE)
    metric = f"nDCG({people})@{context.choice.k}"
    try:
        rows = jobs.run(
            f"judged {study.digest} {metric} {judge} {work.systems(context)} {context.choice.settings!r}",
            lambda progress: work.analysis(
                context, (metric,), work.systems(context), None, 0, progress
            ).judged(judge),
            label="Scoring by people and the judge",
            shared=True,
        )
    except CuiscopeError as error:
        st.warning(md_escape(str(error), limit=600), icon=":material/block:")
        return
    if rows is None:
        return
    st.markdown(_in_words(rows, of_people[people], judges[judge]))
    table.declared(
        context,
        judged_table(rows),
        key="judged-scores",
        alt="Systems by people's judgments with those of the judge",
        stem="judged-scores",
        note=f"{metric}. The queries that people judged show how wrong the judge is, so they must be "
        "drawn at random from all. Method: prediction-powered inference (PPI++).",
    )


def _in_words(rows: Sequence[JudgedScore], people: str, judge: str) -> str:
    """How many queries people judged, what all of them would say of the best system, its lead; Markdown."""
    best = rows[0]
    n, total, powered = best.powered.n, best.powered.n + best.powered.n_more, best.powered
    text = f"People (**{md_escape(people)}**) judged **{n:,}** of {pluralize(total, 'query', 'queries')}"
    text += f", the judge (**{md_escape(judge)}**) all of them. "
    if not isfinite(powered.low):
        return text + judged_sentence(rows)
    most = extreme(lower_is_better(best.metric))
    text += (
        f"If people judged all {total:,}, **{md_escape(best.system)}** would score about "
        f"**{powered.mean:.3f}** (probably between {span(powered.low, powered.high, joint='and')}), "
        f"the {most} of {pluralize(len(rows), 'system')}. "
    )
    if len(rows) > 1 and (lead := rows[1].lead) is not None and isfinite(lead.low):
        second, ends = md_escape(rows[1].system), sorted((abs(lead.low), abs(lead.high)))
        if lead.low <= 0 <= lead.high:
            text += f"Its lead over **{second}** may be chance. "
        else:
            text += f"It leads **{second}** by probably {span(*ends)}. "
    return text + judged_sentence(rows)
