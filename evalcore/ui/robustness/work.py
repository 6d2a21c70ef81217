"""The long work of the measures page, each piece once for the same study and settings."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from evalcore.evaluate import measures as discrimination
from evalcore.evaluate.analysis import Analysis, analyse
from evalcore.evaluate.measures import (
    Agreement,
    Form,
    MeasureScores,
    PairValues,
    TableOne,
    agree_on_queries,
    agree_on_results,
    agree_on_systems,
    metrics_by,
    pair_values,
    table_metrics,
)
from evalcore.relevance.registry import describe, in_words_of_same, offered, same_by_definition, weighed_ones
from evalcore.ui.components import fold, select
from evalcore.ui.frame import jobs, state
from evalcore.ui.frame.context import Choice, Context
from evalcore.ui.frame.measures import called
from evalcore.ui.frame.state import Key
from evalcore.values.model import Study
from evalcore.values.progress import Progress, part_of
from evalcore.values.writing import md_escape

MANY, FEW = 5_000, 2_000
"""With a measure by the taxonomy and more queries than MANY, FEW of them are asked."""


@dataclass(frozen=True, slots=True, eq=False)
class OnPairs:
    """The measures on a sample of pairs."""

    sample: discrimination.PairSample
    values: PairValues
    agreement: Agreement


@dataclass(frozen=True, slots=True, eq=False)
class OnSystems:
    """The systems under the measures; ``power`` is empty for a single system.

    ``asked`` of ``n_all`` queries were used, drawn with ``seed``.
    """

    scores: MeasureScores
    queries: Agreement
    systems: Agreement
    power: tuple[discrimination.Power, ...]
    asked: int
    n_all: int
    seed: int


def queries_asked(study: Study, measures: tuple[str, ...]) -> int | None:
    """How many queries a page asks at first: all (None), but few when a slow measure meets many."""
    slow = any(describe(name).family in ("taxonomy", "vectors") for name in measures)
    return FEW if slow and len(study.queries) > MANY else None


def on_pairs(
    context: Context,
    measures: tuple[str, ...],
    *,
    drawn: discrimination.Drawn,
    n: int,
    systems: tuple[str, ...],
    seed: int,
) -> OnPairs | None:
    """Values and agreement on sampled pairs; None while they are computed."""
    study, settings, plain = context.study, context.choice.settings, context.choice.plain

    def work(progress: Progress) -> OnPairs:
        quiet = _in_words(progress, plain=plain)
        sample = discrimination.sample_pairs(
            study,
            drawn=drawn,
            n=n,
            systems=systems or None,
            settings=settings,
            seed=seed,
            progress=part_of(quiet, 0, 2),
        )
        values = pair_values(study, measures, sample, settings=settings, progress=part_of(quiet, 1, 2))
        return OnPairs(sample, values, agree_on_results(values))

    key = _key("pairs", study, measures, drawn, n, systems if drawn == "results" else (), seed, settings)
    return jobs.run(key, work, label="Comparing measures", shared=True)


def on_systems(
    context: Context,
    measures: tuple[str, ...],
    *,
    systems: tuple[str, ...],
    form: Form,
    asked: int | None,
    seed: int,
) -> OnSystems | None:
    """The systems under every measure, agreement and power; None while they are computed."""
    study, choice = context.study, context.choice

    def work(progress: Progress) -> OnSystems:
        quiet = _in_words(progress, plain=choice.plain)
        metrics = metrics_by(study, measures, form=form, k=choice.k)
        of_systems = analysis(context, metrics, systems, asked, seed, part_of(quiet, 0, 2))
        scores = of_systems.by_measure()
        progress(0.5, "comparing the systems")
        return OnSystems(
            scores,
            agree_on_queries(scores),
            agree_on_systems(scores),
            of_systems.discrimination() if len(systems) > 1 else (),
            len(of_systems.scores[0].queries),
            len(study.queries),
            seed,
        )

    decides = (
        systems,
        form,
        choice.k,
        asked,
        seed,
        choice.settings,
        choice.chosen.correction,
        choice.chosen.flips,
    )
    key = _key("systems", study, measures, *decides)
    return jobs.run(key, work, label="Scoring the systems by every measure", shared=True)


def table(context: Context, measures: tuple[str, ...], *, asked: int | None, seed: int) -> TableOne | None:
    """Every measure as a retrieval system; None while it is computed."""
    study, choice = context.study, context.choice
    return jobs.run(
        _key(
            "table",
            study,
            measures,
            asked,
            seed,
            choice.settings,
            choice.chosen.correction,
            choice.chosen.flips,
        ),
        lambda progress: analysis(
            context,
            table_metrics(study),
            tuple(f"@{name}" for name in measures),
            asked,
            seed,
            _in_words(progress, plain=choice.plain),
        ).table_one(),
        label="Searching with every measure",
        shared=True,
    )


def analysis(
    context: Context,
    metrics: tuple[str, ...],
    systems: tuple[str, ...],
    n: int | None,
    seed: int,
    progress: Progress,
) -> Analysis:
    """What the sidebar chooses asks of ``n`` queries of these systems, under these metrics."""
    study, choice = context.study, context.choice
    own: Any = {"settings": choice.settings, "where": study.where, "baseline": "", "seed": seed}
    view = replace(choice.chosen, metrics=metrics, systems=systems, **own)
    return analyse(study, view, n=n, progress=progress)


def _in_words(progress: Progress, *, plain: bool) -> Progress:
    """The progress; at Simple without the name of the measure at work."""
    return (lambda done, _: progress(done, "")) if plain else progress


def _key(kind: str, study: Study, *parts: object) -> str:
    return f"measures {kind} {study.digest} {parts!r}"


# What the Measures page compares, and on what, by its names in links; its parts and folds.

COMPARED = Key("yardsticks", of_study=True)
LEVEL = Key("level")
DRAWN = Key("pairs")
N_PAIRS = Key("sample")
ASKED = Key("asked")
SEED = Key("seed")
ACROSS = Key("across", of_study=True)
UPWARD = Key("upward", of_study=True)
FORM = Key("form")
COLUMN = Key("column", of_study=True)
REFERENCE = Key("reference", of_study=True)
TIES_HERE = "ties_here"
NOT_DONE = "ratings_not_done"

PART = Key("view")
CHOOSING = Key("choosing")
DISAGREE = Key("disagree")
CROSSINGS = Key("crossings")
MEANS = Key("means")
AGREE, RANKING, POWER, RATED, JUDGMENTS, ABOUT = (
    *("agreement", "ranking", "power"),
    *("ratings", "judgments", "definitions"),
)
OF_PAPER = Key("paper")
SEARCH, RETRIEVAL, READINGS = "table1", "curves", "readings"
"""The parts of the tabs, by their names in the address; `title` is what they are called on screen."""


def title(part: str, *, plain: bool) -> str:
    """What a part is called on its tab."""
    if part == POWER and not plain:
        return "Discriminative power"
    return _TITLES[part]


_TITLES = {
    AGREE: "Do they agree?",
    RANKING: "Ranking of systems",
    POWER: "Ability to tell systems apart",
    RATED: "Versus physicians’ ratings",
    JUDGMENTS: "Versus judgments",
    ABOUT: "Definitions",
    SEARCH: "Measures used for searching (Table 1)",
    RETRIEVAL: "Searching by concepts (Figures 2 and 3)",
    READINGS: "Readings of the formula",
}


# Which relevance measures the page compares, and what each is called.

FIRST = (
    "iou",
    "cosine",
    "overlap",
    "nn-iou",
    "best-match:path",
    "best-match:lin-seco",
    "matching:cs2-levels",
)
"""On view at first for researchers: one of each kind. Dice orders all pairs as IoU does."""
HOW_TO_CHOOSE = f"""
1. **Decide what you mean.** Under *{_TITLES[ABOUT]}*, one sentence describes each measure. Leave out those
   that do not say what “relevant” means to you.
2. **See whether it matters.** Under *{_TITLES[RANKING]}*, lines that do not cross mean that every measure
   ranks the systems in the same order, so you need not choose.
3. **See which agree.** Under *{_TITLES[AGREE]}*, two measures near 1 put images in the same order: use the
   simpler one. Where they differ, open the pairs below and decide which measure you agree with.
4. **See how much they detect.** Under *{_TITLES[POWER]}*, of measures that mean the same,
   one that separates more systems needs fewer queries. Detecting more is not being right: that takes the
   judgement of experts.
"""


def measures(context: Context) -> dict[str, str]:
    """The picker of the measures compared, and what each is called: one or more, in the registry's order.

    Simple offers two or three, named in words, and those a link asks for.
    """
    study, plain = context.study, context.choice.plain
    state.follow_default(COMPARED)
    others = [of.relevance for of in study.qrels.values()]
    known = (*offered(study), *weighed_ones(study)) if len(study.concepts.indices) or not others else ()
    everything = {name: called(name, plain=plain) for name in (*known, *others)}
    seen = [f"cosine:{system}" for system in list(study.embeddings)[:1]] if known else others
    first = [name for name in FIRST if name in everything] + seen
    if plain:
        first = [name for name in ("iou", "nn-iou", *seen) if name in everything]
        first += ["overlap"] if len(first) < 2 and known else []
    asked = {*first, *others, *state.asked(COMPARED)} if plain else everything
    on_offer = {name: text for name, text in everything.items() if name in asked}
    with st.expander("Measures compared", icon=":material/straighten:") if plain else nullcontext():
        picked = select.some(
            "Measures compared",
            on_offer,
            keep=COMPARED,
            first=first,
            placeholder="Select measures",
            help="A measure says how relevant one image is for another. No single measure is right; each "
            "looks at something different.",
        )
        if plain and len(everything) > len(on_offer):
            st.caption(f"{len(everything) - len(on_offer)} more measures: select Expert on the left.")
    if plain:
        fold.section(
            "How do I choose one?", st.markdown, HOW_TO_CHOOSE, keep=CHOOSING, icon=":material/help:"
        )
    same = same_by_definition((name for name in on_offer if name in picked), context.choice.settings)
    if same:
        named = {called(name, plain=plain): called(of, plain=plain) for name, of in same.items()}
        st.caption(md_escape(in_words_of_same(named)))
    return {name: text for name, text in on_offer.items() if name in picked and name not in same}


def systems(context: Context) -> tuple[str, ...]:
    """The sidebar's systems without ``@measure`` ones, which a measure would judge by itself."""
    return tuple(sorted(name for name in context.choice.systems if not name.startswith("@")))


def _tests(choice: Choice) -> tuple[object, ...]:
    """What decides a score and its tests."""
    return choice.settings, choice.chosen.correction, choice.chosen.flips
