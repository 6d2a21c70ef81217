"""Columns of parquet files: texts of any kind, nothing that is none, nothing that unpacks to too much."""

from __future__ import annotations

import datetime
import io
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore.study.concepts.huggingface import read_shards
from evalcore.study.tables.parquet import columns_of, lists_of, open_parquet, texts_of
from evalcore.study.tables.problems import Problems
from evalcore.study.vectors.embeddings import bind_embeddings, parse_embeddings

DAY = datetime.date(2020, 1, 2)


def written(table: pa.Table | dict) -> bytes:
    out = io.BytesIO()
    pq.write_table(table if isinstance(table, pa.Table) else pa.table(table), out)
    return out.getvalue()


def column(values: pa.Array) -> pa.ChunkedArray:
    with open_parquet(written({"a": values})) as table:
        return columns_of(table, [0], Problems("f"))[0]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array(["a", None, "é"]), ["a", None, "é"]),
        (pa.array(["a", None], pa.large_string()), ["a", None]),
        (pa.array(["a", "b", "a"]).dictionary_encode(), ["a", "b", "a"]),
        (pa.array([b"a", b"\xc3\xa9", b"\xe9"]), ["a", "é", "\udce9"]),
        (pa.array([1, None, 10**12]), ["1", None, "1000000000000"]),
        (pa.array([1.5, 2.0]), ["1.5", "2.0"]),
        (pa.array([None, None], pa.null()), [None, None]),
        (pa.array([], pa.string()), []),
        (pa.array([DAY]), None),
        (pa.array([datetime.timedelta(days=1)]), None),
        (pa.array([datetime.datetime(2020, 1, 1)], pa.timestamp("ns")), None),
        (pa.array([Decimal("1.5")]), None),
        (pa.array([True]), None),
        (pa.array([["a"]]), None),
        (pa.array([{"x": "a"}]), None),
    ],
)
def test_texts_and_numbers_are_texts(values: pa.Array, expected: list | None) -> None:
    assert texts_of(column(values)) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([["a", "b"], [], None, ["a"]]), [["a", "b"], [], None, ["a"]]),
        (pa.array([["a"], None], pa.large_list(pa.string())), [["a"], None]),
        (
            pa.array([["a", "b"], None, ["c", None]], pa.list_(pa.string(), 2)),
            [["a", "b"], None, ["c", None]],
        ),
        (pa.array([[1, 2]]), [["1", "2"]]),
        (pa.array([[DAY]]), None),
        (pa.array(["a"]), None),
    ],
)
def test_lists_of_texts(values: pa.Array, expected: list | None) -> None:
    assert lists_of(column(values)) == expected


IDS_THAT_ARE_NONE = [
    pa.array([DAY] * 2),
    pa.array([datetime.timedelta(1)] * 2),
    pa.array([2**62] * 2, pa.timestamp("ns")),
    pa.array([["a"]] * 2, pa.list_(pa.field("element", pa.string()))),
]


@pytest.mark.parametrize("ids", IDS_THAT_ARE_NONE, ids=lambda ids: str(ids.type))
def test_ids_that_are_no_texts_are_reported(ids: pa.Array, tmp_path: Path) -> None:
    rows, report = parse_embeddings(written({"id": ids, "vector": [[1.0]] * 2}), file="e.parquet")
    assert rows is None
    assert [str(p) for p in report.problems] == [
        f"e.parquet: The column of ids contains {ids.type}, not texts. Save the ids as text."
    ]
    (tmp_path / "s.parquet").write_bytes(written({"image_id": ids, "cui": [["C0000001"]] * 2}))
    shards, report = read_shards([tmp_path / "s.parquet"], root=tmp_path)
    assert shards.concepts.sets == {}
    assert [str(p) for p in report.problems] == [
        f"s.parquet: The column 'image_id' contains {ids.type}, not texts. Save it as text."
    ]


def not_utf8(name: str, **more: pa.Array) -> bytes:
    """A file whose texts are said to be UTF-8 and are not."""
    texts = pa.Array.from_buffers(pa.string(), 2, pa.array([b"a", b"\xe9"]).buffers())
    return written({name: texts, **more})


def test_ids_that_are_not_utf8_are_named_by_row(tmp_path: Path) -> None:
    rows, report = parse_embeddings(not_utf8("id", vector=pa.array([[1.0], [2.0]])), file="e")
    assert rows.ids == ("a", "�")
    assert [(p.severity, p.rule, p.line) for p in report.problems] == [("error", "undecodable", 2)]
    assert bind_embeddings(rows, system="s", image_ids=("a", "b"))[0].rows.tolist() == [0, -1]
    (tmp_path / "s.parquet").write_bytes(not_utf8("image_id", cui=pa.array([["C0000001"], ["C0000002"]])))
    shards, report = read_shards([tmp_path / "s.parquet"], root=tmp_path)
    assert shards.concepts.sets == {"a": ("C0000001",)}
    assert [(p.severity, p.rule, p.line) for p in report.problems] == [("error", "undecodable", 2)]
    (tmp_path / "s.parquet").write_bytes(
        not_utf8("caption", image_id=pa.array(["x", "y"]), cui=pa.array(["", ""]))
    )
    shards, report = read_shards([tmp_path / "s.parquet"], root=tmp_path)
    assert (shards.captions.texts, list(shards.concepts.sets)) == ({"x": "a"}, ["x", "y"])
    assert [(p.severity, p.rule, p.line) for p in report.problems] == [("error", "undecodable", 2)]


def test_two_columns_of_one_name_are_reported(tmp_path: Path) -> None:
    names = pa.schema([("id", pa.string()), ("id", pa.string()), ("vector", pa.list_(pa.float32()))])
    table = pa.Table.from_arrays(
        [pa.array(["a"]), pa.array(["b"]), pa.array([[1.0]], pa.list_(pa.float32()))], schema=names
    )
    rows, report = parse_embeddings(written(table), file="e.parquet")
    assert rows is None
    assert [str(p) for p in report.problems] == [
        "e.parquet: Two columns are called 'id'. Give each column its own name."
    ]
    names = ["image_id", "cui", "cui"]
    table = pa.Table.from_arrays(
        [pa.array(["a"]), pa.array(["C0000001"]), pa.array(["C0000002"])], names=names
    )
    (tmp_path / "s.parquet").write_bytes(written(table))
    shards, report = read_shards([tmp_path / "s.parquet"], root=tmp_path)
    assert shards.concepts.sets == {}
    assert [p.rule for p in report.problems] == ["duplicate-column"]


@pytest.mark.parametrize("other", [pa.array([DAY] * 2), pa.array(["x"] * 2), pa.array([Decimal(1)] * 2)])
def test_columns_beside_the_ids_must_be_numbers(other: pa.Array) -> None:
    rows, report = parse_embeddings(written({"id": ["a", "b"], "0": [1.0, 2.0], "1": other}), file="e")
    assert rows is None
    assert [(p.severity, p.rule) for p in report.problems] == [("error", "wrong-shape")]


def test_a_million_equal_rows_are_refused_before_they_are_unpacked() -> None:
    """Each value takes 8 bytes once unpacked, and next to nothing in the file."""
    data = written({"id": pa.array(np.zeros(3_000_000)), "0": pa.array(np.zeros(3_000_000))})
    assert len(data) < 32 << 10
    rows, report = parse_embeddings(data, file="e")
    assert rows is None
    assert [p.rule for p in report.problems] == ["too-large"]
    few = written({"id": pa.array(np.zeros(900_000)), "0": pa.array(np.zeros(900_000))})
    assert parse_embeddings(few, file="e")[0].rows == 900_000


def test_a_long_text_repeated_is_held_once() -> None:
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(100_000, np.int32)), pa.array(["x" * 100_000]))
    found = texts_of(column(texts))
    assert len(found) == 100_000 and found[0] is found[-1] and len(found[0]) == 100_000


def test_long_values_of_one_length_count_with_their_length() -> None:
    """One value of 4 kB, a hundred thousand times: 400 MB from a few kilobytes."""
    values = pa.array([b"x" * 4_000], pa.binary(4_000)).take(pa.array(np.zeros(100_000, np.int32)))
    data = written({"id": values, "0": pa.array(np.zeros(100_000))})
    assert len(data) < 64 << 10
    rows, report = parse_embeddings(data, file="e")
    assert rows is None
    assert [p.rule for p in report.problems] == ["too-large"]
