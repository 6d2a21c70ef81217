"""Which images systems search, and their values over the images all of them search, against naive sums."""

from itertools import cycle

import numpy as np
import pytest

from evalcore import score
from evalcore.evaluate.common_pool import compared_over, limited, searched_pool, shared_by
from evalcore.results.method import describe_pools
from evalcore.values.errors import SettingError
from evalcore.values.settings import Settings
from tests.toy import by_cosine, study_of, with_parts

N, SHARED = 40, 12
IDS = [f"i{n:02}" for n in range(N)]
CONCEPTS = "abcdefgh"
RNG = np.random.default_rng(3)
SETS = {i: {*RNG.choice([*CONCEPTS], RNG.integers(1, 4), replace=False).tolist()} for i in IDS}
WIDE = {i: RNG.normal(size=5) for i in IDS}
NARROW = {i: RNG.normal(size=5) for i in IDS[:SHARED]}
TURNED = {i: vector * [1, 5, 1, 0.2, 3] for i, vector in WIDE.items()}
"""In another order of cosines."""
LABELS = {"organ": {i: "xyz"[RNG.integers(3)] for i in IDS if RNG.random() < 0.8}}


def run_of(vectors, images, top):
    return {q: by_cosine(vectors, q, images, top=top) for q in images}


@pytest.fixture(scope="module")
def study():
    """Two systems with vectors, one of them for 12 images only; the third has a run only."""
    made = study_of(SETS, [("a", "b")], embeddings={"wide": WIDE, "narrow": NARROW})
    runs = {"wide": run_of(WIDE, IDS, 10), "narrow": run_of(NARROW, [*NARROW], 10)}
    return with_parts(made, runs=runs | {"only_run": run_of(TURNED, IDS, 20)}, labels=LABELS)


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
    assert shared_by(pools).usual == "common-pool" and shared_by([pools[0], pools[2]]).usual == "all"
    assert np.flatnonzero(pools[1].images).tolist() == list(range(SHARED))


def test_equal_pools_leave_the_study_unchanged(study):
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
def test_rankings_ideals_and_relevant_images_are_those_of_a_study_of_the_common_pool(study, pool):
    """Vectors rank its images anew; a run without vectors is filtered, and may be short."""
    images, systems = [*NARROW], ["wide", "narrow", "only_run"]
    over = compared_over(study, systems)
    assert (over.which, over.by_vectors, over.filtered) == ("common-pool", ("wide", "narrow"), ("only_run",))
    left = {q: {c: v for c, v in row.items() if c in NARROW} for q, row in run_of(TURNED, IDS, 20).items()}
    runs = {"wide": run_of(WIDE, images, 11), "narrow": run_of(NARROW, images, 11)}
    runs["only_run"] = {q: left[q] for q in images}
    labels = {"organ": {i: label for i, label in LABELS["organ"].items() if i in NARROW}}
    small = with_parts(study_of({i: SETS[i] for i in images}), runs=runs, labels=labels)
    metrics, how = ["CUI@8", "P(organ)@4", "AP(organ)"], {"systems": systems, "settings": Settings(pool=pool)}
    limited_to, by_hand = score(over.limit(study), metrics, **how), score(small, metrics, **how)
    for mine, alone in zip(limited_to, by_hand, strict=True):
        np.testing.assert_allclose(mine.values, alone.values, rtol=1e-12)
        assert (mine.short, mine.missing) == (alone.short, alone.missing)
        assert mine.short or (mine.system, mine.metric) != ("only_run", "CUI@8")


@pytest.mark.parametrize(("n_shared", "which"), [(1, "all"), (2, "common-pool")])
def test_one_common_image_is_no_pool(n_shared, which):
    """A query needs a candidate besides itself."""
    ends = {"left": IDS[: 20 + n_shared], "right": IDS[20:]}
    halves = {name: {i: WIDE[i] for i in images} for name, images in ends.items()}
    over = compared_over(study_of(SETS, embeddings=halves))
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


# --- `score` decides over which pool, once, and records it in its result


BOTH = ["wide", "narrow"]


def test_given_queries_search_all_candidates(study):
    some = np.array([30, 2, 2])
    (scores, _) = score(study, ["CUI@4"], systems=BOTH, queries=some)
    over = limited(study, BOTH, queries=some).over
    assert (over.which, scores.queries.tolist(), len(over.candidates)) == ("given", [2, 30], N)
    every, _ = score(study, ["CUI@4"], systems=BOTH, queries="all")
    assert scores.values.tolist() == every.values[[2, 30]].tolist()
    assert "the queries given" in describe_pools(over)[1]
    for choice in ({"queries": "some"}, {"same_group": "perhaps"}):
        with pytest.raises(SettingError):
            limited(study, BOTH, **choice)
