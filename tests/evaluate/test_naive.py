"""Scores of random studies against a naive evaluation, one query and one dictionary at a time."""

import re
from itertools import permutations, product
from math import isnan, log2

import numpy as np
import pytest

from evalcore import score
from evalcore.evaluate import scoring as scoring_module
from evalcore.relevance.neighbour import nn_iou
from evalcore.relevance.overlap import dice, iou
from evalcore.values.errors import SettingError
from evalcore.values.model import REASONS
from evalcore.values.settings import Settings
from tests.toy import TOY_EDGES, in_groups, near_by_search, study_of, with_parts

CONCEPTS = [*sorted({concept for edge in TOY_EDGES for concept in edge}), "elsewhere"]
NEAR = near_by_search(TOY_EDGES, threshold=1)
METRICS = [
    "CUI@3",
    "nnCUI@4",
    "nDCG(iou,gain=exp)@2",
    "mean(nn-iou)@3",
    "RBP(iou,p=0.7)",
    "RBP(iou,p=0.7)@2",
    "P(organ)@3",
    "P(organ,match=equal)@3",
    "P(organ&modality)@2",
    "AP(organ)",
    "AP(modality)@2",
    "RR(organ&modality)",
    "RR(organ)@3",
    "Recall(organ)@3",
    "Recall(organ&modality,match=equal)@2",
    "F1(organ)@3",
    "Success(organ)@1",
    "Success(organ)@2",
    "Rprec(organ)",
    "nDCG(organ)@3",
    "nDCG(organ&modality,match=equal)@5",
    "bpref(organ)",
    "bpref(modality)",
    "ERR(iou)@3",
    "ERR(nn-iou,gain=exp)@2",
    "ERR(iou)@40",
    "DCG(iou)@4",
    "HAP(levels(modality>organ))",
    "HAP(levels(modality>organ),a=2,count_query=yes)",
    "HAP(levels(modality>organ),match=equal)@3",
    "HP(levels(modality>organ))@3",
    "AHP(levels(modality>organ))@4",
    "AHP(levels(modality>organ),area=trapezoid)@4",
    "nDCG(levels(modality>organ),gain=exp)@3",
]
WITHOUT_EXPECTATION = ["ASI(levels(modality>organ))", "ASI(levels(modality>organ))@2"]
"""Over ties."""


def random_study(seed, n=9, *, patients=False):
    """Images with few concepts, none or no annotation; two label columns; a partial run with ties.

    The run holds unknown images and, now and then, the query itself; some studies have patients.
    """
    rng = np.random.default_rng(seed)
    images = [f"x{i}" for i in range(n)]
    sets = {
        image: None if rng.random() < 0.1 else set(rng.choice(CONCEPTS, rng.integers(0, 4), replace=False))
        for image in images
    }
    labels = {
        "organ": {i: tuple(rng.choice(["a", "b", "c"], rng.integers(0, 3), replace=False)) for i in images},
        "modality": {i: rng.choice(["m", "n", ""]) for i in images},
    }
    answers = {}
    for query in images[1:]:
        results = rng.permutation([*images, "?"])[: rng.integers(0, 7)]
        answers[query] = {str(c): float(rng.integers(0, 4)) for c in results}
    lists = {"queries": images[:-1], "candidates": images[1:]} if seed % 2 else {}
    study = with_parts(study_of(sets, TOY_EDGES), runs={"run": answers}, labels=labels, **lists)
    if patients:
        study = in_groups(study, {image: f"p{rng.integers(4)}" for image in images[2:]})
    return study, sets, labels, answers


RELEVANCE = {
    "iou": iou,
    "dice": dice,
    "nn-iou": lambda a, b: nn_iou(a, b, NEAR, alpha=0.5, threshold=1, rule="concepts"),
}


class Naive:
    """The evaluation as one would tell it: a query, its candidates, what is returned, what each is worth."""

    def __init__(self, study, sets, labels, answers, settings):
        self.study, self.sets, self.labels = study, sets, labels
        self.answers, self.settings = answers, settings

    def value(self, metric, query):
        """Value and reason of a query."""
        family, argument, options, cutoff = parts_of(metric)
        columns = [] if argument in RELEVANCE else re.split("[&>]", argument)
        judged = columns and (self.settings.pool == "labelled" or family == "bpref")
        offered = {self.study.image_ids[i] for i in self.study.candidates}
        group = self.study.groups and dict(zip(self.study.image_ids, self.study.groups.of_image, strict=True))
        if group and group[query] >= 0:
            offered = {i for i in offered if group[i] != group[query]}
        elif not self.settings.include_self:
            offered -= {query}
        if columns and not all(self.labels[column][query] for column in columns):
            return None, "outside the pool"
        if judged:
            offered = {i for i in offered if all(self.labels[column][i] for column in columns)}
        worth = {i: self.worth(query, i, columns, family, argument, options) for i in offered} | {"?": 0.0}
        if "count_query" in options and query not in offered:  # as one more of the top level
            options |= {"more": len(columns)}
        if not columns and self.sets[query] is None:
            return None, "not annotated"
        if not columns and not self.sets[query]:
            return None, "no concepts"
        if family not in {"P", "mean", "RBP", "ERR", "DCG"} and not any(worth.values()):
            return None, "no relevant candidate"
        allowed = offered if judged else offered | {"?"}
        returned = {i: s for i, s in self.answers.get(query, {}).items() if i in allowed}
        orders = self.orders(returned)
        there = [worth[i] for i in offered]
        values = [measure(family, [worth[i] for i in order], there, cutoff, options) for order in orders]
        return sum(values) / len(values), ""

    def worth(self, query, image, columns, family, relevance, options):
        """The gain of an image for a query."""
        if columns:
            pairs = [(values_of(self.labels[c][query]), values_of(self.labels[c][image])) for c in columns]
            same = [bool(a == b if "match" in options else a & b) for a, b in pairs]
            level = float(all(same)) if ">" not in relevance else [*same, False].index(False)
            return 2**level - 1 if "gain" in options else level
        value = RELEVANCE[relevance](self.sets[query] or set(), self.sets[image] or set())
        exponential = options.get("gain", self.settings.gain) == "exp" and family != "mean"
        return (2**value - 1) / (2 if family == "ERR" else 1) if exponential else value

    def orders(self, returned):
        """The one ranking, or all rankings that differ in the order of equal scores."""
        by_id = sorted(returned, key=lambda i: (-returned[i], i.replace("?", "")))
        if self.settings.ties == "id":
            return [by_id]
        levels = sorted(set(returned.values()), reverse=True)
        blocks = [list(permutations(i for i in by_id if returned[i] == level)) for level in levels]
        return [[i for block in choice for i in block] for choice in product(*blocks)]


def parts_of(metric):
    """Family, argument, options and cutoff of a canonical label."""
    name, _, cutoff = metric.partition("@")
    family, _, inside = name.rstrip(")").partition("(")
    argument, *options = inside.removeprefix("levels(").replace(")", "").split(",")
    if family in {"CUI", "nnCUI"}:
        family, argument = "nDCG", {"CUI": "iou", "nnCUI": "nn-iou"}[family]
    return family, argument, dict(option.split("=") for option in options), int(cutoff or 10**6)


def values_of(cell):
    return {cell} - {""} if isinstance(cell, str) else set(cell)


def measure(family, gains, all_gains, k, options):
    """A measure of one ranking, by its definition."""
    if family in {"Recall", "F1", "Success", "Rprec", "bpref", "ERR"}:
        return later_measure(family, gains, list(all_gains), k, options)
    hits = [i for i, gain in enumerate(gains[:k]) if gain]
    if family == "DCG":
        return dcg(gains[:k])
    if family == "nDCG":
        return dcg(gains[:k]) / dcg(sorted(all_gains, reverse=True)[:k])
    if family in {"mean", "P"}:
        return sum(gains[:k]) / k
    if family == "RBP":
        return sum(0.3 * gain * 0.7**i for i, gain in enumerate(gains[:k]))
    if family == "AP":
        return sum(sum(gains[: i + 1]) / (i + 1) for i in hits) / sum(all_gains)
    if family == "RR":
        return 1 / (hits[0] + 1) if hits else 0.0
    return of_levels(family, gains, sorted(all_gains, reverse=True), k, options)


def later_measure(family, gains, all_gains, k, options):
    relevant = sum(all_gains)
    if family == "ERR":
        looking, expected = 1.0, 0.0
        for rank, stop in enumerate(gains[:k], start=1):
            expected += looking * stop / rank
            looking *= 1 - stop
        return expected
    if family == "bpref":
        ahead = [gains[:i].count(0.0) for i, gain in enumerate(gains) if gain]
        others = min(len(all_gains) - relevant, relevant)
        return sum(1 - (min(b, relevant) / others if b else 0) for b in ahead) / relevant
    retrieved = sum(gains[: int(relevant) if family == "Rprec" else k])
    if family == "F1":
        precision, recall = retrieved / k, retrieved / relevant
        return 2 * precision * recall / (precision + recall) if retrieved else 0.0
    return float(retrieved > 0) if family == "Success" else retrieved / relevant


def of_levels(family, ranked, top, k, options):
    """Measures of levels in rank order; ``top``: those of all candidates, the highest first."""
    if family == "HAP":
        n_of = {v: top.count(v) + (v == options.get("more")) for v in (1, 2)}
        worth = {v: v ** int(options.get("a", 1)) / n for v, n in n_of.items() if n}
        rel = [worth.get(v, 0.0) for v in ranked]
        cuts = range(1, min(len(rel), k) + 1)
        total = sum(worth.get(v, 0.0) for v in top)
        return sum(sum(min(rel[cut - 1], r) for r in rel[:cut]) / cut for cut in cuts) / total
    if family == "ASI":
        last = min(sum(map(bool, top)), k)
        shared = [
            sum(min(ranked[:n].count(v), top[:n].count(v)) for v in (1, 2)) / n for n in range(1, last + 1)
        ]
        return sum(shared) / last
    shares = [sum(ranked[:n]) / sum(top[:n]) for n in range(1, k + 1)]
    if family == "HP":
        return shares[-1]
    if family == "AHP":
        return (sum(shares) - (shares[0] + shares[-1]) / 2 * ("area" in options)) / k
    raise NotImplementedError(f"Say here what {family} is by its definition.")


def dcg(gains):
    return sum(gain / log2(i + 2) for i, gain in enumerate(gains))


def assert_as_told(scores, naive):
    for query, value, reason in zip(scores.queries, scores.values, scores.reasons, strict=True):
        expected, why = naive.value(scores.metric, naive.study.image_ids[query])
        assert REASONS[reason] == why, scores.metric
        if why:
            assert isnan(value)
        else:
            assert value == pytest.approx(expected, rel=1e-11, abs=1e-14), scores.metric


@pytest.mark.parametrize("ties", ["id", "expected"])
@pytest.mark.parametrize("pool", ["labelled", "all"])
@pytest.mark.parametrize("seed", range(8))
def test_every_family_as_the_naive_evaluation(seed, pool, ties):
    study, sets, labels, answers = random_study(seed, patients=seed in (1, 2, 7))
    settings = Settings(
        pool=pool, ties=ties, gain="exp" if seed % 3 == 0 else "linear", include_self=seed % 4 == 0
    )
    metrics = METRICS + WITHOUT_EXPECTATION * (ties == "id")
    for scores in score(study, metrics=metrics, settings=settings):
        assert_as_told(scores, Naive(study, sets, labels, answers, settings))


@pytest.mark.parametrize("ties", ["id", "expected"])
@pytest.mark.parametrize("relevance", RELEVANCE)
def test_a_relevance_as_system_is_scored_as_the_run_it_amounts_to(relevance, ties):
    study, sets, labels, _ = random_study(3, n=7)
    settings = Settings(ties=ties)
    answers = {
        q: {c: RELEVANCE[relevance](sets[q], sets[c] or set()) for c in study.image_ids if c != q}
        for q in study.image_ids
        if sets[q] is not None
    }
    for scores in score(study, metrics=METRICS, systems=[f"@{relevance}"], settings=settings):
        assert_as_told(scores, Naive(study, sets, labels, answers, settings))


def test_blocks_change_nothing(monkeypatch):
    study, *_ = random_study(2, n=30)
    for ties in ("id", "expected"):
        settings = Settings(ties=ties)
        whole = score(study, metrics=METRICS, systems=["run", "@nn-iou"], settings=settings)
        with monkeypatch.context() as patch:
            patch.setattr(scoring_module, "ROWS_AT_ONCE", 40)
            blocked = score(study, metrics=METRICS, systems=["run", "@nn-iou"], settings=settings)
        for a, b in zip(whole, blocked, strict=True):
            assert a.values == pytest.approx(b.values, rel=0, abs=0, nan_ok=True)
            assert (a.missing, a.short, a.tied) == (b.missing, b.short, b.tied)
            assert a.reasons.tolist() == b.reasons.tolist()


# Levels of labels and whole ideals.


@pytest.mark.parametrize("seed", range(3))
def test_one_level_is_the_measure_by_labels_and_the_ideal_of_relevance_is_whole(seed):
    study = random_study(seed)[0]
    names = ["HAP(organ)", "HAP(levels(organ))", "AP(organ)", "HP(levels(organ))@3", "nDCG(organ)@3"]
    both, one_level, ap, *_ = score(study, metrics=names, systems=["run"])
    np.testing.assert_allclose(both.values, ap.values, atol=1e-12)
    np.testing.assert_allclose(one_level.values, ap.values, atol=1e-12)
    (perfect,) = score(study, metrics=["HAP(nn-iou)"], systems=["@nn-iou"])
    defined = perfect.values[~np.isnan(perfect.values)]
    np.testing.assert_allclose(defined, 1, atol=1e-12)


def test_ties_are_refused_where_their_expectation_is_not_known():
    study = random_study(0)[0]
    with pytest.raises(SettingError, match="no formula"):
        score(study, metrics=WITHOUT_EXPECTATION, systems=["run"], settings=Settings(ties="expected"))
    score(study, metrics=["HAP(levels(modality>organ))"], systems=["run"], settings=Settings(ties="expected"))
