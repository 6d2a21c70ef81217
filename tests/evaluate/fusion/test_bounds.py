"""Bounds against brute force: every order of what the systems return, scored as a system of its own."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from evalcore.evaluate import score
from evalcore.evaluate.fusion.bounds import bounds, oracle, reordered
from evalcore.values.settings import Settings
from tests.toy import study_of
from tests.toy_runs import with_parts

IDS = [f"i{n:02}" for n in range(12)]
QUERIES = IDS[:5]
K = 3
METRICS = [
    f"CUI@{K}",
    f"nDCG(iou,gain=exp)@{K}",
    f"mean(iou)@{K}",
    f"mean(cosine:eye)@{K}",
    "RBP(iou,p=0.8)@3",
    f"ERR(iou)@{K}",
    f"P(organ)@{K}",
    f"nDCG(organ)@{K}",
    f"Recall(organ)@{K}",
    f"Success(organ)@{K}",
    f"RR(organ)@{K}",
    f"AP(organ)@{K}",
    "AP(organ)",
    "Rprec(organ)",
    "bpref(organ)",
    "IPrec(organ,recall=0.5)",
]


@pytest.fixture(scope="module")
def parts():
    rng = np.random.default_rng(8)
    sets = {i: set(rng.choice(list("abcdef"), rng.integers(1, 4), replace=False)) for i in IDS}
    labels = {i: "xy"[rng.integers(2)] for i in IDS if i != "i07"}
    vectors = {"eye": {i: rng.normal(size=3).astype(np.float32).astype(float) for i in IDS}}
    runs = {}
    for name in ("one", "two"):
        runs[name] = {q: list(rng.permutation([i for i in IDS if i != q])[:K]) for q in QUERIES}
    del runs["two"]["i04"]
    return sets, labels, vectors, runs


def made(parts, runs):
    sets, labels, vectors, _ = parts
    return with_parts(
        study_of(sets, embeddings=vectors), runs=runs, labels={"organ": labels}, queries=QUERIES
    )


@pytest.fixture(scope="module")
def every_order(parts):
    """The p-th order of each query's results as the p-th of many systems."""
    runs = parts[3]
    both = {q: sorted({c for run in runs.values() for c in run.get(q, [])}) for q in QUERIES}
    orders = {q: list(permutations(images)) for q, images in both.items()}
    most = max(map(len, orders.values()))
    tried = {f"p{n}": {q: list(of[n % len(of)]) for q, of in orders.items()} for n in range(most)}
    return made(parts, tried)


@pytest.mark.parametrize("metric", METRICS)
def test_no_order_of_the_results_does_better_and_one_does_as_well(parts, every_order, metric):
    study = made(parts, parts[3])
    found = reordered(study, metric=metric, systems=["one", "two"], settings=Settings())
    tried = score(every_order, metrics=[metric], systems=list(every_order.runs))
    best = np.max([one.values for one in tried], axis=0)
    if metric.startswith("mean(cosine"):  # leaving out what lowers the sum is allowed
        best = np.maximum(best, [max_mean(parts, q) for q in QUERIES])
    np.testing.assert_allclose(found.values, best, atol=1e-12)


def max_mean(parts, query):
    """The highest mean cosine of three results or fewer of the union."""
    _, _, vectors, runs = parts
    eye = vectors["eye"]
    of = sorted(
        (
            float(np.dot(eye[query], eye[c]) / np.linalg.norm(eye[query]) / np.linalg.norm(eye[c]))
            for c in {c for run in runs.values() for c in run.get(query, [])}
        ),
        reverse=True,
    )
    return sum(max(value, 0) for value in of[:K]) / K


@pytest.mark.parametrize("ties", ["id", "expected"])
@pytest.mark.parametrize("metric", [m for m in METRICS if not m.startswith("IPrec")])
def test_bounds_lie_between_the_systems_and_the_ideal(parts, metric, ties):
    study, settings = made(parts, parts[3]), Settings(ties=ties)
    names = ["one", "two", "@iou", "rrf:one+two"]
    scores = score(study, metrics=[metric], systems=names, settings=settings)
    found = bounds(study, scores, settings=settings)
    values = np.stack([one.values for one in scores])
    np.testing.assert_array_equal(found.oracle.values, values.max(axis=0))
    assert found.best == tuple((values == values.max(axis=0)).sum(axis=1))
    assert (found.reordered.values >= found.oracle.values - 1e-12).all()
    if not metric.startswith("mean"):
        assert (found.reordered.values <= 1 + 1e-12).all()


def test_with_every_candidate_returned_the_best_order_is_the_ideal(parts):
    whole = {"one": {q: [i for i in IDS if i != q] for q in QUERIES}, "two": {}}
    study = made(parts, whole)
    for metric in (f"CUI@{len(IDS)}", "AP(organ)", "RR(organ)", "Rprec(organ)"):
        found = reordered(study, metric=metric, systems=["one", "two"], settings=Settings())
        np.testing.assert_allclose(found.values, 1)


def test_queries_without_a_value_have_none_under_the_bounds(parts):
    sets, labels, vectors, runs = parts
    study = made(({**sets, "i00": set()}, labels, vectors, runs), runs)
    scores = score(study, metrics=[f"CUI@{K}"], systems=["one", "two"])
    found = bounds(study, scores, settings=Settings())
    for one in (found.oracle, found.reordered):
        np.testing.assert_array_equal(np.isnan(one.values), [True, False, False, False, False])
        assert one.n_undefined == 1
    assert sum(found.best) >= 4


def test_one_system_is_its_own_oracle(parts):
    scores = score(made(parts, parts[3]), metrics=["P(organ)@3"], systems=["two"])
    top, best = oracle(scores)
    np.testing.assert_array_equal(top.values, scores[0].values)
    assert best == (len(QUERIES),) and top.missing == scores[0].missing == 1


def test_the_best_per_query_misses_what_no_system_answers(parts):
    """ "one" answers all five queries with three results each, "two" four of them."""
    scores = score(made(parts, parts[3]), metrics=[f"CUI@{K}"], systems=["one", "two"])
    assert [one.missing for one in scores] == [0, 1]
    assert (oracle(scores)[0].missing, oracle(scores[::-1])[0].missing) == (0, 0)
    assert oracle(scores[1:])[0].missing == 1
