"""Vectors of concepts: what gensim writes, how much is read, and how a study measures by them."""

from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors

from evalcore.study import open_study
from evalcore.study.parts.vectors import parse_concept_vectors
from evalcore.study.tables.files import at_most
from tests.study.hurt import WHOLE, A, B, C, study_with
from tests.study.made import npz, write

VECTORS = np.random.default_rng(4).normal(size=(2, 5)).astype(np.float32)


@pytest.fixture(scope="module")
def keyed() -> KeyedVectors:
    keyed = KeyedVectors(5)
    keyed.add_vectors([A, C], VECTORS)
    return keyed


def test_what_gensim_writes_as_text_is_read(keyed: KeyedVectors, tmp_path: Path) -> None:
    keyed.save_word2vec_format(str(tmp_path / "v"))
    study = study_with(tmp_path / "s", "concept_vectors/w.txt", (tmp_path / "v").read_bytes())
    part = study.concept_vectors["w"]
    assert part.concepts == (A, C) and (part.row(C), part.row(B)) == (1, -1)
    np.testing.assert_allclose(part.vectors, VECTORS, rtol=2e-6)
    (missing,) = study.report.of_file("concept_vectors/w.txt").problems
    assert (missing.rule, missing.value, missing.severity) == ("no-vector", B, "warning")
    assert missing.message == "1 of 2 concepts (67% of their uses) have no vector."


def test_a_pickle_is_refused_with_the_way_to_export_it(keyed: KeyedVectors, tmp_path: Path) -> None:
    keyed.save(str(tmp_path / "v.kv"))
    rows, report = parse_concept_vectors((tmp_path / "v.kv").read_bytes(), file="v.kv")
    (problem,) = report.problems
    assert rows is None and "KeyedVectors.load" in problem.remedy and problem.remedy.count("\n") == 3


def test_no_more_is_read_than_the_cap_allows() -> None:
    many = b"".join(b"C%07d 0.1 0.2 0.3\n" % i for i in range(3_000))
    claim = b"99999999 9999\nC0000001 \x00\x01"
    with at_most(400_000):
        for data, rule in ((many, "too-large"), (claim, "unknown-format")):
            rows, report = parse_concept_vectors(data, file="v")
            assert rows is None and [entry.rule for entry in report.problems] == [rule]


def test_study_toml_names_the_metric(tmp_path: Path) -> None:
    toml = '[concept_vectors.one]\nmetric = "euclidean"\n[concept_vectors.two]\nmetric = "cosin"\n'
    toml += '[concept_vectors.tow]\nmetric = "poincare"\n'
    vectors = {name: npz([A]) for name in ("one.npz", "two.npz", "my vectors.npz")}
    files = {f"concept_vectors/{name}": data for name, data in vectors.items()} | {"study.toml": toml}
    study = open_study(write(tmp_path, WHOLE | files))
    metrics = {name: part.metric for name, part in study.concept_vectors.items()}
    assert metrics == {"one": "euclidean", "two": "cosine"}
    problems = {(p.rule, p.file, p.line, p.value) for p in study.report.problems if p.rule != "no-vector"}
    assert problems == {
        ("wrong-value", "study.toml", 4, "cosin"),
        ("bad-name", "concept_vectors/my vectors.npz", None, "my vectors"),
        ("no-such-vectors", "study.toml", None, "tow"),
    }


def test_the_message_about_a_damaged_array_is_the_same_each_time() -> None:
    """Python names the object that it cannot read by its place in memory."""
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': open(1), }".ljust(117) + b"\n"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    (problem,) = parse_concept_vectors(data, ids=C.encode(), file="v.npy")[1].problems
    assert problem.message == "The array is damaged: malformed node or string on line 1: <ast.Call object>."
