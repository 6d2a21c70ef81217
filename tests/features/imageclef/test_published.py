"""Published results of 2017: facts with a source, and a new run among them."""

from __future__ import annotations

import csv
import json
import re
import shlex
from importlib.resources import files
from pathlib import Path

import pytest

from evalcore.cli import run
from evalcore.features.imageclef.editions import edition_of
from evalcore.features.imageclef.published import published_results
from tests.study.made import write

PAGE = Path(__file__).resolve().parents[3] / "docs/papers/imageclef-2017.md"


@pytest.mark.parametrize(("task", "n", "teams"), [("concepts", 38, 9), ("captions", 34, 5)])
def test_the_tables_of_the_page_are_complete_and_in_order(task, n, teams):
    # Counted on the task's page of 2017.
    rows = published_results(edition_of(task, "2017"))
    assert (len(rows), len({row.team for row in rows})) == (n, teams)
    assert all(row.source == "ImageCLEFcaption 2017 task page, results" for row in rows)
    assert all(row.team and row.run and row.resources and row.run_type for row in rows)
    assert [row.score for row in rows] == sorted((row.score for row in rows), reverse=True)


def test_the_table_is_the_one_that_was_read_from_the_page(real_dir):
    bundled = files("evalcore.features.imageclef").joinpath("published_2017.csv").read_bytes()
    assert bundled == (real_dir.parent / "spec/published_2017.csv").read_bytes()


def test_only_2017_has_published_results(tmp_path, capsys):
    (tmp_path / "truth").write_text("a\tC0000001,C0000002\nb\tC0000003\n")
    (tmp_path / "DET_mine").write_text("a\tC0000001\nb\tC0000009\n")
    words = ["imageclef", "concepts", "--truth", f"{tmp_path}/truth", "--run", f"{tmp_path}/DET_mine"]
    assert run([*words, "--edition", "2017"]) == 0
    assert capsys.readouterr().out.count("ImageCLEFcaption 2017 task page, results") == 38
    run([*words, "--edition", "2018", "--json"])
    assert "published" not in json.loads(capsys.readouterr().out)


# The page that redoes the tables of 2017: its command with real files in place of its examples.


def test_real_runs_in_the_tables(real_dir, tmp_path, monkeypatch, capsys):
    """A run of 2024 and its truth in the form of 2017, among the published results."""
    monkeypatch.chdir(tmp_path)
    folder = real_dir / "imageclef" / "pair_2024_valid"
    truth, own = (
        {
            row["ID"]: row["CUIs"].replace(";", ",")
            for row in csv.DictReader((folder / name).read_text().splitlines())
        }
        for name in ("ground_truth.csv", "run.csv")
    )
    for name, rows in (
        ("truth/concepts.csv", truth),
        ("concepts/DET_run", own),
        ("concepts/DET_truth", truth),
    ):
        text = "".join(f"{image}\t{content}\n" for image, content in rows.items())
        write(tmp_path, {name: text})
    (command,) = re.findall(
        r"^cuiscope (imageclef concepts .+ --run concepts)$", PAGE.read_text("utf-8"), flags=re.M
    )
    assert run([*shlex.split(command), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    counted = [image for image in truth if truth[image]]
    pairs = [(set(truth[i].split(",")), set(own.get(i, "").split(",")) - {""}) for i in counted]
    f1 = sum(2 * len(t & o) / (len(t) + len(o)) for t, o in pairs) / len(pairs)
    expected = {"DET_run": pytest.approx(f1, rel=1e-12), "DET_truth": 1.0}
    assert {row["run"]: row["mean"] for row in document["runs"]} == expected
    rows = document["published"]["rows"]
    assert {row["run"]: row["score"] for row in rows if not row["published"]} == expected
    for ranking in ("without external resources", "with external resources", "unknown resources"):
        ranked = [row for row in rows if row["ranking"] == ranking]
        assert [row["score"] for row in ranked] == sorted((row["score"] for row in ranked), reverse=True)
        assert {row["run"] for row in ranked if not row["published"]} == set(expected)
