"""Unpacking: hostile zips leave no trace, honest ones come out whole."""

from __future__ import annotations

import io
import stat
import zipfile
from typing import TYPE_CHECKING

import pytest

from evalcore.study.tables import archives
from evalcore.study.tables.archives import unpack

if TYPE_CHECKING:
    from pathlib import Path


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def test_an_honest_zip_comes_out_whole(tmp_path: Path) -> None:
    inner = zipped(("../evil", b"x"))
    data = zipped(
        ("study/", b""),
        ("study/concepts.csv", b"ID,CUIs\n"),
        ("study/images/ä b.png", b"pixels"),
        ("win\\path.txt", b"w"),
        ("inner.zip", inner),
        ("__MACOSX/study/._x", b"junk"),
        ("study/.DS_Store", b"junk"),
    )
    for source in (data, tmp_path / "x.zip"):
        (tmp_path / "x.zip").write_bytes(data)
        target = tmp_path / f"out{source is data}"
        assert unpack(source, target).problems == ()
        files = {
            path.relative_to(target).as_posix(): path.read_bytes()
            for path in target.rglob("*")
            if path.is_file()
        }
        assert files == {
            "study/concepts.csv": b"ID,CUIs\n",
            "study/images/ä b.png": b"pixels",
            "win/path.txt": b"w",
            "inner.zip": inner,
        }


@pytest.mark.parametrize(
    "name",
    [
        "../evil.txt",
        "a/../../evil.txt",
        "/etc/evil",
        "\\evil",
        "..\\evil",
        "C:\\evil",
        "a/b:c",
        "nul\x07l",
        "end. /x",
        "a" * 300,
    ],
)
def test_names_that_lead_elsewhere(name: str, tmp_path: Path) -> None:
    report = unpack(zipped(("good.txt", b"x"), (name, b"evil")), tmp_path / "in" / "out")
    assert [(p.severity, p.rule) for p in report.problems] == [("error", "unsafe-path")]
    assert "Nothing was unpacked" in str(report.problems[0])
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO])
def test_links_and_devices(kind: int, tmp_path: Path) -> None:
    info = zipfile.ZipInfo("link")
    info.create_system, info.external_attr = 3, (kind | 0o777) << 16
    report = unpack(zipped((info, b"/etc/passwd"), ("link/x", b"evil")), tmp_path / "out")
    assert [p.rule for p in report.problems] == ["not-a-file"]
    assert not (tmp_path / "out").exists()


def test_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = zipped(("zeros.csv", bytes(40 << 20)))
    assert len(bomb) < 100_000
    assert {p.rule for p in unpack(bomb, tmp_path / "out").problems} == {"zip-bomb"}
    noise = bytes(range(256)) * 4_096
    stored = zipfile.ZipInfo("pad.bin")
    padded = zipped((stored, noise), ("zeros.csv", bytes(40 << 20)))
    assert [(p.rule, p.value) for p in unpack(padded, tmp_path / "out").problems] == [
        ("zip-bomb", "zeros.csv")
    ]
    monkeypatch.setattr(archives, "MAX_TOTAL", 1_000)
    assert [
        p.rule for p in unpack(zipped(("a", bytes(600)), ("b", bytes(600))), tmp_path / "out").problems
    ] == ["zip-bomb"]
    monkeypatch.setattr(archives, "MAX_ENTRIES", 2)
    many = zipped(("a", b""), ("b", b""), ("c", b""))
    assert [p.rule for p in unpack(many, tmp_path / "out").problems] == ["too-many-files"]
    assert list(tmp_path.iterdir()) == []


def test_a_size_that_lies(tmp_path: Path) -> None:
    """The list of contents says 10 bytes, the data goes on."""
    data = bytearray(zipped(("a.txt", bytes(100_000))))
    for mark, offset in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = data.index(mark) + offset
        data[at : at + 4] = (10).to_bytes(4, "little")
    assert [p.rule for p in unpack(bytes(data), tmp_path / "out").problems] == ["unreadable-container"]
    assert not (tmp_path / "out").exists()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_given_twice(tmp_path: Path) -> None:
    report = unpack(zipped(("a.txt", b"1"), ("A.TXT", b"2")), tmp_path / "out")
    assert [p.rule for p in report.problems] == ["duplicate-file"]
    assert unpack(zipped(("a", b"1"), ("a/b", b"2")), tmp_path / "out").total("error") == 1


def test_damage_and_encryption(tmp_path: Path) -> None:
    data = bytearray(zipped(("a.txt", b"some text")))
    assert unpack(bytes(data[:-10]), tmp_path / "out").problems[0].rule == "unreadable-container"
    assert unpack(b"", tmp_path / "out").problems[0].rule == "unreadable-container"
    assert unpack(tmp_path / "absent.zip", tmp_path / "out").problems[0].rule == "unreadable-container"
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert unpack(bytes(data), tmp_path / "out").problems[0].rule == "encrypted"
    assert list(tmp_path.iterdir()) == []


def test_every_problem_is_listed(tmp_path: Path) -> None:
    report = unpack(zipped(("../a", b""), ("../b", b""), ("ok", b"")), tmp_path / "out", file="mine.zip")
    assert [(p.file, p.value) for p in report.problems] == [("mine.zip", "../a"), ("mine.zip", "../b")]
