"""The order of systems under two sets of concepts: means by the plain scores, tau by SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from evalcore.evaluate import score, summarise
from evalcore.features.annotate.quality import standings, with_concepts
from evalcore.values.errors import InputError
from tests.toy import study_of
from tests.toy_runs import with_parts

RNG = np.random.default_rng(11)
IDS = [f"i{k:02}" for k in range(24)]
GIVEN = {image: {f"C{c}" for c in range(5) if RNG.random() < 0.5} | {"C9"} for image in IDS}
FOUND = {image: {one for one in some if RNG.random() < 0.4} or None for image, some in GIVEN.items()}
RUNS = {
    name: {image: [IDS[k] for k in RNG.permutation(24) if IDS[k] != image][:12] for image in IDS}
    for name in ("one", "two", "three", "four", "five")
}
STUDY = with_parts(study_of(GIVEN), runs=RUNS)


def test_means_places_swaps_and_tau() -> None:
    (one,) = standings(STUDY, FOUND, metrics=["CUI@5"])
    other = with_concepts(STUDY, FOUND)
    said = [image for image in IDS if FOUND[image]]
    queries = np.array([IDS.index(image) for image in said], np.int32)
    means = []
    for study in (STUDY, other):
        scores = score(study, metrics=["CUI@5"], queries=queries)
        means.append({some.system: summarise(some).mean for some in scores})
    assert (one.n_queries, one.n_given, one.n_found) == (len(said), 24, len(said))
    assert {row.system: row.given.mean for row in one.systems} == pytest.approx(means[0])
    assert {row.system: row.found.mean for row in one.systems} == pytest.approx(means[1])
    names = sorted(RUNS)
    assert one.tau == pytest.approx(
        stats.kendalltau(*([some[name] for name in names] for some in means)).statistic
    )
    apart = {
        frozenset((a, b))
        for a in names
        for b in names
        if a < b and (means[0][a] - means[0][b]) * (means[1][a] - means[1][b]) < 0
    }
    assert {frozenset(pair) for pair in one.swaps} == apart and one.n_pairs == 10
    for row in one.systems:
        assert row.place_given == 1 + sum(value > means[0][row.system] for value in means[0].values())
        assert row.place_found == 1 + sum(value > means[1][row.system] for value in means[1].values())
    assert [row.place_given for row in one.systems] == sorted(row.place_given for row in one.systems)


def test_the_same_concepts_change_nothing() -> None:
    (one,) = standings(STUDY, GIVEN, metrics=["CUI@5"])
    assert one.tau == 1.0 and one.swaps == ()
    assert all(row.given.mean == row.found.mean for row in one.systems)
    assert with_concepts(STUDY, GIVEN).concepts.digest == STUDY.concepts.digest


def test_nothing_found_is_no_order() -> None:
    (one,) = standings(STUDY, dict.fromkeys(IDS), metrics=["CUI@5"])
    assert (one.n_queries, one.n_found) == (0, 0) and math.isnan(one.tau)
    with pytest.raises(InputError, match="None of the images"):
        with_concepts(STUDY, {"elsewhere": ["C1"]})
