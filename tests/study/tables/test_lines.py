import gzip

import pytest

from evalcore.study.tables import files as lines
from evalcore.study.tables.files import at_most, decode, read_bytes
from evalcore.study.tables.problems import Problems


def read(data: bytes) -> tuple[str | None, list[str]]:
    found = Problems("f.csv")
    return decode(data, found), [f"{p.severity} {p.rule} {p}" for p in found.report().problems]


def test_a_decompression_bomb_is_refused():
    data = gzip.compress(b"a" * (17 << 20))
    assert read(data) == (
        None,
        [
            f"error too-large f.csv: It unpacks to more than 200 times its {len(data) / 1024:.3g} kB. "
            "If that is meant, give the file unpacked."
        ],
    )
    with at_most(1000):
        assert read(gzip.compress(b"a" * 1000)) == ("a" * 1000, [])
        assert read(gzip.compress(b"a" * 1001)) == (
            None,
            [
                "error too-large f.csv: Unpacked, it contains more than 1,000 bytes, the most that "
                "is read of "
                "one file. Split the file, or raise the cap: --max-bytes 4GB, or CUISCOPE_MAX_BYTES=4GB "
                "before the pages start."
            ],
        )


def test_a_file_beyond_the_cap_is_not_read(tmp_path):
    (tmp_path / "f.csv").write_bytes(b"a" * 1001)
    found = Problems("f.csv")
    with at_most(1000):
        assert read_bytes(tmp_path / "f.csv", found) is None
    assert [p.rule for p in found.report().problems] == ["too-large"]
    assert read_bytes(tmp_path / "f.csv", found) == b"a" * 1001


@pytest.mark.parametrize(
    "text", ["", "a", "a\n", "\n", "\n\n", "a\n\nb", "a" * 70_000 + "\nb\n", "\n" * 70_000]
)
def test_lines_are_those_of_the_text(text):
    assert list(lines.lines_of(text)) == text.splitlines()


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"a,b\n", None), (b"a,b\r\n", None), (b"a,b\r", None), (b"", None), (b"a,b\nc,d", 2), (b"a", 1)],
)
def test_a_last_line_without_an_end_gets_a_remark(data, line):
    found = Problems("f.csv")
    lines.report_open_end(found, data)
    assert [str(p) for p in found.report().of_severity("warning")] == (
        []
        if line is None
        else [
            f"f.csv:{line}: The last line has no line end. "
            "If the file was cut off while it was copied, copy it again; else nothing is amiss."
        ]
    )


def test_a_missing_file_is_a_problem_not_an_exception(tmp_path):
    found = Problems("gone.csv")
    assert read_bytes(tmp_path / "gone.csv", found) is None
    assert str(found.report().problems[0]) == (
        "gone.csv: The file cannot be read: No such file or directory. "
        "Check that it exists and that you may read it."
    )
