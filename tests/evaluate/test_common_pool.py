"""Which images systems search, and their values over the images all of them search, against naive sums."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evalcore.errors import SettingError, UnknownName
from evalcore.evaluate import score
from evalcore.evaluate.common_pool import compared_over, in_words, pools_differ, searched_pool, searched_pools
from evalcore.settings import Settings
from tests.toy import study_of
from tests.toy_runs import with_parts

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
        "wide": {i: rng.normal(size=5) for i in IDS}, "narrow": {i: rng.normal(size=5) for i in IDS[:SHARED]}
    }  # fmt: skip
    labels = {i: "xyz"[rng.integers(3)] for i in IDS if rng.random() < 0.8}
    return sets, vectors, labels


def cosine(a, b):
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def ranked(vectors, query, pool, *, top=None):
    """Candidates by cosine, then id, without the query."""
    close = sorted((-cosine(vectors[query], vectors[c]), c) for c in pool if c != query)
    return [c for _, c in close][:top]


def run_of(vectors, top):
    return {
        q: {c: cosine(vectors[q], vectors[c]) for c in ranked(vectors, q, vectors, top=top)} for q in vectors
    }


@pytest.fixture(scope="module")
def study(parts):
    sets, vectors, labels = parts
    made = study_of(sets, embeddings=vectors)
    runs = {"wide": run_of(vectors["wide"], 10), "narrow": run_of(vectors["narrow"], 10)}
    # The third has a run only, in another order than any vectors, and returns every image.
    runs["only_run"] = {q: ranked({i: vectors["wide"][i] * SCALES for i in IDS}, q, IDS, top=20) for q in IDS}
    return with_parts(made, runs=runs, labels={"organ": labels})


def jaccard(sets, a, b):
    return len(sets[a] & sets[b]) / len(sets[a] | sets[b])


def ndcg(sets, query, results, pool, k):
    def dcg(gains):
        return sum(gain / np.log2(rank + 2) for rank, gain in enumerate(gains[:k]))

    best = sorted((jaccard(sets, query, c) for c in pool if c != query), reverse=True)
    return dcg([jaccard(sets, query, c) for c in results]) / dcg(best)


def test_the_pool_of_a_system_is_what_it_has_vectors_for_or_returns(study):
    pools = searched_pools(study, ["wide", "narrow", "only_run", "@iou", "@cosine:narrow"])
    assert [(one.n, one.source) for one in pools] == [
        (N, "vectors"), (SHARED, "run"), (N, "all"), (N, "all"), (SHARED, "vectors"),
    ]  # fmt: skip
    assert pools_differ(pools) and not pools_differ([pools[0], pools[2]])
    assert np.flatnonzero(pools[1].images).tolist() == list(range(SHARED))


def test_short_lists_of_few_queries_say_nothing_about_the_pool(parts):
    sets, vectors, _ = parts
    few = {q: ranked(vectors["wide"], q, IDS, top=3) for q in IDS[:4]}
    asked_all = {q: [c for c in IDS[:6] if c != q][:2] for q in IDS}
    study = with_parts(study_of(sets), runs={"few": few})
    assert searched_pool(study, "few").source == "all"
    # Two results each leave room for all 40 to be returned twice; 34 never are, and each is asked about.
    study = with_parts(study_of(sets), runs={"asked": asked_all})
    assert searched_pool(study, "asked").source == "all"
    with pytest.raises(UnknownName):
        searched_pool(study, "none")


def test_candidates_that_are_no_queries_and_never_returned_are_outside_the_pool(parts):
    sets, _, _ = parts
    answers = {q: [IDS[10 + (n + place) % 8] for place in range(6)] for n, q in enumerate(IDS[:10])}
    study = with_parts(study_of(sets), runs={"s": answers}, queries=IDS[:10], candidates=IDS[10:])
    pool = searched_pool(study, "s")
    assert (pool.n, pool.source) == (8, "run")  # 60 places, 30 candidates, and always the same 8


def test_pools_that_are_equal_leave_the_study_as_it_is(study):
    for which in (None, "all", "common", "common-pool"):
        over = compared_over(study, ["wide", "only_run"], which=which)
        assert not over.differ and over.limit(study) is study and in_words(over) == []
        assert over.which == (which or "all")
    with pytest.raises(SettingError):
        compared_over(study, which="some")


def test_the_common_pool_is_the_default_where_pools_differ(study):
    over = compared_over(study, ["wide", "narrow"])
    assert (over.which, over.n_all, over.by_vectors, over.filtered) == (
        "common-pool", N, ("wide", "narrow"), (),
    )  # fmt: skip
    assert over.queries.tolist() == over.candidates.tolist() == list(range(SHARED))
    limited = over.limit(study)
    assert limited.digest != study.digest and limited.digest.startswith(study.digest)
    assert "narrow 12 of 40" in in_words(over)[0]


def test_values_over_common_queries_only_keep_all_candidates(study, parts):
    sets, vectors, _ = parts
    over = compared_over(study, ["wide", "narrow"], which="common")
    assert (len(over.queries), len(over.candidates)) == (SHARED, N)
    (found,) = score(over.limit(study), metrics=[f"CUI@{K}"], systems=["wide"])
    expected = [ndcg(sets, q, ranked(vectors["wide"], q, IDS), IDS, K) for q in IDS[:SHARED]]
    assert found.values == pytest.approx(expected)
    assert "not over the same candidates" in in_words(over)[1]


@pytest.mark.parametrize("pool", ["labelled", "all"])
def test_rankings_ideals_and_relevant_images_are_those_of_the_common_pool(study, parts, pool):
    sets, vectors, labels = parts
    over = compared_over(study, ["wide", "narrow"])
    settings = Settings(pool=pool)
    metrics = [f"CUI@{K}", f"P(organ)@{K}", "AP(organ)"]
    found = {
        (one.system, one.metric): one
        for one in score(over.limit(study), metrics=metrics, systems=["wide", "narrow"], settings=settings)
    }
    for name in ("wide", "narrow"):
        lists = {q: ranked(vectors[name], q, IDS[:SHARED]) for q in IDS[:SHARED]}
        expected = [ndcg(sets, q, lists[q], IDS[:SHARED], K) for q in lists]
        assert found[name, f"CUI@{K}"].values == pytest.approx(expected)
        inside = [i for i in IDS[:SHARED] if i in labels or pool == "all"]
        for row, query in enumerate(IDS[:SHARED]):
            values = [found[name, metric].values[row] for metric in metrics[1:]]
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
    (found,) = score(over.limit(study), metrics=["mean(iou)@8"], systems=["only_run"])
    turned = {i: vectors["wide"][i] * SCALES for i in IDS}
    left = [[c for c in ranked(turned, q, IDS, top=20) if c in IDS[:SHARED]] for q in IDS[:SHARED]]
    assert found.short == sum(len(one) < 8 for one in left) > 0
    limited = over.limit(study).runs["only_run"]
    assert [limited.answer(q)[0].tolist() for q in range(SHARED)] == [
        [IDS.index(c) for c in one] for one in left
    ]


def test_a_run_in_another_order_than_its_vectors_is_filtered(study):
    swapped = replace(study, runs={**study.runs, "wide": replace(study.runs["only_run"], system="wide")})
    over = compared_over(swapped, ["narrow", "wide"])
    assert (over.by_vectors, over.filtered) == (("narrow",), ("wide",))


def test_a_relevance_that_ranks_by_itself_ranks_the_common_pool(study, parts):
    sets, _, _ = parts
    over = compared_over(study, ["narrow", "@iou"])
    (found,) = score(over.limit(study), metrics=[f"CUI@{K}"], systems=["@iou"])
    assert np.nanmin(found.values) == pytest.approx(1.0) and len(found.values) == SHARED
    assert over.by_vectors == ("narrow",)
    assert sets  # the ideal of the pool, not of the study: else the best list would not reach 1


def test_no_common_image_is_no_error(parts):
    sets, vectors, _ = parts
    halves = {
        "left": {i: vectors["wide"][i] for i in IDS[:20]},
        "right": {i: vectors["wide"][i] for i in IDS[20:]},
    }
    study = study_of(sets, embeddings=halves)
    over = compared_over(study, which="common-pool")
    assert (len(over.queries), len(over.candidates)) == (0, 0)
    assert [one.n_scored for one in score(over.limit(study), metrics=["CUI@5"])] == [0, 0]
    usually = compared_over(study)
    assert (usually.which, usually.differ, len(usually.queries)) == ("all", True, N)
    assert all("no images in common" in " ".join(in_words(one)) for one in (over, usually))
