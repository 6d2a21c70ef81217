"""Do the measures agree: on pairs of images, on queries, on systems?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evalcore.evaluate.measures import N_PAIRS, Agreement, Disagreement, Drawn, disagreements
from evalcore.figures.measures import Marked, agreement_matrix, measure_cloud
from evalcore.relevance.registry import describe
from evalcore.results.measures import agreement_table, disagreements_table
from evalcore.ui.components import cards, figure, fold, messages, select, table
from evalcore.ui.frame import pages, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.pages import QUERY, WHY, WHY_BY
from evalcore.ui.frame.state import Key
from evalcore.ui.robustness import by_measure as judged
from evalcore.ui.robustness import measure_sentences as sentences
from evalcore.ui.robustness import work
from evalcore.ui.robustness.work import OnPairs
from evalcore.values.arrays import Floats
from evalcore.values.writing import count, md_escape, number, percent, pluralize, pluralize_all

Two = tuple[str, str]

# Two measures looked at closely: the cloud of sampled pairs, and those they disagree on most.

LISTED, IN_FILE = 8, 1_000


def two(measures: Mapping[str, str]) -> Two:
    """The two measures looked at closely; they may be the same."""
    names = list(measures)
    first = "iou" if "iou" in measures else names[0]
    others = [name for name in names if name != first]
    second = "nn-iou" if "nn-iou" in others else others[0]
    with st.container(horizontal=True):
        return (
            select.one("Horizontal axis", measures, keep=work.ACROSS, first=first),
            select.one("Vertical axis", measures, keep=work.UPWARD, first=second),
        )


def cloud(
    context: Context, pairs: OnPairs, measures: Mapping[str, str], chosen: Two
) -> Sequence[Disagreement]:
    """Both measures on all sampled pairs; returns the pairs ringed in it, which the list below names."""
    a, b = chosen
    concepts = context.study.concepts
    listed = disagreements(pairs.values, a, b, n=LISTED, concepts=concepts) if a != b else ()
    ids, x, y = context.study.image_ids, pairs.values.column(a), pairs.values.column(b)
    marked = [
        Marked(
            disagreement.value_a,
            disagreement.value_b,
            f"{ids[disagreement.query]}\t{ids[disagreement.candidate]}",
            f"{i}: {ids[disagreement.query]} and {ids[disagreement.candidate]}",
        )
        for i, disagreement in enumerate(listed, start=1)
    ]
    at = pairs.values.measures.index
    drawn = measure_cloud(
        x,
        y,
        a=measures[a],
        b=measures[b],
        theme=context.theme,
        marked=marked,
        of=pluralize(len(x), "pair"),
        rho=float(pairs.agreement.spearman[at(a), at(b)]),
    )
    figure.show(
        context,
        drawn,
        key="cloud",
        file="two-measures",
        opens=lambda ring: pages.go("queries", _explained(ring.split("\t"), chosen)),
    )
    return listed


def _explained(ids: Sequence[str], by: Two) -> dict[Key, str]:
    """What opens the explanation of a query and an image, by the measure that compares single concepts."""
    taxonomic = [name for name in by if describe(name).family in ("taxonomy", "vectors")]
    return {QUERY: ids[0], WHY: ids[1]} | ({WHY_BY: taxonomic[-1]} if taxonomic else {})


def _two_compared(context: Context, pairs: OnPairs, measures: Mapping[str, str]) -> None:
    """Two measures on all pairs, and those pairs they rank most differently."""
    chosen = two(measures)
    listing(context, pairs, measures, chosen, cloud(context, pairs, measures, chosen))


def listing(
    context: Context, pairs: OnPairs, measures: Mapping[str, str], chosen: Two, listed: Sequence[Disagreement]
) -> None:
    """The pairs two measures rank most differently, each with its way to the explanation."""
    a, b = chosen
    names = (md_escape(measures[a]), md_escape(measures[b]))
    st.header("Where the two disagree most", anchor=False)
    if not listed:
        st.info("They put these pairs in the same order.", icon=":material/done_all:")
        return
    ranked = f"Each measure ranks the {count(len(pairs.values.queries))} pairs"
    st.caption(
        f"{ranked}; the largest differences come first."
        if context.choice.plain
        else f"{ranked}. Beside each value: the share of pairs with a lower value, and with the same one. "
        "The largest differences come first; of pairs with the same concepts, one is shown."
    )
    grid = st.grid(4, min_column_width=230)
    for i, disagreement in enumerate(listed, start=1):
        with grid.container(border=True, key=f"disagree-{i}"):
            rows = [
                f"{name} **{number(value)}** :gray[· {_rank_of(pairs.values.column(measure), value)}]"
                for name, measure, value in zip(
                    names, chosen, (disagreement.value_a, disagreement.value_b), strict=True
                )
            ]
            _card(context, i, disagreement, rows, chosen)
    every = disagreements(pairs.values, a, b, n=IN_FILE)
    table.beside(
        f"The file contains {pluralize(len(every), 'pair')}, the largest differences first.",
        table.in_file(context, disagreements_table(context.study, every, a=a, b=b)),
        context.stem("disagreements"),
    )


def _rank_of(values: Floats, value: float) -> str:
    """How a value compares with all: "above 61.9%", "lowest (tied with 31.6% of pairs)"."""
    n, below, equal = len(values), int((values < value).sum()), int((values == value).sum())
    text = f"above {percent(below, n)}" if below else "lowest"
    return f"{text} (tied with {percent(equal, n)} of pairs)" if equal > 1 else text


def _card(context: Context, i: int, disagreement: Disagreement, rows: Sequence[str], by: Two) -> None:
    study, pair = context.study, (disagreement.query, disagreement.candidate)
    if study.images is not None:
        for column, image in zip(st.columns(2, gap="xsmall"), pair, strict=True):
            with column:
                cards.picture(study, image)
    st.caption(f"Pair {i}")
    for row in rows:
        st.markdown(row)
    for image in pair:
        caption = study.caption_of(image)
        st.markdown(f"**{md_escape(study.image_ids[image], limit=26)}** {md_escape(caption or '', limit=60)}")
        st.markdown(cards.concepts(study, image, technical=not context.choice.plain))
    ids = [study.image_ids[image] for image in pair]
    messages.go_to("queries", label="Why?", icon=":material/help:", params=_explained(ids, by))


PAIRS, QUERIES, SYSTEMS = "Pairs of images", "Queries", "Systems"
RESULTS, ANY = "returned by a system", "any two images"
SIZES = (2_000, N_PAIRS, 50_000)


def section(context: Context, measures: Mapping[str, str]) -> None:
    """The sentence at the chosen level, the matrix, and for pairs two measures looked at closely."""
    controls = st.container(horizontal=True, vertical_alignment="bottom")
    with controls:
        level = select.segments(
            "What is ranked",
            (PAIRS, QUERIES, SYSTEMS),
            keep=work.LEVEL,
            help="Pairs of images: which image is closer to which. Queries: which searches went well. "
            "Systems: which system is best.",
        )
    if level == PAIRS:
        _on_pairs(context, measures, controls)
        return
    result = judged.ask(context, measures)
    if result is not None:
        agreement = result.queries if level == QUERIES else result.systems
        _lead(context, agreement, measures)
        _matrix(
            context,
            agreement,
            measures,
            note=judged.method(context, result, measures),
            drawn_by=judged.drawn(result)
            | {"score": result.scores.metrics[0].partition("(")[0], "k": context.choice.k},
        )


def _lead(context: Context, agreement: Agreement, measures: Mapping[str, str]) -> None:
    names = [measures[name] for name in agreement.measures]
    messages.lead(sentences.agreement(agreement, names, plain=context.choice.plain))


def _matrix(
    context: Context,
    agreement: Agreement,
    measures: Mapping[str, str],
    *,
    note: str,
    drawn_by: Mapping[str, object],
) -> None:
    """The correlations as a figure, how they were made, and their file."""
    of = f"{count(agreement.n)} {sentences.WHAT[agreement.level]}"
    of += f", mean of {pluralize(agreement.averaged_over, 'system')}" if agreement.level == "queries" else ""
    drawn = agreement_matrix(
        [measures[name] for name in agreement.measures],
        agreement.spearman,
        agreement.kendall,
        of=of,
        theme=context.theme,
        both=not context.choice.plain,
    )
    figure.show(context, drawn, key="agreement", square=True)
    rows = agreement_table(agreement)
    rows = rows._replace(facts={**rows.facts, **drawn_by})
    table.beside(note, table.in_file(context, rows), context.stem(f"agreement-{agreement.level}"))


# --------------------------------------------------------------------------- pairs of images


def _on_pairs(context: Context, measures: Mapping[str, str], controls: DeltaGenerator) -> None:
    systems = work.systems(context)
    with controls:
        pool, n, seed = _pool(systems), _n_pairs(context), judged.drawing_seed(context)
    drawn: Drawn = "results" if pool == RESULTS else "images"
    pairs = work.on_pairs(context, tuple(measures), drawn=drawn, n=n, systems=systems, seed=seed)
    if pairs is None:
        return
    _lead(context, pairs.agreement, measures)
    _matrix(
        context,
        pairs.agreement,
        measures,
        note=_method(pairs, context),
        drawn_by={"pairs": pairs.sample.drawn, "population": pairs.sample.population, "seed": seed},
    )
    if len(measures) > 1:
        fold.section(
            "Pairs of images on which two measures disagree",
            _two_compared,
            context,
            pairs,
            measures,
            keep=work.DISAGREE,
            icon=":material/compare:",
            opened_by=(work.ACROSS, work.UPWARD),
        )


def _pool(systems: tuple[str, ...]) -> str:
    """From which pairs the sample is drawn."""
    if not systems:
        return ANY
    return select.segments(
        "Which pairs",
        (RESULTS, ANY),
        keep=work.DRAWN,
        shown=str.capitalize,
        help="Pairs returned by a system are the ones a reader would see. Any two images mostly have nothing "
        "in common.",
    )


def _n_pairs(context: Context) -> int:
    """How many pairs at most, chosen by researchers."""
    if context.choice.plain:
        return int(state.read_param(work.N_PAIRS, N_PAIRS, state.whole(1, SIZES[-1])))
    return select.amount(
        "Pairs sampled", SIZES, 1, SIZES[-1], keep=work.N_PAIRS, first=N_PAIRS, shown=count, width=140
    )


def _method(found: OnPairs, context: Context) -> str:
    """How many pairs, of how many, drawn how."""
    sample = found.sample
    pairs = pluralize_all(sample.population, "pair")
    if len(sample) < sample.population:
        drawn = f"{count(len(sample))} drawn at random (seed {sample.seed})"
        pairs = f"{drawn} from the {pluralize(sample.population, 'pair')}"
    of = (
        f"that the systems return in their first ten for {pluralize(sample.n_queries, 'query')}"
        if sample.drawn == "results"
        else "of a query and another annotated image"
    )
    text = f"{pairs[0].upper()}{pairs[1:]} {of}."
    if found.values.left_out:
        text += f" {pluralize(found.values.left_out, 'pair')} left out: a measure has no value for them."
    s = context.choice.settings
    return text if context.choice.plain else f"{text} α {s.alpha:g}, threshold {s.threshold}, {s.count_rule}."
