"""Families of measures of a ranked list: what each is in words, and how it is computed.

A new family: its function in ``binary`` or ``graded``, an entry in `COMPUTED`, a row in ``families.toml``
(its words, what it is about, its options, and where pages offer it), golden rows in its test.
"""

from __future__ import annotations

import tomllib
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from evalcore.ranking import binary, graded, hierarchical
from evalcore.ranking.graded import WINDOW
from evalcore.ranking.grid import GRID, PERSISTENCE, Grid, Reading, grid_value
from evalcore.ranking.lists import RankedGains, filled
from evalcore.values.arrays import Floats
from evalcore.values.bundled import bundled
from evalcore.values.plugins import specs

Needs = Literal["relevance", "labels", "either"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFamily:
    """What a family of measures is, in words for both audiences, and how it is computed.

    ``compute``: a function of ranked gains, and of what it ``asks`` for by name (see `metrics.ARGUMENTS`).
    ``needs``: what stands in the brackets; a family that needs labels takes judgments too, as yes or no.
    ``offered``: where pages offer it (see `offered`), the labels and
    their places there. ``gain``: how a relevance becomes a gain; None where it is one.
    ``judged_only``: images without the labels play no part, whatever the pool. ``exact_ties``: the
    expectation over orders of equal scores is known. ``by_levels``: takes levels of labels;
    ``weighs_levels``: by how many candidates are of each. ``whole_ideal``: looks at all candidates, whatever
    the cutoff. ``unit``: its value is made of gains from 0 to 1, so a grade of judgments counts as its share
    of the highest grade. ``tells_unjudged``: gains below 0 are of results nobody judged. ``lower_is_better``:
    of ranks. ``centre``: what its score is of the values per query.
    """

    name: str
    title: str
    example: str
    formula: str
    range: str
    plain: str
    reference: str
    needs: Needs
    cutoff: Literal["required", "optional", "none"]
    compute: Callable[..., Floats]
    asks: Sequence[str]
    exact_ties: bool
    options: Sequence[str] = ()
    offered: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    fixed_relevance: str | None = None
    needs_something_relevant: bool = False
    gain: Callable[..., Floats] | None = None
    judged_only: bool = False
    by_levels: bool = False
    weighs_levels: bool = False
    whole_ideal: bool = False
    unit: bool = False
    tells_unjudged: bool = False
    lower_is_better: bool = False
    centre: Literal["mean", "median"] = "mean"


AWARE = "CAG-"
"""What the labels of measures on context-aware gains begin with."""


def _aware(
    name: str,
    ranked: RankedGains,
    *,
    cutoff: int | None,
    window: int | None,
    row: int,
    persistence: float | None,
) -> Floats:
    """X on context-aware gains, of the family called CAG-X."""
    lengths = np.diff(ranked.indptr)
    width = cutoff or int(lengths.max(initial=1))
    reading = Reading(window=window or WINDOW, persistence=persistence or PERSISTENCE)
    # A list that is shorter than K has nothing of worth in the places left.
    rows, places = np.arange(width) // row, np.full(len(ranked), width)
    grid = Grid(filled(ranked.top(width), width), np.minimum(lengths, width), rows, places)
    return grid_value(name, grid, reading)


COMPUTED: Mapping[str, Callable[..., Floats]] = {
    **dict.fromkeys(("CUI", "nnCUI", "nDCG"), graded.ndcg),
    "P": binary.precision,
    "AP": binary.average_precision,
    "RR": binary.reciprocal_rank,
    "mean": graded.mean_gain,
    "RBP": graded.rank_biased_precision,
    "Recall": binary.recall,
    "F1": binary.f1,
    "Success": binary.success,
    **dict.fromkeys(("MeanR", "MedR"), binary.first_rank),
    "Rprec": binary.r_precision,
    "bpref": binary.bpref,
    "infAP": binary.inferred_average_precision,
    "Judged": binary.judged_share,
    "ERR": graded.expected_reciprocal_rank,
    "DCG": graded.dcg,
    "MAX": graded.best_gain,
    "HAP": hierarchical.h_average_precision,
    "ASI": hierarchical.average_set_intersection,
    "HP": hierarchical.hierarchical_precision,
    "AHP": hierarchical.average_hierarchical_precision,
    **{f"{AWARE}{name}": partial(_aware, name) for name in GRID},
}
"""How each family is computed, by name: a function of ranked gains and of what its parameters name."""
GAINS: Mapping[str, Callable[..., Floats]] = {
    **dict.fromkeys(("CUI", "nnCUI", "nDCG", "RBP", "DCG"), graded.gain_of),
    **dict.fromkeys(("HAP", "HP", "AHP"), lambda relevance, **_: graded.gain_of(relevance)),
    "ERR": graded.stop_chance,
}
"""How a relevance becomes a gain, where it is not one."""


def _family(name: str, row: Mapping[str, Any]) -> MetricFamily:
    _, *asks = signature(COMPUTED[name]).parameters
    return MetricFamily(name=name, compute=COMPUTED[name], asks=asks, gain=GAINS.get(name), **row)


_FAMILIES = tomllib.loads(bundled("evalcore.ranking", "families.toml"))
METRICS: Mapping[str, MetricFamily] = MappingProxyType(
    ChainMap(specs["metric"], {name: _family(name, row) for name, row in _FAMILIES.items()})
)
"""Every family of measures by the name its labels begin with; those that users registered come last."""


def offered(kind: str, *targets: str) -> dict[str, bool]:
    """The labels, without a cutoff, that pages offer for each target; whether each looks at the top K.

    ``kind``: of the target, a key of ``offered`` in ``families.toml``.

    >>> offered("pairs", "pairs")
    {'Success(pairs)': True, 'RR(pairs)': False}
    """
    rows = [
        (place, label, family.cutoff == "required")
        for family in METRICS.values()
        for label, place in family.offered.get(kind, {}).items()
    ]
    return {label.format(target): cut for target in targets for _, label, cut in sorted(rows)}
