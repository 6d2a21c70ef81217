import io
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from evalcore.study.tables.ids import KnownIds
from evalcore.study.tables.problems import Problems
from evalcore.study.vectors.files import bind_embeddings, parse_embeddings, vectors_from
from tests.study.made import parquet, zipped
from tests.study.reported import reported

IMAGES = ("a", "b", "c")
VECTORS = np.array([[3, 4], [0, 1], [1, 0]], np.float32)


def saved(save, *args, **kwargs) -> bytes:
    stream = io.BytesIO()
    save(stream, *args, **kwargs)
    return stream.getvalue()


def npz(ids=IMAGES, vectors=VECTORS, **more) -> bytes:
    return saved(np.savez, ids=np.array(ids), vectors=np.array(vectors), **more)


def read(data, ids=None, unknown="error"):
    rows, first = parse_embeddings(data, file="e", ids=ids)
    if rows is None:
        return None, first
    table, second = reported(bind_embeddings, rows, KnownIds(IMAGES, unknown), system="s")
    return table, first + second


@pytest.mark.parametrize(
    ("data", "ids"),
    [
        (npz(), None),
        (npz(vectors=np.asfortranarray(VECTORS)), None),
        (npz(IMAGES[::-1], VECTORS[::-1]), None),
        (saved(np.savez_compressed, names=np.array(IMAGES), features=VECTORS), None),
        (saved(np.savez, ids=np.array([b"a", b"b", b"c"]), vectors=VECTORS), None),
        (saved(np.save, VECTORS), b"ID\r\na\r\nb\r\nc\r\n"),
        (parquet({"id": list(IMAGES), "vector": VECTORS.tolist()}), None),
        (parquet({"image_id": list(IMAGES), "0": VECTORS[:, 0], "1": VECTORS[:, 1]}), None),
        (
            parquet({"id": list(IMAGES), "vector": pa.array(VECTORS.tolist(), pa.list_(pa.float32(), 2))}),
            None,
        ),
        (b"image,x,y\na,3,4\nb,0,1\nc,1,0\n", None),
        (b"3 2\na 3 4\nb 0 1\nc 1 0\n", None),
    ],
)
def test_every_container_gives_the_same_vectors(data, ids):
    table, report = read(data, ids)
    assert report.problems == ()
    assert table.rows.tolist() == [0, 1, 2]
    assert table.vectors.dtype == np.float32
    assert np.array_equal(table.vectors, VECTORS)
    assert table.digest == read(npz())[0].digest


@pytest.mark.parametrize(
    ("bad", "severity", "rule"),
    [
        ([np.nan, 1], "error", "nan-vector"),
        ([np.inf, 1], "error", "nan-vector"),
        ([0, 0], "warning", "zero-vector"),
    ],
)
def test_vectors_without_a_direction_are_left_out_by_row(bad, severity, rule):
    table, report = read(npz(IMAGES, [[3, 4], bad, [1, 0]]))
    assert table.rows.tolist() == [0, -1, 1]
    first = report.problems[0]
    assert (first.severity, first.rule, first.line) == (severity, rule, 2)


@pytest.mark.parametrize(
    "value",
    [
        (IMAGES, VECTORS),
        (IMAGES, VECTORS.tolist()),
        dict(zip(IMAGES, VECTORS, strict=True)),
        pd.DataFrame({"id": IMAGES, "x": VECTORS[:, 0], "y": VECTORS[:, 1]}),
        pd.DataFrame({"vector": list(VECTORS), "image_id": IMAGES}),
        pd.DataFrame(VECTORS, index=list(IMAGES)),
        pa.table({"id": list(IMAGES), "vector": VECTORS.tolist()}),
        np.load(io.BytesIO(npz())),
    ],
    ids=lambda value: type(value).__name__,
)
def test_objects_in_memory_give_the_same_vectors(value):
    result = Problems("vectors")
    rows = vectors_from(value, result)
    assert result.report().problems == ()
    assert (rows.ids, list(rows.lines)) == (IMAGES, [1, 2, 3])
    assert rows.vectors.tolist() == VECTORS.tolist()


def test_numbers_are_ids_and_paths_are_read(tmp_path):
    result = Problems("vectors")
    assert vectors_from(({1.0: [1.0], 2.0: [2.0]}), result).ids == ("1", "2")
    (tmp_path / "v.npz").write_bytes(npz())
    assert vectors_from(str(tmp_path / "v.npz"), result).ids == IMAGES
    assert vectors_from(tmp_path / "v.npz", result).ids == IMAGES and not result.n_errors


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (VECTORS, "wrong-shape"),
        (5, "wrong-shape"),
        ((IMAGES, VECTORS, 1), "wrong-shape"),
        ((IMAGES, [[1], [2, 3], [4]]), "wrong-shape"),
        ((IMAGES[:2], VECTORS), "wrong-count"),
        ({}, "wrong-shape"),
        (pd.DataFrame(VECTORS), "wrong-header"),
        (pd.DataFrame({"id": IMAGES, "x": [1, "a", None]}), "wrong-shape"),
        ("nowhere.npz", "unreadable-file"),
        (np.load(io.BytesIO(saved(np.savez, VECTORS))), "wrong-header"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_objects_are_refused_in_words(value, rule):
    result = Problems("vectors")
    assert vectors_from(value, result) is None
    assert [p.rule for p in result.report().problems] == [rule]
    assert all(p.remedy and p.message[-1] == "." for p in result.report().problems)


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was loaded",))


def lying_npy(shape) -> bytes:
    return saved(
        np.lib.format.write_array_header_1_0, {"descr": "<f4", "fortran_order": False, "shape": shape}
    )


def with_member(name: str, content: bytes) -> bytes:
    return zipped(**{"ids.npy": saved(np.save, np.array(IMAGES)), name: content})


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (
            saved(np.savez, ids=np.array(IMAGES), vectors=np.array([Bomb()], object), allow_pickle=True),
            "pickled-array",
        ),
        (saved(np.save, np.array([Bomb()], object), allow_pickle=True), "pickled-array"),
        (pickle.dumps({"a": [1.0]}), "pickle"),
        (saved(np.savez, VECTORS), "wrong-header"),
        (saved(np.save, VECTORS), "no-ids"),
        (npz(IMAGES[:2]), "wrong-count"),
        (npz(IMAGES, [1.0, 2.0, 3.0]), "wrong-shape"),
        (npz(IMAGES, [["x"], ["y"], ["z"]]), "wrong-shape"),
        (npz([], np.empty((0, 3))), "no-rows"),
        (npz()[:-30], "unreadable-container"),
        (b"PAR1 no parquet", "unreadable-container"),
        (with_member("vectors.npy", lying_npy((10**12, 10**6))), "unreadable-container"),
        (with_member("vectors.npy", b"no array"), "unreadable-container"),
        (with_member("vectors.npy", lying_npy((1,) * 70)), "unreadable-container"),
        (with_member("vectors.npy", lying_npy((10**12, 0))), "wrong-count"),
        (npz(np.array(["2020-01-01"] * 3, "M8[D]")), "wrong-type"),
        (npz(np.array([0x110000, 97, 98], "<u4").view("<U1")), "undecodable"),
        (parquet({"id": list(IMAGES), "vector": [[1.0, 2.0], [1.0], [2.0, 3.0]]}), "wrong-shape"),
        (parquet({"id": list(IMAGES), "vector": ["x", "y", "z"]}), "wrong-shape"),
        (parquet({"key": list(IMAGES), "vector": VECTORS.tolist()}), "wrong-header"),
        (b"", "empty-file"),
        (b"MATLAB 5.0\0\1", "unknown-format"),
    ],
)
def test_what_cannot_be_used_is_an_error_and_never_loaded(data, rule):
    table, report = read(data)
    assert table is None
    assert [p.rule for p in report.of_severity("error")] == [rule]
