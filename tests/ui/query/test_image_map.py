"""The map of the images on page Query."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.values import extras
from tests.ui.conftest import SETS, said

Open = Callable[..., AppTest]
PAGE = "pages/3_Query.py"


@pytest.fixture
def with_vectors(study_folder: Path) -> Path:
    rng = np.random.default_rng(0)
    ids = list(SETS)[:5]
    np.savez(study_folder / "systems" / "alpha" / "embeddings.npz", ids=ids, vectors=rng.normal(size=(5, 3)))
    return study_folder


def figure(app: AppTest) -> dict:
    found = [json.loads(one.proto.spec) for one in app.get("plotly_chart")]
    (of_map,) = [one for one in found if "Images by" in one["layout"]["title"]["text"]]
    return of_map


def test_no_vectors_no_map(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, map="yes")
    assert not app.exception
    assert "Map of the images" not in [one.label for one in app.expander]


def test_the_map_says_what_it_shows_and_what_it_cannot(open_app: Open, with_vectors: Path) -> None:
    app = open_app(PAGE, study=with_vectors, map="yes", map_by="organ")
    assert not app.exception
    found = figure(app)
    assert sorted(i for trace in found["data"] for i in trace["customdata"]) == list(SETS)[:5]
    assert "5 queries · 1 without a vector · axes from 5 images" in found["layout"]["title"]["text"]
    assert "of the variance" in found["layout"]["xaxis"]["title"]["text"]
    assert "No image is selected" in said(app)


def test_coloured_by_the_score_of_a_system(open_app: Open, with_vectors: Path) -> None:
    app = open_app(PAGE, study=with_vectors, map="yes", map_by="score:a")
    assert not app.exception
    (scored, *_) = figure(app)["data"]
    assert scored["marker"]["colorscale"]


def test_without_umap_the_page_says_what_to_install(
    open_app: Open, with_vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda _: False)
    app = open_app(PAGE, study=with_vectors, map="yes", map_way="umap")
    assert not app.exception
    assert "[umap]" in said(app).replace("\\", "")
    assert figure(app)
