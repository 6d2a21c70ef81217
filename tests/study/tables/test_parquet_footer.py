"""What columns unpack to, by the footer: pyarrow's own numbers of whole files, errors for hurt ones."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore.study.tables.parquet import chunks_of

ROOT = Path(__file__).resolve().parents[3]
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
WIDTHS = {
    "BOOLEAN": 1,
    "INT32": 4,
    "INT64": 8,
    "FLOAT": 4,
    "DOUBLE": 8,
    "BYTE_ARRAY": 4,
    "FIXED_LEN_BYTE_ARRAY": 7,
}


def written(table: pa.Table, **options: object) -> io.BytesIO:
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"row_group_size": 7},
        {"compression": "gzip"},
        {"version": "1.0"},
        {"write_statistics": False},
        {"use_dictionary": False, "write_page_index": True, "write_page_checksum": True},
    ],
)
def test_the_numbers_are_those_pyarrow_has(options: dict) -> None:
    stream = written(TABLE, **options)
    metadata = pq.read_metadata(io.BytesIO(stream.getvalue()))
    expected = []
    for group in range(metadata.num_row_groups):
        for i in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(i)
            held = max(chunk.num_values * WIDTHS[chunk.physical_type], chunk.total_uncompressed_size)
            expected.append((chunk.path_in_schema, held))
    assert [(".".join(chunk.path), chunk.unpacked) for chunk in chunks_of(stream)] == expected


def test_a_name_with_a_dot_is_one_name() -> None:
    assert [chunk.path for chunk in chunks_of(written(pa.table({"a.b": [1], "c": [[2]]})))] == [
        ("a.b",),
        ("c", "list", "element"),
    ]


def test_a_file_without_rows_unpacks_to_next_to_nothing() -> None:
    assert [chunk.unpacked < 100 for chunk in chunks_of(written(TABLE.slice(0, 0)))] == [True] * 11


@pytest.mark.parametrize(
    "data", [b"", b"PAR1", b"PAR1" + b"\xff" * 8, b"PAR1\x00\x00\x00\x00PAR1", b"x" * 4 + b"PAR1"]
)
def test_what_has_no_footer(data: bytes) -> None:
    with pytest.raises((ValueError, OSError)):
        chunks_of(io.BytesIO(data))


def test_every_hurt_footer_is_an_error_or_read() -> None:
    data = bytearray(written(TABLE.slice(0, 5)).getvalue())
    size = int.from_bytes(data[-8:-4], "little")
    outcomes = set()
    for at in range(len(data) - 8 - size, len(data) - 8):
        for bit in (1, 128):
            data[at] ^= bit
            try:
                outcomes.add(len(chunks_of(io.BytesIO(data))) > 0)
            except ValueError:
                outcomes.add("refused")
            data[at] ^= bit
    assert "refused" in outcomes and True in outcomes


HURT = """
import random
from evalcore.study.vectors.embeddings import parse_embeddings
from tests.study.hurt import READERS
chance = random.Random(5)
for whole in READERS["parquet"].whole:
    start = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(start, len(data) - 8)] = chance.randrange(256)
        parse_embeddings(bytes(data), file="e")
    # a column that may be empty is said to be never empty, or repeated: its counts contradict that
    for at in range(start, len(whole) - 8):
        if whole[at : at + 2] == b"%\\x02":
            for other in (0, 4):
                data = bytearray(whole)
                data[at + 1] = other
                parse_embeddings(bytes(data), file="e")
print("alive")
"""


def test_a_hurt_footer_never_ends_the_process() -> None:
    """pyarrow does, when it is asked how large a column is that contradicts itself."""
    run = subprocess.run([sys.executable, "-c", HURT], cwd=ROOT, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "alive\n"), run.stderr
