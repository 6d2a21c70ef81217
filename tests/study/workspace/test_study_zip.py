"""Whole studies in and out as one zip."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest

from evalcore.study import open_study
from evalcore.study.workspace import uploads
from evalcore.study.workspace.folders import studies
from evalcore.study.workspace.home import home
from evalcore.study.workspace.uploads import add_study_zip, why_not_packed, zip_study
from evalcore.values.errors import InputError
from tests.study.made import write, zipped

CONCEPTS = "ID,CUIs\na,C0000001\nb,C0000002\n"
EDGES = "child,parent\nC0000002,C0000001\n"


@pytest.mark.parametrize("around", ["", "my_study__", "deep__my_study__"])
def test_a_zipped_study_opens_with_or_without_a_folder_around(around: str) -> None:
    data = zipped(**{f"{around}concepts_csv": CONCEPTS, f"{around}graph__edges_csv": EDGES})
    path, report = add_study_zip("mine", data)
    assert (path, report.problems) == (home() / "studies" / "mine", ())
    assert open_study(path).graph.n_edges == 1
    assert studies() == [path] == list((home() / "studies").iterdir())


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"no zip", "unreadable-container"),
        (zipped(readme_csv="hello"), "no-concepts"),
        (zipped(concepts_csv="ID,CUIs\na,headache\n"), "no-concepts"),
        (zipped(concepts_csv=CONCEPTS, **{"..__evil": "x"}), "unsafe-path"),
    ],
)
def test_what_is_no_study_leaves_no_trace(data: bytes, rule: str) -> None:
    path, report = add_study_zip("mine", data)
    assert path is None and report.problems[-1].rule == rule
    assert [path.name for path in home().rglob("*") if path.is_file()] == ["studies.lock"]
    assert studies() == []


def test_a_study_goes_out_and_comes_back_the_same_whatever_its_files_are_called(tmp_path: Path) -> None:
    study = tmp_path / os.fsdecode(b"caf\xe9")
    edges = os.fsdecode(b"graph/\xfc.csv")
    write(study, {"concepts.csv": CONCEPTS, edges: EDGES, ".secret": "hidden"})
    (study / "link.csv").symlink_to("/etc/passwd")
    data = zip_study(study)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["caf%E9/concepts.csv", "caf%E9/graph/%FC.csv"]
    path, report = add_study_zip("back", data)
    (study / "link.csv").unlink()
    assert report.problems == () and open_study(path).digest == open_study(study).digest
    assert open_study(study).name == "caf%E9" and zip_study(study) == data


def test_a_study_too_large_to_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"concepts.csv": CONCEPTS})
    monkeypatch.setattr(uploads, "MAX_ENTRIES", 1)
    assert why_not_packed(tmp_path) == ""
    write(tmp_path, {"captions.csv": "ID,Caption\n"})
    assert "more than 1 files: too many for a zip. Copy its folder instead" in why_not_packed(tmp_path)
    monkeypatch.setattr(uploads, "MAX_PACKED", 5)
    assert "larger than 5 bytes" in why_not_packed(tmp_path)
    with pytest.raises(InputError, match="Copy its folder instead"):
        zip_study(tmp_path)
