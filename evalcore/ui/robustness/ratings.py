"""Against physicians: a table of rated concept pairs, and how every similarity of concepts agrees with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

import streamlit as st

from evalcore.evaluate.ratings import N_RESAMPLES, RatedMeasure, against_ratings
from evalcore.figures.measures import RatedRow, rated_concepts
from evalcore.relevance.concept_pairs import concept_similarities
from evalcore.results.study import ratings_table
from evalcore.study.concepts.ratings import TEMPLATE, ConceptRatings, parse_ratings
from evalcore.study.workspace import kept_files as workspace
from evalcore.ui.components import download, figure, messages, table
from evalcore.ui.frame import cache, jobs
from evalcore.ui.frame.context import Context
from evalcore.ui.robustness import work
from evalcore.values.writing import count, md_escape, number, pluralize, span

PART = "concept_ratings"
LEVEL = 0.95
MAX_MB = 20


def section(context: Context, _measures: Mapping[str, str]) -> None:
    """The upload, the sentence, the figure, the table."""
    st.markdown(
        "Physicians rated how similar pairs of medical concepts are. A measure that orders the pairs as "
        "physicians do captures what they mean. One published table is UMNSRS (Pakhomov et al. 2010)."
    )
    ratings = _ratings()
    if not concept_similarities(context.study):
        messages.empty(
            "Nothing to compare",
            "Similarity of concepts needs a concept graph, or vectors of concepts.",
            label="Add a graph or vectors",
            key="no-concept-measures",
        )
        return
    if ratings is None:
        return
    study = context.study
    vectors = [of.digest for of in study.concept_vectors.values()]
    result = jobs.run(
        f"concept ratings {context.study.digest} {vectors} {workspace.kept_files()[PART].mark}",
        lambda _: against_ratings(study, ratings, level=LEVEL),
        label="Comparing the measures with the ratings",
    )
    if result is not None:
        _found(context, ratings, result)


def _ratings() -> ConceptRatings | None:
    """Where the table is uploaded, and what could be read of it; None while there is none."""
    kept = workspace.kept_files().get(PART)
    download.uploader(
        PART,
        "Rated pairs of concepts",
        kept,
        template=TEMPLATE,
        max_mb=MAX_MB,
        wrong=work.NOT_DONE,
        help="One row per pair: CUI1, CUI2, Mean (higher: more similar). Other columns are ignored.",
    )
    download.not_done(work.NOT_DONE)
    if kept is None:
        return None
    ratings, report = cache.share(
        ("concept ratings", kept.mark), lambda: parse_ratings(workspace.content(kept), file=kept.name)
    )
    if errors := report.total("error"):
        left_out = "Those rows are left out." if ratings is not None else "Nothing in it can be used."
        st.error(f"{pluralize(errors, 'problem')} in the file. {left_out}", icon=":material/error:")
    if report.problems:
        messages.problems(report, key="rated-problems")
    return ratings


def _found(context: Context, ratings: ConceptRatings, measures: tuple[RatedMeasure, ...]) -> None:
    """The sentence, the figure, the table; measures without a value come last."""
    plain = context.choice.plain
    names = {one.measure: one.title if plain else one.measure for one in measures}
    known = [one for one in measures if isfinite(one.spearman)]
    if known:
        messages.lead(_closest(known[0], names, len(ratings), plain=plain))
    rows = [
        RatedRow(names[one.measure], one.relatedness, one.spearman, one.ci_low, one.ci_high, one.n_known)
        for one in measures
    ]
    drawn = rated_concepts(rows, ratings=ratings.file, level=LEVEL, theme=context.theme)
    figure.show(context, drawn, key="rated", file="concept-ratings")
    messages.few([one.n_known for one in known], of="pairs")
    _table(context, ratings, measures, names)


def _closest(best: RatedMeasure, names: Mapping[str, str], n_rated: int, *, plain: bool) -> str:
    """How far the measure that agrees most does so, and over how many of the pairs."""
    value = f"{number(best.spearman)} ({span(best.ci_low, best.ci_high)})"
    agrees = f"agreement {value}, where 1 is the same order and 0 is chance," if plain else f"rho {value}"
    others = " The rest contain concepts it does not cover." if best.n_known < n_rated else ""
    return (
        f"**{md_escape(names[best.measure])}** comes closest to the ratings: {agrees} over "
        f"{count(best.n_known)} of {pluralize(n_rated, 'rated pair')}.{others}"
    )


def _table(
    context: Context, ratings: ConceptRatings, measures: Sequence[RatedMeasure], names: Mapping[str, str]
) -> None:
    plain = context.choice.plain
    note = (
        "*Similarity*: the two are nearly the same thing. *Relatedness*: they belong together, like kidney "
        "and dialysis. Unconnected pairs count as completely dissimilar. Measures that cover different "
        "numbers of pairs cannot be compared with each other."
    )
    if not plain:
        note += f" Percentile bootstrap over pairs, {count(N_RESAMPLES)} resamples, seed 0."
    facts = {"ratings": ratings.file, "ci_level": LEVEL, "resamples": N_RESAMPLES, "seed": 0}
    table.declared(
        context,
        ratings_table(measures, names=names, rho="Agreement" if plain else "Rho")._replace(facts=facts),
        key="rated-table",
        alt=f"{pluralize(len(measures), 'measure')} against the ratings",
        note=note,
        file="concept-ratings",
    )
