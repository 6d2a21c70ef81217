"""Labels that study.toml leaves out: by hand, and like a study whose file lacks them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from evalcore import explain, open_study
from evalcore.evaluate import score, summarise_all
from evalcore.report import sections as report
from evalcore.report.results import find
from evalcore.results.caption import note_of
from evalcore.results.scores import Scoring
from evalcore.results.tidy import of_study
from evalcore.study.naming import in_words, pairs
from evalcore.values.settings import Settings, View
from tests.ui.conftest import CHEST, CT, MASS, NODULE, write_study


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_study(tmp_path / "tiny", pictures=False)


def leave_out(folder: Path, labels: dict[str, list[str]]) -> None:
    """Write ``[left_out]`` at the end of study.toml."""
    rows = [f"{json.dumps(image)} = {json.dumps(wrong)}" for image, wrong in labels.items()]
    with (folder / "study.toml").open("a") as file:
        file.write("\n".join(["", "[left_out]", *rows, ""]))


def test_a_label_left_out_is_as_if_the_file_did_not_have_it(folder: Path, tmp_path: Path) -> None:
    """q1 {CT, chest, nodule}, q2 {CT, chest, mass}: 2 of 4 concepts; without the mass 2 of 3."""
    without = shutil.copytree(folder, tmp_path / "without")
    (without / "concepts.csv").write_text((without / "concepts.csv").read_text().replace(f";{MASS}", ""))
    assert explain(open_study(folder), "q1", "q2").values["iou"] == 2 / 4
    leave_out(folder, {"q2": [MASS]})
    left, edited = open_study(folder), open_study(without)
    assert explain(left, "q1", "q2").values["iou"] == 2 / 3
    assert left.concepts.digest == edited.concepts.digest and left.digest == edited.digest
    assert not left.report.total("warning") - edited.report.total("warning")
    for one, other in zip(*(score(s, metrics=["nnCUI@10", "CUI@5"]) for s in (left, edited)), strict=True):
        assert one.values.tolist() == pytest.approx(other.values.tolist(), nan_ok=True)


def test_what_is_left_out_is_counted_and_named(folder: Path) -> None:
    before = open_study(folder)
    assert in_words(before) == "" and "labels_left_out" not in of_study(before)
    leave_out(folder, {"q2": [CT, MASS], "q1": [NODULE]})
    left = open_study(folder)
    assert pairs(left) == (("q1", NODULE), ("q2", CT), ("q2", MASS))
    assert in_words(left) == "3 labels of 2 images are left out, as study.toml says."
    assert of_study(left)["labels_left_out"] == 3
    assert left.concepts.of_image(left.concepts.index("q2")) == {CHEST}


def test_every_method_line_says_so(folder: Path) -> None:
    leave_out(folder, {"q2": [MASS]})
    study, settings = open_study(folder), Settings()
    scores = score(study, metrics=["CUI@10"])
    intervals = summarise_all(scores)
    said = "1 label of 1 image is left out, as study.toml says."
    note = note_of(Scoring(study, scores, intervals, (), None, settings), bound=False)
    assert said in note
    view = View(metrics=("CUI@10",), systems=("alpha", "beta"), baseline="alpha", settings=settings)
    told = find(study, view)
    assert said in report.notes(told) and ("Labels left out", said) in report.data(told)


def test_an_image_without_its_last_label_is_annotated_with_nothing(folder: Path) -> None:
    leave_out(folder, {"q4": open_labels(folder, "q4")})
    study = open_study(folder)
    at = study.concepts.index("q4")
    assert study.concepts.annotated[at] and study.concepts.sizes[at] == 0


def open_labels(folder: Path, image: str) -> list[str]:
    concepts = open_study(folder).concepts
    return sorted(concepts.of_image(concepts.index(image)))


def test_what_no_image_carries_is_a_warning_and_what_is_no_list_an_error(folder: Path) -> None:
    (folder / "study.toml").write_text(f'[left_out]\nq1 = ["{MASS}", "{NODULE}"]\nq99 = "{CT}"\nq2 = 5\n')
    study = open_study(folder)
    assert study.left_out == {"q1": (NODULE,)}
    rules = [(one.severity, one.rule, one.value) for one in study.report.problems if one.file == "study.toml"]
    assert ("warning", "nothing-to-leave-out", MASS) in rules
    assert ("warning", "nothing-to-leave-out", CT) in rules
    assert [(severity, rule) for severity, rule, _ in rules if severity == "error"] == [
        ("error", "wrong-value")
    ]


def test_image_ids_of_any_kind_are_read(tmp_path: Path) -> None:
    folder, image = tmp_path / "odd", 'img 1/é ".png'
    folder.mkdir()
    (folder / "concepts.csv").write_text(
        f'ID,CUIs\n"{image.replace(chr(34), chr(34) * 2)}",{CT};{MASS}\nb,{CT}\n'
    )
    leave_out(folder, {image: [MASS]})
    assert open_study(folder).left_out == {image: (MASS,)}
