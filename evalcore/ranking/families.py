"""Families of measures of a ranked list: what each is in words, and how it is computed.

A new family: its function in ``binary`` or ``graded``, an entry in `COMPUTED`, a row in ``families.toml``
(its words, what it is about, its options, and where pages offer it), golden rows in its test.
"""

from __future__ import annotations

import tomllib
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from evalcore.ranking import binary, graded, hierarchical
from evalcore.ranking.graded import WINDOW
from evalcore.ranking.grid import GRID, PERSISTENCE, Grid, Reading, grid_value
from evalcore.ranking.lists import RankedGains, filled
from evalcore.values.arrays import Floats, Offsets
from evalcore.values.bundled import bundled
from evalcore.values.plugins import specs

if TYPE_CHECKING:
    from evalcore.ranking.metrics import Metric

Needs = Literal["relevance", "labels", "either"]
_NOBODY = np.empty(0, np.int64)


class Target(NamedTuple):
    """What could have been found: the ideal gains (n, K), or the number of relevant candidates (n,).

    ``n_others``: candidates that are not relevant (n,). ``worth``: of each level to each query
    (n, levels + 1), where levels are weighed. What a family does not look at is left out.
    """

    ideal: Floats | None = None
    n_relevant: Offsets = _NOBODY
    n_others: Offsets = _NOBODY
    worth: Floats | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFamily:
    """What a family of measures is, in words for both audiences, and how it is computed.

    ``compute``: a function of ranked gains, and of what it ``asks`` for by name (see `ARGUMENTS`).
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


def _aware(ranked: RankedGains, metric: Metric) -> Floats:
    """A family called CAG-X: X on context-aware gains."""
    lengths = np.diff(ranked.indptr)
    width = metric.cutoff or int(lengths.max(initial=1))
    reading = Reading(window=metric.window or WINDOW, persistence=metric.persistence or PERSISTENCE)
    # A list that is shorter than K has nothing of worth in the places left.
    rows, places = np.arange(width) // metric.row, np.full(len(ranked), width)
    name = metric.family.removeprefix(AWARE)
    return grid_value(
        name, Grid(filled(ranked.top(width), width), np.minimum(lengths, width), rows, places), reading
    )


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
    **dict.fromkeys((f"{AWARE}{name}" for name in GRID), _aware),
}
"""How each family is computed, by name: a function of ranked gains and of what its parameters name."""
ARGUMENTS: Mapping[str, Callable[[Target, Metric], Any]] = {
    "ideal": lambda target, metric: (
        graded.ideal_of_labels(
            target.n_relevant, None if METRICS[metric.family].whole_ideal else metric.cutoff
        )
        if target.ideal is None
        else target.ideal
    ),
    "n_relevant": lambda target, _: target.n_relevant,
    "n_others": lambda target, _: target.n_others,
    "cutoff": lambda _, metric: metric.cutoff,
    "persistence": lambda _, metric: metric.persistence,
    "area": lambda _, metric: metric.area,
    "metric": lambda _, metric: metric,
}
"""What a function may ask for by the names of its parameters."""
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
