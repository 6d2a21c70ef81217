"""Candidates of the query's own group leave rankings, ideals and numbers of relevant images; naive sums."""

from dataclasses import replace

import numpy as np
import pytest

from evalcore import engine, make_study, score
from evalcore.evaluate.summary import summarise
from evalcore.relevance.registry import available
from evalcore.values.grouping import groups_of_column, may_find, same_group_candidates
from evalcore.values.settings import Settings
from tests.measured import compare
from tests.toy import TOY_EDGES, column_of, in_groups, study_of, with_parts

N, K = 60, 5
IDS = [f"i{n:02}" for n in range(N)]
CONCEPTS = ("vein", "artery", "aorta", "brain", "head", "mass", "nodule", "cyst")


@pytest.fixture(scope="module")
def world():
    """60 images in groups of 1 to 17, a few in none; sets, vectors, labels."""
    rng = np.random.default_rng(11)
    sets = {i: set(rng.choice(CONCEPTS, rng.integers(0, 4), replace=False)) for i in IDS}
    sets[IDS[5]] = None
    vectors = {i: rng.normal(size=3) for i in IDS if i != IDS[7]}
    sizes = [17, 9, 8, 5, 4, 4, 3, 2, 2, 1, 1]
    group = {i: f"g{g}" for i, g in zip(IDS, np.repeat(range(11), sizes), strict=False)}
    labels = {i: "xyz"[rng.integers(3)] for i in IDS if rng.random() < 0.8}
    return sets, vectors, group, labels


@pytest.fixture(scope="module")
def study(world):
    sets, vectors, group, labels = world
    made = with_parts(study_of(sets, TOY_EDGES, embeddings={"net": vectors}), labels={"organ": labels})
    lists = {q: [c for c in sorted(IDS, key=lambda c: hash_of(q, c)) if c != q][:30] for q in IDS}
    return in_groups(with_parts(made, runs={"run": lists}), group)


def hash_of(a, b):
    return (int(a[1:]) * 37 + int(b[1:]) * 53) % 61, b


def allowed(query, group):
    return [c for c in IDS if c != query and (query not in group or group.get(c) != group[query])]


def test_groups_are_images_that_share_a_value_directly_or_over_others():
    toy = study_of({i: {"vein"} for i in "abcdef"})
    values = {"a": "p1", "b": ("p1", "p2"), "c": "p2", "d": "p3", "f": "p3"}
    groups = groups_of_column(column_of(toy, "patient", values))
    assert groups.of_image.tolist() == [0, 0, 0, 3, -1, 3] and groups.n == 2
    rows, members = same_group_candidates(groups, np.array([4, 1, 5]), np.array([0, 1, 2, 3, 4]))
    assert list(zip(rows.tolist(), members.tolist(), strict=True)) == [(1, 0), (1, 2), (2, 3)]
    pairs = np.array([0, 0, 4, 3, 3, -1]), np.array([0, 2, 4, 5, -1, 0])
    assert may_find(replace(toy, groups=groups), *pairs).tolist() == [True, False, True, False, True, True]
    assert may_find(toy, *pairs).all()


@pytest.mark.parametrize("ties", ["id", "expected"])
@pytest.mark.parametrize("name", ["iou", "nn-iou", "cosine:net", "matching:path", "best-match:lin-seco"])
def test_rankings_and_ideals_are_those_of_the_other_groups(study, world, name, ties):
    """Against ranking the candidates of other groups one query at a time, with no groups in the study."""
    assert name.startswith("cosine") or name in available(study)
    group, plain, settings = world[2], replace(study, groups=None), Settings()
    every, whole = study.queries, ties == "expected"
    how = {"depth": K, "settings": [settings], "whole_ties": whole}
    (run,) = engine.rank(study, name, every, candidates=every, **how)
    (best,) = engine.ideal_gains(study, name, every, candidates=every, depth=K, settings=[settings])
    place = 0
    for query in every:
        others = np.array([IDS.index(c) for c in allowed(IDS[query], group)], np.int32)
        single = np.array([query], np.int32)
        (plain_run,) = engine.rank(plain, name, single, candidates=others, **how)
        assert (len(plain_run.queries) == 1) == bool(np.isin(query, run.queries))
        if len(plain_run.queries):
            answer = run.answer(query)
            assert answer[0].tolist() == plain_run.candidates.tolist()
            assert answer[1].tolist() == plain_run.scores.tolist()
            place += 1
        (ideal,) = engine.ideal_gains(plain, name, single, candidates=others, depth=K, settings=[settings])
        assert np.array_equal(best[query], ideal[0], equal_nan=True)
    assert place == len(run.queries)


# --- groups of queries in intervals and tests


def naive_bootstrap(values, groups, *, seed):
    """Ends of the percentile interval of whole groups drawn, one resample at a time, by the same draws."""
    names = sorted(set(groups))
    members = [values[groups == name] for name in names]
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, len(names), (2000, len(names)), dtype=np.int32)
    means = [np.concatenate([members[g] for g in row]).mean() for row in drawn]
    return np.quantile(means, [0.025, 0.975])


@pytest.fixture(scope="module")
def scored(study):
    """nDCG of two systems over queries that all belong to a group."""
    queries = np.flatnonzero(study.groups.of_image >= 0).astype(np.int32)
    settings = Settings(undefined="zero")
    return score(study, metrics=["mean(iou)@5"], systems=["run", "net"], queries=queries, settings=settings)


def test_the_test_flips_whole_groups(scored, study):
    run, net = scored
    comparison = compare(net, run, flips=500, seed=2)
    difference = np.nan_to_num(net.values) - np.nan_to_num(run.values)
    groups = study.groups.of_image[run.queries]
    low, high = naive_bootstrap(difference, groups, seed=2)
    assert (comparison.low, comparison.high) == pytest.approx((low, high), abs=1e-12)
    assert comparison.test == "paired permutation (random sign flips) by patient (11 groups)"
    exact = compare(net, run, flips=2047)
    names, sums = np.unique(groups), []
    for name in names:
        sums.append(difference[groups == name].sum())
    signs = np.array(np.meshgrid(*[[1, -1]] * 11)).reshape(11, -1)
    assert exact.p == pytest.approx(np.mean(np.abs(sums @ signs) >= abs(sum(sums)) - 1e-11))


def cluster_robust(differences, groups):
    """The sandwich of a regression on a constant, as statsmodels' cov_type="cluster"; -1: a group of one."""
    n = len(differences)
    names = np.where(groups >= 0, groups, n + np.arange(n))
    x, u = np.ones((n, 1)), differences - differences.mean()
    bread = np.linalg.inv(x.T @ x)
    scores = [x[names == name].T @ u[names == name] for name in np.unique(names)]
    meat = sum(np.outer(row, row) for row in scores)
    small = len(scores) / (len(scores) - 1) * (n - 1) / (n - x.shape[1])
    return float(np.sqrt(small * (bread @ meat @ bread))[0, 0])


def test_the_standard_error_of_a_difference_is_the_cluster_robust_one(scored, study):
    from evalcore.stats.clusters import cluster_means, clusters_of
    from evalcore.stats.effect import detectable, pairs_needed

    run, net = scored
    comparison = compare(run, net)
    assert comparison.n_groups == 11, "the settings of the scores count queries without a value"
    difference, groups = (
        np.nan_to_num(net.values) - np.nan_to_num(run.values),
        study.groups.of_image[run.queries],
    )
    error = cluster_robust(difference, groups)
    assert comparison.standard_error == pytest.approx(error, rel=1e-12)
    n = len(difference)
    assert comparison.design_effect == pytest.approx(error**2 / (difference.var(ddof=1) / n))
    # the spread of many resamples of whole groups, by 11 groups of 1 to 17 queries
    clusters = clusters_of(difference[:, np.newaxis], groups)
    drawn = cluster_means(clusters, n_resamples=20_000, rng=np.random.default_rng(0))
    assert error == pytest.approx(drawn.std(), rel=0.15)
    seen = detectable(comparison.spread, n, design_effect=comparison.design_effect)
    assert seen == pytest.approx((1.959964 + 0.841621) * error, rel=1e-5)
    assert pairs_needed(comparison.spread, seen, design_effect=comparison.design_effect) in (n, n + 1)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_one_group_alone_has_a_mean_without_an_interval(scored, method):
    """Every resample would draw the same group: an interval without width, as if the mean were certain."""
    settings = Settings(undefined="zero", interval=method)
    scores = replace(scored[0], groups=np.zeros(len(scored[0].queries), np.int32), settings=settings)
    interval = summarise(scores)
    assert interval.mean == pytest.approx(np.nan_to_num(scores.values).mean())
    assert np.isnan([interval.low, interval.high]).all()
    assert (interval.n, interval.n_groups) == (len(scores.values), 1)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_groups_that_all_differ_by_the_same_leave_no_doubt(method):
    """In both groups each system wins on one of two queries: whichever groups are drawn, the mean is 0."""
    made = make_study(
        concepts={image: [] for image in "abcdxy"},
        labels={image: {"organ": "chest" if image != "y" else "head"} for image in "abcdxy"},
        groups={"a": "p", "b": "p", "c": "q", "d": "q"},
        queries=list("abcd"),
        runs={
            name: {query: {"x" if query in good else "y": 1.0} for query in "abcd"}
            for name, good in (("one", "ac"), ("two", "bd"))
        },
    )
    board = score(made, ["P(organ)@1"], baseline="one", settings=Settings(interval=method))
    (row,) = board.comparisons
    assert (row.difference, row.low, row.high, row.standard_error) == (0, 0, 0, 0) and row.n_groups == 2
    assert "too close to call" in board.verdict()
    assert board.interval("two", "P(organ)@1").high == 0.5
