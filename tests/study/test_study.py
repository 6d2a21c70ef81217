"""A study of a folder: every part of it, what makes it one, and its digest."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from evalcore.study import open_study
from evalcore.values.errors import InputError
from tests.study.hurt import WHOLE
from tests.study.made import write


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write(tmp_path / "small", {name: data for name, data in WHOLE.items() if name != "study.toml"})


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"concepts.csv": "ID,CUIs\n"},
        {"concepts.csv": "", "captions.csv": "ID,Caption\na,CT\n"},
        {"concepts.csv": "ID,Caption\na,a caption\nb,another\n"},
        {"x_concepts.csv": "a,\n", "y_concepts.csv": "b,\n"},
    ],
)
def test_without_concepts_there_is_no_study_whatever_else_is_there(
    tmp_path: Path, files: dict[str, str]
) -> None:
    with pytest.raises(InputError, match="There are no readable concepts") as caught:
        open_study(write(tmp_path, files))
    assert "image_1,C0040405;C0817096" in str(caught.value) and caught.value.report is not None


def test_the_digest_is_that_of_the_content(small: Path, tmp_path: Path) -> None:
    digest = open_study(small).digest
    shutil.copytree(small, tmp_path / "elsewhere")
    assert open_study(tmp_path / "elsewhere").digest == digest
    assert open_study(write(small, {"study.toml": 'name = "another name"'})).digest == digest
    (small / "systems/one/run.trec").unlink()
    run = gzip.compress(WHOLE["systems/one/run.trec"])
    assert open_study(write(small, {"systems/one/run.txt.gz": run})).digest == digest
