"""Whatever a file of a challenge holds: it is used or named in a problem, and fills no memory."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import zipfile
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.cli import run as cli
from evalcore.features.imageclef import read as submissions
from evalcore.features.imageclef.captions import read_caption_run, read_caption_truth
from evalcore.features.imageclef.concepts import read_concept_run, read_concept_truth
from evalcore.features.imageclef.editions import CAPTION_EDITIONS, CONCEPT_EDITIONS, EDITIONS
from evalcore.features.imageclef.published import read_published
from evalcore.features.imageclef.read import open_submission
from evalcore.features.imageclef.scoring import read_concepts, read_values, read_vectors
from evalcore.values.errors import InputError

IMAGES = ("i1", "i2", "i3")
CONCEPTS = b"ID,CUIs\ni1,C0000001;C0000002\ni2,\ni3,C0000003\n"
CAPTIONS = b'ID,Caption\ni1,"one, two"\ni2,\ni3,three\n'


def npz(**arrays: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def zipped(files: dict[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", how) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def parquet(**columns: object) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


READERS: dict[str, tuple[Callable[[bytes, str], object], list[bytes]]] = {
    "truth": (
        lambda data, e: read_concept_truth(data, file="hurt.bin", edition=CONCEPT_EDITIONS[e]),
        [CONCEPTS],
    ),
    "captions": (lambda data, _: read_caption_truth(data, file="hurt.bin"), [CAPTIONS]),
    "concept run": (
        lambda data, e: read_concept_run(data, name="hurt.bin", images=IMAGES, edition=CONCEPT_EDITIONS[e]),
        [CONCEPTS],
    ),
    "caption run": (
        lambda data, e: read_caption_run(
            data, name="hurt.bin", truth=dict.fromkeys(IMAGES, "x"), edition=CAPTION_EDITIONS[e]
        ),
        [CAPTIONS],
    ),
    "scores": (
        lambda data, _: read_values(data, file="hurt.bin", images=IMAGES),
        [b"ID,BERTScore,BLEURT\ni1,0.5,0.1\ni2,,1e-3\ni3,1,nan\n"],
    ),
    "concepts": (lambda data, _: read_concepts(data, file="hurt.bin"), [CONCEPTS]),
    "published": (
        lambda data, _: read_published(data, file="hurt.bin"),
        [b"team,run,score,resources,source\nA,one,0.2,x,y\n"],
    ),
    "vectors": (
        lambda data, _: read_vectors(data, file="hurt.bin", images=IMAGES),
        [
            npz(ids=np.array(IMAGES), vectors=np.eye(3)),
            npz(i1=np.ones(3), i2=np.ones(3)),
            parquet(id=list(IMAGES), vector=[[1.0, 2.0]] * 3),
            parquet(id=list(IMAGES), a=[1.0, 2.0, 3.0]),
            zipped({"i1.npy": b"x" * 99}, zipfile.ZIP_LZMA),
            zipped({"i1.npy": b"x" * 99}, zipfile.ZIP_BZIP2),
        ],
    ),
    "zip": (
        lambda data, _: open_submission(data, name="hurt.bin"),
        [zipped({"submission.csv": CONCEPTS}), zipped({"submission.csv": CONCEPTS}, zipfile.ZIP_LZMA)],
    ),
}
PIECES = st.sampled_from(
    [
        b"\0",
        b"\n",
        b"\r",
        b"\v",
        b'"',
        b",",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\xed\xa0\x80",
        b"1e999",
        b"9" * 5000,
        b"\x1f\x8b",
        b"PK\x03\x04",
        b"nan",
        b"_",
        b"C0000001;" * 50,
    ]
)
CHANGES = st.lists(
    st.tuples(st.integers(0, 999), st.integers(0, 999), PIECES | st.binary(max_size=3)), max_size=6
)


def changed(data: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    """Parts of a file, by thousandths of its length, exchanged for something else."""
    for first, second, piece in changes:
        start, end = sorted((first * len(data) // 1000, second * len(data) // 1000))
        data = data[:start] + piece + data[min(end, start + 40) :]
    return data


@pytest.mark.parametrize("reader", READERS)
@settings(max_examples=200)
@given(st.data(), CHANGES, st.booleans(), st.sampled_from(EDITIONS))
def test_hurt_files_are_used_or_named(reader: str, draw, changes: list, packed: bool, edition: str) -> None:
    read, files = READERS[reader]
    data = changed(draw.draw(st.sampled_from(files)), changes)
    try:
        read(gzip.compress(data) if packed else data, edition)
    except InputError as error:
        assert "hurt.bin" in str(error)
        assert error.report is None or all(p.file and p.remedy for p in error.report.problems)


@pytest.mark.parametrize(
    "data",
    [
        zipped({"i1.npy": b"x" * 99}, zipfile.ZIP_LZMA)[:40] + b"\xff" * 30 + zipped({"i1.npy": b"x"})[40:],
        b"PK\x03\x04" + zipped({"i1.npy": b"x" * 99})[30:],
        b"PAR1",
        b"PK\x03\x04",
        b"\x93NUMPY",
        b"",
    ],
    ids=["lzma", "cut-zip", "parquet", "zip", "numpy", "empty"],
)
def test_hurt_vectors_are_named_on_the_command_line(tmp_path, capsys, data: bytes) -> None:
    (tmp_path / "truth.csv").write_bytes(CAPTIONS)
    (tmp_path / "hurt.npz").write_bytes(data)
    words = ["--edition", "2025", "--truth", f"{tmp_path}/truth.csv", "--run", f"{tmp_path}/truth.csv"]
    more = ["--image-embeddings", f"{tmp_path}/hurt.npz", "--caption-embeddings", f"{tmp_path}/hurt.npz"]
    assert cli(["imageclef", "captions", *words, *more]) == 2
    assert "The embeddings hurt.npz cannot be used." in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--truth-concepts", "--run-concepts"])
def test_concepts_that_hold_none_are_named_on_the_command_line(tmp_path, capsys, option: str) -> None:
    (tmp_path / "truth.csv").write_bytes(CAPTIONS)
    (tmp_path / "none.csv").write_bytes(b"\x1f\x8b\x08 cut short")
    words = ["--edition", "2025", "--truth", f"{tmp_path}/truth.csv", "--run", f"{tmp_path}/truth.csv"]
    (tmp_path / "some.csv").write_bytes(CONCEPTS)
    files = dict.fromkeys(("--truth-concepts", "--run-concepts"), "some.csv") | {option: "none.csv"}
    more = [word for flag, name in files.items() for word in (flag, f"{tmp_path}/{name}")]
    assert cli(["imageclef", "captions", *words, *more]) == 2
    assert "none.csv contains no concepts. Write rows such as" in capsys.readouterr().err


def test_vectors_of_two_models_are_named_on_the_command_line(tmp_path, capsys) -> None:
    (tmp_path / "truth.csv").write_bytes(CAPTIONS)
    (tmp_path / "two.npz").write_bytes(npz(i1=np.ones(2)))
    (tmp_path / "three.npz").write_bytes(npz(i1=np.ones(3)))
    words = ["--edition", "2025", "--truth", f"{tmp_path}/truth.csv", "--run", f"{tmp_path}/truth.csv"]
    more = ["--image-embeddings", f"{tmp_path}/two.npz", "--caption-embeddings", f"{tmp_path}/three.npz"]
    assert cli(["imageclef", "captions", *words, *more]) == 2
    assert "three.npz has 3 numbers per row, but what it is compared with has 2" in capsys.readouterr().err


BOMB = gzip.compress(b"\n" * (64 << 20))
"""64 MB in 65 kB: a thousand times, where text reaches fifty."""


@pytest.mark.parametrize("reader", [name for name in READERS if name not in ("vectors", "zip")])
def test_a_small_file_does_not_fill_memory(reader: str) -> None:
    assert len(BOMB) < 70_000
    tracemalloc.start()
    try:
        read, said = READERS[reader][0], ""
        try:
            said = str([p.message for p in read(BOMB, "2025").report.problems])
        except InputError as error:
            said = str([p.message for p in error.report.problems])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "It unpacks to more than 200 times its 63.7 kB" in said
    assert peak < 40 << 20  # 16 MB may always be unpacked


def test_a_zip_that_says_it_is_too_large_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submissions, "MAX_SUBMISSION", 1000)
    monkeypatch.setattr(submissions, "unpack", None)
    for files in ({"submission.csv": b"x" * 1001}, {"a": b"x" * 600, "b": b"x" * 600}):
        _, data, report = open_submission(zipped(files), name="run.zip")
        assert (data, [p.rule for p in report.problems]) == (b"", ["too-large"])


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_file_of_too_many_lines_is_refused_unread(edition: str) -> None:
    data = b"\n" * 1_000_001
    run = read_concept_run(data + b"x", name="DET", images=IMAGES, edition=CONCEPT_EDITIONS[edition])
    assert [p.rule for p in run.report.of_severity("error")] == ["too-many-lines", "missing-id"]
    with pytest.raises(InputError, match="cannot be used") as caught:
        read_concept_truth(data + b"x", file="truth", edition=CONCEPT_EDITIONS[edition])
    assert "1,000,001 lines" in caught.value.report.problems[0].message
