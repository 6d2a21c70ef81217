"""``review leave-out``: what readers judged wrong, or what is named, counts no more; --back undoes it."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from evalcore.cli import run
from evalcore.features.review.read import store
from evalcore.features.review.read.store import study_id
from evalcore.features.review.verdicts import label_judgment
from evalcore.study import open_study
from tests.ui.conftest import CT, MASS, NODULE, write_study


@pytest.fixture
def folder(tmp_path):
    return write_study(tmp_path / "tiny", pictures=False)


def called(capsys, *arguments):
    assert run([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def vote(folder, image, label, said, reader):
    at = datetime.now(UTC)
    store.add(study_id(folder), label_judgment(image, label, said, reader=reader, id=store.new_id(), at=at))


def test_labels_judged_wrong_are_left_out_and_scored_without(folder, capsys):
    for image, label, said, reader in (
        ("q2", MASS, "wrong", "R1"),
        ("q2", MASS, "wrong", "R2"),
        ("q2", MASS, "right", "R3"),
        ("q1", NODULE, "wrong", "R1"),
        ("q1", NODULE, "right", "R2"),
        ("q1", CT, "right", "R1"),
        ("q9", CT, "wrong", "R1"),
        ("q1", MASS, "missing", "R1"),
    ):
        vote(folder, image, label, said, reader)
    assert called(capsys, "review", "verdicts", folder)["wrong_labels"] == [["q2", MASS]]
    before = called(capsys, "score", folder, "--metric", "mean(iou)@10")
    found = called(capsys, "review", "verdicts", "--leave-out", folder)
    assert found["changed"] == [["q2", MASS]] and found["labels_left_out"] == {"q2": [MASS]}
    after = called(capsys, "score", folder, "--metric", "mean(iou)@10")
    assert after["settings"]["labels_left_out"] == {"q2": [MASS]}
    assert after["digest"] == found["digest"] != before["digest"]
    assert "labels_left_out" not in before["settings"]
    assert after["scores"][0]["mean"] != before["scores"][0]["mean"]
    again = called(capsys, "review", "verdicts", folder)
    assert again["wrong_labels"] == [] and again["labels_left_out"] == {"q2": [MASS]}
    assert run(["review", "verdicts", "--leave-out", str(folder)]) == 0
    assert "Readers judge no label wrong that still counts." in capsys.readouterr().out
    assert called(capsys, "review", "verdicts", "--leave-out", folder, "--back")["digest"] == before["digest"]
    assert run(["review", "verdicts", "--leave-out", str(folder), "--back"]) == 0
    assert "No label is left out." in capsys.readouterr().out


def test_a_label_that_is_named(folder, capsys):
    assert (
        run(
            ["review", "verdicts", "--leave-out", str(folder), "--label", f"q2={MASS}", "--label", f"q1={CT}"]
        )
        == 0
    )
    out = capsys.readouterr().out
    assert "2 labels count no more." in out and "2 labels of 2 images are left out" in out
    called(capsys, "review", "verdicts", "--leave-out", folder, "--back", "--label", f"q1={CT}")
    assert open_study(folder).left_out == {"q2": (MASS,)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--label", "q2"], "IMAGE=CONCEPT"),
        (["--label", f"q2={NODULE}"], f"is no label of this image. Its labels: {CT}"),
        (["--label", f"q99={CT}"], "No image called 'q99'"),
        (["--back", "--label", f"q2={MASS}"], "of this image is not left out. Left out of it: none."),
    ],
)
def test_what_cannot_be_left_out_is_named(folder, capsys, arguments, message):
    assert run(["review", "verdicts", "--leave-out", str(folder), *arguments]) == 2
    assert message in capsys.readouterr().err and not (folder / "study.toml").exists()
