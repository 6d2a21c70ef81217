"""Whole studies in and out as one zip."""

from __future__ import annotations

import errno
import io
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from evalcore.study import open_study
from evalcore.study.workspace import zips
from evalcore.study.workspace.workspace import add_study_zip, home, studies, why_not_packed, zip_study
from evalcore.values.errors import InputError
from tests.study.faults import fault

CONCEPTS = "ID,CUIs\na,C0000001\nb,C0000002\n"


def zipped(**members: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "/").replace("_csv", ".csv"), text)
    return out.getvalue()


@pytest.mark.parametrize("around", ["", "my_study__", "deep__my_study__"])
def test_a_zipped_study_opens_with_or_without_a_folder_around(around: str) -> None:
    data = zipped(
        **{
            f"{around}concepts_csv": CONCEPTS,
            f"{around}graph__edges_csv": "child,parent\nC0000002,C0000001\n",
        }
    )
    path, report = add_study_zip("mine", data)
    assert (path, report.problems) == (home() / "studies" / "mine", ())
    assert open_study(path).graph.n_edges == 1
    assert studies() == [path]
    assert list((home() / "studies").iterdir()) == [path]


def test_a_name_that_is_taken_gets_a_number() -> None:
    names = [add_study_zip("mine", zipped(concepts_csv=CONCEPTS))[0].name for _ in range(3)]
    assert names == ["mine", "mine_2", "mine_3"]


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
    assert path is None
    assert report.problems[-1].rule == rule
    assert sorted(path.name for path in home().rglob("*") if path.is_file()) == ["studies.lock"]
    assert studies() == []


def test_a_study_goes_out_and_comes_back_the_same(tmp_path: Path) -> None:
    study = tmp_path / "mine"
    (study / "graph").mkdir(parents=True)
    (study / "concepts.csv").write_text(CONCEPTS)
    (study / "graph/edges.csv").write_text("child,parent\nC0000002,C0000001\n")
    (study / ".secret").write_text("hidden")
    (study / "link.csv").symlink_to("/etc/passwd")
    data = zip_study(study)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["mine/concepts.csv", "mine/graph/edges.csv"]
    path, _ = add_study_zip("back", data)
    (study / "link.csv").unlink()
    assert open_study(path).digest == open_study(study).digest
    assert zip_study(study) == data


def test_a_study_too_large_to_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "concepts.csv").write_text(CONCEPTS)
    assert why_not_packed(tmp_path) == ""
    monkeypatch.setattr(zips, "MAX_PACKED", 5)
    assert "larger than 5 bytes" in why_not_packed(tmp_path)
    with pytest.raises(InputError, match="Copy its folder instead"):
        zip_study(tmp_path)
    monkeypatch.undo()
    monkeypatch.setattr(zips, "MAX_ENTRIES", 2)
    assert why_not_packed(tmp_path) == "", "the folder and one file"
    (tmp_path / "captions.csv").write_text("ID,Caption\n")
    assert "contains more than 2 files: too many for a zip. Copy its folder instead" in why_not_packed(
        tmp_path
    )


def test_a_full_disk_is_reported_and_leaves_no_trace() -> None:
    data = zipped(concepts_csv=CONCEPTS, graph__edges_csv="child,parent\nC0000002,C0000001\n")
    for step in range(1, 100):
        full = lambda: OSError(errno.ENOSPC, "No space left on device")  # noqa: E731
        with fault(home(), step, full, forever=False) as disk:
            try:
                path, report = add_study_zip("mine", data)
                message = " ".join(str(problem) for problem in report.problems)
            except InputError as problem:
                path, message = None, str(problem)
        if disk.seen < step:
            assert path is not None and step > 5
            return
        if path is None:
            assert "the disk is full. Free some space" in message
            assert studies() == []
        else:
            assert open_study(path).graph.n_edges == 1, "only the sweeping failed"
            shutil.rmtree(path)
    pytest.fail("it never ends")


def test_names_that_are_not_utf8_are_packed_all_the_same(tmp_path: Path) -> None:
    study = tmp_path / os.fsdecode(b"caf\xe9")
    (study / "graph").mkdir(parents=True)
    (study / "concepts.csv").write_text(CONCEPTS)
    (study / "graph" / os.fsdecode(b"\xfc.csv")).write_text("child,parent\nC0000002,C0000001\n")
    data = zip_study(study)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["caf%E9/concepts.csv", "caf%E9/graph/%FC.csv"]
    assert open_study(study).name == "caf%E9"
    path, report = add_study_zip("back", data)
    assert report.problems == ()
    assert open_study(path).digest == open_study(study).digest


def test_files_that_go_while_a_study_is_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "concepts.csv").write_text(CONCEPTS)
    gone = tmp_path / "gone.csv"
    monkeypatch.setattr(zips, "_folders", lambda _: iter([[tmp_path / "concepts.csv", gone]]))
    assert why_not_packed(tmp_path) == ""
    with pytest.raises(InputError, match="cannot be packed while a file in it cannot be read") as problem:
        zip_study(tmp_path)
    assert "gone.csv: The file cannot be read: No such file" in str(problem.value.report.problems[0])
