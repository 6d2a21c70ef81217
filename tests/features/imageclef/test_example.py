"""The example submission: each image has the content of the image a system returns first for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalcore.features.imageclef.editions import Task, edition_of
from evalcore.features.imageclef.page import sections
from evalcore.study import open_study
from tests.ui.conftest import write_study


@pytest.fixture
def study_folder(tmp_path: Path) -> Path:
    return write_study(tmp_path / "tiny")


def test_concepts_are_those_of_the_first_image_returned(study_folder: Path) -> None:
    made = sections.files_example(open_study(study_folder), edition_of("concepts", "2025"))
    assert [run.name for run in made.runs] == ["alpha.csv", "beta.csv", "damaged.csv"]
    assert b"\nq1,C0000001;C0000003;C0000005\n" in made.truth.data
    alpha, beta = (run.data.decode().splitlines() for run in made.runs[:2])
    assert alpha[:2] == ["ID,CUIs", "q1,C0000001;C0000003;C0000006"]  # alpha returns q2 first
    assert beta[5:] == ["q5,", "q6,"]  # beta leaves both unanswered


def test_captions_are_quoted_where_the_edition_needs_it(study_folder: Path) -> None:
    (study_folder / "captions.csv").write_text('ID,Caption\nq2,"Mass, ""large"""\n')
    made = sections.files_example(open_study(study_folder), edition_of("captions", "2025"))
    assert made.runs[0].data.decode().splitlines()[1] == 'q1,"Mass, ""large"""'
    made = sections.files_example(open_study(study_folder), edition_of("captions", "2022"))
    assert made.runs[0].data.decode().splitlines()[0] == 'q1|Mass, "large"'


@pytest.mark.parametrize(("task", "prefix"), [("concepts", "DET_"), ("captions", "PRED_")])
def test_names_of_2017(study_folder: Path, task: Task, prefix: str) -> None:
    made = sections.files_example(open_study(study_folder), edition_of(task, "2017"))
    assert [run.name for run in made.runs] == [f"{prefix}{name}.csv" for name in ("alpha", "beta", "damaged")]
    assert not made.truth.data.startswith(b"ID")


def test_another_study_another_digest(study_folder: Path, tmp_path: Path) -> None:
    one = sections.files_example(open_study(study_folder), edition_of("concepts", "2025")).digest
    other = write_study(tmp_path / "other")
    (other / "captions.csv").unlink()
    assert sections.files_example(open_study(study_folder), edition_of("concepts", "2025")).digest == one
    assert sections.files_example(open_study(study_folder), edition_of("captions", "2025")).digest != one
    assert sections.files_example(open_study(other), edition_of("concepts", "2025")).digest != one
