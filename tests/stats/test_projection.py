"""Principal components against scikit-learn; signs, missing vectors, edges; UMAP's call with a stand-in."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest
from sklearn.decomposition import PCA

from evalcore.stats import projection as plane
from evalcore.stats.projection import principal_plane, sampled, umap_plane
from evalcore.values import extras
from evalcore.values.errors import InputError
from tests.toy import embeddings_of, study_of


def embedded(vectors):
    """{image: vector or None} as embeddings, and the indices of all images."""
    study = study_of({image: {"a"} for image in vectors})
    given = {image: vector for image, vector in vectors.items() if vector is not None}
    return embeddings_of("s", study.concepts, given), np.arange(len(vectors), dtype=np.int32)


def random_images(n, d, seed=0):
    rng = np.random.default_rng(seed)
    spread = np.linspace(3, 0.2, d)
    return {f"i{k:04}": rng.normal(size=d) * spread + 0.5 for k in range(n)}


def oracle(vectors):
    units = np.array(
        [v / np.linalg.norm(v) for v in np.array(list(vectors.values()), np.float32).astype(float)]
    )
    fitted = PCA(2, svd_solver="full").fit(units)
    signs = np.sign(fitted.components_[[0, 1], np.abs(fitted.components_).argmax(axis=1)])
    return fitted.transform(units) * signs, fitted.explained_variance_ratio_


@pytest.mark.parametrize("shape", [(60, 7), (12, 40), (5, 5), (30, 2)])
def test_places_and_variance_are_those_of_scikit_learn(shape):
    vectors = random_images(*shape)
    found = principal_plane(*embedded(vectors))
    places, explained = oracle(vectors)
    np.testing.assert_allclose(found.places, places, atol=1e-9)
    np.testing.assert_allclose(found.explained, explained, atol=1e-9)


def test_many_dimensions_by_iteration(monkeypatch):
    monkeypatch.setattr(plane, "EXACT", 10)
    vectors = random_images(50, 20)
    found = principal_plane(*embedded(vectors))
    places, explained = oracle(vectors)
    np.testing.assert_allclose(found.places, places, atol=1e-7)
    np.testing.assert_allclose(found.explained, explained, atol=1e-9)


def test_the_same_at_any_length_and_in_any_order():
    vectors = random_images(20, 4)
    first = principal_plane(*embedded(vectors))
    longer = embedded({image: 4 * vector for image, vector in vectors.items()})
    again = principal_plane(longer[0], longer[1][::-1])
    np.testing.assert_array_equal(again.images, first.images)
    np.testing.assert_allclose(again.places, first.places, atol=1e-12)


def test_images_without_a_direction_are_counted():
    vectors = random_images(6, 3) | {"none": None, "zero": np.zeros(3)}
    found = principal_plane(*embedded(vectors))
    assert found.without == 2
    assert found.images.tolist() == list(range(6))


@pytest.mark.parametrize(
    "vectors",
    [
        {},
        {"a": None},
        {"a": np.ones(3)},
        {"a": np.ones(3), "b": 2 * np.ones(3)},
        {"a": np.ones(1), "b": -np.ones(1)},
    ],
)
def test_too_little_to_differ(vectors):
    found = principal_plane(*embedded(vectors))
    assert found.places.shape == (len([v for v in vectors.values() if v is not None]), 2)
    assert np.isfinite(found.places).all()
    assert (found.places[:, 1] == 0).all() and found.explained[1] == 0


def test_a_sample_is_drawn_by_its_seed():
    images = np.arange(100, dtype=np.int32)
    found = sampled(images, 10, seed=3)
    assert len(set(found.tolist())) == 10 and (np.diff(found) > 0).all()
    np.testing.assert_array_equal(found, sampled(images, 10, seed=3))
    assert found.tolist() != sampled(images, 10, seed=4).tolist()
    assert sampled(images, 100) is images


def test_without_umap_the_way_out_is_named(monkeypatch):
    monkeypatch.setattr(extras, "is_installed", lambda _: False)
    with pytest.raises(InputError, match=r"needs the package umap, .* pip install .*\[umap\]"):
        umap_plane(*embedded(random_images(9, 3)))


def test_umap_gets_unit_vectors_the_cosine_and_the_seed(monkeypatch):
    asked = {}

    class Reducer:
        def __init__(self, **options):
            asked.update(options)

        def fit_transform(self, vectors):
            np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)
            return vectors[:, :2].astype(np.float32)

    module = ModuleType("umap")
    module.UMAP = Reducer
    monkeypatch.setitem(sys.modules, "umap", module)
    monkeypatch.setattr(extras, "is_installed", lambda _: True)
    vectors = random_images(9, 3) | {"none": None}
    found = umap_plane(*embedded(vectors), seed=5)
    assert (asked["metric"], asked["random_state"], asked["n_neighbors"]) == ("cosine", 5, 8)
    assert found.places.shape == (9, 2) and found.without == 1 and found.explained is None
    with pytest.raises(InputError, match="four images"):
        umap_plane(*embedded(random_images(3, 3)))
