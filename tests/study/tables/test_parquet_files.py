"""Columns of parquet files: texts of any kind, no bombs, and nothing that ends the process."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from evalcore.study.tables.files import at_most
from evalcore.study.tables.parquet import read_columns
from evalcore.study.tables.problems import Problems, Refused
from tests.conftest import ROOT
from tests.study.made import parquet

ZEROS = pa.array(np.zeros(1 << 22, np.int8))
SMALL_AND_HUGE = {
    "equal rows": pa.table({"a": ZEROS, "b": ZEROS}),
    "one row of many values": pa.table({"a": pa.ListArray.from_arrays([0, len(ZEROS)], ZEROS)}),
}


@pytest.mark.parametrize("what", SMALL_AND_HUGE)
def test_small_files_of_many_values_are_refused_before_they_are_unpacked(what: str) -> None:
    data, problems = parquet(SMALL_AND_HUGE[what], compression="zstd"), Problems("f")
    assert len(data) < 64 << 10
    with at_most(1 << 22), pytest.raises(Refused):
        read_columns(data, [0], problems)
    assert [p.rule for p in problems.report().problems] == ["too-large"]


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
from evalcore.study.tables.parquet import parquet_schema, read_columns
from evalcore.study.tables.problems import Problems, Refused
from tests.study.made import parquet
from tests.study.tables.test_parquet_files import TABLE


def read(data):
    problems = Problems("f")
    try:
        schema = parquet_schema(bytes(data), problems)
        read_columns(bytes(data), range(len(schema)), problems)
    except Refused:
        assert problems.n_errors == 1
    else:
        assert not problems.n_errors


chance = random.Random(5)
for whole in (parquet({"id": ["a", "b"], "vector": [[1.0, 2.0], [3.0, 4.0]]}), parquet(TABLE.slice(0, 5))):
    start = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    for first, end in [(start, len(whole) - 8)] * 3 + [(4, start), (0, len(whole))]:
        for _ in range(60):
            data = bytearray(whole)
            for _ in range(chance.randrange(1, 4)):
                data[chance.randrange(first, end)] = chance.randrange(256)
            read(data)
            read(data[: chance.randrange(len(data))] + data[-8:])
    # a column that may be empty is declared as never empty, or repeated: its counts contradict that
    for at in range(start, len(whole) - 8):
        if whole[at : at + 2] == b"%\\x02":
            for other in (0, 4):
                data = bytearray(whole)
                data[at + 1] = other
                read(data)
print("alive")
"""


def test_a_damaged_file_never_ends_the_process() -> None:
    """pyarrow ends it when it computes the size of a column that contradicts itself."""
    run = subprocess.run([sys.executable, "-c", HURT], cwd=ROOT, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "alive\n"), run.stderr
