"""Tidy rows: every row says by itself what it holds."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from scipy import stats

from evalcore import __version__
from evalcore.cli import run
from evalcore.study import open_study

FILES = {
    "concepts.csv": "ID,CUIs\na,C0000001\nb,C0000001\nc,C0000002\nd,C0000002\ne,C0000001\nf,C0000003\n",
    "labels.csv": "ID,organ\na,chest\nb,chest\nc,head\nd,head\ne,chest\nf,foot\n",
    "systems/=good/run.trec": "a Q0 b 1 3 g\na Q0 c 2 2 g\n"
    "b Q0 a 1 2 g\nc Q0 d 1 1 g\nd Q0 c 1 1 g\ne Q0 a 1 1 g\n",
    "systems/poor/run.trec": "a Q0 c 1 3 p\n"
    "b Q0 c 1 2 p\nc Q0 d 1 1 p\nd Q0 a 1 1 p\ne Q0 c 1 1 p\nf Q0 a 1 1 p\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_one_row_per_system_and_metric_with_all_that_decides_it(folder, capsys):
    asked = ["score", str(folder), "--metric", "P(organ)@1", "--metric", "AP(organ)", "--csv", "-"]
    assert run([*asked, "--baseline", "poor", "--seed", "3", "--level", "0.9", "--where", "organ!=foot"]) == 0
    rows = table(capsys.readouterr().out)
    assert [(row["system"], row["metric"], row["k"]) for row in rows] == [
        ("=good", "P(organ)@1", "1"),
        ("=good", "AP(organ)", ""),
        ("poor", "P(organ)@1", "1"),
        ("poor", "AP(organ)", ""),
    ]
    good, poor = rows[0], rows[2]
    # by hand: good is right for a to e, poor for c only
    assert (float(good["mean"]), float(poor["mean"]), good["n"]) == (1.0, 0.2, "5")
    assert {name: good[name] for name in ("ci_level", "seed", "where", "queries", "same_group", "alpha")} == {
        "ci_level": "0.9",
        "seed": "3",
        "where": "organ!=foot",
        "queries": "all",
        "same_group": "",
        "alpha": "0.5",
    }
    assert (good["digest"], good["version"]) == (open_study(folder).digest, __version__)
    differences = np.array([1.0, 1, 0, 1, 1])
    oracle = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert float(good["p"]) == pytest.approx(oracle.pvalue)
    assert (good["compared_with"], float(good["difference"]), poor["compared_with"]) == ("poor", 0.8, "")
    for row in rows:
        for name in ("mean", "ci_low", "ci_high", "n", "n_queries", "threshold"):
            float(row[name])
