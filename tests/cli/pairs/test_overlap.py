"""``overlap``: shared results counted by hand, and the options that reach the library."""

from __future__ import annotations

import csv
import json

import pytest

from evalcore.cli import run
from tests.ui.conftest import RUNS, write_study


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_study(tmp_path_factory.mktemp("studies") / "tiny", pictures=False)


@pytest.fixture
def call(folder, capsys):
    def call(*arguments):
        code = run(["overlap", str(folder), *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_shared_results(call):
    """beta answers q1 to q4; of the first two results alpha and beta share one only for q3 and q4."""
    code, out, _ = call("--k", "2", "--depth", "4", "--p", "0.5", "--json")
    found = json.loads(out)
    (one,) = found["overlaps"]
    assert code == 0
    share = sum(
        len(set(RUNS["alpha"][q][:2]) & set(answer[:2])) / 2 for q, answer in RUNS["beta"].items()
    ) / len(RUNS["beta"])
    assert (one["a"], one["b"], one["shared"], one["n"], one["left_out"]) == ("alpha", "beta", share, 4, 2)
    # all four lists hold the same four images, in another order: (1 - p) sum of p^(d-1) A_d, 1 beyond.
    rbo = 0.0
    for q, answer in RUNS["beta"].items():
        parts = [len(set(RUNS["alpha"][q][:d]) & set(answer[:d])) / d for d in range(1, 5)]
        rbo += sum(0.5**d * part for d, part in enumerate(parts, start=1)) + 0.5**4
    assert one["rbo"] == pytest.approx(rbo / 4)
    assert (found["depth"], found["k"], found["p"], found["n_queries"], found["seed"]) == (4, 2, 0.5, 6, 0)


def test_for_people_and_as_csv(call, tmp_path):
    file = tmp_path / "overlap.csv"
    code, out, _ = call("--depth", "3", "--system", "beta", "--system", "alpha", "--csv", str(file))
    assert code == 0
    assert "Rank-biased overlap, p = 0.9, of the first 3 results; shared: of the first 3." in out
    assert "Intervals from fewer than 50 queries are too narrow" in out and "wilson" not in out
    (row,) = csv.DictReader(file.read_text().splitlines())
    assert (row["a"], row["b"]) == ("beta", "alpha")
    assert float(row["rbo_at_least"]) <= float(row["rbo"]) <= float(row["rbo_at_most"])


def test_a_relevance_ranks_by_its_settings(call):
    """With alpha 0 nn-IoU ranks as IoU does: the same lists."""
    both = ("--system", "@iou", "--system", "@nn-iou", "--json")
    same, other = (json.loads(call(*both, *more)[1])["overlaps"][0] for more in (("--alpha", "0"), ()))
    assert same["rbo"] == pytest.approx(1.0) and same["rbo_at_most"] <= 1
    assert other["rbo"] < 1


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--k", "9", "--depth", "5"), "`k` must be a whole number from 1 to the depth (5)"),
        (("--p", "1"), "1.0 is not in the range 0<x<1"),
        (("--system", "alpha"), "two systems or more"),
    ],
)
def test_what_is_refused(call, arguments, text):
    code, out, err = call(*arguments)
    assert code == 2 and text in err and out == ""
