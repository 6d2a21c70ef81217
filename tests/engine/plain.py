"""What the engine's answers are held against: plain values by loops over pairs, and lists by a plain sort."""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import sqrt
from typing import get_args

import numpy as np
from hypothesis import strategies as st

from evalcore.engine import ideal_gains, rank, relevance_of_pairs
from evalcore.relevance.concept_measures import CONCEPT_MEASURES, SET_MEASURES
from evalcore.relevance.concept_table import concept_table
from evalcore.relevance.registry import RELEVANCE
from evalcore.values.concept_values import KINDS, UNKNOWN, ConceptKinds
from evalcore.values.settings import CountRule, Settings
from tests.toy import all_pairs, near_by_search

RULES = get_args(CountRule)
KNOWN = [f"C{k:07d}" for k in range(14)]
UNKNOWN_CONCEPTS = ["X0000001", "X0000002"]
WEIGHTS = (
    "finding",
    "finding+unknown",
    "finding=3,anatomy=1",
    "anatomy=0.25,finding=1.5,unknown=0.1,other=2",
    "device=0,anatomy=7",
    "+".join((*KINDS, UNKNOWN)),
    "unknown=2,finding=2",
)
COUNTED = st.sampled_from(sorted(RELEVANCE))
WEIGHED = st.builds("{}[{}]".format, COUNTED, st.sampled_from(WEIGHTS))
BY_CONCEPTS = st.sampled_from([f"{kind}:{concept}" for kind in SET_MEASURES for concept in CONCEPT_MEASURES])
SOME_KINDS = st.dictionaries(st.sampled_from(KNOWN), st.sampled_from(["finding", "anatomy", "other"]))

chosen_settings = st.builds(
    Settings,
    alpha=st.sampled_from([0.0, 0.1, 0.3, 0.5, 1 / 3, 0.7, 1.0]),
    threshold=st.integers(0, 4),
    count_rule=st.sampled_from(RULES),
    direction=st.sampled_from(["undirected", "directed"]),
    include_self=st.booleans(),
)


def drawn_study(seed):
    """Sets (also none, empty, repeated) over a graph in pieces, with concepts it does not know; its edges.

    Drawn by numpy: a choice at a time by hypothesis took longer than what is tested.
    """
    rng = np.random.default_rng(seed)
    ends = rng.choice(KNOWN, (rng.integers(1, 21), 2))
    edges = [(str(a), str(b)) for a, b in ends if a != b] or [(KNOWN[0], KNOWN[1])]
    some = [
        None if rng.random() < 0.2 else {*rng.choice(KNOWN + UNKNOWN_CONCEPTS, rng.integers(0, 8)).tolist()}
        for _ in range(rng.integers(1, 7))
    ]
    chosen = rng.integers(0, len(some), rng.integers(1, 13))
    return {f"image{k:02d}": some[i] for k, i in enumerate(chosen)}, edges


def studies():
    return st.integers(0, 2**32 - 1).map(drawn_study)


def with_kinds(study, kinds):
    return replace(study, kinds=ConceptKinds.of_concepts(kinds, "a test"))


def ranked(study, relevance, *, queries=None, candidates=None, depth=None, settings=Settings(), **more):
    """All candidates ranked for all queries, by default."""
    queries = study.queries if queries is None else np.asarray(queries, np.int32)
    candidates = study.candidates if candidates is None else np.asarray(candidates, np.int32)
    how = {"candidates": candidates, "depth": depth, "settings": [settings]}
    return rank(study, relevance, queries, **how, **more)[0]


def values_of(study, relevance, settings=Settings()):
    """The engine's values of all pairs, shape (n, n)."""
    n = len(study.image_ids)
    return relevance_of_pairs(study, relevance, *all_pairs(n), [settings])[0].reshape(n, n)


def plain_values(study, edges, relevance, settings):
    """The values by the plain function of each pair; NaN rows for queries that are not annotated."""
    near = near_by_search(edges, threshold=settings.threshold, direction=settings.direction)
    kind, _, concept = relevance.partition(":")
    if concept:
        similar = concept_table(study, concept).similar

    def value(a, b):
        if "[" in relevance:
            return by_definition(study.kinds, relevance, a, b, near, settings)
        if concept:
            return SET_MEASURES[kind].value(a, b, similar) if a and b else 0.0
        return RELEVANCE[relevance].value(a, b, near, settings)

    sets = [study.concepts.of_image(i) for i in range(len(study.image_ids))]
    annotated = study.concepts.annotated
    return np.array([[value(a, b) if annotated[q] else np.nan for b in sets] for q, a in enumerate(sets)])


def plain_ranking(values, query, candidates, settings):
    """Candidates by value descending, then index: the tie rule."""
    offered = [c for c in sorted(set(candidates)) if c != query or settings.include_self]
    return sorted(offered, key=lambda c: (-values[query, c], c))


def check_lists(study, relevance, values, queries, candidates, settings, *, depth=None, whole_ties=False):
    """Rankings and largest values are those of a plain sort of all values."""
    options = {"queries": queries, "candidates": candidates, "depth": depth, "settings": settings}
    run = ranked(study, relevance, **options, whole_ties=whole_ties)
    queries, candidates = (np.array(images, np.int32) for images in (queries, candidates))
    n_all = len(set(candidates.tolist()))
    most = {"depth": n_all if depth is None else depth, "settings": [settings]}
    (best,) = ideal_gains(study, relevance, queries, candidates=candidates, **most)
    assert run.queries.tolist() == sorted({q for q in queries.tolist() if not np.isnan(values[q, q])})
    for q, gains in zip(queries.tolist(), best, strict=True):
        if np.isnan(values[q, q]):
            assert np.isnan(gains).all()
            continue
        ranking = plain_ranking(values, q, candidates.tolist(), settings)
        n = most["depth"]
        top = [values[q, c] for c in ranking[:n]]
        assert gains.tolist() == top + [0] * (best.shape[1] - len(top))
        if whole_ties and 0 < n <= len(ranking):
            n = sum(values[q, c] >= values[q, ranking[n - 1]] for c in ranking)
        images, scores = run.answer(q)
        assert images.tolist() == ranking[:n]
        assert scores.tolist() == [values[q, c] for c in ranking[:n]]


# Weighed relevances by their definition, with fractions and all matchings tried.


def weight_of(name, kinds, concept):
    """The weight a name in brackets gives, read by the test alone."""
    for part in name.partition("[")[2][:-1].replace("+", ",").split(","):
        kind, _, number = part.partition("=")
        if kinds.kind_of(concept) == kind:
            return Fraction(number or 1)
    return Fraction(0)


def by_definition(kinds, name, a, b, near, settings):
    weigh = {x: weight_of(name, kinds, x) for x in a | b}
    a, b = {x for x in a if weigh[x]}, {x for x in b if weigh[x]}
    total = lambda some: sum((weigh[x] for x in some), Fraction(0))  # noqa: E731
    kind = name.partition("[")[0]
    shared, union = total(a & b), total(a | b)
    if not union or (kind != "nn-iou" and not shared):
        return 0.0
    if kind != "nn-iou":
        return {
            "iou": float(shared / union),
            "dice": float(2 * shared / (total(a) + total(b))),
            "cosine": sqrt(shared * shared / (total(a) * total(b))),
            "overlap": float(shared / min(total(a), total(b))),
        }[kind]
    is_near = lambda x, y: 0 < near.get(x, {}).get(y, 0) <= settings.threshold  # noqa: E731
    alone_a, alone_b, rule = sorted(a - b), sorted(b - a), settings.count_rule
    reach = lambda some, others: total(x for x in some if any(is_near(x, y) for y in others))  # noqa: E731
    mean = lambda pairs: sum(((weigh[x] + weigh[y]) / 2 for x, y in pairs if is_near(x, y)), Fraction(0))  # noqa: E731
    pairs = lambda left, right: mean((x, y) for x in left for y in right)  # noqa: E731
    short, long = sorted((alone_a, alone_b), key=len)
    largest = lambda: max(mean(zip(short, some)) for some in permutations(long, len(short)))  # noqa: B905, E731
    matches = {
        "concepts": lambda: reach(alone_a, alone_b) + reach(alone_b, alone_a),
        "concepts_full": lambda: reach(alone_a, b) + reach(alone_b, a),
        "pairs": lambda: pairs(alone_a, alone_b),
        "pairs_all": lambda: pairs(a, b),
        "matching": largest,
        "matching2": lambda: 2 * largest(),
        "query": lambda: reach(alone_a, alone_b),
        "candidate": lambda: reach(alone_b, alone_a),
    }[rule]()
    return float((shared + Fraction(settings.alpha).limit_denominator(1000) * matches) / union)
