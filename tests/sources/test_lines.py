import gzip

import pytest

from evalcore.sources import lines
from evalcore.sources.lines import decode, read_bytes
from evalcore.sources.problems import Problems


def read(data: bytes) -> tuple[str | None, list[str]]:
    found = Problems("f.csv")
    return decode(data, found), [f"{p.severity} {p.rule} {p}" for p in found.report().problems]


@pytest.mark.parametrize(
    "data",
    [
        "é,b\n".encode(),
        "é,b\n".encode("utf-8-sig"),
        gzip.compress("é,b\n".encode(), mtime=0),
        "é,b\r\n".encode(),
        "é,b\r".encode(),
    ],
    ids=["utf-8", "byte order mark", "gzip", "CRLF", "CR"],
)
def test_the_same_text_in_any_dress(data):
    assert read(data) == ("é,b\n", [])


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_is_read_and_reported(codec):
    data = ("\ufeff" + "é,b\n").encode(codec)
    text, problems = read(data)
    assert text == "é,b\n"
    assert problems == [
        "warning utf-16 f.csv: The file is UTF-16; it was read as such. "
        "Save it as UTF-8 to be safe elsewhere."
    ]


def test_damaged_utf16_has_no_text():
    text, problems = read(b"\xff\xfea\x00b")
    assert text is None
    assert problems[0].startswith("error undecodable f.csv: The file is damaged UTF-16")


@pytest.mark.parametrize(
    "data", [b"", b"\n\n", b"\xef\xbb\xbf"], ids=["no byte", "blank lines", "only a mark"]
)
def test_an_empty_file_is_an_error(data):
    text, problems = read(data)
    assert text is None
    assert problems == [
        "error empty-file f.csv: The file is empty. Check that it was saved or copied completely."
    ]


def test_zero_bytes_are_no_text_and_the_line_is_named():
    text, problems = read(b"ID,CUIs\na,C00\x0040405\n")
    assert text is None
    assert problems == [
        "error not-text f.csv:2: The file is not text: it holds zero bytes. Give a text file, saved as UTF-8."
    ]


def test_a_cut_gzip_is_an_unreadable_container():
    text, problems = read(gzip.compress(b"abc" * 1000)[:-12])
    assert text is None
    assert problems[0].startswith("error unreadable-container f.csv: The gzip file is damaged")


def test_a_decompression_bomb_is_refused(monkeypatch):
    monkeypatch.setattr(lines, "MAX_UNPACKED", 1000)
    text, problems = read(gzip.compress(b"a" * 1001))
    assert text is None
    assert problems[0].startswith("error too-large f.csv")


def test_bytes_that_are_not_utf8_can_be_found_again():
    text, problems = read("Ödem".encode("latin-1"))
    assert problems == []
    assert lines.broken(text)
    assert not lines.broken("Ödem")


def test_a_missing_file_is_a_problem_not_an_exception(tmp_path):
    found = Problems("gone.csv")
    assert read_bytes(tmp_path / "gone.csv", found) is None
    assert str(found.report().problems[0]) == (
        "gone.csv: The file cannot be read: No such file or directory. "
        "Check that it exists and that you may read it."
    )
