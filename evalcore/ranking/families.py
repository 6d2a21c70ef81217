"""Families of measures of a ranked list: the literal registry, and a metric as a value.

A new family: its function in ``binary`` or ``graded``, an entry here, golden rows in its test.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, TypeVar

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
from evalcore.values.plugins import specs

Value = TypeVar("Value")
Needs = Literal["relevance", "labels", "either"]
LabelMatch = Literal["any", "equal"]


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


@dataclass(frozen=True, slots=True)
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
    compute: Callable[[RankedGains, Target, Metric], Floats]
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


def _aware(
    name: str,
    title: str,
    example: str,
    formula: str,
    reach: str,
    plain: str,
    *options: str,
    cutoff: Literal["required", "optional"] = "required",
) -> MetricFamily:
    """A measure of a grid on context-aware gains."""
    return MetricFamily(
        AWARE + name,
        f"Context-aware {title}",
        f"{AWARE}{example}",
        formula,
        reach,
        f"{plain}, where a result counts less after better ones, and neighbours count together.",
        "Shao et al. 2019, doi:10.1145/3331184.3331343, with formulas 3 and 4",
        "relevance",
        cutoff,
        _on_grid,
        (*options, "w", "divide", *(() if name in {"AVG", "MAX"} else ("per",))),
        exact_ties=False,
        best_first=False,
        unit=True,
    )


_FAMILIES = (
    MetricFamily(
        "CUI",
        "CUI@K",
        "CUI@10",
        "DCG@K / IDCG@K with relevance |A∩B| / |A∪B|",
        "0 to 1",
        "How close the first results come to the best possible list, when images are similar as far "
        "as they share concepts.",
        "arXiv 2506.13509, Algorithm 2 with IoU",
        "relevance",
        "required",
        _ndcg,
        ("gain",),
        "iou",
        True,
        gain=gain_of,
    ),
    MetricFamily(
        "nnCUI",
        "nn-CUI@K",
        "nnCUI@10",
        "DCG@K / IDCG@K with relevance (|A∩B| + α·NN) / |A∪B|",
        "0 to 1",
        "How close the first results come to the best possible list, when neighbouring concepts count "
        "in part.",
        "arXiv 2506.13509, Algorithm 2",
        "relevance",
        "required",
        _ndcg,
        ("gain",),
        "nn-iou",
        True,
        gain=gain_of,
    ),
    MetricFamily(
        "P",
        "Precision@K",
        "P(modality&organ)@5",
        "relevant among the first K / K",
        "0 to 1",
        "The share of the first results that carry the same label as the query.",
        "trec_eval P",
        "labels",
        "required",
        lambda ranked, _, metric: precision(ranked, cutoff=_given(metric.cutoff)),
        ("match",),
    ),
    MetricFamily(
        "nDCG",
        "nDCG@K",
        "nDCG(nn-iou)@10",
        "Σ gain_i / log2(i+1) over the first K, divided by the same sum for the best K candidates",
        "0 to 1",
        "How close the first results come to the best possible list; early results count more.",
        "Järvelin & Kekäläinen 2002, doi:10.1145/582415.582418; exp gain: Burges et al. 2005",
        "either",
        "required",
        _ndcg,
        ("gain", "match"),
        None,
        True,
        gain=gain_of,
        by_levels=True,
    ),
    MetricFamily(
        "AP",
        "Average precision",
        "AP(organ)",
        "(1/R) Σ P@i over the ranks i of relevant images, R relevant images in all",
        "0 to 1",
        "Whether the images with the query's label are found, and found early.",
        "trec_eval map; ties: McSherry & Najork 2008, doi:10.1007/978-3-540-78646-7_38",
        "labels",
        "optional",
        lambda ranked, target, metric: average_precision(
            ranked, _given(target.n_relevant), cutoff=metric.cutoff
        ),
        ("match",),
        None,
        True,
    ),
    MetricFamily(
        "RR",
        "Reciprocal rank",
        "RR(organ)",
        "1 / rank of the first relevant image, 0 when none is found",
        "0 to 1",
        "How soon the first image with the query's label comes.",
        "trec_eval recip_rank; ties: McSherry & Najork 2008, doi:10.1007/978-3-540-78646-7_38",
        "labels",
        "optional",
        lambda ranked, _, metric: reciprocal_rank(ranked, cutoff=metric.cutoff),
        ("match",),
        None,
        True,
    ),
    MetricFamily(
        "mean",
        "Mean relevance@K",
        "mean(nn-iou)@10",
        "Σ relevance_i over the first K / K",
        "that of the relevance",
        "How relevant a result among the first is on average.",
        "Precision@K with graded relevance",
        "relevance",
        "required",
        lambda ranked, _, metric: mean_gain(ranked, cutoff=_given(metric.cutoff)),
        unit=True,
    ),
    MetricFamily(
        "RBP",
        "Rank-biased precision",
        "RBP(nn-iou,p=0.95)",
        "(1-p) Σ gain_i · p^(i-1)",
        "0 to 1",
        "What a reader gains who continues to the next result with probability p.",
        "Moffat & Zobel 2008, doi:10.1145/1416950.1416952",
        "relevance",
        "optional",
        lambda ranked, _, metric: rank_biased_precision(
            ranked, persistence=_given(metric.persistence), cutoff=metric.cutoff
        ),
        ("p", "gain"),
        gain=gain_of,
        unit=True,
    ),
    MetricFamily(
        "Recall",
        "Recall@K",
        "Recall(organ)@10",
        "relevant among the first K / R, R relevant images in all",
        "0 to 1",
        "The share of all images with the query's label that are among the first results.",
        "trec_eval recall",
        "labels",
        "required",
        lambda ranked, target, metric: recall(
            ranked, _given(target.n_relevant), cutoff=_given(metric.cutoff)
        ),
        ("match",),
        None,
        True,
    ),
    MetricFamily(
        "F1",
        "F1@K",
        "F1(organ)@10",
        "2 · relevant among the first K / (K + R), R relevant images in all",
        "0 to 1",
        "Precision and recall of the first results in one number.",
        "harmonic mean of trec_eval's P and recall: van Rijsbergen 1979",
        "labels",
        "required",
        lambda ranked, target, metric: f1(ranked, _given(target.n_relevant), cutoff=_given(metric.cutoff)),
        ("match",),
        None,
        True,
    ),
    MetricFamily(
        "Success",
        "Success@K",
        "Success(organ)@10",
        "1 if one of the first K is relevant, else 0",
        "0 to 1",
        "Whether any of the first results carries the query's label.",
        "trec_eval success; R@K of image-text retrieval: Faghri et al. 2018, arXiv 1707.05612",
        "labels",
        "required",
        lambda ranked, _, metric: success(ranked, cutoff=_given(metric.cutoff)),
        ("match",),
        None,
        True,
    ),
    MetricFamily(
        "MeanR",
        "Mean rank",
        "MeanR(pairs)",
        "mean over the queries of the rank of the first relevant image; last place where it is not listed",
        "1 to the number of candidates",
        "At which place the first matching image comes on average; 1 is the best.",
        "MnR of image-text retrieval: Faghri et al. 2018, arXiv 1707.05612",
        "labels",
        "none",
        _first_rank,
        ("match",),
        None,
        True,
        best_first=False,
        lower_is_better=True,
    ),
    MetricFamily(
        "MedR",
        "Median rank",
        "MedR(pairs)",
        "median over the queries of the rank of the first relevant image; last place where it is not listed",
        "1 to the number of candidates",
        "By which place the first matching image has come for half of the queries; 1 is the best.",
        "Med r of image-text retrieval: Faghri et al. 2018, arXiv 1707.05612",
        "labels",
        "none",
        _first_rank,
        ("match",),
        None,
        True,
        exact_ties=False,
        best_first=False,
        lower_is_better=True,
        by_median=True,
    ),
    MetricFamily(
        "Rprec",
        "R-precision",
        "Rprec(organ)",
        "relevant among the first R / R, R relevant images in all",
        "0 to 1",
        "The share of results with the query's label, among as many results as there are such images.",
        "trec_eval Rprec",
        "labels",
        "none",
        lambda ranked, target, _: r_precision(ranked, _given(target.n_relevant)),
        ("match",),
        None,
        True,
    ),
    MetricFamily(
        "bpref",
        "Binary preference",
        "bpref(organ)",
        "(1/R) Σ 1 - min(b, R) / min(N, R) over the relevant images found, b of the N others before it",
        "0 to 1",
        "How seldom an image with another label comes before one with the query's; unlabelled "
        "images are skipped.",
        "Buckley & Voorhees 2004, doi:10.1145/1008992.1009000; trec_eval bpref",
        "labels",
        "none",
        lambda ranked, target, _: bpref(ranked, _given(target.n_relevant), _given(target.n_others)),
        ("match",),
        None,
        True,
        judged_only=True,
    ),
    MetricFamily(
        "infAP",
        "Inferred average precision",
        "infAP(judged)",
        "(1/R) Σ 1/k + (k-1)/k · (n/(k-1)) · (r+ε)/(r+o+2ε) over the relevant images found, at rank k "
        "after n images of the pool, r of them judged relevant and o not; ε = 0.00001",
        "0 to 1",
        "Average precision as it is expected where only some results were judged.",
        "Yilmaz & Aslam 2006, doi:10.1145/1183614.1183633; trec_eval infAP",
        "labels",
        "none",
        lambda ranked, target, _: inferred_average_precision(ranked, _given(target.n_relevant)),
        ("match",),
        None,
        True,
        exact_ties=False,
        tells_unjudged=True,
    ),
    MetricFamily(
        "Judged",
        "Judged@K",
        "Judged(judged)@10",
        "judged among the first K / K",
        "0 to 1",
        "The share of the first results with a judgment; results without one count as not relevant.",
        "Judged@K of ir-measures: MacAvaney et al. 2022, doi:10.1007/978-3-030-99739-7_38",
        "labels",
        "required",
        lambda ranked, _, metric: judged_share(ranked, cutoff=_given(metric.cutoff)),
        ("match",),
        exact_ties=False,
        best_first=False,
        tells_unjudged=True,
    ),
    MetricFamily(
        "IPrec",
        "Interpolated precision",
        "IPrec(organ,recall=0.1)",
        "highest P@i among the ranks i by which this share of the R relevant images is found",
        "0 to 1",
        "How many of the results carry the query's label where a given share of such images has been found.",
        "trec_eval iprec_at_recall",
        "labels",
        "none",
        lambda ranked, target, metric: interpolated_precision(
            ranked, _given(target.n_relevant), level=_given(metric.recall)
        ),
        ("recall", "match"),
        None,
        True,
        exact_ties=False,
    ),
    MetricFamily(
        "ERR",
        "Expected reciprocal rank",
        "ERR(iou)@10",
        "Σ (1/i) s_i Π (1 - s_j) over j < i and the first K, s the relevance as a chance to stop",
        "0 to 1",
        "How soon a reader is satisfied who stops at the first good result.",
        "Chapelle et al. 2009, doi:10.1145/1645953.1646033",
        "relevance",
        "required",
        lambda ranked, _, metric: expected_reciprocal_rank(ranked, cutoff=_given(metric.cutoff)),
        ("gain",),
        gain=stop_chance,
    ),
    MetricFamily(
        "DCG",
        "DCG@K",
        "DCG(nn-iou)@10",
        "Σ gain_i / log2(i+1) over the first K",
        "0 to Σ 1 / log2(i+1)",
        "How much the first results are worth together; early results count more.",
        "Järvelin & Kekäläinen 2002, doi:10.1145/582415.582418",
        "relevance",
        "required",
        lambda ranked, _, metric: dcg(ranked, cutoff=_given(metric.cutoff)),
        ("gain",),
        gain=gain_of,
        unit=True,
    ),
    MetricFamily(
        "MAX",
        "Best relevance@K",
        "MAX(nn-iou)@10",
        "max relevance_i over the first K",
        "0 to 1",
        "How good the best of the first results is.",
        "Shao et al. 2019, doi:10.1145/3331184.3331343",
        "relevance",
        "required",
        lambda ranked, _, metric: best_gain(ranked, cutoff=_given(metric.cutoff)),
        exact_ties=False,
        unit=True,
    ),
    MetricFamily(
        "HAP",
        "Hierarchical average precision",
        "HAP(levels(modality>organ))",
        "Σ (1/k) Σ min(rel_k, rel_j) over j ≤ k, divided by Σ rel over all candidates; rel of a level l: "
        "l^a / images of exactly that level",
        "0 to 1",
        "Whether the more relevant images are found, and found before the less relevant ones.",
        "Ramzi et al. 2022, arXiv 2207.04873",
        "either",
        "optional",
        lambda ranked, target, metric: h_average_precision(ranked, _best(target), cutoff=metric.cutoff),
        ("match", "a", "count_query"),
        None,
        True,
        gain=positive,
        by_levels=True,
        weighs_levels=True,
        whole_ideal=True,
    ),
    MetricFamily(
        "ASI",
        "Average set intersection",
        "ASI(levels(modality>organ))",
        "mean over k = 1..R of Σ min(found, ideal) / k over the levels, each counted among the first k",
        "0 to 1",
        "Whether each first part of the list contains as many images of each level as the best list’s.",
        "Ramzi et al. 2022, arXiv 2207.04873",
        "labels",
        "optional",
        lambda ranked, target, metric: average_set_intersection(ranked, _best(target), cutoff=metric.cutoff),
        ("match",),
        None,
        True,
        exact_ties=False,
        by_levels=True,
    ),
    MetricFamily(
        "HP",
        "Hierarchical precision@K",
        "HP(levels(modality>organ))@10",
        "Σ relevance_i over the first K, divided by the same sum for the best K candidates",
        "0 to 1",
        "How relevant the first results are compared with the best possible ones.",
        "Barz & Denzler 2019, arXiv 1809.09924",
        "either",
        "required",
        lambda ranked, target, metric: hierarchical_precision(
            ranked, _best(target, metric.cutoff), cutoff=_given(metric.cutoff)
        ),
        ("match",),
        None,
        True,
        gain=positive,
        by_levels=True,
    ),
    MetricFamily(
        "AHP",
        "Average hierarchical precision@K",
        "AHP(levels(modality>organ))@10",
        "mean of HP@k over k = 1..K",
        "0 to 1",
        "How relevant the first results are compared with the best possible, averaged over shorter "
        "and longer first parts.",
        "Barz & Denzler 2019, arXiv 1809.09924",
        "either",
        "required",
        lambda ranked, target, metric: average_hierarchical_precision(
            ranked, _best(target, metric.cutoff), cutoff=_given(metric.cutoff), area=metric.area or "mean"
        ),
        ("match", "area"),
        None,
        True,
        gain=positive,
        by_levels=True,
    ),
    _aware(
        "RBP",
        "rank-biased precision",
        "RBP(nn-iou,p=0.95,w=10)",
        "(1-p) Σ g(k) · p^(k-1)",
        "0 to 1",
        "Expected utility of a result for a reader who continues with probability p",
        "p",
        cutoff="optional",
    ),
    _aware(
        "DCG",
        "DCG@K",
        "DCG(nn-iou,w=10)@50",
        "Σ g(k) / log2(k+1) over the first K",
        "0 to Σ 1 / log2(k+1)",
        "How much the first results are worth together, early ones more",
    ),
    _aware(
        "CG",
        "CG@K",
        "CG(nn-iou,w=10)@50",
        "Σ g(k) over the first K",
        "0 to K",
        "How much the first results are worth together",
    ),
    _aware(
        "AVG",
        "average@K",
        "AVG(nn-iou,w=10,row=5)@50",
        "mean over the rows of the mean g(k) of a row",
        "0 to 1",
        "Average worth of the rows of results",
        "over",
        "row",
    ),
    _aware(
        "ERR",
        "ERR@K",
        "ERR(nn-iou,w=10)@10",
        "Σ (1/k) R(g(k)) Π (1 - R(r_j)) over j < k and the first K, R(x) = (2^x - 1) / 2",
        "0 to 1",
        "How soon a reader is satisfied who stops at the first good result",
        "stop",
    ),
    _aware(
        "MAX",
        "best gain@K",
        "MAX(nn-iou,w=10)@50",
        "max g(k) over the first K",
        "0 to 1",
        "How good the best of the first results is",
    ),
)

METRICS: Mapping[str, MetricFamily] = MappingProxyType(
    ChainMap(specs["metric"], {family.name: family for family in _FAMILIES})
)
"""Every family of measures by the name its labels begin with; those that users registered come last."""
