"""``satisfaction``: the document, the tables, and what it refuses."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from scipy import stats

from evalcore.cli import run
from evalcore.study import open_study
from tests.ui.conftest import RUNS, write_study

METRICS = ["RBP", "DCG", "CG", "AVG", "MAX", "ERR"]


@pytest.fixture
def call(capsys):
    def call(*arguments):
        code = run(["satisfaction", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return call


@pytest.fixture
def files(tmp_path):
    """Three people, five queries each, three images in two rows; satisfaction follows the first image."""
    rng = np.random.default_rng(0)
    lists, rated = ["query,position,row,relevance"], ["query,user,satisfaction,task"]
    for user in "abc":
        for i in range(5):
            values = rng.integers(0, 4, 3)
            lists += [f"{user}{i},{k},{1 + k // 3},{v}" for k, v in enumerate(values, start=1)]
            rated.append(f"{user}{i},{user},{1 + i % 2 + values[0]},t")
    (tmp_path / "r.csv").write_text("\n".join(lists) + "\n")
    (tmp_path / "s.csv").write_text("\n".join(rated) + "\n")
    return ["--lists", tmp_path / "r.csv", "--satisfaction", tmp_path / "s.csv", "--rows", "1,2"]


def test_real_study(real_dir, call):
    folder = real_dir / "satisfaction"
    code, out, err = call(
        "--lists",
        folder / "relevance.csv",
        "--satisfaction",
        folder / "satisfaction.csv",
        "--scale",
        "0:3",
        "--resamples",
        "200",
        "--json",
    )
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["n_queries"], found["n_users"], sum(found["dropped"].values())) == (1119, 36, 0)
    (rbp,) = [
        one for one in found["rows"] if (one["metric"], one["gain"], one["depth"]) == ("RBP", "original", 10)
    ]
    assert round(rbp["spearman"], 4) == 0.2333 and rbp["ci_low"] < rbp["spearman"] < rbp["ci_high"]
    assert not any(one["difference"] > 0 and one["p_corrected"] < 0.05 for one in found["differences"])


def test_document(call, files):
    code, out, _ = call(*files, "--scale", "0:3", "--resamples", "50", "--json")
    found = json.loads(out)
    assert code == 0
    assert all(
        set(one) == {"metric", "gain", "depth", "spearman", "ci_low", "ci_high", "p"} for one in found["rows"]
    )
    keys = {"metric", "depth", "difference", "r12", "test", "statistic", "p", "p_corrected"}
    assert all(set(one) == keys for one in found["differences"])
    assert [(one["depth"], one["metric"]) for one in found["differences"]] == [
        (depth, metric) for depth in (1, 2) for metric in METRICS
    ]
    assert found["settings"]["resample"] == "users" and found["settings"]["n_resamples"] == 50


def test_tables_name_n_method_seed_and_what_was_published(call, files):
    code, out, _ = call(*files, "--resamples", "20", "--seed", "7", "--rows", "2", "--skip", "few")
    assert code == 0
    assert "15 queries of 3 participants" in out and "Left out: nothing." in out
    assert "20 resamples of participants, seed 7; p: Williams' test, Holm" in out
    assert "Shao et al. 2019" in out
    assert "Intervals from fewer than 20 participants are too narrow" in out


def test_csv_has_every_row(call, files, tmp_path):
    code, _, err = call(*files, "--resamples", "20", "--csv", tmp_path / "out.csv")
    rows = list(csv.DictReader((tmp_path / "out.csv").read_text().splitlines()))
    assert code == 0 and "Wrote" in err and len(rows) == 24
    assert list(rows[0]) == ["metric", "gain", "depth", "spearman", "ci_low", "ci_high", "p"]


def test_options_change_what_they_say(call, files):
    def rows(*more):
        code, out, err = call(*files, "--resamples", "20", "--json", *more)
        assert code == 0, err
        return json.loads(out)

    usual = rows()
    assert rows("--window", "1")["rows"] != usual["rows"]
    assert rows("--divide-by", "window")["rows"] != usual["rows"]
    assert rows("--skip", "minmax")["rows"] != usual["rows"]
    assert rows("--resample", "queries")["rows"][0]["ci_low"] != usual["rows"][0]["ci_low"]
    assert rows("--test", "meng")["differences"] != usual["differences"]
    assert rows("--sums")["settings"]["per_image"] is False


@pytest.fixture
def study(tmp_path):
    return write_study(tmp_path / "tiny", pictures=False)


def test_ratings_of_a_study(call, study, tmp_path):
    """Satisfaction that is the relevance of the first image agrees perfectly with it, over one row."""
    rows = []
    opened = open_study(study)
    sets = {image: opened.concepts.of_image(i) for i, image in enumerate(opened.image_ids)}
    for system, lists in RUNS.items():
        for query in ("q1", "q2", "q3", "q4"):
            a, b = sets[query], sets[lists[query][0]]
            rows.append(f"{query},one,{len(a & b) / len(a | b)},{system}")
    (tmp_path / "s.csv").write_text("\n".join(["query,user,satisfaction,system", *rows]))
    asked = ("--study", study, "--relevance", "iou", "--satisfaction", tmp_path / "s.csv", "--rows", "1")
    code, out, err = call(*asked, "--resample", "queries", "--resamples", "20", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["n_queries"] == 8 and found["settings"]["source"] == "tiny: alpha, beta by iou"
    by_metric = {(one["metric"], one["gain"]): one["spearman"] for one in found["rows"]}
    assert by_metric["RBP", "original"] == pytest.approx(1.0)
    assert by_metric["MAX", "context-aware"] == pytest.approx(1.0)
    code, out, _ = call(*asked, "--system", "alpha", "--json", "--resamples", "20")
    assert json.loads(out)["n_queries"] == 4


def test_a_fixed_width_makes_rows(call, study, tmp_path):
    """Four images in rows of two: two rows; asked for three, no list is long enough."""
    rows = [f"{query},one,{i}" for i, query in enumerate(("q1", "q2", "q3", "q4"))]
    (tmp_path / "s.csv").write_text("\n".join(["query,user,satisfaction", *rows]))
    asked = ("--study", study, "--system", "alpha", "--satisfaction", tmp_path / "s.csv", "--columns", "2")
    assert call(*asked, "--rows", "2", "--resamples", "10")[0] == 0
    code, _, err = call(*asked, "--rows", "3", "--resamples", "10")
    assert code == 2 and "4 queries with fewer rows than the deepest" in err


def test_nobody_says_whose_results_were_rated(call, study, tmp_path):
    (tmp_path / "s.csv").write_text("query,user,satisfaction\nq1,one,1\n")
    code, _, err = call("--study", study, "--satisfaction", tmp_path / "s.csv")
    assert code == 2 and "Add a column `system`, or name the system" in err


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("q9,one,1,alpha", "s.csv:2: The query 'q9' is not in the queries of the study"),
        ("q1,one,1,gamma", "No system called 'gamma'"),
        ("q1,one,x,alpha", "s.csv:2: The satisfaction 'x' is not a number"),
    ],
)
def test_ratings_that_do_not_fit_the_study(call, study, tmp_path, row, says):
    (tmp_path / "s.csv").write_text(f"query,user,satisfaction,system\n{row}\n")
    code, out, err = call("--study", study, "--satisfaction", tmp_path / "s.csv", "--json")
    assert (code, out) == (2, "") and says in err


# ------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Name the ratings"),
        (["--satisfaction", "no.csv"], "Name what was shown"),
        (["--satisfaction", "no.csv", "--lists", "none.csv"], "none.csv cannot be read"),
    ],
)
def test_refusals(call, arguments, says):
    code, out, err = call(*arguments)
    assert (code, out) == (2, "") and says in err


@pytest.mark.parametrize("scale", ["3", "a:b", "0:inf", "0:", ":3", "1:2:3"])
def test_scales_that_are_none(call, files, scale):
    code, _, err = call(*files, "--scale", scale)
    assert code == 2 and "is no scale such as 0:3" in err


def test_scale_upside_down_and_too_small(call, files):
    assert "0 <= LOW < HIGH" in call(*files, "--scale", "3:0")[2]
    code, _, err = call(*files, "--scale", "0:2")
    assert code == 2 and "r.csv:" in err and "is off the scale: from 0 to 2" in err


@pytest.mark.parametrize(("rows", "says"), [("0", "whole numbers of rows"), ("50", "No query is left of 15")])
def test_rows_that_cannot_be_counted(call, files, rows, says):
    code, out, err = call(*files[:4], "--rows", rows)
    assert (code, out) == (2, "") and says in err


def test_what_belongs_to_a_study_is_refused_beside_files(call, files):
    code, _, err = call(*files, "--relevance", "iou")
    assert code == 2 and "--relevance has no use here: it belongs to --study" in err
    code, _, err = call(*files, "--alpha", "0.2")
    assert code == 2 and "--alpha has no use here" in err


def test_spearman_by_scipy(call, files):
    """CG over one row of two or three images: their mean."""
    code, out, _ = call(*files, "--scale", "0:3", "--resamples", "5", "--json")
    assert code == 0
    lists, rated = {}, {}
    for row in csv.DictReader(files[1].read_text().splitlines()):
        if row["row"] == "1":
            lists.setdefault(row["query"], []).append(int(row["relevance"]))
    for row in csv.DictReader(files[3].read_text().splitlines()):
        rated.setdefault(row["user"], {})[row["query"]] = float(row["satisfaction"])
    pairs = [
        (np.mean(lists[q]), (s - min(of.values())) / (max(of.values()) - min(of.values())))
        for of in rated.values()
        for q, s in of.items()
    ]
    expected = stats.spearmanr(*zip(*pairs, strict=True)).statistic
    (found,) = [
        one
        for one in json.loads(out)["rows"]
        if (one["metric"], one["gain"], one["depth"]) == ("CG", "original", 1)
    ]
    assert found["spearman"] == pytest.approx(expected, abs=1e-9)


def test_queries_without_results_are_counted(call, study, tmp_path):
    """beta answers neither q5 nor q6, and q6 is not annotated with anything."""
    rows = [f"{query},one,{i}" for i, query in enumerate(("q1", "q2", "q3", "q4", "q5"))]
    (tmp_path / "s.csv").write_text("\n".join(["query,user,satisfaction", *rows]))
    asked = ("--study", study, "--system", "beta", "--satisfaction", tmp_path / "s.csv", "--rows", "1")
    code, out, err = call(*asked, "--json", "--resamples", "5")
    assert code == 0, err
    found = json.loads(out)
    assert found["n_queries"] == 4 and found["dropped"]["unanswered_queries"] == 1


def test_deep_and_wide_pages_are_looked_at_whole(call, tmp_path):
    """Ten rows of five: fifty images of each list of the sample."""
    rows = [f"SYN_{i:03d},one,{i % 4}" for i in range(1, 13)]
    (tmp_path / "s.csv").write_text("\n".join(["query,user,satisfaction", *rows]))
    asked = ("--study", "data", "--system", "hog", "--satisfaction", tmp_path / "s.csv", "--columns", "5")
    code, out, err = call(*asked, "--rows", "10", "--json", "--resamples", "5")
    assert code == 0, err
    assert json.loads(out)["dropped"]["short_queries"] == 0
