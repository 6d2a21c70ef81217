"""What the graph does to a study, against counting pair by pair with the plain functions."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import evaluate
from evalcore.evaluate.before_after import before_after
from evalcore.evaluate.graph_effect import graph_effect, image_pairs_of, study_without, working_pairs
from evalcore.relevance.neighbour import neighbour_count, neighbour_pairs, nn_iou
from evalcore.values.errors import InputError
from evalcore.values.settings import CountRule, Settings
from tests.toy import TOY_EDGES, near_by_search, study_of

WORDS = sorted({cui for edge in TOY_EDGES for cui in edge} | {"absent"})
SETS = st.lists(st.sets(st.sampled_from(WORDS), max_size=5) | st.none(), min_size=2, max_size=7)
SETTINGS = st.builds(
    Settings,
    threshold=st.integers(0, 2),
    alpha=st.sampled_from([0.0, 0.3, 1.0]),
    count_rule=st.sampled_from(get_args(CountRule)),
    direction=st.sampled_from(["undirected", "directed"]),
)


def study_with(sets, edges=TOY_EDGES):
    return study_of({f"i{k}": concepts for k, concepts in enumerate(sets)}, edges)


@given(SETS, SETTINGS)
def test_effect_equals_counting_pair_by_pair(sets, settings) -> None:
    near = near_by_search(TOY_EDGES, threshold=settings.threshold, direction=settings.direction)
    rule = {"threshold": settings.threshold, "rule": settings.count_rule}
    images = [s for s in sets if s is not None]
    matched = [
        (a, b) for a, b in permutations(images, 2) if neighbour_count(a, b, near, **rule)
    ]  # ordered pairs of images, equal sets included
    changes = [nn_iou(a, b, near, alpha=settings.alpha, **rule) - len(a & b) / len(a | b) for a, b in matched]
    found = graph_effect(study_with(sets), settings=settings)
    assert (found.n_images, found.n_pairs) == (len(images), len(images) * (len(images) - 1) // 2)
    assert found.n_changed == len(matched) / 2
    assert found.n_new == sum(not a & b for a, b in matched) / 2
    assert found.n_related == sum(bool(a & b) for a, b in combinations(images, 2))
    assert found.mean_change == pytest.approx(np.mean(changes) if changes else float("nan"), nan_ok=True)
    assert found.as_dict()["share"] == pytest.approx(found.share, nan_ok=True)


@given(SETS, SETTINGS)
def test_working_pairs_equal_counting_pair_by_pair(sets, settings) -> None:
    near = near_by_search(TOY_EDGES, threshold=settings.threshold, direction=settings.direction)
    expected: dict[tuple[str, str], int] = {}
    for x, y in combinations([s for s in sets if s is not None], 2):
        at_work = set()
        for a, b in permutations((x, y)):
            only_a, only_b = a - b, b - a
            left_right = {"concepts_full": [(only_a, b)], "pairs_all": [(a, b)]}.get(
                settings.count_rule, [(only_a, only_b)]
            )
            for left, right in left_right:
                at_work |= {
                    tuple(sorted(pair))
                    for pair in neighbour_pairs(left, right, near, threshold=settings.threshold)
                }
        for pair in at_work:
            expected[pair] = expected.get(pair, 0) + 1
    found = working_pairs(study_with(sets), settings=settings)
    assert {(one.a, one.b): one.image_pairs for one in found} == expected
    assert [(-one.image_pairs, one.a, one.b) for one in found] == sorted(
        (-one.image_pairs, one.a, one.b) for one in found
    )
    for one in found:
        assert one.distance == near[one.a][one.b]
        assert one.images_a == sum(one.a in s for s in sets if s is not None)


def test_images_to_look_at_hold_one_concept_each() -> None:
    sets = [
        {"vein"},
        {"vessel", "brain"},
        {"vessel"},
        {"vein", "brain", "nodule"},
        {"vein", "vessel"},
        {"cyst"},
    ]
    study = study_with(sets)
    found = image_pairs_of(study, "vein", "vessel", limit=9)
    assert found[0] == (0, 2)
    assert sorted(found) == [(0, 1), (0, 2), (3, 1), (3, 2)]
    assert image_pairs_of(study, "vein", "vessel", limit=2, skip=1) == found[1:3]
    assert image_pairs_of(study, "vein", "absent", limit=2) == []


@pytest.mark.parametrize(("n", "m"), [(3, 3), (2, 4), (4, 2), (1, 3), (4, 6)])
def test_every_pair_of_images_comes_once(n: int, m: int) -> None:
    study = study_with([{"vein"}] * n + [{"vessel"}] * m)
    found = image_pairs_of(study, "vein", "vessel", limit=100)
    assert len(found) == len(set(found)) == n * m
    first = found[: max(n, m)]
    assert len({a for a, _ in first}) == n and len({b for _, b in first}) == m


def test_a_study_without_a_link_is_another_study_and_scores_otherwise() -> None:
    sets = [{"vein"}, {"vessel"}, {"vessel", "brain"}, {"cyst"}, {"mass"}, {"mass", "vein"}]
    study = study_with(sets)
    less = study_without(study, [("vessel", "vein")])
    assert less.digest != study.digest and less.graph.digest != study.graph.digest
    assert study_without(study, []) is study
    settings = Settings()
    without = study_with(sets, [edge for edge in TOY_EDGES if set(edge) != {"vein", "vessel"}])
    assert graph_effect(less, settings=settings) == graph_effect(without, settings=settings)
    (row,) = before_after(study, less, systems=["@iou"], metric="mean(nn-iou)@2", settings=settings)
    a, b = (
        evaluate.score(one, metrics=["mean(nn-iou)@2"], systems=["@iou"], settings=settings)[0].values
        for one in (study, without)
    )
    assert row.before.mean == pytest.approx(np.nanmean(a)) and row.after.mean == pytest.approx(np.nanmean(b))
    both = np.isfinite(a) & np.isfinite(b)
    assert row.change.difference == pytest.approx(np.mean(b[both] - a[both])) != 0
    assert row.change.n_pairs == both.sum()


def test_nothing_to_leave_out() -> None:
    with pytest.raises(InputError, match="no graph"):
        study_without(study_with([{"vein"}], ()), [("vein", "vessel")])
    with pytest.raises(InputError, match="no link between vein and brain"):
        study_without(study_with([{"vein"}]), [("vein", "brain")])
    found = graph_effect(study_with([{"vein"}, {"vessel"}], ()), settings=Settings())
    assert (found.n_changed, found.n_neighbours) == (0, 0)
    assert working_pairs(study_with([{"vein"}], ()), settings=Settings()) == ()
