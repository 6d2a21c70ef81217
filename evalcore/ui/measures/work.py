"""The long work of the measures page, each piece once for the same study and settings."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from evalcore.evaluate.measures import discrimination
from evalcore.evaluate.measures.agreement import (
    Agreement,
    PairValues,
    agree_on_queries,
    agree_on_results,
    agree_on_systems,
    pair_values,
)
from evalcore.evaluate.measures.table_one import Form, MeasureScores, TableOne, score_under, table_one
from evalcore.relevance.registry import describe, offered, weighed_ones
from evalcore.ui.components import select
from evalcore.ui.frame import jobs
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.measures import called
from evalcore.ui.frame.state import Key
from evalcore.values.model import Study
from evalcore.values.progress import Progress, part_of

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
    study, settings = context.study, context.choice.settings

    def work(progress: Progress) -> OnPairs:
        sample = discrimination.sample_pairs(
            study,
            drawn=drawn,
            n=n,
            systems=systems or None,
            settings=settings,
            seed=seed,
            progress=part_of(progress, 0, 2),
        )
        values = pair_values(study, measures, sample, settings=settings, progress=part_of(progress, 1, 2))
        return OnPairs(sample, values, agree_on_results(values))

    key = _key("pairs", study, measures, drawn, n, systems if drawn == "results" else (), seed, settings)
    return jobs.run(key, work, label="Comparing the measures on pairs of images")


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
        queries = discrimination.sample_queries(study, n=asked, seed=seed)
        scores = score_under(
            study,
            measures,
            systems=systems,
            form=form,
            k=choice.k,
            settings=choice.settings,
            queries=queries,
            progress=part_of(progress, 0, 2),
        )
        progress(0.5, "comparing the systems")
        of_two = len(systems) > 1
        power = (
            ()
            if not of_two
            else discrimination.discriminative_power(
                scores, seed=seed, correction=choice.correction, n_resamples=choice.flips
            )
        )
        return OnSystems(
            scores,
            agree_on_queries(scores),
            agree_on_systems(scores),
            power,
            len(queries),
            len(study.queries),
            seed,
        )

    decides = (systems, form, choice.k, asked, seed, choice.settings, choice.correction, choice.flips)
    key = _key("systems", study, measures, *decides)
    return jobs.run(key, work, label="Judging the systems under every measure")


def table(context: Context, measures: tuple[str, ...], *, asked: int | None, seed: int) -> TableOne | None:
    """Every measure as a retrieval system; None while it is computed."""
    study, choice = context.study, context.choice
    return jobs.run(
        _key("table", study, measures, asked, seed, choice.settings, choice.correction, choice.flips),
        lambda progress: table_one(
            study,
            measures,
            settings=choice.settings,
            queries=discrimination.sample_queries(study, n=asked, seed=seed),
            seed=seed,
            correction=choice.correction,
            n_resamples=choice.flips,
            progress=progress,
        ),
        label="Searching with every measure",
    )


def _key(kind: str, study: Study, *parts: object) -> str:
    return f"measures {kind} {study.digest} {parts!r}"


# What the Measures page compares, and on what, by its names in links; and its parts.

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
WALKS = Key("walks")
NOT_DONE = "ratings_not_done"

PART = Key("view")
AGREE, RANKING, POWER, SEARCH, RATED, ABOUT = (
    "Do they agree?",
    "Places of systems",
    "Telling systems apart",
    "As search engines",
    "Against physicians",
    "What each one is",
)
"""The parts as links call them; `title` is what they are called on screen."""


def title(part: str, *, plain: bool) -> str:
    """What a part is called on its tab."""
    if part == RANKING:
        return "Ranking of systems"
    if part == POWER:
        return "Power to separate systems" if plain else "Discriminative power"
    return part


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
"""On view at first: one of each kind. Dice orders all pairs as IoU does."""

HOW_TO_CHOOSE = f"""
1. **Decide what you mean.** Under *{ABOUT}*, one sentence describes each measure. Leave out those that
   do not say what “relevant” means to you.
2. **See which agree.** Under *{AGREE}*, two measures near 1 put images in the same order: use the
   simpler one. Where they differ, open the pairs below and decide which measure you side with.
3. **See whether it matters.** Under *{title(RANKING, plain=True)}*, lines that do not cross mean
   that every measure ranks the systems alike, so you need not choose.
4. **See how much they detect.** Under *{title(POWER, plain=True)}*, of measures that mean the same,
   one that separates more systems needs fewer queries. Detecting more is not being right: that takes the
   judgement of experts.
"""


def measures(context: Context) -> dict[str, str]:
    """The picker of the measures compared, and what each is called: one or more, in the registry's order."""
    named = (*offered(context.study), *weighed_ones(context.study))
    everything = {name: called(name, plain=context.choice.plain) for name in named}
    first = [name for name in FIRST if name in everything]
    first += [f"cosine:{system}" for system in list(context.study.embeddings)[:1]]
    picked = select.some(
        "Measures compared",
        everything,
        keep=COMPARED,
        first=first,
        placeholder="Select measures",
        help="A measure says how relevant one image is for another. None is right by itself: they look at "
        "different things.",
    )
    if context.choice.plain:
        with st.expander("How do I choose one?", icon=":material/help:"):
            st.markdown(HOW_TO_CHOOSE)
    return {name: called for name, called in everything.items() if name in picked}


def systems(context: Context) -> tuple[str, ...]:
    """The sidebar's systems without ``@measure`` ones, which a measure would judge by itself."""
    return tuple(sorted(name for name in context.choice.systems if not name.startswith("@")))
