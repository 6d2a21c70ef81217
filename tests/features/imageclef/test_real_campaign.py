"""From real files to every table: a run of 2024 scored, ranked among 2017's tables, and concepts curated."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from evalcore.cli import run


@pytest.fixture
def pair(real_dir: Path) -> tuple[dict[str, str], dict[str, str]]:
    folder = real_dir / "imageclef" / "pair_2024_valid"
    return tuple(
        {row["ID"]: row["CUIs"] for row in csv.DictReader((folder / name).read_text().splitlines())}
        for name in ("ground_truth.csv", "run.csv")
    )


def f1(truth: str, predicted: str) -> float:
    true, own = set(truth.split(";")) - {""}, set(predicted.split(";")) - {""}
    return 2 * len(true & own) / (len(true) + len(own))


def test_a_real_run_in_the_tables_of_2017(pair, real_dir: Path, tmp_path: Path, capsys) -> None:
    truth, own = pair
    counted = [image for image in truth if truth[image]]
    expected = sum(f1(truth[image], own.get(image, "")) for image in counted) / len(counted)
    for name, rows in {"truth.txt": truth, "runs/AUEB__DET_run__external.txt": own}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        text = "".join(f"{image}\t{cuis.replace(';', ',')}\n" for image, cuis in rows.items())
        (tmp_path / name).write_text(text)
    asked = ["imageclef", "concepts", "--campaign", "--edition", "2017", "--json"]
    assert run([*asked, "--truth", str(tmp_path / "truth.txt"), "--run", str(tmp_path / "runs")]) == 0
    boards = json.loads(capsys.readouterr().out)["boards"]

    source = real_dir.parent / "spec/published_2017.csv"
    published = [row for row in csv.DictReader(source.read_text().splitlines()) if row["task"] == "concepts"]
    for name, external in {"Without": False, "With": True}.items():
        rows = boards[f"{name} external resources: all runs"]
        listed = [row for row in published if row["resources"].startswith("External") == external]
        assert sorted((r["team"], r["run"], r["score"]) for r in rows if r["published"]) == sorted(
            (r["team"], r["run"], float(r["score"])) for r in listed
        )
        mine = [row for row in rows if not row["published"]]
        if external:
            assert [row["team"] for row in mine] == ["AUEB"]
            assert mine[0]["score"] == pytest.approx(expected)
            assert mine[0]["rank"] == 1 + sum(float(row["score"]) > expected for row in listed)
        else:
            assert mine == []
