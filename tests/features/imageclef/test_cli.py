"""``imageclef``: JSON, exit codes, files it writes, options that cannot matter."""

from __future__ import annotations

import csv
import json
import zipfile

import numpy as np
import pytest

from evalcore.cli import run


@pytest.fixture
def files(tmp_path):
    (tmp_path / "truth.csv").write_text("ID,CUIs\na,C0040405;C0817096\nb,C0041618\n")
    (tmp_path / "good.csv").write_text("ID,CUIs\na,C0040405\nb,C0041618\n")
    (tmp_path / "bad.csv").write_text("ID,CUIs\na.jpg,C0040405\nb,C0041618\n")
    return tmp_path


def ask(capsys, *words: str) -> tuple[int, dict]:
    code = run(["imageclef", "concepts", "--edition", "2025", *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_json_of_accepted_and_rejected_runs(files, capsys) -> None:
    code, found = ask(
        capsys, "--truth", f"{files}/truth.csv", "--run", f"{files}/good.csv", "--run", f"{files}/bad.csv"
    )
    assert code == 2
    assert (found["edition"], found["task"]) == ("2025", "concepts")
    good, bad = found["runs"]
    assert (good["run"], good["accepted"], good["n_images"], good["n_ignored"]) == ("good.csv", True, 2, 0)
    assert good["score"] == pytest.approx((2 / 3 + 1) / 2)
    assert good["problems"] == []
    assert bad["accepted"] is False
    assert bad["score"] == 1 / 2  # the image a has no row
    assert bad["problems"][0] | {"message": ""} == {
        "line": 2,
        "rule": "unknown-id",
        "value": "a.jpg",
        "message": "",
        "official_rejects": True,
    }
    assert "Write a (id without" in bad["problems"][0]["message"]
    (comparison,) = found["comparisons"]
    assert (comparison["baseline"], comparison["run"]) == ("good.csv", "bad.csv")
    assert comparison["difference"] == pytest.approx(-1 / 3)


def test_exit_code_0_and_per_image(files, capsys) -> None:
    code, _ = ask(
        capsys,
        "--truth",
        f"{files}/truth.csv",
        "--run",
        f"{files}/good.csv",
        "--per-image",
        f"{files}/out.csv",
    )
    assert code == 0
    rows = list(csv.DictReader((files / "out.csv").read_text().splitlines()))
    assert [(row["image"], float(row["f1"])) for row in rows] == [("a", pytest.approx(2 / 3)), ("b", 1.0)]


def test_a_folder_of_runs_is_one_table_with_intervals(files, capsys) -> None:
    (files / "runs").mkdir()
    for name in ("good.csv", "bad.csv"):
        (files / name).rename(files / "runs" / name)
    (files / "runs" / ".hidden").write_text("")
    code, found = ask(capsys, "--truth", f"{files}/truth.csv", "--run", f"{files}/runs")
    assert code == 2
    assert [one["run"] for one in found["runs"]] == ["bad.csv", "good.csv"]
    assert [(row["run"], row["n"]) for row in found["intervals"]] == [("bad.csv", 2), ("good.csv", 2)]
    (files / "none").mkdir()
    assert concepts(files, "none") == 2
    assert "none contains no files. Give a folder of runs." in capsys.readouterr().err


def test_tables_for_people(files, capsys) -> None:
    code = run(
        [
            "imageclef",
            "concepts",
            "--edition",
            "2025",
            "--truth",
            f"{files}/truth.csv",
            "--run",
            f"{files}/bad.csv",
        ]
    )
    text = capsys.readouterr().out
    assert code == 2
    assert "no (unofficial)" in text
    assert "bad.csv:2: The image 'a.jpg' is not in the ground truth." in text


@pytest.mark.parametrize("truth", ["", "ID,CUIs\n", "ID,CUIs\na\n"])
def test_a_truth_that_cannot_be_used(files, capsys, truth: str) -> None:
    (files / "truth.csv").write_text(truth)
    code = run(
        [
            "imageclef",
            "concepts",
            "--edition",
            "2025",
            "--truth",
            f"{files}/truth.csv",
            "--run",
            f"{files}/good.csv",
        ]
    )
    assert code == 2
    assert "The ground truth truth.csv cannot be used." in capsys.readouterr().err


def test_best_and_worst_concepts(tmp_path, capsys) -> None:
    images = [f"i{k}" for k in range(6)]
    truth = "".join(f"{i},C0000001;C0000002\n" for i in images)
    (tmp_path / "truth.csv").write_text(truth)
    (tmp_path / "run.csv").write_text("".join(f"{i},C0000001\n" for i in images))
    (tmp_path / "names.csv").write_text("cui,name\nC0000002,Mass\n")
    words = [
        "--truth",
        f"{tmp_path}/truth.csv",
        "--run",
        f"{tmp_path}/run.csv",
        "--names",
        f"{tmp_path}/names.csv",
        "--per-concept",
        f"{tmp_path}/c.csv",
    ]
    code, found = ask(capsys, *words)
    (one,) = found["runs"]
    assert code == 0
    assert [c["cui"] for c in one["best_concepts"]] == ["C0000001", "C0000002"]
    assert one["worst_concepts"][0] == {
        "cui": "C0000002",
        "name": "Mass",
        "f1": 0.0,
        "precision": None,
        "recall": 0.0,
        "hits": 0,
        "wrong": 0,
        "missed": 6,
    }
    rows = list(csv.DictReader((tmp_path / "c.csv").read_text().splitlines()))
    assert [(row["cui"], row["name"], row["precision"], row["missed"]) for row in rows] == [
        ("C0000001", "", "1.0", "0"),
        ("C0000002", "Mass", "", "6"),
    ]
    assert run(["imageclef", "concepts", "--edition", "2025", *words]) == 0
    assert "the highest F1 among those of 5 images or more" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("task", "edition", "option", "because"),
    [
        ("concepts", "2022", ("--manual", "truth.csv"), "has no manually checked truth"),
        ("concepts", "2025", ("--alpha", "0.3"), "it acts on nn-F1, which needs --graph"),
        ("concepts", "2025", ("--count-rule", "pairs"), "it acts on nn-F1, which needs --graph"),
        ("captions", "2022", ("--nltk", "modern"), "the BLEU of 2022 does not depend on it"),
        ("captions", "2025", ("--device", "cpu"), "no --metric-model is run"),
        ("captions", "2025", ("--images", "."), "only medimageinsight uses pictures"),
        ("captions", "2025", ("--truth-concepts", "truth.csv"), "UMLS F1 needs --run-concepts too"),
        ("captions", "2025", ("--run-concepts", "truth.csv"), "UMLS F1 needs --truth-concepts too"),
        (
            "captions",
            "2025",
            ("--image-embeddings", "x.npz"),
            "the similarity needs --caption-embeddings too",
        ),
    ],
)
def test_options_that_cannot_matter_are_refused_by_name(
    files, capsys, task: str, edition: str, option: tuple[str, str], because: str
) -> None:
    words = ["imageclef", task, "--edition", edition, "--truth", f"{files}/truth.csv"]
    assert run([*words, "--run", f"{files}/good.csv", *option]) == 2
    said = capsys.readouterr().err
    assert f"{option[0]} has no use here: " in said and because in said


def test_a_file_of_values_counts_before_a_model(tmp_path, capsys, monkeypatch) -> None:
    (tmp_path / "truth.csv").write_text("ID,Caption\na,Chest nodule\n")
    (tmp_path / "run.csv").write_text("ID,Caption\na,Chest\n")
    (tmp_path / "scores.csv").write_text("ID,BLEURT\na,0.5\n")
    by_model = {"BLEURT": np.array([0.1]), "AlignScore": np.array([0.2])}
    monkeypatch.setattr(
        "evalcore.features.imageclef.scoring.model_values",
        lambda _chosen, _truth, runs, **_: dict.fromkeys(runs, by_model),
    )
    words = ["--truth", f"{tmp_path}/truth.csv", "--run", f"{tmp_path}/run.csv", "--metric-model", "bleurt"]
    assert (
        run(
            [
                "imageclef",
                "captions",
                "--edition",
                "2025",
                *words,
                "--values",
                f"{tmp_path}/scores.csv",
                "--json",
            ]
        )
        == 0
    )
    metrics = json.loads(capsys.readouterr().out)["runs"][0]["metrics"]
    assert (metrics["BLEURT"], metrics["AlignScore"]) == (0.5, 0.2)


def concepts(files, *runs: str) -> int:
    chosen = [word for name in runs for word in ("--run", f"{files}/{name}")]
    truth = ("--truth", f"{files}/truth.csv")
    return run(["imageclef", "concepts", "--edition", "2025", *truth, *chosen])


def test_swapped_columns_are_one_problem(files, capsys) -> None:
    swapped = "ID,CUIs\nC0040405;C0817096,a\nC0041618,b\n"
    (files / "swapped.csv").write_text(swapped)
    code, found = ask(capsys, "--truth", f"{files}/truth.csv", "--run", f"{files}/swapped.csv")
    (one,) = found["runs"]
    assert code == 2 and [(p["rule"], p["line"]) for p in one["problems"]] == [("swapped-columns", 2)]
    assert one["score"] == 1


def test_of_a_problem_that_is_repeated_five_are_printed_and_the_rest_counted(files, capsys) -> None:
    rows = "".join(f"x{i},C0040405\n" for i in range(1_200))
    (files / "many.csv").write_text((files / "good.csv").read_text() + rows)
    assert concepts(files, "many.csv") == 2
    lines = capsys.readouterr().out.splitlines()
    assert sum("is not in the ground truth" in line for line in lines) == 5
    assert "many.csv: 1,195 more of the same kind (unknown-id); --json lists them." in lines


def test_a_zip_of_two_files_has_one_reason(files, capsys) -> None:
    with zipfile.ZipFile(files / "two.zip", "w") as archive:
        archive.writestr("a.csv", "ID,CUIs\n")
        archive.writestr("b.csv", "ID,CUIs\n")
    code, found = ask(capsys, "--truth", f"{files}/truth.csv", "--run", f"{files}/two.zip")
    (one,) = found["runs"]
    assert code == 2 and [problem["rule"] for problem in one["problems"]] == ["zip"]


def test_captions_of_2025_are_ranked_by_relevance_and_factuality(files, capsys) -> None:
    (files / "true.csv").write_text("ID,Caption\na,liver mass\nb,chest\n")
    (files / "values.csv").write_text(
        "ID,BERTScore,BERTScore recall,similarity,BLEURT,AlignScore,UMLS F1\n"
        "a,0.5,0.7,0.9,0.2,0.4,0.6\nb,0.5,0.7,0.9,0.2,0.4,0.6\n"
    )
    words = ["imageclef", "captions", "--edition", "2025", "--truth", f"{files}/true.csv"]
    words += ["--run", f"{files}/true.csv", "--values", f"{files}/values.csv"]
    assert run([*words, "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["runs"]
    # ROUGE-1 is 1: the captions are the true ones.
    overall = ((0.9 + 0.7 + 1 + 0.2) / 4 + (0.6 + 0.4) / 2) / 2
    assert (one["ranked_by"], one["ranking_score"]) == ("overall", pytest.approx(overall))
    assert one["score"] == pytest.approx(2.4 / 3)
    assert run(words) == 0
    printed = capsys.readouterr().out
    assert {"overall", "score"} <= set(printed.splitlines()[0].split())
    assert "(UMLS F1, AlignScore), by which the task ranks" in printed


def test_a_no_break_space_is_no_control_character(files, capsys) -> None:
    (files / "true.csv").write_text("ID,Caption\na,liver mass\nb,chest\n")
    (files / "spaced.csv").write_text("ID,Caption\na,liver\N{NO-BREAK SPACE}mass\nb,che\x07st\n")
    words = ["imageclef", "captions", "--edition", "2025", "--truth", f"{files}/true.csv"]
    run([*words, "--run", f"{files}/spaced.csv", "--json"])
    (one,) = json.loads(capsys.readouterr().out)["runs"]
    assert [(p["rule"], p["line"]) for p in one["problems"]] == [("special-character", 3)]
