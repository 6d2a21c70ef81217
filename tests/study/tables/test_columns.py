"""The fast and the careful way of reading columns agree; whatever is odd is reported with its line."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.study.tables import columns
from evalcore.study.tables.problems import Problems

SYNONYMS = {"a": frozenset(("a", "first")), "b": frozenset(("b",)), "c": frozenset(("c",))}
CELL = st.text(
    st.characters(codec="utf-8", exclude_characters='"\n\r\0,;\t\ufeff', exclude_categories=["Zl", "Cc"]),
    max_size=6,
)


def read(data: bytes, **options: object) -> tuple[dict[str, list[str]] | None, list[str]]:
    found = Problems("f.csv")
    got = columns.read_columns(
        data, found, **{"synonyms": SYNONYMS, "required": ("a", "b"), "ids": ("a",)} | options
    )
    messages = [str(problem) for problem in found.report().problems]
    return (None if got is None else {name: list(got[name].to_pylist()) for name in got}), messages


@settings(deadline=None)
@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=8), st.sampled_from(["\n", "\r\n"]))
def test_fast_and_slow_agree(rows: list[tuple[str, str, str]], end: str) -> None:
    lines = ["x,first,c,b", *(f"{x},{a}1,{c},{b}" for x, (a, b, c) in zip("wyz" * 3, rows, strict=False))]
    fast, messages = read(end.join(lines).encode())
    slow, also = read(end.join([lines[0].replace("x", '"x"'), *lines[1:]]).encode())
    assert fast == slow
    assert messages == also == []
    assert fast == {
        "a": [f"{a}1".strip() for a, _, _ in rows],
        "b": [b.strip() for _, b, _ in rows],
        "c": [c.strip() for _, _, c in rows],
    }


def test_a_clean_file_takes_the_fast_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_slow", None)
    assert read(b"\xef\xbb\xbfA;b\n1; x \n2;y") == ({"a": ["1", "2"], "b": ["x", "y"]}, [])
    assert read(gzip.compress(b"a\tb\n1\tx\n")) == ({"a": ["1"], "b": ["x"]}, [])
    assert read(b"C1,x\nC2,y\n") == ({"a": ["C1", "C2"], "b": ["x", "y"]}, [])


def test_every_oddity_has_its_line() -> None:
    got, messages = read(b'a,b\n1,"x\ny"\n,z\n2\n3,\xff\n4,v,w\n5,ok\n')
    assert got == {"a": ["1", "5"], "b": ["x\ny", "ok"]}
    assert messages == [
        "f.csv:6: The row contains 0xFF, which is not UTF-8; it is left out. "
        "Save the file as UTF-8 (in Excel: CSV UTF-8).",
        "f.csv:4: The row has no a; it is left out. Fill the cell, or delete the row.",
        "f.csv:5: The first row has 2 cells, but this row has 1 cell; it is left out. Give each row as many.",
        "f.csv:7: The first row has 2 cells, but this row has 3 cells; "
        "it is left out. Give each row as many.",
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "f.csv: The file is empty."),
        (b"\x1f\x8bbroken", "f.csv: The gzip file is damaged"),
        (
            b"a,x\n1,2\n",
            "f.csv:1: The header must name the columns a and b; it names a, x. Let the first row be: a,b.",
        ),
        (b"word,x\n1,2\n", "f.csv:1: The header must name"),
        (b"1\n2\n", "f.csv:1: The header must name"),
        (b"a\0,b\n", "f.csv:1: The file is not text"),
    ],
)
def test_what_is_no_such_table(data: bytes, message: str) -> None:
    got, messages = read(data)
    assert got is None
    assert messages[0].startswith(message)


def test_utf16_is_read_and_reported() -> None:
    got, messages = read("a,b\n1,ä\n".encode("utf-16"))
    assert got == {"a": ["1"], "b": ["ä"]}
    assert messages[0].startswith("f.csv: The file is UTF-16")


def test_a_header_alone_gives_no_rows() -> None:
    assert read(b"a,b\n") == ({"a": [], "b": []}, [])
    assert read(b"a,b") == ({"a": [], "b": []}, [])
