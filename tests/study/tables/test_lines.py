import gzip

import pytest

from evalcore.study.tables import files as lines
from evalcore.study.tables.files import at_most, content_of, decode, parse_file, read_bytes
from evalcore.study.tables.problems import Problems
from evalcore.values.errors import InputError, Report


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
        "error not-text f.csv:2: The file is not text: it contains zero bytes. Give a text file, "
        "saved as UTF-8."
    ]


def test_a_cut_gzip_is_an_unreadable_container():
    text, problems = read(gzip.compress(b"abc" * 1000)[:-12])
    assert text is None
    assert problems[0].startswith("error unreadable-container f.csv: The gzip file is damaged")


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


def test_a_gzip_of_several_parts_is_read_whole():
    assert read(gzip.compress(b"a\n") + gzip.compress(b"b\n")) == ("a\nb\n", [])


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
    [
        (b"a,b\n", None),
        (b"a,b\r\n", None),
        (b"a,b\r", None),
        (b"", None),
        (b"a,b\nc,d", 2),
        (b"a", 1),
        ("\ufeffa\n".encode("utf-16-le"), None),
        ("\ufeffa\n".encode("utf-16-be"), None),
        ("\ufeffa\nb".encode("utf-16-le"), 2),
    ],
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


def test_bytes_that_are_not_utf8_can_be_found_again():
    text, problems = read("Ödem".encode("latin-1"))
    assert problems == []
    assert lines.has_invalid_utf8(text)
    assert not lines.has_invalid_utf8("Ödem")


def test_a_missing_file_is_a_problem_not_an_exception(tmp_path):
    found = Problems("gone.csv")
    assert read_bytes(tmp_path / "gone.csv", found) is None
    assert str(found.report().problems[0]) == (
        "gone.csv: The file cannot be read: No such file or directory. "
        "Check that it exists and that you may read it."
    )


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"no\.csv cannot be read"):
        content_of(tmp_path / "no.csv", "no.csv")


def test_a_parser_gets_the_content_under_the_name_that_messages_use(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"x")

    def parse(data: bytes, *, file: str, more: str = "") -> tuple[str, Report]:
        return f"{data!r} {file} {more}", Report()

    assert parse_file(parse, tmp_path / "a.csv", "", more="m") == ("b'x' a.csv m", Report())
    value, report = parse_file(parse, tmp_path / "b.csv", "nothing", file="in/b.csv")
    assert (value, report.problems[0].file, report.total("error")) == ("nothing", "in/b.csv", 1)
