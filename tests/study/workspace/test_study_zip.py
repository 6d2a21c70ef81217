"""Zips: whole studies in and out, and hostile ones, which leave no trace."""

import io
import os
import stat
import zipfile
from pathlib import Path

import pytest

from evalcore.study import open_study
from evalcore.study.tables import archives
from evalcore.study.tables.archives import unpack
from evalcore.study.workspace import uploads
from evalcore.study.workspace.home import home, studies
from evalcore.study.workspace.uploads import why_not_packed, zip_study
from evalcore.values.errors import InputError
from tests.study.made import add_zip, content, write, zipped

CONCEPTS = "ID,CUIs\na,C0000001\nb,C0000002\n"
EDGES = "child,parent\nC0000002,C0000001\n"


@pytest.mark.parametrize("around", ["", "my_study__", "deep__my_study__"])
def test_a_zipped_study_opens_with_or_without_a_folder_around(around: str) -> None:
    data = zipped(**{f"{around}concepts_csv": CONCEPTS, f"{around}graph__edges_csv": EDGES})
    path, report = add_zip("mine", data)
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
def test_a_zip_that_is_no_study_leaves_no_trace(data: bytes, rule: str) -> None:
    path, report = add_zip("mine", data)
    assert path is None and report.problems[-1].rule == rule
    assert [path.name for path in home().rglob("*") if path.is_file()] == ["studies.lock"]
    assert studies() == []


def test_a_study_survives_a_round_trip_as_a_zip_whatever_its_file_names(tmp_path: Path) -> None:
    study = tmp_path / os.fsdecode(b"caf\xe9")
    edges = os.fsdecode(b"graph/\xfc.csv")
    write(study, {"concepts.csv": CONCEPTS, edges: EDGES, ".secret": "hidden"})
    (study / "link.csv").symlink_to("/etc/passwd")
    data = zip_study(study)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["caf%E9/concepts.csv", "caf%E9/graph/%FC.csv"]
    path, report = add_zip("back", data)
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


def packed(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def test_an_honest_zip_comes_out_whole(tmp_path: Path) -> None:
    inner = packed(("../evil", b"x"))
    data = packed(
        ("study/", b""),
        ("study/images/ä b.png", b"pixels"),
        ("win\\path.txt", b"w"),
        ("inner.zip", inner),
        ("__MACOSX/study/._x", b"junk"),
        ("study/.DS_Store", b"junk"),
    )
    assert unpack(data, tmp_path / "new").problems == ()
    files = {"study/images/ä b.png": b"pixels", "win/path.txt": b"w", "inner.zip": inner}
    assert content(tmp_path / "new") == files


def linked(kind: int) -> bytes:
    info = zipfile.ZipInfo("link")
    info.create_system, info.external_attr = 3, (kind | 0o777) << 16
    return packed((info, b"/etc/passwd"), ("link/x", b"evil"))


def changed(data: bytes, *places: tuple[bytes, int, bytes]) -> bytes:
    """With other bytes so far behind a mark."""
    hurt = bytearray(data)
    for mark, offset, fresh in places:
        at = hurt.index(mark) + offset
        hurt[at : at + len(fresh)] = fresh
    return bytes(hurt)


ELSEWHERE = ("../evil", "a/../../evil", "/etc/evil", "\\evil", "..\\evil", "C:\\evil", "a/b:c", "x\x07")
ZEROS = ("zeros.csv", bytes(40 << 20))
TEXT = packed(("a.txt", b"some text"))
LIST, FILE, TEN = b"PK\x01\x02", b"PK\x03\x04", (10).to_bytes(4, "little")
HOSTILE = {
    **{f"{name!r}": (packed(("good", b"x"), (name, b"x")), "unsafe-path", None) for name in ELSEWHERE},
    "blank end": (packed(("end. /x", b"x")), "unsafe-path", "end. /x"),
    "long name": (packed(("a" * 300, b"x")), "unsafe-path", None),
    "link": (linked(stat.S_IFLNK), "not-a-file", "link"),
    "device": (linked(stat.S_IFCHR), "not-a-file", "link"),
    "pipe": (linked(stat.S_IFIFO), "not-a-file", "link"),
    "bomb": (packed(ZEROS), "zip-bomb", None),
    "bomb beside noise": (packed((zipfile.ZipInfo("pad"), bytes(1 << 20)), ZEROS), "zip-bomb", "zeros.csv"),
    "twice": (packed(("a.txt", b"1"), ("A.TXT", b"2")), "duplicate-file", None),
    "file and folder": (packed(("a", b"1"), ("a/b", b"2")), None, None),
    "a size that lies": (
        changed(packed(("a.txt", bytes(100_000))), (LIST, 24, TEN), (FILE, 22, TEN)),
        "unreadable-container",
        None,
    ),
    "cut": (TEXT[:-10], "unreadable-container", None),
    "nothing": (b"", "unreadable-container", None),
    "Deflate64": (changed(TEXT, (LIST, 10, b"\x09")), "unreadable-container", "a.txt"),
    "encrypted": (changed(TEXT, (LIST, 8, b"\x01")), "encrypted", None),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_zip_is_refused_and_leaves_no_trace(case: str, tmp_path: Path) -> None:
    data, rule, value = HOSTILE[case]
    (problem,) = unpack(data, tmp_path / "in" / "out", file="mine.zip").problems
    assert (problem.severity, problem.file, problem.rule) == ("error", "mine.zip", rule or problem.rule)
    assert value is None or problem.value == value
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_caps_and_every_problem_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = unpack(packed(("../a", b""), ("../b", b""), ("ok", b"")), tmp_path / "out")
    assert [p.value for p in report.problems] == ["../a", "../b"]
    assert "Nothing was unpacked" in str(report.problems[0])
    monkeypatch.setattr(archives, "MAX_TOTAL", 1_000)
    two = packed(("a", bytes(600)), ("b", bytes(600)))
    assert [p.rule for p in unpack(two, tmp_path / "out").problems] == ["zip-bomb"]
    monkeypatch.setattr(archives, "MAX_ENTRIES", 1)
    monkeypatch.setattr(zipfile, "ZipFile", None)  # not opened: its list alone could fill the memory
    assert [p.rule for p in unpack(two, tmp_path / "out").problems] == ["too-many-files"]
    assert list(tmp_path.iterdir()) == []
