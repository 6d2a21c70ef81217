"""Systems of several seeds everywhere values are found, against means of what trec_eval says of each run."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from types import MappingProxyType

import numpy as np
import pytest
from scipy import stats

from evalcore.evaluate import common_queries, compare, score, summarise
from evalcore.evaluate.common_pool import compared_over, searched_pool
from evalcore.evaluate.coverage import coverage
from evalcore.evaluate.measures import sample_pairs
from evalcore.evaluate.overlap import overlaps
from evalcore.evaluate.sweep import grid_points, score_grid
from evalcore.evaluate.systems import about_lists, about_means, resolve_lists, resolve_systems, seed_sd
from evalcore.results.qrels import run_of
from evalcore.study import open_study
from evalcore.values.settings import Settings
from tests.seeded import METRIC, ORGAN, SEEDS, expected, write_seeded

SETTINGS = Settings()


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return open_study(write_seeded(tmp_path_factory.mktemp("seeds") / "study"))


def values(scores):
    """Of q1 to q5, which are those with a label."""
    return scores.values[:5]


def only(study, *systems, metric=METRIC, settings=SETTINGS):
    return score(study, metrics=[metric], systems=systems, settings=settings)


def test_a_value_is_the_mean_over_seeds_query_by_query(study):
    (found,) = only(study, "cnn")
    of_each = expected()
    assert len(np.unique(of_each, axis=0)) == 3, "the seeds differ"
    assert values(found) == pytest.approx(of_each.mean(axis=0), abs=1e-12)
    assert [one.system for one in found.seeds] == list(SEEDS)
    assert np.array([values(one) for one in found.seeds]) == pytest.approx(of_each, abs=1e-12)
    assert summarise(found, n_resamples=10).mean == pytest.approx(of_each.mean(), abs=1e-12)
    assert seed_sd(found, SETTINGS) == pytest.approx(np.std(of_each.mean(axis=1), ddof=1), abs=1e-12)


def test_a_seed_can_be_asked_for_beside_its_system(study):
    found = {one.system: one for one in only(study, "cnn.2", "cnn", "alpha", "cnn.10")}
    assert list(found) == ["cnn.2", "cnn", "alpha", "cnn.10"]
    assert values(found["cnn.2"]) == pytest.approx(expected()[1], abs=1e-12)
    assert values(found["cnn"]) == pytest.approx(expected().mean(axis=0), abs=1e-12)
    assert found["cnn.2"].seeds == ()
    assert isnan(seed_sd(found["alpha"], SETTINGS))


def test_counts_are_queries_of_which_at_least_one_seed_is_so(study):
    (found,) = only(study, "cnn", metric="P(organ)@4")
    assert [one.missing for one in found.seeds] == [0, 0, 1]
    assert found.missing == 1
    assert [one.short for one in found.seeds] == [5, 5, 4]
    assert found.short == 5


def test_undefined_queries_count_alike_for_mean_and_spread(study):
    zero = replace(SETTINGS, undefined="zero")
    (found,) = only(study, "cnn", metric="nDCG(iou)@2", settings=zero)
    assert found.n_undefined
    means = [np.nan_to_num(one.values).mean() for one in found.seeds]
    assert seed_sd(found, zero) == pytest.approx(np.std(means, ddof=1))
    assert summarise(found, settings=zero, n_resamples=10).mean == pytest.approx(np.mean(means))
    assert np.array_equal(np.isnan(found.values), np.isnan(found.seeds[0].values))


def test_differences_are_those_of_the_means(study):
    alpha, cnn = only(study, "alpha", "cnn")
    found = compare(cnn, alpha)
    differences = expected().mean(axis=0) - values(alpha)
    assert found.difference == pytest.approx(differences.mean(), abs=1e-12)
    assert found.spread == pytest.approx(differences.std(ddof=1))
    exact = stats.permutation_test(
        (differences,), lambda x, axis: x.mean(axis=axis), permutation_type="samples", n_resamples=np.inf
    )
    assert found.p == pytest.approx(exact.pvalue, abs=0.02)


def test_a_slice_keeps_the_seeds(study):
    (found,) = only(study, "cnn")
    part = found.among(np.array([0, 2, 4], np.int32))
    of_each = expected()[:, [0, 2, 4]]
    assert part.values == pytest.approx(of_each.mean(axis=0), abs=1e-12)
    assert seed_sd(part, SETTINGS) == pytest.approx(np.std(of_each.mean(axis=1), ddof=1), abs=1e-12)


@pytest.mark.parametrize("metric", ["nDCG(nn-iou)@3", METRIC])
def test_every_point_of_a_grid_is_the_mean_of_its_seeds(study, metric):
    points = grid_points(SETTINGS, alphas=[0.25, 0.75], thresholds=[0, 1])
    grid = score_grid(study, points, metrics=[metric], systems=["cnn", "cnn.2", "@nn-iou"])
    for point in points:
        cell = grid.at(point, "cnn", grid.metrics[0])
        each = [only(study, seed, metric=metric, settings=point)[0].values for seed in SEEDS]
        assert cell.values == pytest.approx(np.mean(each, axis=0), nan_ok=True, abs=1e-12)
        assert len(cell.seeds) == 3
        assert grid.at(point, "cnn.2", grid.metrics[0]).values == pytest.approx(each[1], nan_ok=True)


def test_it_answers_what_all_its_seeds_answer(study):
    found = [study.image_ids[q] for q in common_queries(study, ["cnn"])]
    assert found == sorted(SEEDS["cnn.10"])
    assert [study.image_ids[q] for q in common_queries(study, ["cnn.1"])] == sorted(ORGAN)


def test_it_searches_what_any_of_its_seeds_searches_and_the_common_pool_holds_for_each(study):
    rng = np.random.default_rng(0)
    many = _studied(rng)
    pools = {name: searched_pool(many, name) for name in ("cnn", "cnn.1", "cnn.2", "other")}
    assert pools["cnn.1"].n < pools["cnn"].n < pools["other"].n
    union = pools["cnn.1"].images | pools["cnn.2"].images
    assert np.array_equal(pools["cnn"].images, union)
    assert pools["cnn"].source == "seeds"
    over = compared_over(many, ["cnn", "other"])
    assert over.which == "common-pool"
    limited = over.limit(many)
    assert np.array_equal(limited.candidates, np.flatnonzero(union))
    (found,) = score(limited, metrics=["P(organ)@3"], systems=["cnn"])
    organ = {i: many.labels.columns["organ"].of_image(i) for i in range(len(many.image_ids))}
    for seed in found.seeds:
        run = many.runs[seed.system]
        for query, value in zip(seed.queries.tolist(), seed.values.tolist(), strict=True):
            top = [c for c in run.answer(query)[0].tolist() if union[c] and c != query][:3]
            assert value == pytest.approx(sum(organ[c] == organ[query] for c in top) / 3)
    assert found.values == pytest.approx(np.mean([seed.values for seed in found.seeds], axis=0))


def _studied(rng):
    """Sixty images: the first seed searches the first 20, the second the first 30, the other system all."""
    from tests.toy import study_of
    from tests.toy_runs import with_parts

    ids = [f"i{n:02}" for n in range(60)]
    runs = {
        name: {q: [ids[c] for c in rng.permutation(n)[:15]] for q in ids[:n]}
        for name, n in (("cnn.1", 20), ("cnn.2", 30), ("other", 60))
    }
    made = with_parts(
        study_of({i: {"a"} for i in ids}), runs=runs, labels={"organ": {i: "xy"[int(i[1:]) % 2] for i in ids}}
    )
    return replace(made, seeds=MappingProxyType({"cnn": ("cnn.1", "cnn.2")}))


def test_what_looks_at_lists_takes_the_first_seed_by_its_name(study):
    assert [one.name for one in resolve_lists(study, ["cnn", "alpha", "cnn.1"])] == ["cnn.1", "alpha"]
    assert overlaps(study, ["cnn", "alpha"]).systems == ("cnn.1", "alpha")
    assert {run.system for run in run_of(study, "cnn", settings=SETTINGS)} == {"cnn.1"}
    assert [one.name for one in resolve_systems(study, ["rrf:cnn+alpha"])] == ["rrf:alpha+cnn.1"]
    assert about_lists(study, ["alpha", "cnn.2"]) == []
    (line,) = about_lists(study, None)
    assert "cnn.1 for cnn" in line


def test_pairs_they_return_are_those_of_all_seeds(study):
    def pairs(*systems):
        drawn = sample_pairs(study, n=1_000, systems=systems, seed=1)
        return set(zip(drawn.queries.tolist(), drawn.candidates.tolist(), strict=True))

    assert pairs("cnn") == pairs(*SEEDS)


def test_what_is_said_about_means(study):
    (line,) = about_means(only(study, "cnn", "alpha"))
    assert line.startswith("Means over seeds, query by query: cnn 3.")
    assert about_means(only(study, "alpha")) == []


def test_one_seed_has_no_spread(study):
    single = replace(study, seeds=MappingProxyType({"cnn": ("cnn.1",)}))
    (found,) = only(single, "cnn")
    assert values(found) == pytest.approx(expected()[0], abs=1e-12)
    assert isnan(seed_sd(found, SETTINGS))
    assert about_means([found])[1] == "One seed has no spread: cnn."


def test_coverage_counts_over_all_seeds(study):
    (found,) = (one for one in coverage(study).systems if one.system == "cnn")
    assert (found.seeds, found.answered, found.shortest, found.longest, found.tied) == (3, 4, 3, 3, 0)
