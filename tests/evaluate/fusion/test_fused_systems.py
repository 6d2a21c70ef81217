"""Fused systems wherever a system is asked for: names, pools, groups, the query itself, depth and ties."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evalcore.evaluate import common_queries, resolve_systems, score
from evalcore.evaluate.common_pool import compared_over, in_words, searched_pool
from evalcore.values.errors import InputError, SettingError, UnknownName
from evalcore.values.grouping import with_same_group
from evalcore.values.model import Groups
from evalcore.values.settings import Settings
from tests.toy import study_of
from tests.toy_runs import with_parts

IDS = [f"i{n:02}" for n in range(20)]
K = 4


@pytest.fixture(scope="module")
def parts():
    """Two runs of different depth that hold the query itself now and then, vectors, labels and groups."""
    rng = np.random.default_rng(11)
    labels = {i: "xyz"[rng.integers(3)] for i in IDS if rng.random() < 0.8}
    runs = {
        name: {q: [IDS[c] for c in rng.permutation(len(IDS))[:depth]] for q in asked}
        for name, depth, asked in (("deep", 12, IDS), ("short", 7, IDS[:15]))
    }
    vectors = {"seen": {i: rng.normal(size=4) for i in IDS[3:]}}
    return runs, vectors, labels


@pytest.fixture(scope="module")
def study(parts):
    runs, vectors, labels = parts
    made = study_of({i: {"a"} for i in IDS}, embeddings=vectors)
    return with_parts(made, runs=runs, labels={"organ": labels})


def rrf(lists, k=60):
    """Candidates by 1/(k + rank) added up, then by id."""
    fused = {}
    for answer in lists:
        for rank, image in enumerate(answer, 1):
            fused[image] = fused.get(image, 0) + 1 / (k + rank)
    return sorted(fused, key=lambda image: (-round(fused[image], 12), image))


def precision(labels, query, answer, k=K):
    kept = [image for image in answer if image in labels and image != query]
    return sum(labels[image] == labels[query] for image in kept[:k]) / k


def ranked(vectors, query, top, left_out=()):
    def cosine(a, b):
        return float(a @ b / np.sqrt((a @ a) * (b @ b)))

    close = sorted((-cosine(vectors[query], vectors[c]), c) for c in vectors if c not in {query, *left_out})
    return [c for _, c in close][:top]


def values_of(study, name, settings=Settings(), metric=f"P(organ)@{K}"):
    (found,) = score(study, metrics=[metric], systems=[name], settings=settings)
    return {study.image_ids[q]: v for q, v in zip(found.queries, found.values, strict=True) if v == v}, found


def test_runs_fused_without_the_query_itself(study, parts):
    runs, _, labels = parts
    values, found = values_of(study, "rrf:deep+short")
    expected = {
        q: precision(labels, q, rrf([[c for c in runs[s].get(q, []) if c != q] for s in runs]))
        for q in labels
    }
    assert values == pytest.approx(expected)
    assert found.missing == 0, "the deep one answers every query"
    assert found.system == "rrf:deep+short"


def test_include_self_counts_the_query_in_every_member(study, parts):
    runs, _, labels = parts
    values, _ = values_of(study, "rrf:deep+short", Settings(include_self=True))
    fused = {q: rrf([runs[s].get(q, []) for s in runs]) for q in labels}
    expected = {
        q: sum(labels[c] == labels[q] for c in [c for c in fused[q] if c in labels][:K]) / K for q in labels
    }
    assert values == pytest.approx(expected)


def test_a_member_without_a_run_gives_as_many_as_the_longest_run_holds(study, parts):
    runs, vectors, labels = parts
    values, _ = values_of(study, "rrf(k=5):short+seen")
    near = vectors["seen"]
    expected = {
        q: precision(
            labels,
            q,
            rrf(
                [[c for c in runs["short"].get(q, []) if c != q], ranked(near, q, 7) if q in near else []],
                k=5,
            ),
        )
        for q in labels
    }
    assert values == pytest.approx(expected)


def test_the_own_group_leaves_the_lists_before_they_are_fused(study, parts):
    runs, _, labels = parts
    groups = np.arange(len(IDS), dtype=np.int32) // 3
    grouped = replace(study, groups=Groups("patient", groups, "g"), digest="grouped")
    own = {q: {c for n, c in enumerate(IDS) if groups[n] == groups[IDS.index(q)]} for q in IDS}
    for choice, gone in (("drop", own), ("keep", {q: {q} for q in IDS})):
        values, _ = values_of(with_same_group(grouped, choice), "rrf:deep+short")
        lists = {q: [[c for c in runs[s].get(q, []) if c not in gone[q]] for s in runs] for q in labels}
        expected = {q: precision(labels, q, rrf(lists[q])) for q in labels}
        assert values == pytest.approx(expected)


def test_labels_choose_among_the_fused_results_as_in_a_run(study, parts):
    """With --pool all an unlabelled image takes up a rank."""
    runs, _, labels = parts
    values, _ = values_of(study, "rrf:deep+short", Settings(pool="all"))
    expected = {}
    for q in labels:
        fused = rrf([[c for c in runs[s].get(q, []) if c != q] for s in runs])
        expected[q] = sum(labels.get(c) == labels[q] for c in fused[:K]) / K
    assert values == pytest.approx(expected)


def test_equal_fused_scores_count_in_expectation():
    """Each member returns another image first: both stand at rank 1 or 2 with the same chance."""
    made = with_parts(
        study_of({i: {"a"} for i in "qxy"}),
        runs={"one": {"q": ["x"]}, "two": {"q": ["y"]}},
        labels={"organ": {"q": "chest", "x": "chest", "y": "head"}},
        queries=["q"],
    )
    by_id, _ = values_of(made, "rrf:one+two", metric="P(organ)@1")
    expected, _ = values_of(made, "rrf:one+two", Settings(ties="expected"), metric="P(organ)@1")
    assert (by_id["q"], expected["q"]) == (1.0, 0.5)


def test_a_fused_system_answers_and_searches_what_any_member_does(study):
    assert len(common_queries(study, ["short"])) == 15
    assert len(common_queries(study, ["seen"])) == len(IDS) - 3
    assert common_queries(study, ["rrf:short+seen"]).tolist() == list(range(len(IDS)))
    pool = searched_pool(study, "rrf:seen+short")
    assert (pool.system, pool.source, pool.n) == ("rrf:seen+short", "members", len(IDS))
    over = compared_over(study, ["rrf:seen+short", "seen"])
    assert over.which == "common-pool" and len(over.candidates) == len(IDS) - 3
    assert "A fused system searches what any of its members searches." in in_words(over)


def test_members_are_named_in_any_order(study):
    (found,) = resolve_systems(study, ["rrf:short+deep", "rrf(k=60):deep+short", "rrf:deep+short"])
    assert found.name == "rrf:deep+short"
    assert [one.name for one in resolve_systems(study, ["rrf(k=10):short+deep", "rrf:@iou+deep"])] == [
        "rrf(k=10):deep+short",
        "rrf:@iou+deep",
    ]


def test_names_that_hold_a_plus_are_understood_or_refused():
    answers = {"q": ["x"]}
    made = with_parts(
        study_of({i: {"a"} for i in "qx"}), runs=dict.fromkeys(["a", "b+c", "d", "rrf:a+d"], answers)
    )
    (found,) = resolve_systems(made, ["rrf:a+b+c"])
    assert found.fusion.members == ("a", "b+c")
    (own,) = resolve_systems(made, ["rrf:a+d"])
    assert own.run is not None, "a system of the study that is called so"
    twice = with_parts(made, runs=dict.fromkeys(["a", "b", "c", "a+b", "b+c"], answers))
    with pytest.raises(InputError, match=r"several ways.*Rename"):
        resolve_systems(twice, ["rrf:a+b+c"])


def test_many_pluses_are_read_quickly():
    """Every way to join 40 pieces would be 2^39 of them."""
    names = ["a", "a+a", "a+a+a"]
    made = with_parts(study_of({i: {"a"} for i in "qx"}), runs={name: {"q": ["x"]} for name in names})
    with pytest.raises(InputError, match="several ways"):
        resolve_systems(made, ["rrf:" + "+".join("a" * 40)])
    with pytest.raises(UnknownName):
        resolve_systems(made, ["rrf:" + "+".join([*"a" * 40, "b"])])


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("rrf:deep+nothing", UnknownName, "nothing"),
        ("rrf:deep", InputError, "at least two"),
        ("rrf:deep+deep", InputError, "at least two"),
        ("rrf:", UnknownName, "No system"),
        ("rrf(k=0):deep+short", SettingError, "above 0"),
        ("rrf(k=nan):deep+short", SettingError, "above 0"),
        ("rrf(k=x):deep+short", SettingError, "above 0"),
        ("rrf(k=0):deep+short", SettingError, "above 0"),
        ("mean:deep+short", UnknownName, "mean:deep"),
        ("rrf:deep+@nothing", UnknownName, "nothing"),
        ("rrf:deep+rrf:deep+short", InputError, "fused already"),
    ],
)
def test_what_cannot_be_read_is_refused(study, name, error, words):
    with pytest.raises(error, match=words):
        resolve_systems(study, [name])
