"""``satisfaction``: what is printed and refused, and the tables and figures of the paper as files."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from evalcore.cli import run


@pytest.mark.nightly
def test_figures_are_drawn_for_print(call, tmp_path):
    assert call("--windows", "1:3", "--paper", f"{tmp_path}")[0] == 0
    drawn = {path.stem: path.read_text() for path in tmp_path.glob("*.svg")}
    assert set(drawn) == {"figure-3a", "figure-3b", "table-2", "table-3", "windows"}
    assert all(text.startswith("<svg") for text in drawn.values())


@pytest.fixture
def call(capsys, tmp_path):
    """The command on three people, eight queries each, three images in two rows."""
    rng = np.random.default_rng(0)
    lists, rated = ["query,position,row,relevance"], ["query,user,satisfaction,task"]
    for user in "abc":
        for i in range(8):
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


def test_tables_of_the_paper_without_a_browser(call, tmp_path, monkeypatch):
    monkeypatch.setenv("BROWSER_PATH", "no-browser")
    code, _, err = call("--paper", f"{tmp_path / 'paper'}")
    assert code == 0 and "Wrote 4 tables and 0 figures" in err and "BROWSER_PATH" in err
    files = (tmp_path / "paper").iterdir()
    tables = {path.stem: list(csv.DictReader(path.read_text().splitlines())) for path in files}
    lengths = {"table-1": 1, "table-2": 24, "table-3": 12, "figure-3": 24}
    assert {name: len(rows) for name, rows in tables.items()} == lengths
    assert tables["table-1"][0]["n_judgments"] == "72" and tables["table-3"][0]["original_p"]


def test_what_is_printed(call):
    code, out, _ = call("--seed", "7", "--windows", "1:3")
    assert code == 0
    for words in (
        "24 queries of 3 participants",
        "20 resamples of participants, each with all of their queries, seed 7",
        "two-sided test of Williams",
        "Shao et al. 2019",
        "* p < .05 for no correlation",
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
        (["--rows", "50"], "No query is left of 24"),
        (["--scale", "3:0"], "0 <= LOW < HIGH"),
        (["--scale", "0:2"], "is off the scale: from 0 to 2"),
    ],
)
def test_refusals(call, words, says):
    code, out, err = call(*words)
    assert (code, out) == (2, "") and says in err
