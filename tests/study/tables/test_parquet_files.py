"""Columns of parquet files: texts of any kind, no bombs, and nothing that ends the process."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from evalcore.study.concepts.concepts import read_shards
from evalcore.study.concepts.texts import texts_in
from evalcore.study.tables.parquet import read_parquet
from evalcore.study.tables.problems import Problems
from evalcore.study.vectors.files import bind_embeddings, parse_embeddings
from tests.study.reported import reported

ROOT = Path(__file__).resolve().parents[3]


def written(table: pa.Table | dict, **options: object) -> bytes:
    out = io.BytesIO()
    pq.write_table(table if isinstance(table, pa.Table) else pa.table(table), out, **options)
    return out.getvalue()


def not_utf8(name: str, **more: pa.Array) -> bytes:
    """A file whose texts are said to be UTF-8 and are not."""
    texts = pa.Array.from_buffers(pa.string(), 2, pa.array([b"a", b"\xe9"]).buffers())
    return written({name: texts, **more})


def test_ids_that_are_not_utf8_are_named_by_row(tmp_path: Path) -> None:
    rows, report = parse_embeddings(not_utf8("id", vector=pa.array([[1.0], [2.0]])), file="e")
    assert rows.ids == ("a", "�")
    assert [(p.severity, p.rule, p.line) for p in report.problems] == [("error", "undecodable", 2)]
    assert reported(bind_embeddings, rows, system="s", image_ids=("a", "b"))[0].rows.tolist() == [0, -1]
    (tmp_path / "s.parquet").write_bytes(not_utf8("image_id", cui=pa.array([["C0000001"], ["C0000002"]])))
    shards, report = reported(read_shards, [tmp_path / "s.parquet"], root=tmp_path)
    assert shards.concepts.sets == {"a": ("C0000001",)}
    assert [(p.severity, p.rule, p.line) for p in report.problems] == [("error", "undecodable", 2)]
    (tmp_path / "s.parquet").write_bytes(
        not_utf8("caption", image_id=pa.array(["x", "y"]), cui=pa.array(["", ""]))
    )
    shards, report = reported(read_shards, [tmp_path / "s.parquet"], root=tmp_path)
    assert (texts_in(shards.captions), list(shards.concepts.sets)) == ({"x": "a"}, ["x"])
    assert [(p.severity, p.rule, p.line) for p in report.problems] == [("error", "undecodable", 2)]


def test_a_million_equal_rows_are_refused_before_they_are_unpacked() -> None:
    """Each value takes 8 bytes once unpacked, and next to nothing in the file."""
    data = written({"id": pa.array(np.zeros(3_000_000)), "0": pa.array(np.zeros(3_000_000))})
    assert len(data) < 32 << 10
    rows, report = parse_embeddings(data, file="e")
    assert rows is None
    assert [p.rule for p in report.problems] == ["too-large"]
    few = written({"id": pa.array(np.zeros(900_000)), "0": pa.array(np.zeros(900_000))})
    assert parse_embeddings(few, file="e")[0].rows == 900_000


def test_one_row_of_a_billion_values_is_refused_before_it_is_unpacked() -> None:
    values = pa.array(np.zeros(1 << 27, np.int8))
    data = written({"a": pa.ListArray.from_arrays([0, len(values)], values)}, compression="zstd")
    problems = Problems("f")
    assert len(data) < 64 << 10 and read_parquet(data, ["a"], problems) is None
    assert [p.rule for p in problems.report().problems] == ["too-large"]


# Damaged files are errors, whatever is damaged.


TABLE = pa.table(
    {
        "bool": [True, None] * 50,
        "i32": pa.array(range(100), pa.int32()),
        "i64": list(range(100)),
        "f32": np.ones(100, np.float32),
        "f64": np.ones(100),
        "text": [f"text {i}" for i in range(100)],
        "list": [[1.0] * (i % 5) for i in range(100)],
        "struct": [{"bytes": b"x" * i, "path": None} for i in range(100)],
        "fixed": pa.array([b"1234567"] * 100, pa.binary(7)),
        "time": pa.array([1] * 100, pa.timestamp("us")),
    }
)
HURT = """
import random
from evalcore.study.tables.parquet import parquet_schema, read_parquet
from evalcore.study.tables.problems import Problems
from tests.study.hurt import READERS
from tests.study.tables.test_parquet_files import TABLE, written
from tests.study.reported import reported


def read(data):
    problems = Problems("f")
    schema = parquet_schema(bytes(data), problems)
    table = None if schema is None else read_parquet(bytes(data), schema.names, problems)
    assert (table is None) == bool(problems.n_errors)


chance = random.Random(5)
for whole in (*READERS["parquet"].whole, written(TABLE.slice(0, 5))):
    start = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    for first, end in [(start, len(whole) - 8)] * 3 + [(4, start), (0, len(whole))]:
        for _ in range(100):
            data = bytearray(whole)
            for _ in range(chance.randrange(1, 4)):
                data[chance.randrange(first, end)] = chance.randrange(256)
            read(data)
            read(data[: chance.randrange(len(data))] + data[-8:])
    # a column that may be empty is said to be never empty, or repeated: its counts contradict that
    for at in range(start, len(whole) - 8):
        if whole[at : at + 2] == b"%\\x02":
            for other in (0, 4):
                data = bytearray(whole)
                data[at + 1] = other
                read(data)
print("alive")
"""


def test_a_damaged_file_never_ends_the_process() -> None:
    """pyarrow does, when it is asked how large a column is that contradicts itself."""
    run = subprocess.run([sys.executable, "-c", HURT], cwd=ROOT, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "alive\n"), run.stderr
