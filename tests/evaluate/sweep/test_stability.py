"""The ranking of systems over a grid: against scores taken one by one, scipy's tau, and crossings by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from scipy.stats import kendalltau

from evalcore.evaluate import compare, score, summarise
from evalcore.evaluate.sweep import sign_changes, tau_of
from evalcore.values.errors import SettingError
from evalcore.values.settings import CountRule, Settings
from tests.swept import readings, stability
from tests.toy import TOY_EDGES, study_of
from tests.toy_runs import with_parts

CONCEPTS = sorted({concept for edge in TOY_EDGES for concept in edge})
ALPHAS, THRESHOLDS = [0.0, 0.25, 0.5, 0.75, 1.0], [0, 1, 2]


@pytest.fixture(scope="module")
def study():
    rng = np.random.default_rng(11)
    images = [f"i{k:02}" for k in range(30)]
    sets = {i: set(rng.choice(CONCEPTS, rng.integers(0, 4), replace=False)) for i in images}
    runs = {
        name: {i: [str(c) for c in rng.permutation(images) if c != i][:8] for i in images}
        for name in ("amber", "birch", "cedar", "dune")
    }
    return with_parts(study_of(sets, TOY_EDGES), runs=runs)


@pytest.fixture(scope="module")
def found(study):
    return stability(study, metric="nnCUI@5", alphas=ALPHAS, thresholds=THRESHOLDS)


def means_at(study, settings):
    scores = score(study, metrics=["nnCUI@5"], settings=settings)
    return {one.system: summarise(one, settings=settings).mean for one in scores}


def test_every_standing_is_that_of_the_scores_at_its_setting(study, found):
    assert len(found.standings) == 15
    for one in found.standings:
        means = means_at(study, one.settings)
        assert list(one.order) == sorted(means, key=lambda name: -means[name])
        assert [m.mean for m in one.means] == pytest.approx([means[name] for name in one.order])
        both = score(study, metrics=["nnCUI@5"], systems=one.order[:2], settings=one.settings)
        gap = compare(both[0], both[1], settings=one.settings)
        assert (one.lead, one.low, one.high) == pytest.approx((gap.difference, gap.low, gap.high))
        assert one.clear == (gap.low > 0)


def test_tau_is_scipys(found):
    reference = found.at(0.5, 1)
    taus = [tau_of(reference, one) for one in found.standings]
    assert min(taus) < 1  # else nothing is tested
    for one, tau in zip(found.standings, taus, strict=True):
        names = sorted(one.order)
        pair = [[at.mean(name).mean for name in names] for at in (reference, one)]
        assert tau == pytest.approx(kendalltau(*pair).statistic)


def test_flips_are_where_the_order_changes_and_nowhere_else(study, found):
    expected = set()
    for threshold in THRESHOLDS:
        rows = [means_at(study, Settings(alpha=a, threshold=threshold)) for a in ALPHAS]
        for j in range(len(ALPHAS) - 1):
            for a in rows[0]:
                for b in rows[0]:
                    before, after = (rows[k][a] - rows[k][b] for k in (j, j + 1))
                    if before < 0 < after:
                        share = -before / (after - before)
                        at = ALPHAS[j] + share * (ALPHAS[j + 1] - ALPHAS[j])
                        expected.add((threshold, round(at, 9), a, b))
    assert len(expected) >= 2
    assert {(f.threshold, round(f.alpha, 9), f.winner, f.loser) for f in found.crossovers} == expected
    assert all(f.between[0] <= f.alpha <= f.between[1] for f in found.crossovers)


@pytest.mark.parametrize(
    ("gaps", "expected"),
    [
        ([0.3, 0.1, -0.1], [(0.75, (0.5, 1.0), -1)]),
        ([-0.1, 0.3, 0.5], [(0.125, (0.0, 0.5), 1)]),
        ([0.1, 0.0, -0.1], [(0.5, (0.0, 1.0), -1)]),  # zero in between: there
        ([0.1, 0.0, 0.1], []),  # touched, not crossed
        ([0.0, 0.0, 0.0], []),
        ([float("nan"), 0.1, 0.2], []),
        ([0.1, -0.1, 0.1], [(0.25, (0.0, 0.5), -1), (0.75, (0.5, 1.0), 1)]),
    ],
)
def test_crossings_by_hand(gaps, expected):
    found = sign_changes([0.0, 0.5, 1.0], gaps)
    assert [one[0] for one in found] == pytest.approx([one[0] for one in expected])
    assert [one[1:] for one in found] == [one[1:] for one in expected]


def test_a_flip_is_clear_only_when_both_sides_are():
    """Ten queries each served better by one system at alpha 0 and by the other at alpha 1, alike."""
    sets, runs = {}, {"exact": {}, "near": {}}
    for k in range(10):
        sets |= {f"q{k}": {"vein", "brain"}, f"e{k}": {"brain"}, f"n{k}": {"vessel"}}
        runs["exact"][f"q{k}"] = [f"e{k}"]
        runs["near"][f"q{k}"] = [f"n{k}"]
    study = with_parts(study_of(sets, TOY_EDGES), runs=runs, queries=[f"q{k}" for k in range(10)])
    # IoU with q: exact 1/2, near 0. nn-IoU at 1 step: near gets 2/3 alpha (vein and vessel of three).
    found = stability(study, metric="mean(nn-iou)@1", alphas=[0, 0.5, 1], thresholds=[1])
    (crossover,) = found.crossovers
    assert (crossover.winner, crossover.loser, crossover.clear) == ("near", "exact", True)
    assert crossover.alpha == pytest.approx(0.75)  # 2/3 alpha = 1/2
    assert [one.order[0] for one in found.standings] == ["exact", "exact", "near"]


def test_without_neighbours_every_alpha_is_iou(study, found):
    plain = score(study, metrics=["CUI@5"])
    means = {one.system: summarise(one).mean for one in plain}
    same = [one for one in found.standings if one.settings.alpha == 0 or one.settings.threshold == 0]
    assert len(same) == 7
    for one in same:
        assert {name: one.mean(name).mean for name in means} == pytest.approx(means, rel=1e-13)


def test_readings_are_the_standings_under_every_rule_and_direction(study):
    rules, directions = readings(study, metric="nnCUI@5")
    assert [one.settings.count_rule for one in rules] == list(get_args(CountRule))
    assert [(d.settings.direction, d.settings.threshold) for d in directions] == [
        ("undirected", 2),
        ("directed", 2),
    ]
    assert len({one.means for one in rules}) > 3 and directions[0].means != directions[1].means
    for one in (*rules, *directions):
        means = means_at(study, one.settings)
        assert {name: one.mean(name).mean for name in means} == pytest.approx(means)


def test_one_system_has_no_lead_and_no_tau(study):
    (one,) = stability(study, metric="nnCUI@5", alphas=[0.5], thresholds=[1], systems=["amber"]).standings
    assert np.isnan([one.lead, one.low, one.high, tau_of(one, one)]).all() and not one.clear


def test_progress_can_cancel_and_an_empty_grid_is_refused(study):
    class Stop(Exception):
        pass

    def stop(done, _doing):
        if done > 0.3:
            raise Stop

    with pytest.raises(Stop):
        stability(study, metric="nnCUI@5", alphas=ALPHAS, thresholds=[1], progress=stop)
    with pytest.raises(SettingError, match="at least one alpha"):
        stability(study, metric="nnCUI@5", alphas=[], thresholds=[1])


def test_settings_of_the_study_are_kept(study):
    settings = Settings(gain="exp", ties="expected")
    (one,) = stability(study, metric="nnCUI@5", alphas=[0.4], thresholds=[2], settings=settings).standings
    assert one.settings == replace(settings, alpha=0.4, threshold=2)
    assert one.mean("amber").mean == pytest.approx(means_at(study, one.settings)["amber"])
