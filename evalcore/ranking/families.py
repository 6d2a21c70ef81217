"""Families of measures of a ranked list, and a metric as a value: family, target, options.

A new family: its function in ``binary`` or ``graded``, an entry in `COMPUTED`, a row in ``families.toml``
(its words, what it is about, its options, and where pages offer it), golden rows in its test. An option of
labels is a row of `OPTIONS`.
"""

from __future__ import annotations

import re
import tomllib
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf, nan
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from evalcore.ranking.binary import (
    average_precision,
    bpref,
    f1,
    first_rank,
    inferred_average_precision,
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
from evalcore.ranking.grid import GRID, Grid, Reading, grid_value
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
from evalcore.values.errors import SettingError
from evalcore.values.plugins import specs

Needs = Literal["relevance", "labels", "either"]
LabelMatch = Literal["any", "equal"]
Compute = Callable[["RankedGains", "Target", "Metric"], Floats]


@dataclass(frozen=True, slots=True)
class Metric:
    """One measure with everything that decides its value, but for the study and the settings.

    Either ``relevance`` names a graded relevance or ``labels`` the label columns that must agree
    (all of them). ``match``: two images agree when they share a value, or only when their values are
    equal. ``gain`` None: as the settings say. ``persistence`` is RBP's p.
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
    reading: Reading | None = None
    row: int = 1
    only: Literal["judged"] | None = None
    rel: float | None = None
    levels: bool = False
    power: float = 1.0
    count_query: bool = False
    area: Area = "mean"

    def __str__(self) -> str:
        inside = [] if METRICS[self.family].fixed_relevance else [self.what]
        for option in OPTIONS.values():
            if self.reading is not None or not option.field.startswith("reading."):
                value = attrgetter(option.field)(self)
                inside += [f"{option.name}={option.write(value)}"] if value != option.usual else []
        arguments = f"({','.join(inside)})" if inside else ""
        return f"{self.family}{arguments}" + (f"@{self.cutoff}" if self.cutoff else "")

    @property
    def what(self) -> str:
        """What stands in the brackets before the options: a relevance, or the label columns."""
        if self.levels:
            return f"levels({'>'.join(self.labels)})"
        return "&".join(self.labels) or str(self.relevance)

    @property
    def k(self) -> int:
        """The cutoff of a family that requires one."""
        assert self.cutoff is not None
        return self.cutoff


@dataclass(frozen=True, slots=True)
class Option:
    """An option of labels, as in ``gain=exp``: its name there, the ``field`` of Metric that it fills (after
    a dot of its Reading), and the value that labels do not name. Either one of a few ``words``, with what
    each fills the field with, or a number that is ``allowed``, as the ``rule`` says."""

    name: str
    field: str
    usual: Any = None
    words: Mapping[str, Any] | None = None
    rule: str = "a whole number from 1 to 999999"
    allowed: Callable[[float], bool] | None = None

    def read(self, text: str) -> Any:
        """The value of a text; SettingError for one that cannot be."""
        if self.words:
            if text not in self.words:
                raise SettingError(self.name, f"one of {', '.join(self.words)}", text)
            return self.words[text]
        if self.allowed is None:
            if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) < 1:
                raise SettingError(self.name, self.rule, text)
            return int(text)
        try:
            value = float(text)
        except ValueError:
            value = nan
        if not self.allowed(value):
            raise SettingError(self.name, self.rule, text)
        return abs(value)

    def write(self, value: Any) -> str:
        """The text of a value."""
        for word, meant in (self.words or {}).items():
            if meant == value:
                return word
        return repr(value).removesuffix(".0")


MOST_POWER = 20
"""H-AP's a, at most."""
_ROWS = (
    Option("gain", "gain", None, {"linear": "linear", "exp": "exp"}),
    Option("p", "persistence", rule="a number above 0 and below 1", allowed=lambda p: 0 < p < 1),
    Option("match", "match", "any", {"any": "any", "equal": "equal"}),
    Option("a", "power", 1.0, None, f"a number above 0, at most {MOST_POWER}", lambda a: 0 < a <= MOST_POWER),
    Option("count_query", "count_query", False, {"yes": True, "no": False}),
    Option("area", "area", "mean", {"mean": "mean", "trapezoid": "trapezoid"}),
    Option("w", "reading.window"),
    Option("divide", "reading.divide_by", Reading().divide_by, {"filled": "filled", "window": "window"}),
    Option("stop", "reading.stop_by", Reading().stop_by, {"relevance": "relevance", "gain": "gain"}),
    Option("over", "reading.over", Reading().over, {"rows": "rows", "images": "images"}),
    Option("per", "reading.per_image", Reading().per_image, {"image": True, "list": False}),
    Option("row", "row", 1),
    Option("only", "only", None, {"judged": "judged"}),
    Option("rel", "rel", rule="a grade above 0, as in rel=2", allowed=lambda grade: 0 < grade < inf),
)
OPTIONS: Mapping[str, Option] = MappingProxyType({option.name: option for option in _ROWS})
"""The options of labels, in the order in which labels name them."""


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

    @property
    def relevant(self) -> Offsets:
        """The number of relevant candidates, for a family that needs it."""
        assert self.n_relevant is not None
        return self.n_relevant

    @property
    def others(self) -> Offsets:
        """The number of candidates that are not relevant, likewise."""
        assert self.n_others is not None
        return self.n_others

    def best(self, cutoff: int | None = None) -> Floats:
        """The ideal, of numbers of relevant candidates too."""
        if self.ideal is not None:
            return self.ideal
        n = self.relevant
        return ideal_of_labels(n, int(n.max(initial=1)) if cutoff is None else cutoff)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFamily:
    """What a family of measures is, in words for both audiences, and how it is computed.

    ``needs``: what stands in the brackets. ``offered``: where pages offer it (see `offered`), the labels and
    their places there. ``gain``: how a relevance becomes a gain; None where it is one.
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
    offered: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
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


AWARE = "CAG-"
"""What the labels of measures on context-aware gains begin with."""


def _ndcg(ranked: RankedGains, target: Target, metric: Metric) -> Floats:
    return ndcg(ranked, target.best(metric.k), cutoff=metric.k)


def _first_rank(ranked: RankedGains, target: Target, _: Metric) -> Floats:
    return first_rank(ranked, target.relevant, target.relevant + target.others)


def _rbp(ranked: RankedGains, _: Target, metric: Metric) -> Floats:
    assert metric.persistence is not None
    return rank_biased_precision(ranked, persistence=metric.persistence, cutoff=metric.cutoff)


def _ahp(ranked: RankedGains, target: Target, metric: Metric) -> Floats:
    return average_hierarchical_precision(ranked, target.best(metric.k), cutoff=metric.k, area=metric.area)


def _aware(ranked: RankedGains, _: Target, metric: Metric) -> Floats:
    """A family called CAG-X: X on context-aware gains."""
    lengths = np.diff(ranked.indptr)
    longest = int(lengths.max(initial=0))
    relevance = ranked.top(metric.cutoff or max(longest, 1))
    lengths = lengths if metric.cutoff is None else np.minimum(lengths, metric.cutoff)
    reading = metric.reading or Reading()
    if metric.persistence is not None:
        reading = replace(reading, persistence=metric.persistence)
    name = metric.family.removeprefix(AWARE)
    return grid_value(name, Grid(relevance, lengths, metric.row, metric.cutoff), reading)


COMPUTED: Mapping[str, Compute] = {
    "CUI": _ndcg,
    "nnCUI": _ndcg,
    "nDCG": _ndcg,
    "P": lambda ranked, _, metric: precision(ranked, cutoff=metric.k),
    "AP": lambda ranked, target, metric: average_precision(ranked, target.relevant, cutoff=metric.cutoff),
    "RR": lambda ranked, _, metric: reciprocal_rank(ranked, cutoff=metric.cutoff),
    "mean": lambda ranked, _, metric: mean_gain(ranked, cutoff=metric.k),
    "RBP": _rbp,
    "Recall": lambda ranked, target, metric: recall(ranked, target.relevant, cutoff=metric.k),
    "F1": lambda ranked, target, metric: f1(ranked, target.relevant, cutoff=metric.k),
    "Success": lambda ranked, _, metric: success(ranked, cutoff=metric.k),
    "MeanR": _first_rank,
    "MedR": _first_rank,
    "Rprec": lambda ranked, target, _: r_precision(ranked, target.relevant),
    "bpref": lambda ranked, target, _: bpref(ranked, target.relevant, target.others),
    "infAP": lambda ranked, target, _: inferred_average_precision(ranked, target.relevant),
    "Judged": lambda ranked, _, metric: judged_share(ranked, cutoff=metric.k),
    "ERR": lambda ranked, _, metric: expected_reciprocal_rank(ranked, cutoff=metric.k),
    "DCG": lambda ranked, _, metric: dcg(ranked, cutoff=metric.k),
    "MAX": lambda ranked, _, metric: best_gain(ranked, cutoff=metric.k),
    "HAP": lambda ranked, target, metric: h_average_precision(ranked, target.best(), cutoff=metric.cutoff),
    "ASI": lambda ranked, target, metric: average_set_intersection(
        ranked, target.best(), cutoff=metric.cutoff
    ),
    "HP": lambda ranked, target, metric: hierarchical_precision(
        ranked, target.best(metric.cutoff), cutoff=metric.k
    ),
    "AHP": _ahp,
    **{f"{AWARE}{name}": _aware for name in GRID},
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
