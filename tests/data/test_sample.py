"""The sample study: it opens, it is what it says, and it can be made again."""

from __future__ import annotations

import csv
import io
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from data.sample_maker import readers, systems
from data.sample_maker.cases import Case, all_cases
from data.sample_maker.draw import draw
from data.sample_maker.finish import jpeg_bytes
from data.sample_maker.kinds import kinds_of
from data.sample_maker.wording import records
from evalcore.features.review.read.task_files import read_tasks
from evalcore.features.review.read.together import judgments_in
from evalcore.study import open_study

DATA = Path(__file__).resolve().parents[2] / "data"
SYSTEMS = ("caption-tfidf", "hog", "intensity-histogram", "pixel-pca", "texture")


@pytest.fixture(scope="module")
def study():
    return open_study(DATA)


@cache
def cases() -> tuple[Case, ...]:
    return all_cases()


def table(name: str) -> list[list[str]]:
    with (DATA / name).open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def test_opens_without_errors(study):
    assert study.report.total("error") == 0
    assert len(study.image_ids) == 160
    assert study.images.count == 160
    assert study.systems == SYSTEMS
    assert set(study.runs) == set(study.embeddings) == set(SYSTEMS)
    assert list(study.labels.columns) == ["modality", "organ", "finding"]


def test_labels_are_words(study):
    columns = study.labels.columns
    assert set(columns["modality"].values) == {"radiograph", "MRI", "CT", "ultrasound", "mammogram"}
    assert set(columns["organ"].values) >= {
        "lung",
        "heart",
        "brain",
        "liver",
        "kidney",
        "gallbladder",
        "breast",
    }
    findings = columns["finding"]
    assert {"normal", "effusion", "glioma", "gallstones", "breast mass"} <= set(findings.values)
    assert all(len(value) > 3 for value in findings.values)
    assert all(findings.labelled)
    counts = np.bincount(findings.indices, minlength=len(findings.values))
    assert counts[findings.values.index("normal")] == sum(not case.findings for case in cases())


def test_says_that_it_is_synthetic(study):
    assert "synthetic" in study.name.lower()
    assert "synthetic" in study.description
    assert "not patients" in study.description
    assert "**The images are synthetic.**" in (DATA / "README.md").read_text(encoding="utf-8")


def test_shows_every_state_of_annotation(study):
    concepts = study.concepts
    assert np.count_nonzero(~concepts.annotated) == 1
    assert np.count_nonzero(concepts.annotated & (concepts.sizes == 0)) == 2
    assert np.count_nonzero(concepts.sizes == 1) >= 2
    unknown = [c for c, cui in enumerate(concepts.vocabulary) if study.graph.index(cui) < 0]
    rows = np.repeat(np.arange(len(concepts)), concepts.sizes)
    assert len(set(rows[np.isin(concepts.indices, unknown)].tolist())) == 3
    assert 3 <= np.median(concepts.sizes) <= 5


def test_every_concept_has_a_name(study):
    assert not [cui for cui in (*study.concepts.vocabulary, *study.graph.cuis) if cui not in study.names]


def test_graph_is_an_acyclic_connected_neighbourhood(study):
    networkx = pytest.importorskip("networkx")
    graph = networkx.DiGraph([tuple(row[:2]) for row in table("graph/edges.csv")])
    assert 200 <= graph.number_of_nodes() <= 320
    assert networkx.is_directed_acyclic_graph(graph)
    sizes = sorted((len(part) for part in networkx.weakly_connected_components(graph)), reverse=True)
    assert sizes[0] > graph.number_of_nodes() / 2
    assert sum(sizes[:3]) >= graph.number_of_nodes() - 5
    assert all(len(row) == 4 and row[2] and row[3] == "isa" for row in table("graph/edges.csv"))


def test_granularity_varies_on_purpose():
    edges = {tuple(row[:2]) for row in table("graph/edges.csv")}
    used = Counter(cui for row in table("concepts.csv") if len(row) > 1 for cui in row[1].split(";"))
    pairs = [edge for edge in edges if used[edge[0]] and used[edge[1]]]
    assert len(pairs) >= 25
    for pair in (("C0020312", "C0032227"), ("C0032227", "C0032226"), ("C0225730", "C0024109")):
        assert pair in pairs


def test_tables_are_what_the_script_writes():
    written = records(cases())
    assert [row[0] for row in table("concepts.csv")] == [record.image for record in written]
    concepts = [
        None if len(row) == 1 else tuple(row[1].split(";")) if row[1] else () for row in table("concepts.csv")
    ]
    assert concepts == [record.concepts for record in written]
    labels = [[r.image, r.modality, ";".join(r.organs), ";".join(r.findings)] for r in written]
    assert table("labels.csv") == labels
    assert table("captions.csv") == [[record.image, record.caption] for record in written]


@pytest.mark.parametrize("image", ["SYN_002", "SYN_012"])
def test_an_image_can_be_drawn_again(image):
    case = next(case for case in cases() if case.image == image)
    first, again = jpeg_bytes(draw(case)), jpeg_bytes(draw(case))
    assert first == again
    committed = np.asarray(Image.open(DATA / "images" / f"{image}.jpg").convert("L"), dtype=float)
    # Another processor or library version may round differently; a different drawing would be far away.
    drawn = np.asarray(Image.open(io.BytesIO(first)).convert("L"), dtype=float)
    assert np.abs(drawn - committed).mean() < 2.0


@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_are_computed_from_images_and_captions(study, name):
    embeddings = study.embeddings[name]
    if name == "caption-tfidf":
        vectors = systems.caption_tfidf(study.captions.texts)
    else:
        files = [DATA / "images" / f"{image}.jpg" for image in study.image_ids]
        vectors = systems.IMAGE_SYSTEMS[name]([systems.grey(Image.open(file)) for file in files])
    found = embeddings.vectors[embeddings.rows]
    assert found.dtype == np.float32
    assert found.shape == vectors.shape
    np.testing.assert_allclose(found, vectors, rtol=1e-4, atol=1e-4)


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
    parts = [DATA / name for name in ("images", "systems", "graph", "review", "sample_maker")]
    files = [
        *DATA.glob("*.*"),
        *(file for part in parts for file in part.rglob("*.*") if file.suffix != ".pyc"),
    ]
    assert sum(file.stat().st_size for file in files) < 6_000_000


def test_the_simulated_readers_are_made_by_the_script(study):
    made = readers.review_files(study)
    assert sorted(made) == sorted(path.name for path in (DATA / "review").iterdir())
    assert {name: (DATA / "review" / name).read_text() for name in made} == made


def test_every_judgment_of_the_sample_is_marked_as_simulated():
    judgments, report = judgments_in(DATA)
    tasks, said = read_tasks(DATA)
    assert report.total("error") == said.total("error") == 0
    assert (
        {one.task for one in judgments} == {task.name for task in tasks} == {"simulated", "simulated-lists"}
    )
    assert len(judgments) == 262 and all(one.simulated for one in judgments)
    assert all("simulated" in one.reader for one in judgments)


def test_kinds_follow_from_the_graph():
    concepts = [cui for cui, _ in table("names.csv")]
    edges = [(child, parent) for child, parent, *_ in table("graph/edges.csv")]
    assert [tuple(row) for row in table("kinds.csv")] == list(kinds_of(concepts, edges))
    assert dict(table("kinds.csv"))["C0040405"] == "modality"
