"""Matched pairs in both directions: each system from text to image and from image to text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcore.evaluate.common_pool import limited
from evalcore.evaluate.scoring import score
from evalcore.evaluate.slices.conditions import DIRECTION, select
from evalcore.evaluate.summary import summarise_all
from evalcore.evaluate.systems import name_of
from evalcore.evaluate.targets import metrics_of
from evalcore.values.errors import InputError, SettingError
from evalcore.values.own_queries import PAIRS
from evalcore.values.progress import part_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.values.compared import Which
    from evalcore.values.model import Interval, Study
    from evalcore.values.progress import Progress
    from evalcore.values.settings import Settings

OF_PAPERS = ("R@1", "R@5", "R@10", f"MedR({PAIRS})", f"MeanR({PAIRS})")
"""The measures that papers on image-text retrieval print: Faghri et al. 2018, arXiv 1707.05612."""
ONE_WAY = "query->image"
"""The name of the only direction of a study whose queries all look among the images."""


@dataclass(frozen=True, slots=True)
class BothDirections:
    """Every system under every measure in every direction.

    ``means``: by (system, measure, direction), without those that do not answer in a direction.
    ``n_queries``, ``n_candidates``: by direction. ``silent``: systems that answer in none.
    """

    directions: tuple[str, ...]
    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    means: Mapping[tuple[str, str, str], Interval]
    n_queries: Mapping[str, int]
    n_candidates: Mapping[str, int]
    silent: tuple[str, ...]


def both_directions(
    study: Study,
    *,
    settings: Settings,
    metrics: Sequence[str] = OF_PAPERS,
    systems: Sequence[str] = (),
    queries: Which | None = None,
    level: float = 0.95,
    seed: int = 0,
    progress: Progress | None = None,
) -> BothDirections:
    """How good is each system in each direction, over the whole gallery of that direction?

    Parameters
    ----------
    study
        One with matched pairs. Its conditions count, but those that choose a direction.
    metrics
        Measures of matched pairs; those of papers unless others are named.
    systems
        None named: all. A system is left out of a direction in which it does not answer, and is ``silent``
        where it answers in none.
    queries, settings, level, seed
        As for `common_pool.limited` and `summary.summarise_all`, in each direction by itself.

    Raises
    ------
    InputError
        The study has no matched pairs, or no named system answers in any direction.
    SettingError
        A measure that is not of matched pairs.
    UnknownName
        No system of this name.
    """
    whole = study.whole or study
    if whole.pairs is None:
        raise InputError(
            f"{study.name} has no matched pairs. Add pairs.csv with the columns query,candidate."
        )
    wanted = [str(metric) for metric in metrics_of(whole, metrics, settings)]
    if other := [name for name in wanted if f"({PAIRS}" not in name]:
        raise SettingError("directions", "used with measures of matched pairs, such as R@1", other[0])
    where = [text for text in study.where if not text.startswith(f"{DIRECTION}=")]
    asked = {d.name: select(whole, [*where, f"{DIRECTION}={d.name}"]) for d in whole.directions}
    asked = asked or {ONE_WAY: study}
    everyone = sorted({name for part in asked.values() for name in part.systems})
    named = list(dict.fromkeys(name_of(whole, name) for name in systems)) or everyone
    answers = {way: [name for name in named if _answers(part, name)] for way, part in asked.items()}
    means: dict[tuple[str, str, str], Interval] = {}
    sizes = {}
    for place, (way, part) in enumerate(asked.items()):
        if not answers[way]:
            sizes[way] = len(part.queries), len(part.candidates)
            continue
        over = limited(part, answers[way], queries=queries, settings=settings)
        sizes[way] = len(over.queries), len(over.candidates)
        show = part_of(progress, place, len(asked), name=way)
        scores = score(over, wanted, systems=answers[way], settings=settings, progress=show)
        for of, mean in zip(
            scores, summarise_all(scores, settings=settings, level=level, seed=seed), strict=True
        ):
            means[of.system, of.metric, way] = mean
    answering = tuple(dict.fromkeys(system for system, _, _ in means))
    if not answering:
        raise InputError(f"No system of {study.name} answers its queries. Add a run or vectors.")
    n_queries, n_candidates = ({way: size[i] for way, size in sizes.items()} for i in (0, 1))
    silent = tuple(name for name in named if name not in answering)
    return BothDirections(tuple(asked), tuple(wanted), answering, means, n_queries, n_candidates, silent)


def _answers(study: Study, system: str) -> bool:
    """Whether a system answers queries of a direction; the program's own and fused rankings always do."""
    stored = system in study.runs or system in study.embeddings or system in study.seeds
    return not stored or system in study.systems
