"""Systems of several seeds on the command line: columns, keys, words; nothing of it without."""

from __future__ import annotations

import csv
import io
import json
from html import unescape

import numpy as np
import pytest

from evalcore.cli import run
from tests.seeded import METRIC, SEEDS, expected, rows_of, write_seeded
from tests.ui.conftest import write_study


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


def test_score_shows_them_and_says_what_intervals_are_about(call):
    out = call("score", "--metric", METRIC, "--queries", "all").out
    head = next(line for line in out.splitlines() if line.startswith("system"))
    assert "seeds" in head
    assert "sd of seeds" in head
    sd = np.std(expected().mean(axis=1), ddof=1)
    row = next(line for line in out.splitlines() if line.startswith("cnn "))
    assert row.split()[-2:] == ["3", f"{sd:.4f}"]
    assert "Means over seeds, query by query: cnn 3. Intervals and tests are over queries" in out


def test_nothing_of_it_without_such_a_system(tmp_path, capsys, folder, call):
    plain = write_study(tmp_path / "plain", pictures=False)
    assert run(["score", str(plain), "--metric", METRIC, "--json"]) == 0
    assert not {"n_seeds", "seed_sd"} & {*json.loads(capsys.readouterr().out)["scores"][0]}
    out = call("score", "--metric", METRIC, "--system", "cnn.2", "--queries", "all").out
    assert "seeds" not in out
    assert f"{expected()[1].mean():.4f}" in out


def test_tidy_rows_have_them(call):
    out = call("score", "--metric", METRIC, "--queries", "all", "--csv", "-").out
    rows = {row["system"]: row for row in csv.DictReader(io.StringIO(out))}
    assert rows["cnn"]["n_seeds"] == "3"
    assert float(rows["cnn"]["seed_sd"]) == pytest.approx(np.std(expected().mean(axis=1), ddof=1))
    assert (rows["alpha"]["n_seeds"], rows["alpha"]["seed_sd"]) == ("", "")


def test_compare_takes_the_mean_and_says_so(call):
    captured = call("compare", "cnn", "cnn.2", "--metric", METRIC, "--queries", "all", "--json")
    (found,) = json.loads(captured.out)["comparisons"]
    each = expected()
    assert found["difference"] == pytest.approx((each.mean(axis=0) - each[1]).mean())
    out = call("compare", "cnn", "alpha", "--metric", METRIC, "--queries", "all").out
    assert "Means over seeds, query by query: cnn 3." in out


def test_slices_are_means_too(call):
    found = json.loads(
        call(
            "score", "--metric", METRIC, "--queries", "all", "--by", "organ", "--system", "cnn", "--json"
        ).out
    )
    means = {row["slice"]: row["mean"] for row in found["slices"]}
    assert means["chest"] == pytest.approx(expected()[:, :2].mean())
    assert means["head"] == pytest.approx(expected()[:, 2:].mean())


def test_a_filter_of_queries_holds_for_every_seed(call):
    asked = ("--metric", METRIC, "--queries", "all", "--where", "organ=head", "--system", "cnn", "--json")
    (row,) = json.loads(call("score", *asked).out)["scores"]
    of_each = expected()[:, 2:]
    assert row["mean"] == pytest.approx(of_each.mean())
    assert row["seed_sd"] == pytest.approx(np.std(of_each.mean(axis=1), ddof=1))


def test_a_query_that_a_seed_leaves_out_is_no_common_one(call):
    asked = ("--metric", METRIC, "--queries", "common", "--system", "cnn", "--json")
    found = json.loads(call("score", *asked).out)
    (row,), (counts,) = found["scores"], found["counts"]
    assert (row["n_queries"], counts["missing"]) == (4, 0)
    assert row["mean"] == pytest.approx(expected()[:, :4].mean())


def test_a_report_gives_the_spread(call, tmp_path, monkeypatch):
    monkeypatch.setattr("evalcore.values.extras.is_installed", lambda _: False)
    call("report", "--metric", METRIC, "--queries", "all", "--out", str(tmp_path / "report.html"))
    text = (tmp_path / "report.html").read_text()
    sd = np.std(expected().mean(axis=1), ddof=1)
    assert "SD of seeds</th>" in text and f'<td class="n">{sd:.4f}</td>' in unescape(text)


def test_a_list_is_that_of_the_first_seed_and_it_is_said(call):
    captured = call("rank", "--system", "cnn")
    rows = [line.split() for line in captured.out.splitlines()]
    assert [(row[0], row[2], int(row[3])) for row in rows] == [row[:3] for row in rows_of(SEEDS["cnn.1"])]
    assert {row[5] for row in rows} == {"cnn.1"}
    assert "cnn.1 for cnn" in captured.err
    out = call("overlap", "--queries", "all").out
    assert "cnn.1 for cnn" in out
    assert "cnn.1 for cnn" not in call("overlap", "--system", "cnn.2", "--system", "alpha").out


def test_check_lists_one_system_with_its_seeds(call):
    out = call("check").out
    (row,) = (line for line in out.splitlines() if line.startswith("cnn "))
    assert row.split()[-1] == "3"
    assert "systems/cnn/run.10.trec.gz" in out


def test_a_seed_that_is_not_there_is_named(call):
    captured = call("score", "--metric", METRIC, "--system", "cnn.3", code=2)
    assert "cnn.3" in captured.err
    assert "Traceback" not in captured.err


def test_what_does_not_fit_is_refused_with_its_reason(tmp_path, capsys):
    made = write_seeded(tmp_path / "study")
    (made / "systems/cnn/run.trec").write_text("q1 Q0 q2 1 1 x\n")
    assert run(["score", str(made), "--metric", METRIC]) == 2
    assert "one run and runs of seeds" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["discrimination"], "3 systems"),
        (["sweep", "--alphas", "0.5", "--thresholds", "1", "--metric", "nDCG(nn-iou)@2"], "cnn"),
        (["sweep", "--metric", "nDCG(nn-iou)@2"], "cnn"),
        (["rank", "--system", "rrf:cnn+alpha"], "rrf:alpha+cnn.1"),
    ],
)
def test_every_other_command_about_systems_takes_them(call, command, words):
    assert words in call(*command).out
