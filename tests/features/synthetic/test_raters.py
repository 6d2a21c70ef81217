"""Several raters of generated images: agreement and confusion, by scikit-learn and krippendorff."""

from __future__ import annotations

import json

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from evalcore.cli import run
from evalcore.features.synthetic.raters import raters
from evalcore.features.synthetic.read.feature_files import parse_rankings
from evalcore.stats.agreement import confusion

RATED = {"anna": [1, 2, 3, 4, 4, 2], "ben": [1, 3, 3, 4, 2, None], "cleo": [2, 2, None, 4, 4, 1]}


def file_of(given=RATED):
    rows = [f"i{k},{v},{who}" for who, own in given.items() for k, v in enumerate(own) if v is not None]
    return ("ID,score,rater\n" + "\n".join(rows) + "\n").encode()


def test_agreement_and_confusion():
    judged, report = parse_rankings(file_of(), file="people.csv")
    assert report.problems == () and judged.values["i1"] == pytest.approx(7 / 3)
    of = raters(judged.by_rater)
    table = np.array([[np.nan if v is None else v for v in own] for own in RATED.values()], float)
    assert of.alpha == pytest.approx(krippendorff.alpha(table, level_of_measurement="ordinal"))
    for pair, (i, j) in zip(of.pairs, [(0, 1), (0, 2), (1, 2)], strict=True):
        both = ~np.isnan(table[[i, j]]).any(axis=0)
        a, b = table[i, both].astype(int), table[j, both].astype(int)
        assert pair.kappa == pytest.approx(cohen_kappa_score(a, b, labels=[1, 2, 3, 4], weights="quadratic"))
        assert pair.n == both.sum() and pair.same == pytest.approx((a == b).mean())
        assert pair.counts.tolist() == confusion_matrix(a, b, labels=pair.values.astype(int)).tolist()


def test_confusion_of_nothing():
    values, counts = confusion(np.array([np.nan, 1]), np.array([1, np.nan]))
    assert len(values) == 0 and counts.shape == (0, 0)


def test_ranks_and_repeats():
    judged, report = parse_rankings(b"ID,rank,rater\na,1,x\na,2,y\na,3,x\nb,2,x\n", file="p.csv")
    assert judged.values == {"a": -1.5, "b": -2} and [p.line for p in report.problems] == [4]
    one, _ = parse_rankings(b"ID,rank\na,1\nb,2\n", file="p.csv")
    assert raters(one.by_rater) is None


def test_command(tmp_path, capsys):
    rng = np.random.default_rng(0)
    for name, n in (("real", 30), ("fake", 6)):
        cells = [",".join(map(str, rng.normal(size=3))) for _ in range(n)]
        rows = [f"{'r' if name == 'real' else 'i'}{i},{cell}" for i, cell in enumerate(cells)]
        (tmp_path / f"{name}.csv").write_text("ID,a,b,c\n" + "\n".join(rows) + "\n")
    (tmp_path / "people.csv").write_bytes(file_of())
    words = ["synthetic", "distances", "--archetypes", str(tmp_path / "real.csv")]
    words += ["--subjects", str(tmp_path / "fake.csv"), "--people", str(tmp_path / "people.csv")]
    assert run([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["raters"]["n"] == 3 and len(document["raters"]["pairs"]) == 3
    cells = document["raters"]["pairs"][0]["confusion"]
    assert sum(cell[2] for cell in cells) == 5 and [1, 1, 1] in cells
    assert [row["group"] for row in document["field"]] == ["real, one half", "fake"]
    assert run(words) == 0
    out = capsys.readouterr().out
    assert "3 raters; Krippendorff's alpha" in out and "Precision, recall, density" in out
