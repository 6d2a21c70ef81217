"""``imageclef``: JSON, exit codes, files it writes, options that cannot matter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evalcore.cli import run
from tests.study.made import write

FILES = {
    "truth.csv": "ID,CUIs\na,C0040405;C0817096\nb,C0041618\n",
    "good.csv": "ID,CUIs\na,C0040405\nb,C0041618\n",
    "bad.csv": "ID,CUIs\na.jpg,C0040405\nb,C0041618\n",
    "captions.csv": "ID,Caption\na,liver mass\nb,chest\n",
}
SIX = "ID,BERTScore,BERTScore recall,similarity,BLEURT,AlignScore,UMLS F1\n"


@pytest.fixture
def files(tmp_path):
    return write(tmp_path, FILES)


def words(files: Path, task: str, *runs: str, **options: str) -> list[str]:
    """``imageclef`` of 2025 with these files."""
    truth = "captions.csv" if task == "captions" else "truth.csv"
    result = ["imageclef", task, "--edition", "2025", "--truth", f"{files}/{truth}"]
    result += [word for name in runs for word in ("--run", f"{files}/{name}")]
    for option, name in options.items():
        result += [f"--{option.replace('_', '-')}", f"{files}/{name}"]
    return result


def answer(capsys, command: list[str]) -> tuple[int, dict]:
    code = run([*command, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_folder_of_runs_is_one_table_with_intervals(files, capsys):
    write(files, {"runs/good.csv": FILES["good.csv"], "runs/bad.csv": FILES["bad.csv"], "runs/.hidden": ""})
    code, document = answer(capsys, [*words(files, "concepts", "runs"), "--baseline", "good.csv"])
    assert (code, document["edition"], document["task"]) == (2, "2025", "concepts")
    bad, good = document["runs"]
    assert (good["run"], good["accepted"], good["n_images"], good["n_ignored"]) == ("good.csv", True, 2, 0)
    assert good["score"] == pytest.approx((2 / 3 + 1) / 2) and good["problems"] == []
    assert (bad["accepted"], bad["score"]) == (False, 1 / 2)  # the image a has no row
    first = bad["problems"][0]
    assert (first["line"], first["rule"], first["value"]) == (2, "unknown-id", "a.jpg")
    assert first["official_rejects"] and "Write a (id without" in first["message"]
    assert (good["difference"], bad["baseline"]) == (None, "good.csv")
    assert bad["difference"] == pytest.approx(-1 / 3) and bad["ci_low"] <= bad["mean"] <= bad["ci_high"]
    (files / "none").mkdir()
    assert run(words(files, "concepts", "none")) == 2
    assert "none contains no files. Give a folder of runs." in capsys.readouterr().err
    assert run([*words(files, "concepts", "runs"), "--baseline", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err


def test_captions_of_2025_are_ranked_by_values_that_can_be_brought_back(files, capsys):
    (files / "values.csv").write_text(SIX + "a,.5,.7,.9,.2,.4,.6\nb,.5,.7,.9,.2,.4,.6\n")
    captions = words(files, "captions", "captions.csv")
    first = answer(capsys, words(files, "captions", "captions.csv", values="values.csv", per_image="i.csv"))
    assert first == answer(capsys, [*captions, "--values", f"{files}/i.csv"])
    code, (row,) = first[0], first[1]["runs"]
    assert (code, row["ranked_by"]) == (0, "Overall") and run(captions) == 0
    printed = capsys.readouterr().out
    assert "Overall, by which the task ranks: the mean of relevance (similarity, BERTScore recall" in printed
    assert "BERTScore is missing. Needs microsoft/deberta-xlarge-mnli" in printed
    assert "Overall is missing. Needs similarity" in printed


def test_tables_for_people_name_five_problems_of_a_rule_and_count_the_rest(files, capsys):
    rows = "".join(f"x{i},C0040405\n" for i in range(1_200))
    (files / "many.csv").write_text((files / "good.csv").read_text() + rows)
    assert run(words(files, "concepts", "many.csv", "bad.csv")) == 2
    lines = capsys.readouterr().out.splitlines()
    assert sum("no (unofficial)" in line for line in lines) == 2
    assert any("bad.csv:2: The image 'a.jpg' is not in the ground truth." in line for line in lines)
    assert sum("many.csv:" in line and "is not in the ground truth" in line for line in lines) == 5
    assert "many.csv: 1,195 more of the same kind (unknown-id); --json lists them." in lines


@pytest.mark.parametrize(
    ("task", "edition", "option", "because"),
    [
        ("concepts", "2022", ("--manual", "truth.csv"), "has no manually checked truth"),
        ("captions", "2025", ("--device", "cpu"), "no --metric-model is run"),
        ("captions", "2025", ("--images", "."), "only medimageinsight uses pictures"),
        ("captions", "2025", ("--truth-concepts", "truth.csv"), "UMLS F1 needs --run-concepts too"),
        ("captions", "2025", ("--run-concepts", "truth.csv"), "UMLS F1 needs --truth-concepts too"),
    ],
)
def test_options_that_cannot_matter_are_refused_by_name(files, capsys, task, edition, option, because):
    command = words(files, task, "good.csv")
    command[3] = edition
    assert run([*command, *option]) == 2
    message = capsys.readouterr().err
    assert f"{option[0]} has no use here: " in message and because in message
