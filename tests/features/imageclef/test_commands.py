"""``imageclef``: JSON, exit codes, files it writes; published results of 2017 and a new run among them."""

from __future__ import annotations

import csv
import json
import re
import shlex
from importlib import resources

import pytest

from evalcore.cli import run
from evalcore.features.imageclef.editions import edition_of
from evalcore.features.imageclef.published import published_results
from tests.conftest import ROOT
from tests.features.imageclef.scored import table
from tests.study.made import write

FILES = {
    "truth.csv": "ID,CUIs\na,C0040405;C0817096\nb,C0041618\n",
    "good.csv": "ID,CUIs\na,C0040405\nb,C0041618\n",
    "bad.csv": "ID,CUIs\na.jpg,C0040405\nb,C0041618\n",
    "captions.csv": "ID,Caption\na,liver mass\nb,chest\n",
}
SIX = "ID,BERTScore,BERTScore recall,similarity,BLEURT,AlignScore,UMLS F1\n"
CONCEPTS = "concepts --truth truth.csv --run"
CAPTIONS = "captions --truth captions.csv --run captions.csv"


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """``imageclef`` of 2025 among the files: code and document, or what is printed."""
    monkeypatch.chdir(write(tmp_path, FILES))

    def call(words, *, edition="2025", document=True):
        code = run(["imageclef", *shlex.split(words), "--edition", edition, *["--json"] * document])
        out = capsys.readouterr().out
        return code, json.loads(out) if document else out

    return call


def test_a_folder_of_runs_is_one_table_with_intervals(call, tmp_path):
    write(tmp_path, {f"runs/{name}": FILES.get(name, "") for name in ("good.csv", "bad.csv", ".hidden")})
    code, document = call(f"{CONCEPTS} runs --baseline good.csv")
    bad, good = document["runs"]
    assert (code, good["run"], good["accepted"], bad["accepted"]) == (2, "good.csv", True, False)
    assert good["score"] == pytest.approx((2 / 3 + 1) / 2) and bad["score"] == 1 / 2  # the image a has no row
    first = bad["problems"][0]
    assert (first["line"], first["rule"], first["value"]) == (2, "unknown-id", "a.jpg")
    assert first["severity"] == "error" and "Write a (id without" in first["way_out"]
    assert (good["difference"], bad["baseline"]) == (None, "good.csv")
    assert bad["difference"] == pytest.approx(-1 / 3) and bad["ci_low"] <= bad["mean"] <= bad["ci_high"]


def test_captions_of_2025_are_ranked_by_values_that_can_be_brought_back(call, tmp_path):
    write(tmp_path, {"values.csv": SIX + "a,.5,.7,.9,.2,.4,.6\nb,.5,.7,.9,.2,.4,.6\n"})
    first = call(f"{CAPTIONS} --values values.csv --per-image i.csv")
    assert first == call(f"{CAPTIONS} --values i.csv")
    assert (first[0], first[1]["runs"][0]["ranked_by"]) == (0, "Overall")
    code, printed = call(CAPTIONS, document=False)
    assert code == 0
    assert "Overall, by which the task ranks: the mean of relevance (similarity, BERTScore recall" in printed
    assert "BERTScore is missing. Needs microsoft/deberta-xlarge-mnli" in printed
    assert printed.count("--metric-model bertscore runs it.") == 2, "of F1 and of recall"
    assert "Overall is missing. Needs similarity" in printed


def test_what_is_missing_is_named_run_by_run(call, tmp_path):
    values = {name: f"ID,{name}\na,1\nb,1\n" for name in ("UMLS F1", "AlignScore")}
    write(
        tmp_path, {"other.csv": FILES["captions.csv"], "one": values["UMLS F1"], "two": values["AlignScore"]}
    )
    _, printed = call(f"{CAPTIONS} --run other.csv --values one --values two", document=False)
    assert "Factuality is missing from captions.csv. Needs AlignScore." in printed
    assert "Factuality is missing from other.csv. Needs UMLS F1." in printed


def test_tables_for_people_name_five_problems_of_a_rule_and_count_the_rest(call, tmp_path):
    write(tmp_path, {"many.csv": FILES["good.csv"] + "".join(f"x{i},C0040405\n" for i in range(1_200))})
    code, printed = call(f"{CONCEPTS} many.csv --run bad.csv", document=False)
    lines = printed.splitlines()
    assert code == 2 and sum("no (unofficial)" in line for line in lines) == 2
    assert any("bad.csv:2: The image 'a.jpg' is not in the ground truth." in line for line in lines)
    assert sum("many.csv:" in line and "is not in the ground truth" in line for line in lines) == 5
    assert "many.csv: 1,195 more like this (unknown-id)." in lines


def test_runs_with_one_name_are_kept_apart_by_their_folders(call, tmp_path):
    write(tmp_path, {"team/good.csv": "ID,CUIs\na,C0040405\nb,C0000001\n"})
    for first, second in (("team/good.csv", "good.csv"), ("good.csv", "team/good.csv")):
        _, document = call(f"{CONCEPTS} {first} --run {second} --run {first}")
        means = {row["run"]: row["mean"] for row in document["runs"]}
        assert list(means) == [first, second]
        assert means == {"good.csv": pytest.approx(5 / 6), "team/good.csv": pytest.approx(1 / 3)}


def test_a_name_that_the_edition_asks_for_is_that_of_the_file(call, tmp_path):
    rows = "a\tC0040405\nb\tC0041618\n"
    write(tmp_path, {"truth.tsv": rows, "one/DET_x": rows, "two/DET_x": rows})
    words = "concepts --truth truth.tsv --run one/DET_x --run two/DET_x"
    code, document = call(words, edition="2017")
    assert (code, [row["problems"] for row in document["runs"]]) == (0, [[], []])


@pytest.mark.parametrize(("task", "n", "teams"), [("concepts", 38, 9), ("captions", 34, 5)])
def test_the_published_tables_are_complete_and_in_order(task, n, teams):
    # Counted on the task's page of 2017.
    rows = published_results(edition_of(task, "2017"))
    assert (len(rows), len({row.team for row in rows})) == (n, teams)
    assert all(row.source == "ImageCLEFcaption 2017 task page, results" for row in rows)
    assert all(row.team and row.run and row.resources and row.run_type for row in rows)
    assert [row.score for row in rows] == sorted((row.score for row in rows), reverse=True)


def test_the_table_is_the_one_that_was_read_from_the_page(real_dir):
    bundled = resources.files("evalcore.features.imageclef").joinpath("published_2017.csv").read_bytes()
    assert bundled == (real_dir.parent / "spec/published_2017.csv").read_bytes()


def test_real_runs_in_the_tables(real_dir, tmp_path, call):
    """A run of 2024 and its truth in the form of 2017, by the command of the page that redoes the tables."""

    def cells(name):
        rows = csv.DictReader((real_dir / "imageclef/pair_2024_valid" / name).read_text().splitlines())
        return {row["ID"]: row["CUIs"].replace(";", ",") for row in rows}

    truth, own = cells("ground_truth.csv"), cells("run.csv")
    places = {"truth/concepts.csv": truth, "concepts/DET_run": own, "concepts/DET_truth": truth}
    write(tmp_path, {place: table(rows, "\t") for place, rows in places.items()})
    page = (ROOT / "docs/papers/imageclef-2017.md").read_text("utf-8")
    (words,) = re.findall(r"^cuiscope imageclef (concepts .+ --run concepts)$", page, flags=re.M)
    assert "published" not in call(words, edition="2018")[1]
    code, document = call(words, edition="2017")
    pairs = [({*truth[i].split(",")}, {*own.get(i, "").split(",")} - {""}) for i in truth if truth[i]]
    f1 = sum(2 * len(t & o) / (len(t) + len(o)) for t, o in pairs) / len(pairs)
    expected = {"DET_run": pytest.approx(f1, rel=1e-12), "DET_truth": 1.0}
    assert code == 0 and {row["run"]: row["mean"] for row in document["runs"]} == expected
    rows = document["published"]["rows"]
    assert {row["run"]: row["score"] for row in rows if not row["published"]} == expected
    for ranking in ("without external resources", "with external resources", "unknown resources"):
        ranked = [row for row in rows if row["ranking"] == ranking]
        assert [row["score"] for row in ranked] == sorted((row["score"] for row in ranked), reverse=True)
        assert {row["run"] for row in ranked if not row["published"]} == set(expected)
