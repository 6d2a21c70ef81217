"""Unpacking: hostile zips leave no trace, honest ones come out whole."""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path

import pytest

from evalcore.study.tables import archives
from evalcore.study.tables.archives import unpack
from tests.study.made import content


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def test_an_honest_zip_comes_out_whole(tmp_path: Path) -> None:
    inner = zipped(("../evil", b"x"))
    data = zipped(
        ("study/", b""),
        ("study/images/ä b.png", b"pixels"),
        ("win\\path.txt", b"w"),
        ("inner.zip", inner),
        ("__MACOSX/study/._x", b"junk"),
        ("study/.DS_Store", b"junk"),
    )
    (tmp_path / "x.zip").write_bytes(data)
    for source, target in ((data, tmp_path / "one"), (tmp_path / "x.zip", tmp_path / "two")):
        assert unpack(source, target).problems == ()
        files = {"study/images/ä b.png": b"pixels", "win/path.txt": b"w", "inner.zip": inner}
        assert content(target) == files


def linked(kind: int) -> bytes:
    info = zipfile.ZipInfo("link")
    info.create_system, info.external_attr = 3, (kind | 0o777) << 16
    return zipped((info, b"/etc/passwd"), ("link/x", b"evil"))


def changed(data: bytes, *places: tuple[bytes, int, bytes]) -> bytes:
    """With other bytes so far behind a mark."""
    hurt = bytearray(data)
    for mark, offset, fresh in places:
        at = hurt.index(mark) + offset
        hurt[at : at + len(fresh)] = fresh
    return bytes(hurt)


ELSEWHERE = ("../evil", "a/../../evil", "/etc/evil", "\\evil", "..\\evil", "C:\\evil", "a/b:c", "x\x07")
ZEROS = ("zeros.csv", bytes(40 << 20))
TEXT = zipped(("a.txt", b"some text"))
LIST, FILE, TEN = b"PK\x01\x02", b"PK\x03\x04", (10).to_bytes(4, "little")
HOSTILE = {
    **{f"{name!r}": (zipped(("good", b"x"), (name, b"x")), "unsafe-path", None) for name in ELSEWHERE},
    "blank end": (zipped(("end. /x", b"x")), "unsafe-path", "end. /x"),
    "long name": (zipped(("a" * 300, b"x")), "unsafe-path", None),
    "link": (linked(stat.S_IFLNK), "not-a-file", "link"),
    "device": (linked(stat.S_IFCHR), "not-a-file", "link"),
    "pipe": (linked(stat.S_IFIFO), "not-a-file", "link"),
    "bomb": (zipped(ZEROS), "zip-bomb", None),
    "bomb beside noise": (zipped((zipfile.ZipInfo("pad"), bytes(1 << 20)), ZEROS), "zip-bomb", "zeros.csv"),
    "twice": (zipped(("a.txt", b"1"), ("A.TXT", b"2")), "duplicate-file", None),
    "file and folder": (zipped(("a", b"1"), ("a/b", b"2")), None, None),
    "a size that lies": (
        changed(zipped(("a.txt", bytes(100_000))), (LIST, 24, TEN), (FILE, 22, TEN)),
        "unreadable-container",
        None,
    ),
    "cut": (TEXT[:-10], "unreadable-container", None),
    "nothing": (b"", "unreadable-container", None),
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
    report = unpack(zipped(("../a", b""), ("../b", b""), ("ok", b"")), tmp_path / "out")
    assert [p.value for p in report.problems] == ["../a", "../b"]
    assert "Nothing was unpacked" in str(report.problems[0])
    monkeypatch.setattr(archives, "MAX_TOTAL", 1_000)
    two = zipped(("a", bytes(600)), ("b", bytes(600)))
    assert [p.rule for p in unpack(two, tmp_path / "out").problems] == ["zip-bomb"]
    monkeypatch.setattr(archives, "MAX_ENTRIES", 1)
    assert [p.rule for p in unpack(two, tmp_path / "out").problems] == ["too-many-files"]
    assert list(tmp_path.iterdir()) == []
