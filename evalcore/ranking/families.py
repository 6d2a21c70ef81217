"""Families of measures of a ranked list: the literal registry, and a metric as a value.

A new family: its function in ``binary`` or ``graded``, an entry in `COMPUTED`, a row in ``families.toml``,
golden rows in its test.
"""

from __future__ import annotations

import tomllib
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import numpy as np

from evalcore.ranking.binary import (
    average_precision,
    bpref,
    f1,
    first_rank,
    inferred_average_precision,
    interpolated_precision,
    judged_share,
    precision,
    r_precision,
    recall,
    reciprocal_rank,
    success,
)
from evalcore.ranking.gains import RankedGains
from evalcore.ranking.graded import (
    best_gain,
    dcg,
    expected_reciprocal_rank,
    gain_of,
    ideal_of_labels,
    mean_gain,
    ndcg,
    rank_biased_precision,
    stop_chance,
)
from evalcore.ranking.grid import Grid, Reading, grid_value
from evalcore.ranking.hierarchical import (
    Area,
    average_hierarchical_precision,
    average_set_intersection,
    h_average_precision,
    hierarchical_precision,
    positive,
)
from evalcore.values.arrays import Floats, Offsets
from evalcore.values.bundled import bundled
from evalcore.values.plugins import specs

Value = TypeVar("Value")
Needs = Literal["relevance", "labels", "either"]
LabelMatch = Literal["any", "equal"]
Compute = Callable[["RankedGains", "Target", "Metric"], Floats]


@dataclass(frozen=True, slots=True)
class Metric:
    """One measure with everything that decides its value, but for the study and the settings.

    Either ``relevance`` names a graded relevance or ``labels`` the label columns that must agree
    (all of them). ``match``: two images agree when they share a value, or only when their values are
    equal. ``gain`` None: as the settings say. ``persistence`` is RBP's p, ``recall`` the level of IPrec.
    ``reading`` says how context-aware gains are put together, ``row`` how many images stand side by side.
    ``only``: results nobody judged are passed over; ``rel``: the lowest grade that is relevant, None for that
    of the judgments. ``levels``: the columns are levels of a hierarchy, the
    topmost first, and results count by how many of them they share; ``power`` is H-AP's a, ``count_query``
    counts the query among the images of the top level, ``area`` says how AHP is a mean.
    """

    family: str
    relevance: str | None = None
    labels: tuple[str, ...] = ()
    cutoff: int | None = None
    gain: Literal["linear", "exp"] | None = None
    persistence: float | None = None
    match: LabelMatch = "any"
    recall: float | None = None
    reading: Reading | None = None
    row: int = 1
    only: Literal["judged"] | None = None
    rel: float | None = None
    levels: bool = False
    power: float | None = None
    count_query: bool = False
    area: Area | None = None

    def __str__(self) -> str:
        spec = METRICS[self.family]
        inside = [] if spec.fixed_relevance else [self.what]
        inside += [f"gain={self.gain}"] if self.gain else []
        inside += [f"p={self.persistence!r}"] if self.persistence is not None else []
        inside += [f"recall={repr(self.recall).removesuffix('.0')}"] if self.recall is not None else []
        inside += ["match=equal"] if self.match == "equal" else []
        inside += [f"a={repr(self.power).removesuffix('.0')}"] if self.power is not None else []
        inside += ["count_query=yes"] if self.count_query else []
        inside += [f"area={self.area}"] if self.area else []
        inside += self._of_grid()
        inside += [f"only={self.only}"] if self.only else []
        inside += [f"rel={repr(self.rel).removesuffix('.0')}"] if self.rel is not None else []
        arguments = f"({','.join(inside)})" if inside else ""
        return f"{self.family}{arguments}" + (f"@{self.cutoff}" if self.cutoff else "")

    @property
    def what(self) -> str:
        """What stands in the brackets before the options: a relevance, or the label columns."""
        if self.levels:
            return f"levels({'>'.join(self.labels)})"
        return "&".join(self.labels) or str(self.relevance)

    def _of_grid(self) -> list[str]:
        """The options of context-aware gain: the window always, others where they are not the usual ones."""
        of, usual = self.reading, Reading()
        if of is None:
            return []
        inside = [f"w={of.window}"]
        inside += [f"divide={of.divide_by}"] if of.divide_by != usual.divide_by else []
        inside += [f"stop={of.stop_by}"] if of.stop_by != usual.stop_by else []
        inside += [f"over={of.over}"] if of.over != usual.over else []
        inside += ["per=image"] if of.per_image else []
        return inside + ([f"row={self.row}"] if self.row != 1 else [])


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """What could have been found: the ideal gains (n, K), or the number of relevant candidates (n,).

    ``n_others``: candidates that are not relevant (n,), for measures of judged images only. ``worth``: of
    each level to each query (n, levels + 1), where levels are weighed.
    """

    ideal: Floats | None = None
    n_relevant: Offsets | None = None
    n_others: Offsets | None = None
    worth: Floats | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFamily:
    """What a family of measures is, in words for both audiences, and how it is computed.

    ``needs``: what stands in the brackets. ``gain``: how a relevance becomes a gain; None where it is one.
    ``judged_only``: images without the labels play no part, whatever the pool. ``exact_ties``: the
    expectation over orders of equal scores is known. ``best_first``: no order of the same results is worth
    more than the one by gain. ``by_levels``: takes levels of labels; ``weighs_levels``: by how many
    candidates are of each. ``whole_ideal``: looks at all candidates, whatever the cutoff. ``unit``: its
    value is made of gains from 0 to 1, so a grade of judgments counts as its share of the highest grade.
    ``tells_unjudged``: gains below 0 are of results nobody judged. ``lower_is_better``: of ranks.
    ``by_median``: its score is the median over queries, not the mean.
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
    compute: Compute
    options: tuple[str, ...] = ()
    fixed_relevance: str | None = None
    needs_something_relevant: bool = False
    gain: Callable[..., Floats] | None = None
    judged_only: bool = False
    exact_ties: bool = True
    best_first: bool = True
    by_levels: bool = False
    weighs_levels: bool = False
    whole_ideal: bool = False
    unit: bool = False
    tells_unjudged: bool = False
    lower_is_better: bool = False
    by_median: bool = False


def _given(value: Value | None) -> Value:
    """What the parser or ``evaluate`` filled in, as this family needs it."""
    assert value is not None
    return value


def _ndcg(ranked: RankedGains, target: Target, metric: Metric) -> Floats:
    cutoff = _given(metric.cutoff)
    return ndcg(ranked, _best(target, cutoff), cutoff=cutoff)


def _first_rank(ranked: RankedGains, target: Target, _: Metric) -> Floats:
    n = _given(target.n_relevant)
    return first_rank(ranked, n, n + _given(target.n_others))


def _best(target: Target, cutoff: int | None = None) -> Floats:
    """The ideal, of numbers of relevant candidates too."""
    if target.ideal is not None:
        return target.ideal
    n = _given(target.n_relevant)
    return ideal_of_labels(n, int(n.max(initial=1)) if cutoff is None else cutoff)


AWARE = "CAG-"
"""What the labels of measures on context-aware gains begin with."""


def _on_grid(ranked: RankedGains, _: Target, metric: Metric) -> Floats:
    """A family called CAG-X: X on context-aware gains."""
    lengths = np.diff(ranked.indptr)
    longest = int(lengths.max(initial=0))
    relevance = ranked.top(metric.cutoff or max(longest, 1))
    held = lengths if metric.cutoff is None else np.minimum(lengths, metric.cutoff)
    reading = _given(metric.reading)
    if metric.persistence is not None:
        reading = replace(reading, persistence=metric.persistence)
    return grid_value(
        metric.family.removeprefix(AWARE), Grid(relevance, held, metric.row, metric.cutoff), reading
    )


def _aware(ranked: RankedGains, _: Target, metric: Metric) -> Floats:
    """A family called CAG-X: X on context-aware gains."""
    lengths = np.diff(ranked.indptr)
    longest = int(lengths.max(initial=0))
    relevance = ranked.top(metric.cutoff or max(longest, 1))
    held = lengths if metric.cutoff is None else np.minimum(lengths, metric.cutoff)
    reading = _given(metric.reading)
    if metric.persistence is not None:
        reading = replace(reading, persistence=metric.persistence)
    name = metric.family.removeprefix(AWARE)
    return grid_value(name, Grid(relevance, held, metric.row, metric.cutoff), reading)


COMPUTED: Mapping[str, Compute] = {
    "CUI": _ndcg,
    "nnCUI": _ndcg,
    "nDCG": _ndcg,
    "P": lambda ranked, _, metric: precision(ranked, cutoff=_given(metric.cutoff)),
    "AP": lambda ranked, target, metric: average_precision(
        ranked, _given(target.n_relevant), cutoff=metric.cutoff
    ),
    "RR": lambda ranked, _, metric: reciprocal_rank(ranked, cutoff=metric.cutoff),
    "mean": lambda ranked, _, metric: mean_gain(ranked, cutoff=_given(metric.cutoff)),
    "RBP": lambda ranked, _, metric: rank_biased_precision(
        ranked, persistence=_given(metric.persistence), cutoff=metric.cutoff
    ),
    "Recall": lambda ranked, target, metric: recall(
        ranked, _given(target.n_relevant), cutoff=_given(metric.cutoff)
    ),
    "F1": lambda ranked, target, metric: f1(ranked, _given(target.n_relevant), cutoff=_given(metric.cutoff)),
    "Success": lambda ranked, _, metric: success(ranked, cutoff=_given(metric.cutoff)),
    "MeanR": _first_rank,
    "MedR": _first_rank,
    "Rprec": lambda ranked, target, _: r_precision(ranked, _given(target.n_relevant)),
    "bpref": lambda ranked, target, _: bpref(ranked, _given(target.n_relevant), _given(target.n_others)),
    "infAP": lambda ranked, target, _: inferred_average_precision(ranked, _given(target.n_relevant)),
    "Judged": lambda ranked, _, metric: judged_share(ranked, cutoff=_given(metric.cutoff)),
    "IPrec": lambda ranked, target, metric: interpolated_precision(
        ranked, _given(target.n_relevant), level=_given(metric.recall)
    ),
    "ERR": lambda ranked, _, metric: expected_reciprocal_rank(ranked, cutoff=_given(metric.cutoff)),
    "DCG": lambda ranked, _, metric: dcg(ranked, cutoff=_given(metric.cutoff)),
    "MAX": lambda ranked, _, metric: best_gain(ranked, cutoff=_given(metric.cutoff)),
    "HAP": lambda ranked, target, metric: h_average_precision(ranked, _best(target), cutoff=metric.cutoff),
    "ASI": lambda ranked, target, metric: average_set_intersection(
        ranked, _best(target), cutoff=metric.cutoff
    ),
    "HP": lambda ranked, target, metric: hierarchical_precision(
        ranked, _best(target, metric.cutoff), cutoff=_given(metric.cutoff)
    ),
    "AHP": lambda ranked, target, metric: average_hierarchical_precision(
        ranked, _best(target, metric.cutoff), cutoff=_given(metric.cutoff), area=metric.area or "mean"
    ),
    **{f"{AWARE}{name}": _aware for name in ("RBP", "DCG", "CG", "AVG", "ERR", "MAX")},
}
"""How each family is computed, by name."""
GAINS: Mapping[str, Callable[..., Floats]] = {
    **dict.fromkeys(("CUI", "nnCUI", "nDCG", "RBP", "DCG"), gain_of),
    **dict.fromkeys(("HAP", "HP", "AHP"), positive),
    "ERR": stop_chance,
}
"""How a relevance becomes a gain, where it is not one."""


def _family(name: str, row: Mapping[str, Any]) -> MetricFamily:
    words: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in row.items()
    }
    return MetricFamily(name=name, compute=COMPUTED[name], gain=GAINS.get(name), **words)


_ROWS = tomllib.loads(bundled("evalcore.ranking", "families.toml"))
METRICS: Mapping[str, MetricFamily] = MappingProxyType(
    ChainMap(specs["metric"], {name: _family(name, row) for name, row in _ROWS.items()})
)
"""Every family of measures by the name its labels begin with; those that users registered come last."""
