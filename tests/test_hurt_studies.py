"""One hurt file never stops a study: it opens, and the file is named with what to do."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.evaluate.coverage import coverage
from evalcore.evaluate.scoring import score
from evalcore.study import open_study
from evalcore.values.errors import InputError
from tests.study.hurt import MRREL, TREC, VECTORS, WOUNDS, A, B, hurt, saved
from tests.study.made import parquet, write

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
PACKED = gzip.compress(MRREL.encode() * 999, mtime=0)
HURT = {
    "a rank inf": ("systems/one/run.trec", TREC.replace(" 1 0.9", " inf 0.9").encode(), "warning"),
    "JSON halves": ("systems/one/run.json", b'{"a": {"\\ud800": 1, "b": 2}}', "error"),
    "dates": (
        "systems/three/embeddings.parquet",
        parquet({"id": pa.array([1, 2], pa.date32()), "vector": [[1.0], [2.0]]}),
        "error",
    ),
    "hurt gzip": ("graph/mrrel.rrf.gz", PACKED[:40] + b"\xff" * 99, "error"),
    "cut gzip": ("graph/mrrel.rrf.gz", PACKED[:-20], "error"),
    "deep toml": ("study.toml", b"a = " + b"[" * 90_000, "error"),
    "deep JSON": ("systems/one/run.json", b'{"a":' * 90_000, "error"),
}


def test_the_whole_study_has_no_error(tmp_path: Path) -> None:
    study = open_study(write(tmp_path, WHOLE))
    assert study.report.total("error") == 0 and study.systems == ("one", "two")


@pytest.mark.parametrize("name", HURT)
def test_a_hurt_file_is_named_and_the_rest_works(name: str, tmp_path: Path) -> None:
    file, content, severity = HURT[name]
    write(tmp_path, WHOLE | {file: content})
    if file.endswith("run.json"):
        (tmp_path / "systems/one/run.trec").unlink()
    study = open_study(tmp_path)
    report = study.report.of_file(file)
    assert report.total(severity) > 0
    assert all(p.message and (p.remedy or p.severity == "warning") for p in report.problems)
    assert all(p.file == file for p in study.report.of_severity("error"))
    assert study.image_ids == ("a", "b", "c", "d") and coverage(study).images == 4
    for problem in study.report.problems:
        str(problem).encode()
    if "one" in study.runs:
        assert len(score(study, metrics=["CUI@1"], systems=["one"])) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")
def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    odd = {"systems/caf\udce9/run.trec": TREC, "graph/caf\udce9.csv": f"{A},{B}\n", "caf\udce9.txt": "x"}
    study = open_study(write(tmp_path, WHOLE | odd))
    assert os.fsencode("caf\udce9") == b"caf\xe9" and study.systems == ("caf%E9", "one", "two")
    assert study.report.of_severity("error") == ()
    graphs = {part.file for part in study.parts if part.kind == "graph"}
    assert graphs == {"graph/edges.csv", "graph/caf%E9.csv"}
    for text in (*(str(p) for p in study.report.problems), *(part.file for part in study.parts), study.name):
        text.encode()


@settings(max_examples=60, derandomize=True, deadline=None, database=None)
@given(st.sampled_from(sorted(WHOLE)), WOUNDS)
def test_whatever_happens_to_one_file_the_others_are_read(
    tmp_path_factory: pytest.TempPathFactory, name: str, wounds: list
) -> None:
    folder = tmp_path_factory.mktemp("study")
    write(folder, WHOLE | {name: hurt(WHOLE[name], wounds, TREC.encode())})
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
