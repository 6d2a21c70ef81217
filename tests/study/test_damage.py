"""Files of a study with something wrong: each problem by its severity, rule, line, value and count.

Texts are rows of ``damage.csv``; files of arrays, huge and unreadable ones are here. Faults that any table
may have are tried with every table in ``tables/test_schemas.py``.
"""

import csv
import gzip
import pickle
from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from evalcore.values.errors import Problem
from evalcore.values.model import Study
from tests.study.hurt import IMAGES, MRREL, TREC, VECTORS, A, B, saved, study_with
from tests.study.made import parquet, zipped

RUN, JSON = "systems/one/run.trec", "systems/three/run.json"
ARRAYS, LINKS = "systems/two/embeddings.npz", "graph/edges.csv"
SHARDS, COLUMNS = "data/s.parquet", "systems/two/embeddings.parquet"
INSTEAD = {SHARDS: ("concepts.csv",), "queries.csv": ("queries.txt",), COLUMNS: (ARRAYS,)}
"""Files of the study that are not there beside these."""


class Bomb:
    def __reduce__(self) -> tuple:
        return (pytest.fail, ("a pickle was loaded",))


def npz(ids: object = IMAGES, vectors: object = VECTORS, **more: object) -> bytes:
    return saved(np.savez, ids=np.array(ids), vectors=np.array(vectors), **more)


def with_array(data: bytes) -> bytes:
    return zipped(**{"ids.npy": saved(np.save, np.array(IMAGES)), "vectors.npy": data})


def lying(*shape: int) -> bytes:
    """The head of an array of this shape, without the array."""
    head = {"descr": "<f4", "fortran_order": False, "shape": shape}
    return with_array(saved(np.lib.format.write_array_header_1_0, head))


def vectors_with(row: list[float]) -> bytes:
    return npz(vectors=[[3, 4], row, [1, 0], [1, 1]])


SHARD = parquet({"image_id": ["a", "a", "", "b"], "cui": [[A], [B], [A], ["X1", A]]})
NOT_UTF8 = pa.Array.from_buffers(pa.string(), 2, pa.array([b"a", b"\xe9"]).buffers())
CUIS, NO_TEXT = [[A], [B]], "error undecodable 2 \ufffd"
DAMAGED = [
    (SHARDS, parquet({"image_id": NOT_UTF8, "cui": CUIS}), NO_TEXT),
    (SHARDS, parquet({"caption": NOT_UTF8, "image_id": ["a", "b"], "cui": CUIS}), NO_TEXT),
    (
        COLUMNS,
        parquet({"id": NOT_UTF8, "vector": [[1.0], [2.0]]}),
        f"warning no-vector - b x3; {NO_TEXT}; error unknown-id 2 \ufffd",
    ),
    (SHARDS, SHARD, f"error duplicate-id 2 a; error missing-id 3 ,{A}; error malformed-cui 4 X1"),
    (JSON, '{"a": {"\\ud800": 1, "b": 2}}', "warning missing-query - b; error undecodable 1 a \ufffd"),
    (RUN, TREC.replace("c 2", f"c {'9' * 5_000}"), f"warning missing-rank -; warning bad-rank 2 {'9' * 30}"),
    (ARRAYS, vectors_with([np.nan, 1]), "warning no-vector - b; error nan-vector 2 b"),
    (ARRAYS, vectors_with([np.inf, 1]), "warning no-vector - b; error nan-vector 2 b"),
    (ARRAYS, vectors_with([0, 0]), "warning no-vector - b; warning zero-vector 2 b"),
    ("study.toml", "a = " + "[" * 100_000 + "]" * 100_000, "error bad-toml -"),
    ("study.toml", "name = 1" + "0" * 5_000, "error bad-toml -"),
    ("study.toml", "x = 1\n" + "a." * 50_000 + "b = 1\n", "error bad-toml 2"),
    ("study.toml", "# " + "x" * 300_000, "error too-large -"),
    ("study.toml", b'name = "K\xf6ln"\n', 'error undecodable 1 name = "K\ufffdln"'),
]
PACKED = gzip.compress(MRREL.encode() * 999, mtime=0)
DATES = {"id": pa.array([1, 2], pa.date32()), "vector": [[1.0], [2.0]]}
REFUSED = [
    (JSON, '{"a":' * 90_000, "error bad-json -"),
    (
        "qrels/test.parquet",
        parquet({"query-id": ["a"], "corpus-id": ["b"], "score": [[1]]}),
        "error wrong-type - score",
    ),
    ("systems/three/embeddings.parquet", parquet(DATES), "error wrong-type -"),
    ("graph/mrrel.rrf.gz", PACKED[:40] + b"\xff" * 99, "error unreadable-container -"),
    ("graph/mrrel.rrf.gz", PACKED[:-20], "error unreadable-container -"),
    (LINKS, b"[Term]\nid: X:1\nname: \xe9\n", "error undecodable 3 name: \ufffd"),
    (LINKS, "<a>" * 200_000, "error broken-xml -"),
    (LINKS, "<graphml>" + "".join(f"<n{i}/>" for i in range(11_000)), "error broken-xml -"),
    (LINKS, "<graphml>" + "".join(f'<n a{i}=""/>' for i in range(11_000)), "error broken-xml -"),
    ("concept_vectors/v.txt", b"\x80\x04\x95\x10\x00", "error pickle 1 8004"),
    (ARRAYS, npz(vectors=np.array([Bomb()], object), allow_pickle=True), "error pickled-array -"),
    (ARRAYS, saved(np.save, np.array([Bomb()], object), allow_pickle=True), "error pickled-array -"),
    (ARRAYS, pickle.dumps({"a": [1.0]}), "error pickle 1 8004"),
    (ARRAYS, saved(np.savez, VECTORS), "error wrong-header -"),
    (ARRAYS, saved(np.save, VECTORS), "error no-ids -"),
    (ARRAYS, npz(IMAGES[:2]), "error wrong-count -"),
    (ARRAYS, npz(vectors=[1.0, 2.0, 3.0, 4.0]), "error wrong-shape -"),
    (ARRAYS, npz(vectors=[["w"], ["x"], ["y"], ["z"]]), "error wrong-shape -"),
    (ARRAYS, npz([], np.empty((0, 3))), "error no-rows -"),
    (ARRAYS, npz()[:-30], "error unreadable-container -"),
    (ARRAYS, b"PAR1 no parquet", "error unreadable-container -"),
    (ARRAYS, lying(10**12, 10**6), "error unreadable-container -"),
    (ARRAYS, lying(*(1,) * 70), "error unreadable-container -"),
    (ARRAYS, with_array(b"no array"), "error unreadable-container -"),
    (ARRAYS, lying(10**12, 0), "error wrong-count -"),
    (ARRAYS, npz(np.array(["2020-01-01"] * 4, "M8[D]")), "error wrong-type -"),
    (ARRAYS, npz(np.array([0x110000, 97, 98, 99], "<u4").view("<U1")), "error undecodable -"),
    (ARRAYS, parquet({"id": IMAGES[:2], "vector": [[1.0, 2.0], [1.0]]}), "error wrong-shape -"),
    (ARRAYS, parquet({"id": IMAGES[:2], "vector": ["x", "y"]}), "error wrong-shape -"),
    (ARRAYS, parquet({"key": IMAGES, "vector": VECTORS.tolist()}), "error wrong-header -"),
    (ARRAYS, b"", "error empty-file -"),
    (ARRAYS, b"MATLAB 5.0\0\1", "error unknown-format -"),
]


def by_file() -> dict[str, list[tuple[bool, str | bytes, str]]]:
    """{file: whether anything of it is used, what it holds, its problems}"""
    rows = defaultdict(list)
    with Path(__file__).with_name("damage.csv").open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table):
            text = row["text"].replace("\\n", "\n").replace("\\t", "\t")
            rows[row["file"]].append((row["used"] == "yes", text, row["problems"]))
    for used, cases in ((True, DAMAGED), (False, REFUSED)):
        for file, data, problems in cases:
            rows[file].append((used, data, problems))
    return dict(rows)


CASES = by_file()


def opened(folder: Path, file: str, data: str | bytes) -> Study:
    plain = data if isinstance(data, bytes) else data.encode()
    return study_with(folder, file, plain, *INSTEAD.get(file, ()))


def in_short(problem: Problem) -> str:
    line = f"{problem.severity} {problem.rule} {problem.line or '-'} {problem.value[:30]}".rstrip()
    return line if problem.count == 1 else f"{line} x{problem.count}"


@pytest.mark.parametrize("file", CASES)
def test_damage_is_reported_by_line_and_the_rest_is_used(file: str, tmp_path: Path) -> None:
    for row, (used, data, expected) in enumerate(CASES[file]):
        study = opened(tmp_path / str(row), file, data)
        report = study.report.of_file(file)
        problems = sorted(report.problems, key=lambda p: (p.line or 0, p.rule))
        assert report.total("error") == sum(p.count for p in problems if p.severity == "error")
        assert "; ".join(map(in_short, problems)) == expected, data[:99]
        assert all(problem.remedy or problem.severity == "warning" for problem in problems)
        if file not in ("concepts.csv", "data/s.parquet"):
            assert {p.file for p in study.report.of_severity("error")} <= {file}, "the others are read"
        uses = [part.used for part in study.parts if part.file == file]
        assert uses == [used] or file == "study.toml", data[:99]


def test_a_faulty_row_of_a_run_loses_no_other(tmp_path: Path) -> None:
    """Of two rows of a result the better scored one counts."""
    whole = opened(tmp_path / "whole", RUN, TREC).runs["one"].digest
    faulty = ("a Q0 d 3 0.1 s s", "a Q0 d 3 high s", "a Q0 d 3 nan s", "a Q0 b 1 0.2 s")
    texts = (*(TREC.replace("\n", f"\n\n{row}\n", 1) for row in faulty), TREC.replace("c 2", "c inf"))
    for row, text in enumerate(texts):
        assert opened(tmp_path / str(row), RUN, text).runs["one"].digest == whole, text
