"""The page that redoes the tables of 2017: its commands with real files in place of its examples."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path

import pytest

from evalcore.cli import run

PAGE = Path(__file__).resolve().parents[3] / "docs/how-to/redo-imageclef-2017.md"


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of somebody who follows the page."""
    monkeypatch.chdir(tmp_path)
    for folder in ("truth", "concepts", "captions"):
        (tmp_path / folder).mkdir()
    return tmp_path


def scored(task: str, capsys: pytest.CaptureFixture[str]) -> dict:
    """What the page's own command for a task gives."""
    text = PAGE.read_text("utf-8")
    (command,) = re.findall(rf"^cuiscope (imageclef {task} .+ --run {task})$", text, flags=re.M)
    assert run([*shlex.split(command), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def published(real_dir: Path, task: str) -> list[dict[str, str]]:
    source = (real_dir.parent / "spec/published_2017.csv").read_text()
    return [row for row in csv.DictReader(source.splitlines()) if row["task"] == task]


def write(path: str, rows: dict[str, str]) -> None:
    Path(path).write_text("".join(f"{image}\t{content}\n" for image, content in rows.items()))


def in_place(found: dict, own: dict[str, float], listed: list[dict[str, str]]) -> None:
    """The runs are where their scores belong among the rows of the task's page."""
    rows = found["published"]["rows"]
    assert sorted(
        (r["team"], r["run"], r["score"], r["resources"]) for r in rows if r["published"]
    ) == sorted((r["team"], r["run"], float(r["score"]), r["resources"]) for r in listed)
    for ranking in ("without external resources", "with external resources", "unknown resources"):
        ranked = [row for row in rows if row["ranking"] == ranking]
        assert [row["score"] for row in ranked] == sorted((row["score"] for row in ranked), reverse=True)
        assert {row["run"] for row in ranked if not row["published"]} == set(own)
    scores = {row["run"]: row["score"] for row in rows if not row["published"]}
    assert scores == pytest.approx(own, rel=1e-12)
    assert {one["run"]: one["mean"] for one in found["intervals"]} == pytest.approx(own, rel=1e-12)


@pytest.mark.usefixtures("reader")
def test_real_runs_in_the_tables(real_dir: Path, capsys) -> None:
    """A run of 2024 and its truth in the form of 2017, among the published results."""
    folder = real_dir / "imageclef" / "pair_2024_valid"
    truth, own = (
        {
            row["ID"]: row["CUIs"].replace(";", ",")
            for row in csv.DictReader((folder / name).read_text().splitlines())
        }
        for name in ("ground_truth.csv", "run.csv")
    )
    write("truth/concepts.csv", truth)
    write("concepts/DET_run.txt", own)
    write("concepts/DET_truth.txt", truth)
    counted = [image for image in truth if truth[image]]
    pairs = [(set(truth[i].split(",")), set(own.get(i, "").split(",")) - {""}) for i in counted]
    f1 = sum(2 * len(t & o) / (len(t) + len(o)) for t, o in pairs) / len(pairs)
    in_place(
        scored("concepts", capsys), {"DET_run.txt": f1, "DET_truth.txt": 1.0}, published(real_dir, "concepts")
    )


@pytest.mark.usefixtures("reader")
def test_captions_with_values_of_the_official_script(real_dir: Path, spec_golden: dict, capsys) -> None:
    """A participant's way: captions whose BLEU the script of 2017 gave, in their place in the table."""
    golden = spec_golden["D_bleu_pipeline"]
    pairs = [pair.split(" ||| ") for pair in golden]
    write("truth/captions.csv", {f"i{n}": truth for n, (truth, _) in enumerate(pairs)})
    write("captions/PRED_first.txt", {f"i{n}": own for n, (_, own) in enumerate(pairs)})
    expected = sum(one["bleu_322"] for one in golden.values()) / len(golden)
    in_place(scored("captions", capsys), {"PRED_first.txt": expected}, published(real_dir, "captions"))
