"""``overlap``: shared results counted by hand, and the options that reach the library."""

from __future__ import annotations

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
