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
EVERY = "external resources: all runs"


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of somebody who follows the page."""
    monkeypatch.chdir(tmp_path)
    for folder in ("truth", "concepts", "captions"):
        (tmp_path / folder).mkdir()
    return tmp_path


def boards(task: str, capsys: pytest.CaptureFixture[str]) -> dict[str, list[dict]]:
    """What the page's own command for a task gives."""
    text = PAGE.read_text("utf-8")
    (command,) = re.findall(rf"^cuiscope (imageclef {task} --campaign .+)$", text, flags=re.M)
    assert run([*shlex.split(command), "--json"]) == 0
    return json.loads(capsys.readouterr().out)["boards"]


def published(real_dir: Path, task: str, *, external: bool) -> list[dict[str, str]]:
    source = (real_dir.parent / "spec/published_2017.csv").read_text()
    rows = [row for row in csv.DictReader(source.splitlines()) if row["task"] == task]
    return [row for row in rows if row["resources"].startswith("External") == external]


def write(path: str, rows: dict[str, str]) -> None:
    Path(path).write_text("".join(f"{image}\t{content}\n" for image, content in rows.items()))


@pytest.mark.usefixtures("reader")
def test_a_real_run_takes_the_place_of_a_published_one(real_dir: Path, capsys) -> None:
    """The organisers' way: files called as on the task's page, by their stamp or in a folder of the team."""
    folder = real_dir / "imageclef" / "pair_2024_valid"
    truth, own = (
        {
            row["ID"]: row["CUIs"].replace(";", ",")
            for row in csv.DictReader((folder / name).read_text().splitlines())
        }
        for name in ("ground_truth.csv", "run.csv")
    )
    write("truth/concepts.csv", truth)
    stamped = published(real_dir, "concepts", external=False)[0]
    write(f"concepts/{stamped['run']}", own)
    Path("concepts/NLM").mkdir()
    write("concepts/NLM/DET_run_1_openI_MetaMapLite_1.txt", truth)
    made = boards("concepts", capsys)

    for external, n in ((False, 33), (True, 5)):
        rows = made[f"{'With' if external else 'Without'} {EVERY}"]
        there = {(row["team"], row["run"]): row for row in published(real_dir, "concepts", external=external)}
        redone = [row for row in rows if not row["published"]]
        assert len(rows) == len(there) == n and len(redone) == 1
        kept = {(row["team"], row["run"]): row["score"] for row in rows if row["published"]}
        assert len(kept) == n - 1
        assert all(float(there[name]["score"]) == score for name, score in kept.items())
        (missing,) = (row for name, row in there.items() if name not in kept)
        for column in ("team", "run_type", "resources"):
            assert redone[0][column] == missing[column]
        assert redone[0]["published_score"] == float(missing["score"])
        assert redone[0]["source_rank"] == missing["rank"]
    counted = [image for image in truth if truth[image]]
    pairs = [(set(truth[i].split(",")), set(own.get(i, "").split(",")) - {""}) for i in counted]
    f1 = sum(2 * len(t & o) / (len(t) + len(o)) for t, o in pairs) / len(pairs)
    (mine,) = (row for row in made[f"Without {EVERY}"] if row["team"] == stamped["team"])
    assert (mine["rank"], mine["score"]) == (1, pytest.approx(f1))
    (nlm,) = (row for row in made[f"With {EVERY}"] if row["score"] == 1.0)
    assert nlm["team"] == "NLM"


@pytest.mark.usefixtures("reader")
def test_captions_with_values_of_the_official_script(real_dir: Path, spec_golden: dict, capsys) -> None:
    """A participant's way: captions whose BLEU the script of 2017 gave, in their place in the table."""
    golden = spec_golden["D_bleu_pipeline"]
    pairs = [pair.split(" ||| ") for pair in golden]
    write("truth/captions.csv", {f"i{n}": truth for n, (truth, _) in enumerate(pairs)})
    write("captions/Us__PRED_first.txt", {f"i{n}": own for n, (_, own) in enumerate(pairs)})
    expected = sum(one["bleu_322"] for one in golden.values()) / len(golden)
    rows = boards("captions", capsys)[f"Without {EVERY}"]
    there = published(real_dir, "captions", external=False)
    (mine,) = (row for row in rows if not row["published"])
    assert mine["score"] == pytest.approx(expected, rel=1e-12)
    assert mine["rules"] == "within"
    assert mine["rank"] == 1 + sum(float(row["score"]) > expected for row in there)
    assert len(rows) == 1 + len(there)
