import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from evalcore.study.tables.problems import Problems
from evalcore.study.vectors.files import bind_embeddings, parse_embeddings, vectors_from
from tests.study.made import parquet
from tests.study.reported import reported

IMAGES = ("a", "b", "c")
VECTORS = np.array([[3, 4], [0, 1], [1, 0]], np.float32)


def saved(save, *args, **kwargs) -> bytes:
    stream = io.BytesIO()
    save(stream, *args, **kwargs)
    return stream.getvalue()


def npz(ids=IMAGES, vectors=VECTORS, **more) -> bytes:
    return saved(np.savez, ids=np.array(ids), vectors=np.array(vectors), **more)


def read(data, ids=None, **options):
    rows, first = parse_embeddings(data, file="e", ids=ids)
    if rows is None:
        return None, first
    table, second = reported(bind_embeddings, rows, system="s", image_ids=IMAGES, **options)
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
