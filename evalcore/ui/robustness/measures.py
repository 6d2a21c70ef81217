"""Would another measure change the winner? Systems under each, how far measures agree, what each is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.measures import (
    N_PAIRS,
    Agreement,
    MeasureScores,
    PairSample,
    PairValues,
    Power,
    agreement,
    disagreements,
    metrics_by,
    pair_values,
    places,
    sample_pairs,
)
from evalcore.figures.measures import Marked, agreement_matrix, measure_cloud, rank_slopes
from evalcore.relevance.registry import RelevanceMeasure, describe
from evalcore.results.measures import MEASURES, agreement_table, disagreements_table, means_table, power_table
from evalcore.results.method import over_what
from evalcore.results.rows import Table, only_shown
from evalcore.ui.components import download, figure, fold, messages, select, table
from evalcore.ui.frame import jobs, pages
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.pages import QUERY, WHY, WHY_BY
from evalcore.ui.frame.state import Key
from evalcore.ui.robustness import sentences, work
from evalcore.values.progress import Progress, part_of
from evalcore.values.writing import MINUS, NOTHING, listed, md_escape, plain, pluralize, pluralize_all

MEANS = Key("means")


class OnSystems(NamedTuple):
    """The systems under the measures; ``power`` is empty for a single system.

    ``used`` of ``n_all`` queries were used, drawn with ``seed``.
    """

    scores: MeasureScores
    queries: Agreement
    systems: Agreement
    power: tuple[Power, ...]
    used: int
    n_all: int
    seed: int

    @property
    def facts(self) -> dict[str, object]:
        """How many queries were used and how they were drawn, for a file."""
        return {"queries_used": self.used, "queries_of_study": self.n_all, "seed": self.seed}

    @property
    def over(self) -> str:
        return pluralize(len(self.scores.queries), "query")


def _on_systems(context: Context, measures: Mapping[str, str]) -> OnSystems | None:
    """The systems under the measures; None while that is computed, or with a message why it cannot be."""
    systems, study, k = work.systems(context), context.study, context.choice.k
    if not systems:
        messages.empty(
            "No systems to compare",
            "No retrieval system is selected. Select one on the left, or add its rankings or vectors.",
            label="Add a system's rankings or vectors",
            key="no-systems",
        )
        return None
    with select.hidden(context.choice.plain), select.row():
        n, seed = work.queries_used(context, measures)

    def answer(analysis: Analysis) -> OnSystems:
        scores, n_used = analysis.by_measure(), len(analysis.scores[0].queries)
        power = analysis.discrimination() if len(systems) > 1 else ()
        agree = agreement("queries", scores), agreement("systems", scores)
        return OnSystems(scores, *agree, power, n_used, len(study.queries), seed)

    return work.measured(
        context,
        tuple(measures),
        ("systems", n),
        metrics=metrics_by(study, tuple(measures), k=k),
        systems=systems,
        n=n,
        seed=seed,
        answer=answer,
        label="Scoring the systems by every measure",
    )


def _method(context: Context, result: OnSystems, measures: Mapping[str, str]) -> str:
    """What the scores are, over which queries, and what was left out."""
    scores = result.scores
    text = work.sampled(result.used, result.n_all, result.seed) + context.chosen
    text += f"; {pluralize(len(scores.queries), 'has', 'have')} a value"
    left_out = pluralize(scores.left_out, "does", "do")
    text += f" under every measure, {left_out} not." if scores.left_out else "."
    own = next((name for name in scores.systems if f"cosine:{name}" in measures), "")
    if own:
        name = md_escape(own)
        text += f" “{md_escape(measures[f'cosine:{own}'])}” is {name}’s own measure and favours {name}."
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


def ranking(context: Context, measures: Mapping[str, str]) -> None:
    """The systems' ranks under each measure, the means as a table."""
    result = _on_systems(context, measures)
    if result is None:
        return
    scores, names = result.scores, list(measures.values())
    messages.headline(sentences.ranking(scores, names))
    if len(scores.systems) > 1:
        drawn = rank_slopes(
            places(scores.means),
            scores.means,
            names=scores.systems,
            labels=names,
            theme=context.theme,
            systems=context.study.systems,
            sample=result.over,
        )
        figure.show(context, drawn, key="slopes", file="places", square=len(measures) > 3)
    title = "Mean under each measure, and how it was computed"
    fold.section(title, _means, context, result, measures, param=MEANS)


def _means(context: Context, systems: OnSystems, measures: Mapping[str, str]) -> None:
    scores = systems.scores
    columns = (
        only_shown("System", scores.systems.__getitem__, cell=plain),
        *(
            only_shown(f"{plain(name)} ↑", scores.means[:, j].__getitem__, "%.3f")
            for j, name in enumerate(measures.values())
        ),
    )
    table.results_table(
        context,
        Table(range(len(scores.systems)), columns),
        key="means",
        alt=f"Mean of {pluralize(len(scores.systems), 'system')} under each measure",
        file="places",
        note=_method(context, systems, measures),
        saved=means_table(scores, systems.facts),
        columns=table.names(context, "System"),
    )


def power(context: Context, measures: Mapping[str, str]) -> None:
    """How many pairs of systems each measure separates, and for researchers the curves behind it."""
    result = _on_systems(context, measures)
    if result is None:
        return
    if not result.power:
        st.info("There must be two systems to separate. Select more on the left.", icon=":material/info:")
        return
    names, simple, pairs = list(measures.values()), context.choice.plain, result.power[0].pairs
    messages.headline(sentences.power(result.power, names, plain=simple))
    note = (
        "Detecting more differences does not make a measure right: they may not matter. Also consider what "
        "the measure means and whether experts agree with it. "
    )
    if not simple:
        note += (
            f"Pairs separated: {md_escape(pairs[0].test)}, {pairs[0].n_resamples:,} resamples, "
            f"seed {pairs[0].seed}; {md_escape(over_what(pairs))}, p < {result.power[0].significance:g}. "
        )
    table.results_table(
        context,
        power_table(result.power, result.scores, measures, result.facts),
        key="power-table",
        alt=f"{pluralize(len(result.power), 'measure')} and their power",
        file="told-apart",
        note=note + _method(context, result, measures),
        columns=table.names(context, "Measure"),
    )


# Do the measures agree: on pairs of images, on queries, on systems?

LEVEL, DRAWN, PAIRS_USED, DISAGREE = Key("level"), Key("pairs"), Key("sample"), Key("disagree")
ACROSS, UPWARD = Key("across", of_study=True), Key("upward", of_study=True)
PAIRS, QUERIES, SYSTEMS = "Pairs of images", "Queries", "Systems"
RESULTS, ANY = "returned by a system", "any two images"
PAIR_SIZES = (2_000, N_PAIRS, 50_000)
LISTED, IN_FILE = 8, 1_000


class OnPairs(NamedTuple):
    """The measures on a sample of pairs, drawn with ``seed`` of those that systems return, or of any."""

    returned: bool
    seed: int
    sample: PairSample
    values: PairValues
    agreement: Agreement


def agree(context: Context, measures: Mapping[str, str]) -> None:
    """The sentence at the chosen level, the matrix, and for pairs two measures looked at closely."""
    controls = st.container(horizontal=True, vertical_alignment="bottom")
    with controls:
        level = select.segments(
            "What is ranked",
            (PAIRS, QUERIES, SYSTEMS),
            param=LEVEL,
            help="Pairs of images: which image is closer to which. Queries: which searches went well. "
            "Systems: which system is best.",
        )
        pairs = _on_pairs(context, measures) if level == PAIRS else None
    if level != PAIRS:
        result = _on_systems(context, measures)
        if result is not None:
            agreement = result.queries if level == QUERIES else result.systems
            score = {"score": result.scores.metrics[0].partition("(")[0], "k": context.choice.k}
            _matrix(context, agreement, measures, _method(context, result, measures), result.facts | score)
    elif pairs is not None:
        sample = pairs.sample
        drawn = "results" if pairs.returned else "images"
        facts = {"pairs": drawn, "population": sample.population, "seed": pairs.seed}
        _matrix(context, pairs.agreement, measures, _sample_in_words(pairs, context), facts)
        if len(measures) > 1:
            title = "Pairs of images on which two measures disagree"
            fold.section(title, _two_compared, context, pairs, measures, param=DISAGREE)


def _matrix(
    context: Context,
    agreement: Agreement,
    measures: Mapping[str, str],
    note: str,
    facts: Mapping[str, object],
) -> None:
    """The sentence, the correlations as a figure, how they were made, and their file."""
    names, simple = [measures[name] for name in agreement.measures], context.choice.plain
    messages.headline(sentences.agreement(agreement, names, plain=simple))
    sample = f"{agreement.n:,} {sentences.WHAT[agreement.level]}"
    sample += (
        f", mean of {pluralize(agreement.averaged_over, 'system')}" if agreement.level == "queries" else ""
    )
    drawn = agreement_matrix(
        names, agreement.spearman, agreement.kendall, sample=sample, theme=context.theme, both=not simple
    )
    figure.show(context, drawn, key="agreement", square=True)
    rows = agreement_table(agreement)
    rows = rows._replace(facts={**rows.facts, **facts})
    table.caption_and_download(
        note, table.in_file(context, rows), context.stem(f"agreement-{agreement.level}")
    )


def _on_pairs(context: Context, measures: Mapping[str, str]) -> OnPairs | None:
    """Values and agreement on sampled pairs; None while they are computed."""
    study, settings, systems = context.study, context.choice.settings, work.systems(context)
    pool = ANY
    if systems:
        pool = select.segments(
            "Which pairs",
            (RESULTS, ANY),
            param=DRAWN,
            shown=str.capitalize,
            help="Pairs returned by a system are the ones a reader would see. Any two images mostly have "
            "nothing in common.",
        )
    with select.hidden(context.choice.plain):
        n = select.amount(
            "Pairs sampled",
            PAIR_SIZES,
            1,
            PAIR_SIZES[-1],
            param=PAIRS_USED,
            first=N_PAIRS,
            shown="{:,}".format,
            width=140,
        )
    seed, names = work.seed_of(context), tuple(measures)

    def sampled(progress: Progress) -> OnPairs:
        quiet = work.plain_progress(progress, plain=context.choice.plain)
        sample = sample_pairs(
            study,
            n=n,
            systems=systems if pool == RESULTS else None,
            settings=settings,
            seed=seed,
            progress=part_of(quiet, 0, 2),
        )
        values = pair_values(
            study, names, sample.queries, sample.candidates, settings=settings, progress=part_of(quiet, 1, 2)
        )
        return OnPairs(pool == RESULTS, seed, sample, values, agreement("results", values))

    key = work.key_of(context, "pairs", names, pool, n, systems if pool == RESULTS else (), seed, settings)
    return jobs.run(key, sampled, label="Comparing measures", shared=True)


def _sample_in_words(pairs: OnPairs, context: Context) -> str:
    """How many pairs, of how many, drawn how."""
    sample = pairs.sample
    text = pluralize_all(sample.population, "pair")
    if len(sample) < sample.population:
        drawn = f"{len(sample):,} drawn at random (seed {pairs.seed})"
        text = f"{drawn} from the {pluralize(sample.population, 'pair')}"
    which = "of a query and another annotated image"
    if pairs.returned:
        which = f"that the systems return in their first ten for {pluralize(sample.n_queries, 'query')}"
    text = f"{text[0].upper()}{text[1:]} {which}."
    if pairs.values.left_out:
        text += f" {pluralize(pairs.values.left_out, 'pair')} left out: a measure has no value for them."
    s = context.choice.settings
    return text if context.choice.plain else f"{text} α {s.alpha:g}, threshold {s.threshold}, {s.count_rule}."


def _two_compared(context: Context, pairs: OnPairs, measures: Mapping[str, str]) -> None:
    """Two measures on all pairs, and those pairs they rank most differently."""
    names = list(measures)
    first = "iou" if "iou" in measures else names[0]
    others = [name for name in names if name != first]
    second = "nn-iou" if "nn-iou" in others else others[0]
    with st.container(horizontal=True):
        a = select.selectbox("Horizontal axis", measures, param=ACROSS, first=first)
        b = select.selectbox("Vertical axis", measures, param=UPWARD, first=second)
    values, ids = pairs.values, context.study.image_ids
    listed = disagreements(values, a, b, n=LISTED, concepts=context.study.concepts) if a != b else ()
    marked = [
        Marked(measure.value_a, measure.value_b, f"{x}\t{y}", f"{i}: {x} and {y}")
        for i, measure in enumerate(listed, start=1)
        for x, y in [(ids[measure.query], ids[measure.candidate])]
    ]
    at = values.measures.index
    drawn = measure_cloud(
        values.column(a),
        values.column(b),
        a=measures[a],
        b=measures[b],
        theme=context.theme,
        marked=marked,
        sample=pluralize(len(values.queries), "pair"),
        rho=float(pairs.agreement.spearman[at(a), at(b)]),
    )

    def opens(ring: str) -> None:
        pages.go_to_queries(_explained(ring.split("\t"), (a, b)))

    figure.show(context, drawn, key="cloud", file="two-measures", opens=opens)
    if not listed:
        st.info("They put these pairs in the same order.", icon=":material/done_all:")
        return
    every = disagreements(values, a, b, n=IN_FILE)
    table.results_table(
        context,
        disagreements_table(context.study, listed, a=a, b=b),
        key="disagreements",
        alt=f"The {len(listed)} pairs that the two measures rank most differently",
        file="disagreements",
        saved=disagreements_table(context.study, every, a=a, b=b),
        note=f"Each measure ranks the {len(values.queries):,} pairs; the largest differences come "
        "first. Select a ring to see why.",
    )


def _explained(ids: Sequence[str], by: tuple[str, str]) -> dict[Key, str]:
    """What opens the explanation of a query and an image, by the measure that compares single concepts."""
    taxonomic = [name for name in by if describe(name).family in ("taxonomy", "vectors")]
    return {QUERY: ids[0], WHY: ids[1]} | ({WHY_BY: taxonomic[-1]} if taxonomic else {})


# What each measure is, side by side: one sentence, formula, range, source, and values at the edges.

FAMILIES = {
    "overlap": "Shared concepts",
    "neighbours": "Shared concepts; related ones earn partial credit",
    "taxonomy": "How close the concepts are in the medical hierarchy",
    "vectors": "How close the vectors of the concepts are: relatedness, not similarity",
    "embedding": "How similar a system finds the images",
    "custom": "What your own function looks at",
}


def definitions(context: Context, measures: Mapping[str, str]) -> None:
    """The measures side by side: what they are, and for researchers what they give in special cases."""
    by_name = {name: describe(name) for name in measures}
    by_label = dict(zip(measures.values(), by_name.values(), strict=True))
    n_ways = len({measure.family for measure in by_name.values()})
    messages.headline(
        f"{pluralize(len(measures), 'measure')}, **{pluralize(n_ways, 'way')}** to define when an image is "
        "relevant. Select the one whose sentence says what you mean."
    )
    rows = [_definition(label, measure, simple=context.choice.plain) for label, measure in by_label.items()]
    alt = f"{pluralize(len(rows), 'measure')}: what each says, looks at, and its range"
    table.wrapped(pd.DataFrame(rows), alt=alt, cards="measures")
    if not context.choice.plain:
        _special_cases(by_label)
    saved = Table(list(by_name.items()), MEASURES).saved()
    download.csv(pd.DataFrame(saved), "measures", label="CSV of these measures")


def _special_cases(by_label: Mapping[str, RelevanceMeasure]) -> None:
    """What each measure gives for empty sets, unknown concepts and the like."""
    st.header("Special cases", anchor=False)
    cases = dict.fromkeys(case for measure in by_label.values() for case, _ in measure.edges)
    edges = {label: dict(measure.edges) for label, measure in by_label.items()}
    columns = {
        md_escape(label): [md_escape(values.get(case, NOTHING)) for case in cases]
        for label, values in edges.items()
    }
    alt = f"{pluralize(len(cases), 'special case')} and what each measure gives"
    table.wrapped(pd.DataFrame({"Case": [md_escape(case) for case in cases], **columns}), alt=alt)
    st.caption("–: This case cannot occur, or nothing special happens.")


def _definition(label: str, measure: RelevanceMeasure, *, simple: bool) -> dict[str, str]:
    """One row per measure; formula, properties and source for researchers."""
    row = {
        "Measure": f"**{md_escape(label)}**",
        "What it says": md_escape(measure.plain),
        "Looks at": FAMILIES[measure.family],
        "Range": "{:g} to {:g}".format(*measure.range).replace("-", MINUS),
    }
    if simple:
        return row
    properties = (
        "symmetric" if measure.symmetric else "not symmetric",
        "1 for equal sets" if measure.one_with_itself else "not always 1 for equal sets",
        f"one more shared concept {'never lowers' if measure.monotone_in_shared else 'can lower'} it",
    )
    formula, source = md_escape(measure.formula), md_escape(measure.reference)
    return row | {"Formula": formula, "Properties": "; ".join(properties), "Source": source}
