"""Embeddings that somebody brings: in both layouts, for all images, some, or none."""

from __future__ import annotations

import io

import numpy as np
import pytest

from evalcore.features.imageclef.caption_metrics import similarity
from evalcore.features.imageclef.editions import CAPTION_EDITIONS
from evalcore.features.imageclef.scoring import read_vectors
from evalcore.values.errors import InputError


def npz(**arrays: object) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **{name: np.asarray(array) for name, array in arrays.items()})
    return buffer.getvalue()


def test_ids_and_vectors() -> None:
    data = npz(ids=["b", "a", "z"], vectors=np.array([[3, 4], [1, 2], [9, 9]], np.float32))
    assert read_vectors(data, file="f", images=("a", "b")).tolist() == [[1, 2], [3, 4]]


def test_one_array_per_image_as_the_organisers_precompute_them() -> None:
    data = npz(b=[3.0, 4.0], a=[[1.0, 2.0]], z=[9.0, 9.0])
    assert read_vectors(data, file="f", images=("a", "b")).tolist() == [[1, 2], [3, 4]]


def test_an_image_without_a_vector_has_no_value() -> None:
    images = read_vectors(npz(a=[1.0, 0.0]), file="f", images=("a", "b"))
    texts = read_vectors(npz(a=[1.0, 0.0], b=[0.0, 1.0]), file="f", images=("a", "b"))
    found = similarity(images, texts, [("x", "y"), ("x", "y")], edition=CAPTION_EDITIONS["2025"])
    assert found[0] == 2.5
    assert np.isnan(found[1])


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04", npz(a=[1.0], b=[1.0, 2.0]), npz(ids=["z"], vectors=[[1.0]]), npz(z=[1.0])]
)
def test_files_without_usable_vectors(data: bytes) -> None:
    with pytest.raises(InputError, match="The embeddings f"):
        read_vectors(data, file="f", images=("a", "b"))


def test_pickles_are_not_loaded() -> None:
    with pytest.raises(InputError, match="cannot be used"):
        read_vectors(npz(a=np.array([{"x": 1}], dtype=object)), file="f", images=("a",))
