"""Table 1 for any measure, against a search by plain Python sets; what is best and what is as good."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from evalcore.evaluate import compare_all, score
from evalcore.evaluate.measures import table_metrics
from evalcore.values.errors import InputError
from evalcore.values.settings import Settings
from tests.measured import table_one
from tests.toy import TOY_EDGES, study_of
from tests.toy_runs import with_parts

CONCEPTS = sorted({concept for edge in TOY_EDGES for concept in edge})
MEASURES = ("iou", "overlap", "nn-iou")


def made(n, seed=0):
    rng = np.random.default_rng(seed)
    sets = {f"i{k:02d}": list(rng.choice(CONCEPTS, rng.integers(1, 4), replace=False)) for k in range(n)}
    labels = {
        "modality": {image: str(rng.choice(["CT", "MR"])) for image in sets},
        "organ": {image: str(rng.choice(["head", "chest"])) for image in list(sets)[: n - 2]},
    }
    return sets, labels, with_parts(study_of(sets, TOY_EDGES), labels=labels)


def iou(a, b):
    return len(a & b) / len(a | b) if a | b else 0.0


def overlap(a, b):
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def test_columns_are_all_types_and_all_pairs_of_them():
    _, _, study = made(6)
    assert table_metrics(study, cutoffs=(5, 10)) == (
        "P(modality)@5",
        "P(modality)@10",
        "P(organ)@5",
        "P(organ)@10",
        "P(modality&organ)@5",
        "P(modality&organ)@10",
    )
    with pytest.raises(InputError, match="no labels"):
        table_metrics(study_of({"a": ["x"]}))


@pytest.mark.parametrize("name", ["iou", "overlap"])
def test_precision_and_ties_by_plain_sets(name):
    sets, labels, study = made(16)
    value, k = {"iou": iou, "overlap": overlap}[name], 3
    found = table_one(study, [name], metrics=[f"P(organ)@{k}"])
    organ, precisions, tied = labels["organ"], [], 0
    for query in organ:
        ranked = sorted(
            (-value(set(sets[query]), set(sets[image])), image) for image in organ if image != query
        )
        precisions.append(sum(organ[image] == organ[query] for _, image in ranked[:k]) / k)
        tied += ranked[k - 1][0] == ranked[k][0]
    cell = found.cells[0][0]
    assert found.systems == (f"@{name}",)
    assert (cell.interval.mean, cell.interval.n, cell.tied) == (pytest.approx(np.mean(precisions)), 14, tied)
    assert 0 < tied < 14


def test_expected_over_ties_is_the_mean_over_all_orders():
    """Every order of the candidates breaks the ties another way; the mean over all of them is exact."""
    sets, labels, study = made(6, seed=3)
    organ, k = labels["modality"], 2
    found = table_one(study, ["iou"], metrics=[f"P(modality)@{k}"], settings=Settings(ties="expected"))
    means = []
    for query in sets:
        others, values = [image for image in sets if image != query], []
        for order in permutations(others):
            ranked = sorted(order, key=lambda image: -iou(set(sets[query]), set(sets[image])))
            values.append(sum(organ[image] == organ[query] for image in ranked[:k]) / k)
        means.append(np.mean(values))
    assert found.cells[0][0].interval.mean == pytest.approx(np.mean(means))
    assert found.ties == "expected"


def test_best_and_as_good():
    _, _, study = made(40, seed=1)
    found = table_one(study, MEASURES, seed=2, flips=500)
    for j, metric in enumerate(found.metrics):
        column = [row[j] for row in found.cells]
        highest = max(cell.interval.mean for cell in column)
        assert [cell.best for cell in column] == [cell.interval.mean == highest for cell in column]
        scores = score(study, metrics=[metric], systems=[f"@{name}" for name in MEASURES])
        first = next(i for i, cell in enumerate(column) if cell.best)
        others = [i for i in range(3) if i != first]
        pairs = [(scores[first], scores[i]) for i in others]
        for i, one in zip(others, compare_all(pairs, n_resamples=500, seed=2), strict=True):
            assert column[i].p_corrected == one.p_corrected
            assert column[i].as_good == (not column[i].best and one.p_corrected >= 0.05)
        assert np.isnan(column[first].p_corrected) and not column[first].as_good
