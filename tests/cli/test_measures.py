"""The commands on relevance measures: the numbers of the library, as text and as JSON."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest

from evalcore.cli import run
from evalcore.evaluate import score
from evalcore.evaluate.measures import agree_on_results, discriminative_power, pair_values, sample_pairs
from evalcore.study import open_study
from evalcore.values.settings import Settings
from tests.measured import analysed
from tests.ui.conftest import write_study

BY = ("--relevance", "iou", "--relevance", "nn-iou", "--relevance", "overlap")
MEASURES = ("iou", "nn-iou", "overlap")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_study(tmp_path_factory.mktemp("studies") / "tiny", pictures=False)


@pytest.fixture
def call(folder, capsys):
    def call(command, *arguments):
        code = run([*command.split(), str(folder), *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def document(call):
    def document(*arguments):
        code, out, _ = call(*arguments, "--json")
        assert code == 0
        return json.loads(out)

    return document


def test_agreement_on_pairs(call, document, folder):
    study = open_study(folder)
    found = agree_on_results(pair_values(study, MEASURES, sample_pairs(study, n=20, seed=3)))
    printed = document("measures", *BY, "--sample", "20", "--seed", "3")
    expected = {
        (MEASURES[i], MEASURES[j]): pytest.approx(found.kendall[i, j]) for i, j in combinations(range(3), 2)
    }
    assert {(one["a"], one["b"]): one["kendall"] for one in printed["correlations"]} == expected
    assert (printed["n"], printed["seed"], printed["population"]) == (20, 3, 30)
    _, out, _ = call("measures", *BY, "--differ", "iou", "nn-iou")
    assert "tau" in out and "q1" in out and "q2" in out


@pytest.mark.parametrize("level", ["queries", "systems"])
def test_agreement_on_systems(document, level):
    found = document("measures", *BY, "--unit", level, "--score", "mean", "--k", "3")
    assert found["systems"] == ["alpha", "beta"] and found["metrics"][0] == "mean(iou)@3"
    assert (found["n"], found["averaged_over"]) == ((2, 1) if level == "systems" else (5, 2))
    if level == "systems":
        assert all(one["kendall"] is None for one in found["correlations"])


def test_discrimination(call, document, folder):
    study = open_study(folder)
    found = document("discrimination", *BY, "--k", "2", "--seed", "4", "--significance", "0.2")
    powers = discriminative_power(analysed(study, MEASURES, k=2).by_measure(), seed=4, level=0.2)
    assert [one["share"] for one in found["measures"]] == [power.share for power in powers]
    assert [one["pairs"][0]["p"] for one in found["measures"]] == [float(power.p[0]) for power in powers]
    (iou_alpha,) = score(study, metrics=["nDCG(iou)@2"], systems=["alpha"])
    assert found["measures"][0]["means"]["alpha"] == pytest.approx(np.nanmean(iou_alpha.values))
    assert (found["n_queries"], found["left_out"], found["correction"]) == (5, 1, "Holm")
    _, out, _ = call("discrimination", *BY)
    assert "2 systems, 5 queries (1 left out)" in out and "separated" in out


def test_table_one(call, document, folder):
    study = open_study(folder)
    found = document("table1", "--relevance", "iou", "--metric", "P(organ)@2", "--ties", "expected")
    (alone,) = score(study, metrics=["P(organ)@2"], systems=["@iou"], settings=Settings(ties="expected"))
    (cell,) = found["cells"]
    assert (cell["measure"], cell["best"], cell["as_good"]) == ("iou", True, False)
    assert cell["mean"] == pytest.approx(np.nanmean(alone.values)) and cell["tied"] == alone.tied
    _, out, _ = call("table1", *BY, "--n-queries", "3")
    assert "3 of 6 queries" in out and "P(modality&organ)@30" in out
