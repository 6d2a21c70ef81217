"""Every kind of relevance as the engine computes it: one kernel a kind, found by what the registry says.

Adding a kind: its functions in a file of their own, an entry of `KERNELS` under the ``family`` that its
relevances have in ``relevance.registry``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from evalcore.engine import custom
from evalcore.engine.counts import formula_of, relevance_of_sets
from evalcore.engine.listing import best_of_sets, rank_sets
from evalcore.engine.semantic import (
    asked_with_judgment,
    best_judged,
    best_of_concepts,
    judged_of,
    judged_pairs,
    rank_concepts,
    rank_judged,
    relevance_of_concepts,
)
from evalcore.engine.space import space_key
from evalcore.engine.vectors import (
    Held,
    asked_with_vector,
    best_of_vectors,
    cosine_of_pairs,
    embeddings_of,
    rank_vectors,
    with_embeddings,
    with_neighbours,
)
from evalcore.relevance.concept_vectors import vectors_of
from evalcore.relevance.registry import check_of, describe
from evalcore.values.progress import part_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from evalcore.engine.listing import Lists
    from evalcore.relevance.registry import Relevance
    from evalcore.values.arrays import Bools, Floats, Ints
    from evalcore.values.model import Study
    from evalcore.values.progress import Progress
    from evalcore.values.settings import Settings


class Ranking(Protocol):
    """Rankings of ``candidates`` (ascending, different) for ``queries`` that have such a relevance.

    One for each of the settings, in the order of the queries.
    """

    def __call__(
        self,
        study: Study,
        relevance: Relevance,
        queries: Ints,
        candidates: Ints,
        *,
        depth: int,
        settings: Sequence[Settings],
        whole_ties: bool,
        progress: Progress | None = None,
    ) -> list[Lists]: ...


class Best(Protocol):
    """The ``depth`` largest values of each query under each of the settings, (queries, depth) each.

    Descending, filled up with 0; NaN where the query has no such relevance.
    """

    def __call__(
        self,
        study: Study,
        relevance: Relevance,
        queries: Ints,
        candidates: Ints,
        *,
        depth: int,
        settings: Sequence[Settings],
        progress: Progress | None = None,
    ) -> Floats | list[Floats]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """A kind of relevance.

    ``pairs`` values of aligned pairs of images, NaN where the query has no such relevance; ``rank`` and
    ``best`` see `Ranking` and `Best`; ``key`` all that a value depends on, so that equal keys mean equal
    values; ``defined`` which queries have such a relevance; ``sent`` what a worker of a cluster needs to
    rank and to find the best, None where that is done on this machine only.
    """

    pairs: Callable[[Study, Relevance, Ints, Ints, Settings], Floats]
    rank: Ranking
    best: Best
    key: Callable[[Study, Relevance, Settings], tuple[Hashable, ...]]
    defined: Callable[[Study, Relevance, Ints], Bools]
    sent: Callable[[Study, Relevance, Sequence[Settings]], Held] | None


def _one_by_one(result: Callable[..., Any]) -> Callable[..., Any]:
    """What is found under one setting as what is found under several: a list of it."""

    def under(
        *of: Any, settings: Sequence[Settings], progress: Progress | None = None, **asked: Any
    ) -> list[Any]:
        parts = (part_of(progress, place, len(settings)) for place in range(len(settings)))
        return [
            result(*of, settings=settings, progress=part, **asked)
            for settings, part in zip(settings, parts, strict=True)
        ]

    return under


def _annotated(study: Study, _relevance: Relevance, queries: Ints) -> Bools:
    annotated: Bools = study.concepts.annotated[queries]
    return annotated


def _key_of_sets(study: Study, relevance: Relevance, settings: Settings) -> tuple[Hashable, ...]:
    formula = formula_of(relevance, settings)
    direction = settings.direction if formula.threshold else "undirected"
    near = space_key(study, formula.threshold, direction, relevance.weighting)
    return formula, near, settings.include_self


_SETS = Kernel(
    pairs=relevance_of_sets,
    rank=rank_sets,
    best=best_of_sets,
    key=_key_of_sets,
    defined=_annotated,
    sent=with_neighbours,
)
_CONCEPTS = Kernel(
    pairs=relevance_of_concepts,
    rank=_one_by_one(rank_concepts),
    best=best_of_concepts,
    defined=_annotated,
    key=lambda study, relevance, settings: (
        relevance,
        space_key(study, 0, "undirected"),
        settings.include_self,
    ),
    sent=None,  # a worker has no graph
)
_CONCEPT_VECTORS = replace(
    _CONCEPTS,
    key=lambda study, relevance, settings: (
        relevance,
        vectors_of(study, str(relevance.concept)).digest,
        study.concepts.digest,
        settings.include_self,
    ),
)
_VECTORS = Kernel(
    pairs=cosine_of_pairs,
    rank=_one_by_one(rank_vectors),
    best=_one_by_one(best_of_vectors),
    defined=asked_with_vector,
    key=lambda study, relevance, settings: (embeddings_of(study, relevance).digest, settings.include_self),
    sent=with_embeddings,
)
_JUDGED = Kernel(
    pairs=judged_pairs,
    rank=_one_by_one(rank_judged),
    best=_one_by_one(best_judged),
    sent=None,
    defined=asked_with_judgment,
    key=lambda study, relevance, settings: (judged_of(study, relevance).digest, settings.include_self),
)
_CUSTOM = Kernel(
    pairs=custom.relevance_of_custom,
    rank=_one_by_one(custom.rank_custom),
    best=custom.best_of_custom,
    key=custom.key_of_custom,
    defined=_annotated,
    sent=None,  # the function is known here only
)

KERNELS: Mapping[str, Kernel] = MappingProxyType(
    {
        "overlap": _SETS,
        "neighbours": _SETS,
        "taxonomy": _CONCEPTS,
        "vectors": _CONCEPT_VECTORS,
        "embedding": _VECTORS,
        "judged": _JUDGED,
        "custom": _CUSTOM,
    }
)
"""The kernels by the family of the relevances they compute."""


def kernel_of(study: Study, name: str) -> tuple[Relevance, Kernel]:
    """The relevance a name means in a study, and what computes it.

    Raises UnknownName when there is no such relevance, or its system has no embeddings.
    """
    relevance, kernel = check_of(study, name), KERNELS[describe(name).family]
    if relevance.weighting is not None and relevance.weighting.content:
        kernel = replace(kernel, sent=None)  # a worker has no graph
    return relevance, kernel
