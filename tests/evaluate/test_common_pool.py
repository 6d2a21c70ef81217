"""Which images systems search, and their values over the images all of them search, against naive sums."""

from __future__ import annotations

from itertools import cycle

import numpy as np
import pytest

from evalcore.evaluate.common_pool import compared_over, limited, pools_differ, searched_pool
from evalcore.evaluate.scoring import score
from evalcore.results.method import describe_pools
from evalcore.values.errors import SettingError
from evalcore.values.settings import Settings
from tests.toy import study_of
from tests.toy_runs import by_cosine, with_parts

N, SHARED, K = 40, 12, 4
IDS = [f"i{n:02}" for n in range(N)]
CONCEPTS = "abcdefgh"
SCALES = np.array([1, 5, 1, 0.2, 3])
"""Turns the order of cosines into another one."""


@pytest.fixture(scope="module")
def parts():
    """Sets, vectors and labels of 40 images; two systems with vectors, one of them for 12 images only."""
    rng = np.random.default_rng(3)
    sets = {i: set(rng.choice(list(CONCEPTS), rng.integers(1, 4), replace=False)) for i in IDS}
    vectors = {
        "wide": {i: rng.normal(size=5) for i in IDS},
        "narrow": {i: rng.normal(size=5) for i in IDS[:SHARED]},
    }
    labels = {i: "xyz"[rng.integers(3)] for i in IDS if rng.random() < 0.8}
    return sets, vectors, labels


@pytest.fixture(scope="module")
def study(parts):
    sets, vectors, labels = parts
    made = study_of(sets, [("a", "b")], embeddings=vectors)
    runs = {name: {q: by_cosine(vectors[name], q, top=10) for q in vectors[name]} for name in vectors}
    # The third has a run only, in another order than any vectors, and returns every image.
    runs["only_run"] = {q: [*by_cosine(turned(vectors), q, top=20)] for q in IDS}
    return with_parts(made, runs=runs, labels={"organ": labels})


def turned(vectors):
    return {i: vectors["wide"][i] * SCALES for i in IDS}


def jaccard(sets, a, b):
    return len(sets[a] & sets[b]) / len(sets[a] | sets[b])


def ndcg(sets, query, results, pool, k):
    def dcg(gains):
        return sum(gain / np.log2(rank + 2) for rank, gain in enumerate(gains[:k]))

    best = sorted((jaccard(sets, query, c) for c in pool if c != query), reverse=True)
    return dcg([jaccard(sets, query, c) for c in results]) / dcg(best)


def test_the_pool_of_a_system_is_what_it_has_vectors_for_or_returns(study):
    systems = ["wide", "narrow", "only_run", "@iou", "@cosine:narrow"]
    pools = [searched_pool(study, system) for system in systems]
    assert [(pool.n, pool.source) for pool in pools] == [
        (N, "vectors"),
        (SHARED, "run"),
        (N, "all"),
        (N, "all"),
        (SHARED, "vectors"),
    ]
    assert pools_differ(pools) and not pools_differ([pools[0], pools[2]])
    assert np.flatnonzero(pools[1].images).tolist() == list(range(SHARED))


def test_pools_that_are_equal_leave_the_study_as_it_is(study):
    for which in (None, "all", "common", "common-pool"):
        over = compared_over(study, ["wide", "only_run"], which=which)
        same = over.limit(study)
        assert not over.differ and describe_pools(over) == []
        assert (same.digest, same.queries, same.candidates) == (study.digest, study.queries, study.candidates)
        assert same.runs is study.runs and same.over is over and over.limit(same) is same
        assert over.which == (which or "all")
    with pytest.raises(SettingError):
        compared_over(study, which="some")


@pytest.mark.parametrize("pool", ["labelled", "all"])
def test_rankings_ideals_and_relevant_images_are_those_of_the_common_pool(study, parts, pool):
    sets, vectors, labels = parts
    over = compared_over(study, ["wide", "narrow"])
    settings = Settings(pool=pool)
    metrics = [f"CUI@{K}", f"P(organ)@{K}", "AP(organ)"]
    scores = {
        (cell.system, cell.metric): cell
        for cell in score(over.limit(study), metrics=metrics, systems=["wide", "narrow"], settings=settings)
    }
    for name in ("wide", "narrow"):
        lists = {q: [*by_cosine(vectors[name], q, IDS[:SHARED])] for q in IDS[:SHARED]}
        expected = [ndcg(sets, q, lists[q], IDS[:SHARED], K) for q in lists]
        assert scores[name, f"CUI@{K}"].values == pytest.approx(expected)
        inside = [i for i in IDS[:SHARED] if i in labels or pool == "all"]
        for row, query in enumerate(IDS[:SHARED]):
            values = [scores[name, metric].values[row] for metric in metrics[1:]]
            if query not in labels:
                assert np.isnan(values).all()
                continue
            hits = [labels.get(c) == labels[query] for c in lists[query] if c in inside]
            n_relevant = sum(labels.get(c) == labels[query] for c in inside if c != query)
            precisions = [sum(hits[: i + 1]) / (i + 1) for i, hit in enumerate(hits) if hit]
            assert values == pytest.approx([sum(hits[:K]) / K, sum(precisions) / n_relevant])


def test_a_run_without_vectors_is_filtered_and_may_be_short(study, parts):
    _, vectors, _ = parts
    over = compared_over(study, ["narrow", "only_run"])
    assert (over.by_vectors, over.filtered) == (("narrow",), ("only_run",))
    (scores,) = score(over.limit(study), metrics=["mean(iou)@8"], systems=["only_run"])
    left = [[c for c in by_cosine(turned(vectors), q, top=20) if c in IDS[:SHARED]] for q in IDS[:SHARED]]
    assert scores.short == sum(len(ranking) < 8 for ranking in left) > 0
    limited = over.limit(study).runs["only_run"]
    assert [limited.answer(q)[0].tolist() for q in range(SHARED)] == [
        [IDS.index(c) for c in ranking] for ranking in left
    ]


@pytest.mark.parametrize(("n_shared", "which"), [(1, "all"), (2, "common-pool")])
def test_one_common_image_is_no_pool(parts, n_shared, which):
    """A query needs a candidate besides itself."""
    sets, vectors, _ = parts
    halves = {
        "left": {i: vectors["wide"][i] for i in IDS[: 20 + n_shared]},
        "right": {i: vectors["wide"][i] for i in IDS[20:]},
    }
    over = compared_over(study_of(sets, embeddings=halves))
    assert over.which == which
    assert ("They have only one image in common" in " ".join(describe_pools(over))) == (n_shared == 1)


def in_turn(queries, candidates, depth):
    """A run whose lists go through the candidates again and again."""
    often = cycle(candidates)
    return {query: [next(often) for _ in range(depth)] for query in queries}


def source_of(run, images, **lists):
    return searched_pool(
        with_parts(study_of({i: {"a"} for i in images}), runs={"s": run}, **lists), "s"
    ).source


def test_a_pool_shows_only_where_images_are_missing_that_should_have_been_returned():
    """A run of some queries returns what it knows five times. Missing are ten times the unseen expected (two
    returned once, none twice: 2 x 1 / (2 x 1) = 1, Chao 1984), and over a hundredth of the candidates."""
    for depth, source in ((4, "all"), (5, "run")):
        few = {IDS[n]: [IDS[(n + step) % 10] for step in range(1, depth + 1)] for n in range(10)}
        assert source_of(few, IDS) == source
    for n_missing, source in ((10, "all"), (11, "run")):
        once, twice, *others = IDS[10 : 40 - n_missing]
        run = in_turn(IDS[:10], others, 6)
        run[IDS[0]].append(once)
        run[IDS[1]].append(twice)
        assert source_of(run, IDS, queries=IDS[:10], candidates=IDS[10:]) == source
    queries, candidates = ([f"{kind}{n:03}" for n in range(size)] for kind, size in (("q", 10), ("c", 200)))
    for n_missing, source in ((2, "all"), (3, "run")):
        run = in_turn(queries, candidates[n_missing:], 40)
        assert source_of(run, [*queries, *candidates], queries=queries, candidates=candidates) == source


# --- the decision is taken in `score`, once, and its result says so


BOTH = ["wide", "narrow"]


def test_queries_that_are_given_are_asked_over_all_candidates(study, parts):
    sets, vectors, _ = parts
    some = np.array([30, 2, 2])
    (scores, _) = score(study, [f"CUI@{K}"], systems=BOTH, queries=some)
    over = limited(study, BOTH, queries=some).over
    assert (over.which, scores.queries.tolist(), len(over.candidates)) == ("given", [2, 30], N)
    expected = [ndcg(sets, IDS[n], [*by_cosine(vectors["wide"], IDS[n])], IDS, K) for n in (2, 30)]
    assert scores.values == pytest.approx(expected)
    assert "the queries given" in describe_pools(over)[1]
    for choice in ({"queries": "some"}, {"same_group": "perhaps"}):
        with pytest.raises(SettingError):
            limited(study, BOTH, **choice)
