"""``satisfaction --paper FOLDER``: the tables and figures of the paper as files, from real ratings."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from evalcore.cli import run

TABLES = {"table-1.csv", "table-2.csv", "table-3.csv", "figure-3.csv"}


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def test_tables_and_figures_of_real_ratings(real_dir, tmp_path, monkeypatch, capsys):
    """Numbers beside those that numpy and scipy compute from the files themselves."""
    monkeypatch.setenv("BROWSER_PATH", "no-browser")
    files = [real_dir / "satisfaction" / name for name in ("relevance.csv", "satisfaction.csv")]
    words = ["satisfaction", "--lists", files[0], "--satisfaction", files[1], "--scale", "0:3"]
    words += ["--rows", "10", "--resamples", "20", "--paper", f"{tmp_path / 'paper'}"]
    assert run(list(map(str, words))) == 0
    assert "Wrote 4 tables and 0 figures" in (message := capsys.readouterr().err)
    assert "BROWSER_PATH" in message
    assert {path.name for path in (tmp_path / "paper").iterdir()} == TABLES

    shown, rated = rows_of(files[0]), rows_of(files[1])
    (sizes,) = rows_of(tmp_path / "paper" / "table-1.csv")
    tasks = {(row["user"], row["task"]) for row in rated}
    assert [int(sizes[name]) for name in ("n_sessions", "n_users", "n_queries", "n_images")] == [
        len(tasks),
        len({row["user"] for row in rated}),
        len({row["query"] for row in rated}),
        len(shown),
    ]
    lists: dict[str, list[float]] = defaultdict(list)
    for row in sorted(shown, key=lambda row: int(row["position"])):
        lists[row["query"]].append(int(row["relevance"]) / 3)
    by_user: dict[str, list[float]] = defaultdict(list)
    for row in rated:
        by_user[row["user"]].append(float(row["satisfaction"]))
    target = {
        row["query"]: (float(row["satisfaction"]) - min(own)) / (max(own) - min(own))
        for row in rated
        for own in [by_user[row["user"]]]
    }
    queries = list(target)
    for dot in rows_of(tmp_path / "paper" / "figure-3.csv"):
        r = lists[dot["query"]][:5]
        best = np.maximum.accumulate(r)
        beside = np.where(best > 0, np.square(r) / np.maximum(best, 1e-9), 0)
        values = np.mean(r), np.std(r), np.std(beside), target[dot["query"]]
        names = ("mean", "standard_deviation", "standard_deviation_beside_better", "satisfaction")
        assert [float(dot[name]) for name in names] == pytest.approx(values, abs=1e-12)
    rho = stats.spearmanr([max(lists[q]) for q in queries], [target[q] for q in queries]).statistic
    (best_image,) = (r for r in rows_of(tmp_path / "paper" / "table-3.csv") if r["metric"] == "MAX")
    assert float(best_image["original"]) == pytest.approx(rho, abs=1e-12)


@pytest.mark.nightly
def test_figures_are_drawn_for_print(real_dir, tmp_path):
    files = [real_dir / "satisfaction" / name for name in ("relevance.csv", "satisfaction.csv")]
    words = ["satisfaction", "--lists", str(files[0]), "--satisfaction", str(files[1])]
    words += ["--rows", "5", "--resamples", "20"]
    assert run([*words, "--paper", f"{tmp_path}"]) == 0
    assert run([*words, "--windows", "1:3", "--paper", f"{tmp_path}"]) == 0
    drawn = {path.stem: path.read_text() for path in tmp_path.glob("*.svg")}
    assert set(drawn) == {"figure-3a", "figure-3b", "table-2", "table-3", "windows"}
    assert all(text.startswith("<svg") for text in drawn.values())


@pytest.fixture
def call(capsys, tmp_path):
    """The command on three people, five queries each, three images in two rows."""
    rng = np.random.default_rng(0)
    lists, rated = ["query,position,row,relevance"], ["query,user,satisfaction,task"]
    for user in "abc":
        for i in range(5):
            values = rng.integers(0, 4, 3)
            lists += [f"{user}{i},{k},{1 + k // 3},{v}" for k, v in enumerate(values, start=1)]
            rated.append(f"{user}{i},{user},{1 + i % 2 + values[0]},t")
    (tmp_path / "r.csv").write_text("\n".join(lists) + "\n")
    (tmp_path / "s.csv").write_text("\n".join(rated) + "\n")
    files = ["--lists", str(tmp_path / "r.csv"), "--satisfaction", str(tmp_path / "s.csv")]

    def call(*words):
        code = run(["satisfaction", *files, "--rows", "1,2", "--resamples", "20", *words])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return call


def test_what_is_printed(call):
    code, out, _ = call("--seed", "7", "--windows", "1:3")
    assert code == 0
    for words in (
        "15 queries of 3 participants",
        "20 resamples of participants, each with all of their queries, seed 7",
        "two-sided test of Williams",
        "Shao et al. 2019",
        "Agreement runs from",
        "Intervals from fewer than 20 participants are too narrow",
    ):
        assert words in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--windows", "p=1:3"], "not a list of whole numbers"),
        (["--windows", "0:3"], "whole numbers of images"),
        (["--lists", "none.csv"], "none.csv cannot be read"),
        (["--rows", "0"], "whole numbers of rows"),
        (["--rows", "50"], "No query is left of 15"),
        (["--scale", "3:0"], "0 <= LOW < HIGH"),
        (["--scale", "0:2"], "is off the scale: from 0 to 2"),
        *(
            (["--scale", text], "is no scale such as 0:3")
            for text in ("3", "a:b", "0:inf", "0:", ":3", "1:2:3")
        ),
    ],
)
def test_refusals(call, words, says):
    code, out, err = call(*words)
    assert (code, out) == (2, "") and says in err
