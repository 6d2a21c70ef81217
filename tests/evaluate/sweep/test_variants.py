"""Many settings at once: the same values as one by one, and the ideals of all found in one go."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evalcore.engine import interface
from evalcore.evaluate import score, scoring
from evalcore.evaluate.sweep import grid_points, score_grid
from evalcore.values.model import Groups
from evalcore.values.settings import Settings
from tests.engine.plain import random_study

METRICS = ["nnCUI@5", "mean(nn-iou)@9", "nDCG(iou)@3"]
POINTS = grid_points(Settings(), alphas=(0.25, 0.5, 1.0), thresholds=(1, 2))


@pytest.fixture(autouse=True)
def _nothing_remembered():
    interface.forget()
    yield
    interface.forget()


@pytest.mark.parametrize("system", ["@nn-iou", "rrf:@nn-iou+@iou"])
@pytest.mark.parametrize("ties", ["id", "expected"])
def test_a_grid_of_rankings_by_nn_iou_is_every_setting_by_itself(ties, system):
    study, points = random_study(), [replace(point, ties=ties) for point in POINTS]
    grid = score_grid(study, points, metrics=METRICS, systems=[system])
    for point in points:
        interface.forget()
        for one, metric in zip(
            score(study, metrics=METRICS, systems=[system], settings=point), grid.metrics, strict=True
        ):
            np.testing.assert_array_equal(grid.at(point, one.system, metric).values, one.values)


@pytest.mark.parametrize("ties", ["id", "expected"])
def test_rankings_of_all_settings_are_found_in_one_go(monkeypatch, ties):
    found, real = [], interface.rank_here

    def counted(study, relevance, *rest, settings, **options):
        found.append((relevance, len(settings)))
        return real(study, relevance, *rest, settings=settings, **options)

    monkeypatch.setattr(interface, "rank_here", counted)
    points = [replace(point, ties=ties) for point in POINTS]
    score_grid(random_study(), points, metrics=METRICS, systems=["@nn-iou"])
    assert found == [("nn-iou", len(POINTS))]


@pytest.mark.parametrize("ties", ["id", "expected"])
@pytest.mark.parametrize("include_self", [False, True])
def test_rankings_leave_the_own_group_out_under_every_setting(include_self, ties):
    study = random_study()
    of = np.arange(len(study.image_ids), dtype=np.int32) // 7
    study = replace(study, groups=Groups("patient", of, "of seven"))
    points = [replace(point, include_self=include_self, ties=ties) for point in POINTS]
    grid = score_grid(study, points, metrics=METRICS, systems=["@nn-iou"])
    for point in points:
        interface.forget()
        for one, metric in zip(
            score(study, metrics=METRICS, systems=["@nn-iou"], settings=point), grid.metrics, strict=True
        ):
            np.testing.assert_array_equal(grid.at(point, "@nn-iou", metric).values, one.values)


@pytest.fixture
def asked(monkeypatch):
    """Each time the engine looks for ideals anew: the relevance and the number of settings."""
    found, real = [], interface.best_here

    def counted(study, relevance, *rest, settings, **options):
        found.append((relevance, len(settings)))
        return real(study, relevance, *rest, settings=settings, **options)

    monkeypatch.setattr(interface, "best_here", counted)
    return found


@pytest.mark.parametrize("systems", [["@nn-iou"], ["@iou"], ["@iou", "@nn-iou"]])
def test_the_ideals_of_all_settings_are_found_in_one_go(asked, systems):
    score_grid(random_study(), POINTS, metrics=METRICS, systems=systems)
    assert [one for one in asked if one[0] == "nn-iou"] == [("nn-iou", len(POINTS))]


def test_metrics_without_an_ideal_ask_for_none(asked):
    score_grid(random_study(), POINTS, metrics=["mean(nn-iou)@9"], systems=["@iou", "@nn-iou"])
    assert asked == []


@pytest.mark.parametrize("system", ["@iou", "@nn-iou"])
def test_blocks_of_any_length_give_the_same(monkeypatch, system):
    study = random_study()
    whole = score_grid(study, POINTS, metrics=METRICS, systems=[system])
    interface.forget()
    monkeypatch.setattr(scoring, "ROWS_AT_ONCE", 50)
    apart = score_grid(study, POINTS, metrics=METRICS, systems=[system])
    for point in POINTS:
        for metric in whole.metrics:
            cells = [grid.at(point, system, metric).values for grid in (whole, apart)]
            np.testing.assert_array_equal(*cells)


def test_queries_in_any_order_and_repeated():
    study = random_study()
    asked = np.array([9, 3, 3, 120, 5], np.int32)
    grid = score_grid(study, POINTS, metrics=METRICS, systems=["@nn-iou", "@iou"], queries=asked)
    for point in POINTS:
        interface.forget()
        alone = score(study, metrics=METRICS, systems=["@nn-iou", "@iou"], settings=point, queries=asked)
        for one in alone:
            metric = next(metric for metric in grid.metrics if str(metric) == one.metric)
            cell = grid.at(point, one.system, metric)
            assert cell.queries.tolist() == [3, 5, 9, 120]
            np.testing.assert_array_equal(cell.values, one.values)
