"""From real files to every table: a run of 2024 scored, ranked among 2017's tables, and concepts curated."""

from __future__ import annotations

import csv
import json
from collections import Counter
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


def test_curation_of_real_concepts(pair, tmp_path: Path, capsys) -> None:
    truth, _ = pair
    (tmp_path / "study").mkdir()
    lines = "".join(f"{image},{cuis}\n" for image, cuis in truth.items())
    (tmp_path / "study" / "concepts.csv").write_text(f"ID,CUIs\n{lines}")
    (tmp_path / "rules.toml").write_text('min_images = 10\nblacklist = ["C0040405"]\n')
    before = Counter(cui for cuis in truth.values() for cui in set(cuis.split(";")) - {""})
    kept = {cui: n for cui, n in before.items() if n >= 10 and cui != "C0040405"}
    out = tmp_path / "new.csv"
    asked = ["check", str(tmp_path / "study"), str(tmp_path / "rules.toml"), str(out), "--json"]
    assert run(asked) == 0
    steps = {row["rule"]: row for row in json.loads(capsys.readouterr().out)["steps"]}
    assert steps["before"]["concepts"] == len(before)
    assert steps["blacklist"]["removed_occurrences"] == before["C0040405"] > 100
    assert (steps["too rare"]["concepts"], steps["too rare"]["occurrences"]) == (
        len(kept),
        sum(kept.values()),
    )
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert Counter(cui for row in rows for cui in row["CUIs"].split(";") if cui) == kept
