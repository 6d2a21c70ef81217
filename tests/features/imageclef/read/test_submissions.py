"""Zips as the platform takes them, and those it does not."""

from __future__ import annotations

import io
import zipfile

import pytest

from evalcore.features.imageclef.read import open_submission


def zipped(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def test_a_plain_file_stays_as_it_is() -> None:
    name, data, report = open_submission(b"a,C0000001\n", name="run.csv")
    assert (name, data, report.problems) == ("run.csv", b"a,C0000001\n", ())


def test_a_zip_with_one_submission() -> None:
    name, data, report = open_submission(zipped({"submission.csv": "a,\n"}), name="run.zip")
    assert (name, data, report.problems) == ("run.zip", b"a,\n", ())


def test_another_name_inside_is_mentioned() -> None:
    _, data, report = open_submission(zipped({"my run.csv": "a,\n"}), name="run.zip")
    assert data == b"a,\n"
    assert [(p.rule, p.severity) for p in report.problems] == [("zip-name", "warning")]


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (zipped({}), "zip"),
        (zipped({"a.csv": "", "b.csv": ""}), "zip"),
        (zipped({"../submission.csv": "a"}), "unsafe-path"),
        (zipped({"submission.csv": "0" * (17 << 20)}), "zip-bomb"),
        (b"PK\x03\x04 broken", "unreadable-container"),
    ],
)
def test_zips_that_cannot_be_taken(data: bytes, rule: str) -> None:
    _, content, report = open_submission(data, name="run.zip")
    assert content == b""
    assert [p.rule for p in report.of_severity("error")] == [rule]
