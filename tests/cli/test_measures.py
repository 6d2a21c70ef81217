"""The commands on relevance measures: the numbers of the library, as text and as JSON."""

from __future__ import annotations

import json
import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from evalcore.cli import run
from evalcore.evaluate import score
from evalcore.evaluate.measures import agree_on_results, discriminative_power, pair_values, sample_pairs
from evalcore.relevance.registry import available, describe
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


def test_registry(call, document, folder):
    found = document("metrics")["measures"]
    assert [one["name"] for one in found] == list(available(open_study(folder)))
    named = document("metrics", "--relevance", "matching:path")["measures"]
    one = describe("matching:path")
    assert [(m["formula"], m["reference"], m["plain"]) for m in named] == [
        (one.formula, one.reference, one.plain)
    ]
    assert named[0]["edges"] == [{"case": case, "value": value} for case, value in one.edges]
    _, out, _ = call("metrics", "--relevance", "iou")
    assert "iou: IoU." in out and "|A∩B| / |A∪B|" in out


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


def test_pairs_that_differ(document):
    """q1 {CT, chest, nodule} and q4 {MR, head}: nothing shared, but head and chest are neighbours of each
    other: (0 + 0.5 * 2) / 5."""
    found = document("measures", *BY, "--differ", "iou", "nn-iou")["disagreements"]
    assert (found[0]["query"], found[0]["candidate"]) == ("q1", "q4")
    assert (found[0]["value_a"], found[0]["value_b"]) == (0.0, 0.2)
    # 18 of the 30 pairs share nothing: ranks 1 to 18, mean 9.5, and (9.5 - 1) / 29 lie below.
    assert found[0]["place_a"] == pytest.approx(8.5 / 29)


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


def test_table_one_as_files(document, folder, tmp_path):
    tex, csv = tmp_path / "t.tex", tmp_path / "t.csv"
    metrics = ["P(organ)@1", "P(organ)@2", "P(modality)@2"]
    asked = [word for metric in metrics for word in ("--metric", metric)]
    found = document("table1", *BY, *asked, "--latex", str(tex), "--csv", str(csv))
    cells = {(one["measure"], one["metric"]): one for one in found["cells"]}
    rows = pd.read_csv(csv).set_index(["measure", "metric"])
    assert set(rows.index) == set(cells)
    for key, one in cells.items():
        assert rows.loc[key, "mean"] == one["mean"] and rows.loc[key, "best"] == one["best"]
    lines = [line.removesuffix(r" \\") for line in tex.read_text().splitlines()]
    assert r" & \multicolumn{2}{c}{organ} & \multicolumn{1}{c}{modality}" in lines
    assert "Measure & @1 & @2 & @2" in lines
    for measure in ("iou", "nn-iou"):
        (line,) = [line for line in lines if line.startswith(f"{measure} & ")]
        percents = [float(re.search(r"[0-9]+\.[0-9]{2}", cell)[0]) for cell in line.split(" & ")[1:]]
        assert percents == pytest.approx(
            [100 * cells[measure, metric]["mean"] for metric in metrics], abs=6e-3
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["measures", "--relevance", "ioux"], "No relevance called 'ioux'. Did you mean: iou"),
        (["measures", "--relevance", "matching:pat"], "Did you mean: path"),
        (["discrimination", "--relevance", "iou", "--system", "alpha"], "at least two"),
        (["table1", "--metric", "P(organs)@2"], "No label column called 'organs'"),
        (["measures", "--differ", "iou", "diced"], "No relevance called 'diced'. Did you mean: dice"),
        (["discrimination", "--against", "diced"], "No relevance called 'diced'. Did you mean: dice"),
        (["measures", "--sample", "0"], "0 is not in the range x>=1"),
    ],
)
def test_faults_exit_2_with_a_message(call, arguments, message):
    code, out, err = call(*arguments)
    assert (code, out) == (2, "") and message in err


def test_no_crossings(document):
    """alpha leads under every measure of the tiny study."""
    found = document("discrimination", "--relevance", "iou", "--relevance", "overlap", "--against", "nn-iou")
    assert found["crossings"] == [] and [one["measure"] for one in found["measures"]] == [
        "iou",
        "overlap",
        "nn-iou",
    ]


@pytest.mark.parametrize("command", ["metrics", "discrimination", "table1"])
def test_shared_options_and_help(call, capsys, command):
    reads_runs = command != "metrics"
    shared = ["--alpha=0.3", "--count-rule", "pairs", "--ties", "id"] if reads_runs else []
    assert call(command, *shared, "--relevance=iou")[0] == 0
    assert run([*command.split(), "--help"]) == 0
    assert "Usage: python -m evalcore" in capsys.readouterr().out
