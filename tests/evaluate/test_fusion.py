"""Fused systems in the place of a system: names, pools, groups, the query itself, depth and ties."""

from fractions import Fraction

import numpy as np
import pytest

from evalcore import score
from evalcore.evaluate.common_pool import compared_over, searched_pool
from evalcore.evaluate.systems import common_queries, resolve_systems
from evalcore.results.method import describe_pools
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.grouping import with_same_group
from evalcore.values.settings import Settings
from tests.toy import by_cosine, in_groups, study_of, with_parts

IDS = [f"i{n:02}" for n in range(20)]
RNG = np.random.default_rng(11)
RUNS = {
    name: {q: [IDS[c] for c in RNG.permutation(len(IDS))[:depth]] for q in queries}
    for name, depth, queries in (("deep", 12, IDS), ("short", 7, IDS[:15]))
}
"""Of different depth, with the query itself now and then."""
SEEN = {i: RNG.normal(size=4) for i in IDS[3:]}
LABELS = {i: "xyz"[RNG.integers(3)] for i in IDS if RNG.random() < 0.8}


@pytest.fixture(scope="module")
def study():
    made = study_of({i: {"a"} for i in IDS}, embeddings={"seen": SEEN})
    return with_parts(made, runs=RUNS, labels={"organ": LABELS})


def rrf(lists):
    """{image: score}: 1/(60 + rank) added up exactly and rounded once."""
    fused = {}
    for answer in lists:
        for rank, image in enumerate(answer, 1):
            fused[image] = fused.get(image, 0) + Fraction(1 / (60 + rank))
    return {image: float(value) for image, value in fused.items()}


def check_fused(study, name, lists_of):
    """The system has the scores of a run in which the lists of each query are fused by hand."""
    by_hand = with_parts(study, runs={"by hand": {q: rrf(lists_of(q)) for q in IDS}})
    (fused,) = score(study, ["P(organ)@4"], systems=[name], queries="all")
    (plain,) = score(by_hand, ["P(organ)@4"], systems=["by hand"], queries="all")
    np.testing.assert_array_equal(fused.values, plain.values)
    return fused


def test_a_member_without_a_run_is_as_deep_as_the_longest_run(study):
    def lists_of(q):
        return [
            [c for c in RUNS["short"].get(q, []) if c != q],
            [*by_cosine(SEEN, q, top=7)] if q in SEEN else [],
        ]

    check_fused(study, "rrf:short+seen", lists_of)


def test_results_of_the_own_group_are_left_out_before_fusion(study):
    grouped = in_groups(study, {i: f"p{n // 3}" for n, i in enumerate(IDS)})
    own = {q: {*IDS[n - n % 3 : n - n % 3 + 3]} for n, q in enumerate(IDS)}
    for choice, gone in (("drop", own), ("keep", {q: {q} for q in IDS})):
        lists_of = {q: [[c for c in RUNS[s].get(q, []) if c not in gone[q]] for s in RUNS] for q in IDS}
        scores = check_fused(with_same_group(grouped, choice), "rrf:deep+short", lists_of.get)
        assert (scores.missing, scores.system) == (0, "rrf:deep+short"), "the deep one answers every query"


def test_equal_fused_scores_count_in_expectation():
    """Each member returns another image first: both are at rank 1 or 2 with the same chance."""
    made = with_parts(
        study_of({i: {"a"} for i in "qxy"}),
        runs={"one": {"q": ["x"]}, "two": {"q": ["y"]}},
        labels={"organ": {"q": "chest", "x": "chest", "y": "head"}},
        queries=["q"],
    )
    for ties, value in (("id", 1.0), ("expected", 0.5)):
        (scores,) = score(made, ["P(organ)@1"], systems=["rrf:one+two"], settings=Settings(ties=ties))
        assert scores.values.tolist() == [value]


def test_a_fused_system_answers_and_searches_what_any_member_does(study):
    assert len(common_queries(study, ["short"])) == 15
    assert len(common_queries(study, ["seen"])) == len(IDS) - 3
    assert common_queries(study, ["rrf:short+seen"]).tolist() == list(range(len(IDS)))
    pool = searched_pool(study, "rrf:seen+short")
    assert (pool.system, pool.source, pool.n) == ("rrf:seen+short", "members", len(IDS))
    over = compared_over(study, ["rrf:seen+short", "seen"])
    assert over.which == "common-pool" and len(over.candidates) == len(IDS) - 3
    assert "A fused system searches what any of its members searches." in describe_pools(over)


def test_members_are_named_in_any_order(study):
    (system,) = resolve_systems(study, ["rrf:short+deep", "rrf:deep+short+deep", "rrf:deep+short"])
    assert system.name == "rrf:deep+short"
    assert [system.name for system in resolve_systems(study, ["rrf:deep+@iou"])] == ["rrf:@iou+deep"]
    own = with_parts(study, runs={"rrf:a+b": {IDS[0]: [IDS[1]]}})
    assert resolve_systems(own, ["rrf:a+b"])[0].run is not None, "a system of the study that is called so"


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("rrf:deep+nothing", UnknownName, "nothing"),
        ("rrf:deep", InputError, "at least two"),
        ("rrf:deep+deep", InputError, "at least two"),
        ("rrf:", UnknownName, "No system"),
        ("mean:deep+short", UnknownName, "mean:deep"),
        ("rrf:" * 3_000, InputError, "fused already"),
        ("rrf:deep+@nothing", UnknownName, "nothing"),
        ("rrf:deep+rrf:deep+short", InputError, "fused already"),
    ],
)
def test_what_cannot_be_read_is_refused(study, name, error, words):
    with pytest.raises(error, match=words):
        resolve_systems(study, [name])
