"""A small file must not fill the memory: each is read in a process of its own, and the peak is measured.

The name of each is the memory that it took, measured, before there were limits.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")

START = """
import gzip, io, json, re, struct, sys, zipfile, zlib
import numpy as np, pyarrow as pa, pyarrow.parquet as pq
from evalcore.study.parts.registry import KINDS
from evalcore.study.parts.images import shrunk
from evalcore.values.errors import Report
from tests.study.made import raw_png

def npz(n, ids=b"a"):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("vectors.npy", "w", force_zip64=True) as stream:
            header = {"descr": "<f4", "fortran_order": False, "shape": (1, n << 18)}
            np.lib.format.write_array_header_1_0(stream, header)
            for _ in range(n):
                stream.write(bytes(1 << 20))
        with archive.open("ids.npy", "w") as stream:
            np.save(stream, np.array(["a"]))
    return out.getvalue()

def parquet(groups):
    out, table = io.BytesIO(), pa.table({"id": np.zeros(1 << 20), "0": np.zeros(1 << 20)})
    with pq.ParquetWriter(out, table.schema) as writer:
        for _ in range(groups):
            writer.write_table(table, row_group_size=1 << 20)
    return out.getvalue()

def read(kind, data):
    if kind == "picture":
        shrunk(data, file="f", size=256)
        return Report()
    return KINDS[kind].parse(data, file="f")[1]

def png16(side):
    packer = zlib.compressobj(9)
    row = b"\\0" + struct.pack(">H", 7) * side
    return raw_png(side, side, b"".join(packer.compress(row) for _ in range(side)) + packer.flush(), bits=16)
"""
END = """
peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) >> 10
print(json.dumps({"size": len(data), "rules": sorted({p.rule for p in report.problems}), "peak": peak}))
"""


def answer_of(kind: str, data: str, **environment: str) -> dict:
    """Size of the file in bytes, rules of its problems, and the peak in MB of the process that read it."""
    run = subprocess.run(
        [sys.executable, "-c", f"{START}data = {data}\nreport = read({kind!r}, data){END}"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(run.stdout)


LISTS = "b'{\"a\": [' + b'[],' * 10**7 + b'[]]}'"
TAGS = "gzip.compress(b'<graphml><graph>' + b'<x/>' * 30_000_000)"
TYPES = "b'ID' + b',c' * 30_000 + b''.join(b'\\ni%d' % i + b',' * 30_000 for i in range(300))"
SMALL = {
    "7.9 GB": ("concepts", "gzip.compress(b'\\n' * 157_000_000)", 153_000, "too-large", 400),
    "npz: 2.1 GB": ("embeddings", "npz(1 << 10)", 1_044_000, "too-large", 300),
    "parquet: 2.1 GB": ("embeddings", "parquet(15)", 131_000, "too-large", 300),
    "GraphML: 2.8 GB": ("graph", TAGS, 117_000, "too-large", 500),
    "picture of 16 bits: 2.6 GB": ("picture", "png16(9_400)", 172_000, None, 600),
    "empty lists: 0.9 GB": ("run", LISTS, 3 * 10**7, "too-large", 350),
    "types: 0.4 GB": ("labels", TYPES, 9_060_000, "too-many-types", 300),
}
EDGES = "b'<a>' + b''.join(b'<edge source=\"%d\" target=\"b\"/>' % i for i in range(10**6)) + b'</a>'"
ROWS = {
    "run": ("run", "b'a,b,1\\n' * 5_000_000"),
    "run with old line ends": ("run", "b'a,b,1\\r' * 5_000_000"),
    "OBO": ("graph", "b'[Term]\\nid: a\\n' * 2_000_000"),
    "GraphML": ("graph", EDGES),
    "JSON": ("run", "b'{' + b','.join(b'\"%d\":{\"a\":1}' % i for i in range(10**6)) + b'}'"),
}


@pytest.mark.nightly
@pytest.mark.parametrize("what", SMALL)
def test_small_files_take_little_memory(what: str) -> None:
    kind, data, size, rule, peak = SMALL[what]
    result = answer_of(kind, data)
    assert abs(result["size"] - size) < 0.2 * size, "the file is what it is said to be"
    assert result["rules"] == ([rule] if rule else []) and result["peak"] < peak


@pytest.mark.nightly
@pytest.mark.parametrize("what", ROWS)
def test_the_memory_of_many_tiny_rows_counts_against_the_cap(what: str) -> None:
    """The files hold less than the cap; what their rows would take in memory is more."""
    result = answer_of(*ROWS[what], CUISCOPE_MAX_BYTES="64MB")
    assert result["size"] < 64 << 20 and result["rules"] == ["too-large"]
    assert result["peak"] < 480, "64 MB of rows beside the file, its text and the program"
