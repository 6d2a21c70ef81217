"""One hurt file never stops a study: it opens, and the file is named with what to do."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.evaluate import score
from evalcore.evaluate.coverage import coverage
from evalcore.study import open_study
from evalcore.values.errors import InputError
from tests.study.hurt import MRREL, TREC, VECTORS, A, B, hurt, saved

WHOLE = {
    "concepts.csv": f"ID,CUIs\na,{A};{B}\nb,{B}\nc,\nd\n".encode(),
    "captions.csv": b"ID,Caption\na,CT\nb,XR\nc,none\nd,none\n",
    "labels.csv": b"ID,organ\na,chest\nb,head\n",
    "graph/edges.csv": f"child,parent\n{A},{B}\n".encode(),
    "names.csv": f"cui,name\n{A},Tomography\n".encode(),
    "queries.txt": b"a\nb\n",
    "study.toml": b'name = "Small"\n',
    "systems/one/run.trec": TREC.encode(),
    "systems/two/embeddings.npz": saved(np.savez, ids=np.array(["a", "b", "c", "d"]), vectors=VECTORS),
}


def build(folder: Path, **files: bytes) -> Path:
    for name, content in (WHOLE | files).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def parquet(**columns: object) -> bytes:
    return saved(lambda out: pq.write_table(pa.table(columns), out))


def npy(text: str) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def npz(vectors: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("ids.npy", saved(np.save, np.array(["a"])))
        archive.writestr("vectors.npy", vectors)
    return out.getvalue()


def test_the_whole_study_has_no_error(tmp_path: Path) -> None:
    study = open_study(build(tmp_path))
    assert study.report.total("error") == 0
    assert study.systems == ("one", "two")


PACKED = gzip.compress(MRREL.encode() * 999, mtime=0)
HURT = {
    "a rank inf": ("systems/one/run.trec", TREC.replace(" 1 0.9", " inf 0.9").encode(), "warning"),
    "a score inf": ("systems/one/run.trec", TREC.replace("0.9", "inf").encode(), "error"),
    "6 bytes": ("systems/two/embeddings.npz", npz(b"\x93NUMPY"), "error"),
    "zero item size": (
        "systems/two/embeddings.npz",
        npz(npy("{'descr': '<U0', 'fortran_order': False, 'shape': (1000,)}")),
        "error",
    ),
    "70 dimensions": (
        "systems/two/embeddings.npz",
        npz(npy(f"{{'descr': '<f4', 'fortran_order': False, 'shape': {(1,) * 70}}}")),
        "error",
    ),
    "JSON halves": ("systems/one/run.json", b'{"a": {"\\ud800": 1, "b": 2}}', "error"),
    "dates": (
        "systems/three/embeddings.parquet",
        parquet(id=pa.array([1, 2], pa.date32()), vector=[[1.0], [2.0]]),
        "error",
    ),
    "durations": (
        "systems/three/embeddings.parquet",
        parquet(id=pa.array([1, 2], pa.duration("ns")), vector=[[1.0], [2.0]]),
        "error",
    ),
    "hurt gzip": ("graph/mrrel.rrf.gz", PACKED[:40] + b"\xff" * 99, "error"),
    "cut gzip": ("graph/mrrel.rrf.gz", PACKED[:-20], "error"),
    "deep toml": ("study.toml", b"a = " + b"[" * 90_000, "error"),
    "5,000 digits": ("study.toml", b"name = " + b"9" * 5_000, "error"),
    "deep XML": ("graph/x.graphml", b"<a>" * 300_000, "error"),
    "deep JSON": ("systems/one/run.json", b'{"a":' * 90_000, "error"),
}


@pytest.mark.parametrize("name", HURT)
def test_a_hurt_file_is_named_and_the_rest_works(name: str, tmp_path: Path) -> None:
    file, content, severity = HURT[name]
    build(tmp_path, **{file: content})
    if file.endswith("run.json"):
        (tmp_path / "systems/one/run.trec").unlink()
    study = open_study(tmp_path)
    report = study.report.of_file(file)
    assert report.total(severity) > 0
    assert all(p.message and (p.remedy or p.severity == "warning") for p in report.problems)
    assert all(p.file == file for p in study.report.of_severity("error"))
    assert study.image_ids == ("a", "b", "c", "d")
    assert coverage(study).images == 4
    for line in study.report.problems:
        str(line).encode()
    if "one" in study.runs:
        assert len(score(study, metrics=["CUI@1"], systems=["one"])) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")
def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    build(tmp_path)
    root = os.fsencode(tmp_path)
    os.mkdir(root + b"/systems/caf\xe9")  # noqa: PTH102
    for name in (b"systems/caf\xe9/run.trec", b"graph/caf\xe9.csv", b"caf\xe9.txt"):
        with open(os.path.join(root, name), "wb") as stream:  # noqa: PTH118, PTH123
            stream.write(TREC.encode() if name.endswith(b"trec") else f"{A},{B}\n".encode())
    study = open_study(tmp_path)
    assert study.systems == ("caf%E9", "one", "two")
    assert study.report.of_severity("error") == ()
    assert {part.file for part in study.parts if part.kind == "graph"} == {
        "graph/edges.csv",
        "graph/caf%E9.csv",
    }
    for text in (*(str(p) for p in study.report.problems), *(part.file for part in study.parts), study.name):
        text.encode()


KINDS = st.sampled_from(["flip", "put", "insert", "cut", "double", "end", "splice"])
WOUND = st.tuples(KINDS, st.integers(0, 5_000), st.integers(1, 40), st.binary(min_size=1, max_size=8))


@settings(max_examples=100, derandomize=True, deadline=None, database=None)
@given(st.sampled_from(sorted(WHOLE)), st.lists(WOUND, min_size=1, max_size=4))
def test_whatever_happens_to_one_file_the_others_are_read(
    tmp_path_factory: pytest.TempPathFactory, name: str, wounds: list
) -> None:
    folder = build(tmp_path_factory.mktemp("study"), **{name: hurt(WHOLE[name], wounds, TREC.encode())})
    try:
        study = open_study(folder)
    except InputError as reason:
        assert name == "concepts.csv", "only without concepts there is no study"
        assert reason.report is not None
        return
    coverage(study)
    if name not in ("concepts.csv", "study.toml"):
        assert {p.file for p in study.report.of_severity("error")} <= {name}
        assert len(study.runs) + ("one" in name) >= 1 and len(study.embeddings) + ("two" in name) >= 1
