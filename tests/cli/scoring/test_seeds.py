"""Systems of several seeds on the command line: columns, keys, words; nothing of it without."""

from __future__ import annotations

import json

import numpy as np
import pytest

from evalcore.cli import run
from tests.seeded import METRIC, expected, write_seeded


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_seeded(tmp_path_factory.mktemp("seeds") / "study")


@pytest.fixture
def call(folder, capsys):
    def call(command, *arguments, code=0):
        assert run([*command.split(), str(folder), *arguments]) == code
        return capsys.readouterr()

    return call


def test_score_gives_the_number_of_seeds_and_their_spread(call):
    found = json.loads(call("score", "--metric", METRIC, "--queries", "all", "--json").out)
    by_name = {row["system"]: row for row in found["scores"]}
    assert list(by_name) == ["alpha", "beta", "cnn"]
    cnn, each = by_name["cnn"], expected()
    assert cnn["mean"] == pytest.approx(each.mean())
    assert cnn["n_seeds"] == 3
    assert cnn["seed_sd"] == pytest.approx(np.std(each.mean(axis=1), ddof=1))
    assert (by_name["alpha"]["n_seeds"], by_name["alpha"]["seed_sd"]) == (0, None)


def test_compare_takes_the_mean_and_says_so(call):
    captured = call("compare", "cnn", "cnn.2", "--metric", METRIC, "--queries", "all", "--json")
    (found,) = json.loads(captured.out)["comparisons"]
    each = expected()
    assert found["difference"] == pytest.approx((each.mean(axis=0) - each[1]).mean())
    out = call("compare", "cnn", "alpha", "--metric", METRIC, "--queries", "all").out
    assert "Means over seeds, query by query: cnn 3." in out


def test_a_query_that_a_seed_leaves_out_is_no_common_one(call):
    asked = ("--metric", METRIC, "--queries", "common", "--system", "cnn", "--json")
    found = json.loads(call("score", *asked).out)
    (row,), (counts,) = found["scores"], found["counts"]
    assert (row["n_queries"], counts["missing"]) == (4, 0)
    assert row["mean"] == pytest.approx(expected()[:, :4].mean())


def test_a_seed_that_is_not_there_is_named(call):
    captured = call("score", "--metric", METRIC, "--system", "cnn.3", code=2)
    assert "cnn.3" in captured.err
    assert "Traceback" not in captured.err
