"""The sample study: it opens, and it is what it says."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.feature_extraction.text import TfidfVectorizer

from evalcore.features.encode import baselines
from evalcore.features.review.files import read_tasks
from evalcore.study import open_study
from evalcore.study.reader_judgments import read_reader_judgments

DATA = Path(__file__).resolve().parents[2] / "data"
SYSTEMS = ("caption-tfidf", "hog", "intensity-histogram", "pixel-pca", "texture")


@pytest.fixture(scope="module")
def study():
    return open_study(DATA)


def table(name: str) -> list[list[str]]:
    with (DATA / name).open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def test_opens_without_errors(study):
    assert study.report.total("error") == 0
    assert len(study.image_ids) == 160
    assert study.images.count == 160
    assert study.systems == SYSTEMS
    assert set(study.runs) == set(study.embeddings) == set(SYSTEMS)
    assert list(study.labels) == ["modality", "organ", "finding"]


def test_says_that_it_is_synthetic(study):
    assert "synthetic" in study.name.lower()
    assert "synthetic" in study.description
    assert "not patients" in study.description
    assert "**The images are synthetic.**" in (DATA / "README.md").read_text(encoding="utf-8")


def test_every_concept_has_a_name(study):
    assert not [cui for cui in (*study.concepts.vocabulary, *study.graph.cuis) if cui not in study.names]


def test_the_tables_are_about_the_same_images(study):
    images = [f"SYN_{number:03}" for number in range(1, 161)]
    for name in ("concepts.csv", "labels.csv", "captions.csv"):
        assert [row[0] for row in table(name)] == images
    assert sorted(file.name for file in (DATA / "images").iterdir()) == [f"{image}.jpg" for image in images]
    assert all(caption.endswith(".") for _, caption in table("captions.csv"))


@pytest.mark.parametrize("name", ["caption-tfidf", "intensity-histogram"])
def test_systems_are_computed_from_images_and_captions(study, name):
    embeddings = study.embeddings[name]
    if name == "caption-tfidf":
        words = TfidfVectorizer(token_pattern=r"[a-z]{3,}", norm=None)
        vectors = words.fit_transform(study.captions.texts).toarray()
    else:
        files = [DATA / "images" / f"{image}.jpg" for image in study.image_ids]
        rows = [baselines.intensity_histogram(baselines.grey(Image.open(file))) for file in files]
        vectors = np.array(rows)
    stored = embeddings.vectors[embeddings.rows]
    assert stored.dtype == np.float32
    assert stored.shape == vectors.shape
    np.testing.assert_allclose(stored, vectors, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", SYSTEMS)
def test_runs_rank_all_queries_by_cosine(study, name):
    run, embeddings = study.runs[name], study.embeddings[name]
    assert len(run.queries) == 160
    assert set(np.diff(run.indptr).tolist()) == {100}
    vectors = embeddings.vectors[embeddings.rows].astype(float)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for query in (0, 80, 159):
        candidates, scores = run.answer(query)
        assert query not in candidates
        np.testing.assert_allclose(scores, unit[candidates] @ unit[query], atol=2e-6)
        others = np.delete(unit @ unit[query], query)
        np.testing.assert_allclose(scores[-1], np.sort(others)[-100], atol=2e-6)


def test_is_small():
    parts = [DATA / name for name in ("images", "systems", "graph", "review")]
    files = [*DATA.glob("*.*"), *(file for part in parts for file in part.rglob("*.*"))]
    assert sum(file.stat().st_size for file in files) < 6_000_000


def test_every_judgment_of_the_sample_is_of_a_simulated_reader_and_kept_apart():
    tasks, report = read_tasks(DATA)
    assert not report.problems and {task.name for task in tasks} == {"simulated", "simulated-lists"}
    rows = read_reader_judgments(DATA, simulated=True)
    assert len(rows) == 262 and all("simulated" in row.reader for row in rows)
    assert read_reader_judgments(DATA) == () and not open_study(DATA).qrels
