"""Where a system's score comes from: which kinds of concepts its first results share with the query.

Two images can share much without sharing what the image was made for: the same modality, plane and part of
the body make two chest radiographs alike, whatever they show. Each result's relevance is the sum of what its
concepts add, so the sum over all results falls into kinds without a rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.engine.sets import adds_of_pairs
from evalcore.evaluate.scoring import first_results
from evalcore.evaluate.summary import means_over_queries
from evalcore.evaluate.systems import resolve_systems
from evalcore.relevance.concept_table import NO_KINDS
from evalcore.relevance.registry import RELEVANCE, check_of
from evalcore.stats.sums import mean_of, sum_of
from evalcore.values.arrays import rows_of
from evalcore.values.concept_values import KINDS, UNKNOWN
from evalcore.values.errors import InputError
from evalcore.values.progress import Progress, silent
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.arrays import Floats, Ints, Offsets
    from evalcore.values.model import Study

SETTING = ("modality", "plane", "anatomy")
"""Kinds that say how and where an image was taken, and not what it shows."""
TOP = 10
_ALL = (*KINDS, UNKNOWN)


@dataclass(frozen=True, slots=True)
class FromKinds:
    """Of one system's first ``k`` results: where their relevance comes from.

    ``shares``: of the summed relevance, by kind, what its concepts add; they sum to 1 (none where the sum is
    0). ``total``: the sum. ``only_setting``: the mean over queries of the share of results whose relevance
    comes from modality, plane and anatomy alone, with ``low`` and ``high``, its bootstrap interval;
    ``with_more`` of those that other concepts add to; ``nothing`` of those that share nothing. The three sum
    to 1. ``n_queries``: that have concepts and results; ``n_with_finding`` of them carry a finding.
    """

    system: str
    relevance: str
    k: int
    shares: dict[str, float]
    total: float
    only_setting: float
    low: float
    high: float
    with_more: float
    nothing: float
    n_queries: int
    n_with_finding: int
    n_results: int


def from_kinds(
    study: Study,
    *,
    relevance: str,
    systems: Sequence[str] | None = None,
    k: int = TOP,
    settings: Settings = Settings(),
    progress: Progress = silent,
) -> tuple[FromKinds, ...]:
    """Which kinds of concepts do the first results of each system owe their relevance to?

    Parameters
    ----------
    study
        Limited to what is compared (see `common_pool.limited`).
    relevance
        One that compares concept sets, with weights or without (``iou``, ``nn-iou[finding]``).
    systems
        Names; None for all of the study.
    k
        Results looked at per query.
    settings
        The reading of nn-IoU. Ties are ordered by image id.

    Raises
    ------
    InputError
        The study has no kinds, or the relevance does not look at shared concepts.
    UnknownName
        A system or relevance that is not there.
    """
    if study.kinds is None:
        raise InputError(NO_KINDS)
    meant = check_of(study, relevance)
    if meant.kind not in RELEVANCE:
        known = ", ".join(RELEVANCE)
        raise InputError(f"{relevance} is no sum over concepts that two images share. Choose one of {known}.")
    codes = kind_codes(study)
    chosen = resolve_systems(study, systems)
    result: dict[str, list[tuple[Ints, Floats]]] = {system.name: [] for system in chosen}
    for _, every in first_results(study, chosen, k, settings=settings, progress=progress):
        for system, lists in zip(chosen, every, strict=True):
            carry = study.concepts.sizes[lists.query_of_row] > 0
            queries, candidates = lists.query_of_row[carry], lists.candidates[carry]
            adds = adds_of_pairs(study, meant, queries, candidates, codes, len(_ALL), settings)
            result[system.name].append((queries, adds))
    of_findings = (codes == KINDS.index("finding"))[study.concepts.indices]
    finding = np.unique(rows_of(study.concepts.indptr)[of_findings])
    return tuple(
        _summed(study, (name, str(meant), k), finding, parts, settings=settings)
        for name, parts in result.items()
    )


def kind_codes(study: Study) -> Ints:
    """The kind of each concept of the vocabulary as its place in `KINDS`; one beyond the last for unknown."""
    names = {kind: code for code, kind in enumerate((*KINDS, UNKNOWN))}
    kind_of = study.kinds.kind_of if study.kinds is not None else lambda _: UNKNOWN
    return np.array([names[kind_of(concept)] for concept in study.concepts.vocabulary], np.int32)


def _summed(
    study: Study,
    dims: tuple[str, str, int],
    finding: Offsets,
    parts: Sequence[tuple[Ints, Floats]],
    *,
    settings: Settings,
) -> FromKinds:
    queries = np.concatenate([np.empty(0, np.int32), *(chunk for chunk, _ in parts)])
    adds = np.concatenate([np.empty((0, len(_ALL))), *(some for _, some in parts)])
    sums = [sum_of(adds[:, code]) for code in range(len(_ALL))]
    total = sum_of(np.array(sums))
    setting = np.array([kind in SETTING for kind in _ALL])
    more, some = adds[:, ~setting].any(axis=1), adds.any(axis=1)
    distinct, row, n = np.unique(queries, return_inverse=True, return_counts=True)
    only, both, none = (
        np.bincount(row, weights=which, minlength=len(distinct)) / n for which in (some & ~more, more, ~some)
    )
    (mean,) = means_over_queries([only], distinct, groups=study.groups, settings=settings)
    return FromKinds(
        *dims,
        {kind: part / total for kind, part in zip(_ALL, sums, strict=True) if part} if total else {},
        total,
        mean.mean,
        mean.low,
        mean.high,
        mean_of(both),
        mean_of(none),
        len(distinct),
        int(np.isin(distinct, finding).sum()),
        len(queries),
    )
