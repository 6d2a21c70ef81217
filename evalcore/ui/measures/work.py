"""The long work of the measures page, each piece once for the same study and settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcore.evaluate.measures.agreement import (
    agree_on_queries,
    agree_on_results,
    agree_on_systems,
    pair_values,
)
from evalcore.evaluate.measures.discrimination import discriminative_power
from evalcore.evaluate.measures.sampling import sample_pairs, sample_queries
from evalcore.evaluate.measures.table_one import table_one
from evalcore.evaluate.measures.under_measures import score_under
from evalcore.relevance.registry import describe
from evalcore.ui.frame import jobs
from evalcore.values.progress import part_of

if TYPE_CHECKING:
    from evalcore.evaluate.measures.agreement import Agreement, PairValues
    from evalcore.evaluate.measures.discrimination import Power
    from evalcore.evaluate.measures.sampling import Drawn, PairSample
    from evalcore.evaluate.measures.table_one import TableOne
    from evalcore.evaluate.measures.under_measures import Form, MeasureScores
    from evalcore.ui.frame.context import Context
    from evalcore.values.model import Study
    from evalcore.values.progress import Progress

MANY, FEW = 5_000, 2_000
"""With a measure by the taxonomy and more queries than MANY, FEW of them are asked."""


@dataclass(frozen=True, slots=True, eq=False)
class OnPairs:
    """The measures on a sample of pairs."""

    sample: PairSample
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
    power: tuple[Power, ...]
    asked: int
    n_all: int
    seed: int


def queries_asked(study: Study, measures: tuple[str, ...]) -> int | None:
    """How many queries a page asks at first: all (None), but few when a slow measure meets many."""
    slow = any(describe(name).family in ("taxonomy", "vectors") for name in measures)
    return FEW if slow and len(study.queries) > MANY else None


def on_pairs(
    context: Context, measures: tuple[str, ...], *, drawn: Drawn, n: int, systems: tuple[str, ...], seed: int
) -> OnPairs | None:
    """Values and agreement on sampled pairs; None while they are computed."""
    study, settings = context.study, context.choice.settings

    def work(progress: Progress) -> OnPairs:
        sample = sample_pairs(
            study, drawn=drawn, n=n, systems=systems or None, settings=settings, seed=seed,
            progress=part_of(progress, 0, 2),
        )  # fmt: skip
        values = pair_values(study, measures, sample, settings=settings, progress=part_of(progress, 1, 2))
        return OnPairs(sample, values, agree_on_results(values))

    key = _key("pairs", study, measures, drawn, n, systems if drawn == "results" else (), seed, settings)
    return jobs.run(key, work, label="Comparing the measures on pairs of images")


def on_systems(
    context: Context, measures: tuple[str, ...], *, systems: tuple[str, ...], form: Form, asked: int | None,
    seed: int,
) -> OnSystems | None:  # fmt: skip
    """The systems under every measure, agreement and power; None while they are computed."""
    study, choice = context.study, context.choice

    def work(progress: Progress) -> OnSystems:
        queries = sample_queries(study, n=asked, seed=seed)
        scores = score_under(
            study, measures, systems=systems, form=form, k=choice.k, settings=choice.settings,
            queries=queries, progress=part_of(progress, 0, 2),
        )  # fmt: skip
        progress(0.5, "comparing the systems")
        of_two = len(systems) > 1
        power = (
            ()
            if not of_two
            else discriminative_power(
                scores, seed=seed, correction=choice.correction, n_resamples=choice.flips
            )
        )
        return OnSystems(
            scores, agree_on_queries(scores), agree_on_systems(scores), power, len(queries),
            len(study.queries), seed,
        )  # fmt: skip

    decides = (systems, form, choice.k, asked, seed, choice.settings, choice.correction, choice.flips)
    key = _key("systems", study, measures, *decides)
    return jobs.run(key, work, label="Judging the systems under every measure")


def table(
    context: Context, measures: tuple[str, ...], *, asked: int | None, seed: int
) -> TableOne | None:  # fmt: skip
    """Every measure as a retrieval system; None while it is computed."""
    study, choice = context.study, context.choice
    return jobs.run(
        _key("table", study, measures, asked, seed, choice.settings, choice.correction, choice.flips),
        lambda progress: table_one(
            study, measures, settings=choice.settings, queries=sample_queries(study, n=asked, seed=seed),
            seed=seed, correction=choice.correction, n_resamples=choice.flips, progress=progress,
        ),
        label="Searching with every measure",
    )  # fmt: skip


def _key(kind: str, study: Study, *parts: object) -> str:
    return f"measures {kind} {study.digest} {parts!r}"
