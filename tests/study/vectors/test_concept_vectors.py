"""Vectors of concepts: every form gensim and cui2vec write, and what is said about files that are broken."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors

from evalcore.study import open_study
from evalcore.study.tables.files import at_most
from evalcore.study.vectors.files import bind_concept_vectors, npz_bytes, parse_concept_vectors
from evalcore.values.model import ConceptSets
from tests.study.made import parquet, write
from tests.study.reported import reported

CUIS = ["C0000001", "C0000002", "C0000003"]
VECTORS = np.random.default_rng(4).normal(size=(3, 5)).astype(np.float32)
CONCEPTS = ConceptSets.of({"a": (CUIS[0], CUIS[2]), "b": (CUIS[0], "C0000009"), "c": ("C0000009",)})


@pytest.fixture(scope="module")
def keyed():
    keyed = KeyedVectors(5)
    keyed.add_vectors(CUIS, VECTORS)
    return keyed


def written(keyed, form: str, folder: Path) -> bytes:
    path = folder / "v"
    if form == "word2vec":
        keyed.save_word2vec_format(str(path))
        return path.read_bytes()
    if form == "cui2vec":
        header = '"",' + ",".join(f'"V{i}"' for i in range(1, 6)) + "\n"
        rows = [f'"{c}",' + ",".join(map(repr, v.tolist())) for c, v in zip(CUIS, VECTORS, strict=True)]
        return (header + "\n".join(rows) + "\n").encode()
    if form == "glove":
        rows = [f"{c} " + " ".join(map(repr, v.tolist())) for c, v in zip(CUIS, VECTORS, strict=True)]
        return ("\n".join(rows) + "\n").encode()
    if form == "npz":
        return npz_bytes(CUIS, VECTORS)
    return parquet({"cui": CUIS, "vector": VECTORS.tolist()})


@pytest.mark.parametrize("form", ["word2vec", "cui2vec", "glove", "npz", "parquet"])
def test_every_form_holds_the_same_vectors(keyed, form, tmp_path):
    rows, report = parse_concept_vectors(written(keyed, form, tmp_path), file="v")
    assert report.problems == ()
    part, report = reported(bind_concept_vectors, rows, name="v", metric="cosine", concepts=CONCEPTS)
    assert part.concepts == tuple(CUIS) and part.row(CUIS[1]) == 1 and part.row("C0000009") == -1
    np.testing.assert_allclose(part.vectors, VECTORS, rtol=2e-6)
    (missing,) = report.problems
    assert (missing.rule, missing.value, missing.severity) == ("no-vector", "C0000009", "warning")
    assert missing.message == "1 of 3 concepts (40% of their uses) have no vector."


def test_a_pickle_is_refused_with_the_way_to_export_it(keyed, tmp_path):
    keyed.save(str(tmp_path / "v.kv"))
    rows, report = parse_concept_vectors((tmp_path / "v.kv").read_bytes(), file="v.kv")
    (problem,) = report.problems
    assert rows is None and "KeyedVectors.load" in problem.remedy and problem.remedy.count("\n") == 3


def test_no_more_is_read_than_the_cap_allows():
    many = b"".join(b"C%07d 0.1 0.2 0.3\n" % i for i in range(3_000))
    claim = b"99999999 9999\nC0000001 \x00\x01"
    with at_most(400_000):
        for data, rule in ((many, "too-large"), (claim, "unknown-format")):
            rows, report = parse_concept_vectors(data, file="v")
            assert rows is None and [entry.rule for entry in report.problems] == [rule]


def test_a_study_reads_its_folder_and_its_toml(keyed, tmp_path):
    vectors = {name: written(keyed, "glove", tmp_path) for name in ("one.txt", "two.vec", "my vectors.npz")}
    study = write(tmp_path / "s", {"concepts.csv": "ID,CUIs\na,C0000001\n"})
    plain = open_study(study).digest
    write(study / "concept_vectors", vectors)
    toml = '[concept_vectors.one]\nmetric = "euclidean"\n[concept_vectors.two]\nmetric = "cosin"\n'
    write(study, {"study.toml": f'{toml}[concept_vectors.tow]\nmetric = "poincare"\n'})
    opened = open_study(study)
    metrics = {name: part.metric for name, part in opened.concept_vectors.items()}
    assert metrics == {"one": "euclidean", "two": "cosine"} and opened.digest != plain
    problems = {p.rule: (p.file, p.line, p.value) for p in opened.report.problems}
    assert (
        problems.items()
        >= {
            "wrong-value": ("study.toml", 4, "cosin"),
            "bad-name": ("concept_vectors/my vectors.npz", None, "my vectors"),
            "no-such-vectors": ("study.toml", None, "tow"),
        }.items()
    )
