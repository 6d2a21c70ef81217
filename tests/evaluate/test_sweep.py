"""Many settings of nn-IoU at once against scores one by one, and the order of the systems under them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kendalltau

from evalcore import score
from evalcore.evaluate.summary import summarise
from evalcore.evaluate.sweep import grid_points, tau_of
from evalcore.values.errors import SettingError
from evalcore.values.settings import Settings
from tests.measured import compare, grid, stability, sweep
from tests.toy import TOY_EDGES, drawn_study, in_groups, study_of, with_parts

METRICS = ["nnCUI@3", "CUI@3", "mean(nn-iou)@2", "RBP(nn-iou,p=0.9)", "P(organ)@2", "nDCG(nn-iou,gain=exp)@5"]
SYSTEMS = ["run", "@iou", "@nn-iou"]


@pytest.fixture(scope="module")
def study():
    return drawn_study(4, 24, systems=["run"], without=["none"], labels={"organ": ("a", "b", "")})


@pytest.mark.parametrize(
    "settings", [Settings(), Settings(gain="exp", ties="expected"), Settings(count_rule="pairs")]
)
def test_each_row_is_the_score_at_its_setting(study, settings):
    axes = {"alphas": [0, 0.3, 1], "thresholds": [0, 2]}
    rows = iter(sweep(study, **axes, metrics=METRICS, systems=SYSTEMS, settings=settings))
    for at in grid_points(settings, **axes):
        for scores in score(study, metrics=METRICS, systems=SYSTEMS, settings=at):
            row, interval = next(rows), summarise(scores)
            assert row.settings == at
            assert (row.system, row.metric, row.n_scored) == (scores.system, scores.metric, scores.n_scored)
            assert repr(row.interval) == repr(interval)
    assert next(rows, None) is None


@pytest.mark.parametrize("system", ["@nn-iou", "rrf:@nn-iou+@iou"])
@pytest.mark.parametrize("settings", [Settings(), Settings(ties="expected", include_self=True)])
@pytest.mark.parametrize("grouped", [False, True])
def test_a_grid_of_rankings_by_nn_iou_is_every_setting_by_itself(settings, system, grouped):
    """Queries come in any order and repeated; candidates of their own group are left out at every setting."""
    study, queries = drawn_study(5, 300), np.array([9, 3, 3, 120, 5, 77], np.int32)
    if grouped:
        study = in_groups(study, {image: f"p{n // 7}" for n, image in enumerate(study.image_ids)})
    points = grid_points(settings, alphas=(0.25, 1.0), thresholds=(1, 2))
    metrics = ["nnCUI@5", "mean(nn-iou)@9", "nDCG(iou)@3"]
    scored_grid = grid(
        study, points, metrics=metrics, systems=[system], settings=settings, queries=np.unique(queries)
    )
    for point in points:
        for scores in score(study, metrics=metrics, systems=[system], settings=point, queries=queries):
            cell = scored_grid.scores[point, scores.system, scores.metric]
            assert cell.queries.tolist() == [3, 5, 9, 77, 120]
            np.testing.assert_array_equal(cell.values, scores.values)


def test_progress_and_refusals(study):
    seen = []
    axes = {"alphas": [0, 1], "thresholds": [1], "metrics": ["nnCUI@3", "CUI@3"]}
    sweep(study, **axes, systems=SYSTEMS, progress=lambda done, _: seen.append(done))
    assert seen[-1] == 1.0 and min(seen) >= 0
    for wrong, words in (
        ({"alphas": []}, "at least one alpha, one threshold and one metric"),
        ({"alphas": [2]}, "`alpha` must be a number from 0 to 1"),
        ({"subset": "some"}, "`subset` must be one of all, disagree"),
    ):
        with pytest.raises(SettingError, match=words):
            sweep(study, **axes | wrong)


# The queries that IoU and nn-IoU serve differently.


def test_a_subset_is_of_its_queries_alone_and_may_be_empty(study):
    axes = {"alphas": [0.5], "thresholds": [1], "metrics": ["P(organ)@2"], "systems": ["@iou"]}
    (row,) = sweep(study, **axes, subset="disagree")
    by_iou, by_nn = score(study, metrics=["P(organ)@2"], systems=["@iou", "@nn-iou"])
    different = by_iou.values[np.nan_to_num(by_iou.values) != np.nan_to_num(by_nn.values)]
    assert 0 < len(different) < by_iou.n_scored
    assert (row.n_scored, row.interval.mean) == (len(different), pytest.approx(different.mean()))
    (row,) = sweep(study, **axes, subset="disagree", settings=Settings(threshold=0))
    assert row.n_scored == 0 and np.isnan(row.interval.mean)


# Which settings are identical by definition: counted by hand, and against their scores.

TWENTIETHS = [round(0.05 * i, 2) for i in range(21)]
NN, IOU = ["mean(nn-iou)@3"], ["mean(iou)@3"]


def small(**sets):
    return with_parts(
        study_of(sets, TOY_EDGES), runs={"a": {i: [j for j in sorted(sets) if j != i] for i in sets}}
    )


def points(alphas=TWENTIETHS, thresholds=(0, 1, 2)):
    return grid_points(Settings(), alphas=alphas, thresholds=thresholds)


RELATED = small(i1={"vein"}, i2={"vessel", "brain"}, i3={"artery"}, i4={"vein", "head"})
"""Vein and vessel are 1 step apart, vein and artery 2."""
NEAR, FAR = small(i1={"vein"}, i2={"vessel"}, i3={"vein"}), small(i1={"x"}, i2={"y"}, i3={"x", "y"})


@pytest.mark.parametrize(
    ("study", "settings", "metrics", "systems", "expected"),
    [
        # 21 alphas at 3 distances: IoU, and 20 alphas at each of 2 distances.
        (RELATED, points(), NN, (), (63, 41)),
        # Nothing is 3 or 4 steps apart that was not 2 away, where only two concepts are related.
        (NEAR, points([0.0, 0.5, 1.0], [0, 1, 2, 3, 4]), NN, (), (15, 3)),
        (FAR, points(), NN, (), (63, 1)),
        (RELATED, points(), IOU, ["a"], (63, 1)),
        (RELATED, points(), IOU, ["a", "@nn-iou"], (63, 41)),
    ],
)
def test_how_many_settings_are_different(study, settings, metrics, systems, expected):
    assert grid(study, settings, metrics=metrics, systems=systems).tried == expected


# The ranking of systems over a grid: against scores one by one, scipy's tau, and crossings by hand.

ALPHAS, THRESHOLDS = [0.0, 0.25, 0.5, 0.75, 1.0], [0, 1, 2]


@pytest.fixture(scope="module")
def four():
    return drawn_study(11, systems=("amber", "birch", "cedar", "dune"), depth=8)


@pytest.fixture(scope="module")
def swept(four):
    return stability(four, metric="nnCUI@5", alphas=ALPHAS, thresholds=THRESHOLDS)


def means_at(study, settings):
    scores = score(study, metrics=["nnCUI@5"], settings=settings)
    return {row.system: summarise(row).mean for row in scores}


def test_every_standing_equals_the_scores_at_its_setting(four, swept):
    assert len(swept.standings) == 15 and swept.tried == (15, 9)
    for standing in swept.standings:
        means = means_at(four, standing.settings)
        assert list(standing.order) == sorted(means, key=lambda name: -means[name])
        assert [mean.mean for mean in standing.means] == [means[name] for name in standing.order]
        both = score(four, metrics=["nnCUI@5"], systems=standing.order[:2], settings=standing.settings)
        gap = compare(both[0], both[1])
        assert (standing.lead, standing.low, standing.high) == (gap.difference, gap.low, gap.high)
        assert standing.clear == (gap.low > 0)
    reference = swept.at(0.5, 1)
    taus = [tau_of(reference, standing) for standing in swept.standings]
    pairs = [
        [[at.mean(name).mean for name in reference.order] for at in (reference, standing)]
        for standing in swept.standings
    ]
    assert taus == pytest.approx([kendalltau(*pair).statistic for pair in pairs]) and min(taus) < 1


def test_crossovers_are_where_the_order_changes_and_nowhere_else(four, swept):
    expected = set()
    for threshold in THRESHOLDS:
        rows = [means_at(four, Settings(alpha=a, threshold=threshold)) for a in ALPHAS]
        for j in range(len(ALPHAS) - 1):
            for a in rows[0]:
                for b in rows[0]:
                    before, after = (rows[k][a] - rows[k][b] for k in (j, j + 1))
                    if before < 0 < after:
                        at = ALPHAS[j] - before / (after - before) * (ALPHAS[j + 1] - ALPHAS[j])
                        expected.add((threshold, round(at, 9), a, b))
    assert len(expected) >= 2
    assert {(f.threshold, round(f.alpha, 9), f.winner, f.loser) for f in swept.crossovers} == expected
    assert all(f.between[0] <= f.alpha <= f.between[1] for f in swept.crossovers)


def test_a_crossover_is_clear_only_when_both_sides_are():
    """Ten queries each served better by one system at alpha 0 and by the other at alpha 1, alike."""
    sets, runs = {}, {"exact": {}, "near": {}}
    for k in range(10):
        sets |= {f"q{k}": {"vein", "brain"}, f"e{k}": {"brain"}, f"n{k}": {"vessel"}}
        runs["exact"][f"q{k}"] = [f"e{k}"]
        runs["near"][f"q{k}"] = [f"n{k}"]
    study = with_parts(study_of(sets, TOY_EDGES), runs=runs, queries=[f"q{k}" for k in range(10)])
    # IoU with q: exact 1/2, near 0. nn-IoU at 1 step: near gets 2/3 alpha (vein and vessel of three).
    result = stability(study, metric="mean(nn-iou)@1", alphas=[0, 0.5, 1], thresholds=[1])
    (crossover,) = result.crossovers
    assert (crossover.winner, crossover.loser, crossover.clear) == ("near", "exact", True)
    assert crossover.alpha == pytest.approx(0.75)  # 2/3 alpha = 1/2
    assert [standing.order[0] for standing in result.standings] == ["exact", "exact", "near"]


def test_a_single_system_has_neither_lead_nor_tau(four):
    settings = Settings(gain="exp", ties="expected")
    axes = {"alphas": [0.4], "thresholds": [2], "systems": ["amber"], "settings": settings}
    (standing,) = stability(four, metric="nnCUI@5", **axes).standings
    assert standing.settings == replace(settings, alpha=0.4, threshold=2)
    assert standing.mean("amber").mean == means_at(four, standing.settings)["amber"]
    assert np.isnan([standing.lead, standing.low, standing.high, tau_of(standing, standing)]).all()
    assert not standing.clear
