"""A file is read and bound before it is kept: the same problems as in the open study, and nothing raised."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from evalcore.sources import trial
from evalcore.sources.layout import read_layout
from evalcore.sources.trial import KINDS, concepts_of, try_part
from evalcore.study import open_study
from tests.sources.hurt import CONCEPTS, GRAPHML, MRCONSO, OBO, TREC, VECTORS, A, B, saved

NPZ = saved(np.savez, ids=np.array(["a", "b", "c", "d"]), vectors=VECTORS)
NAMES = f"cui,name\n{A},Tomography\n".encode()
PARTS = [
    ("concepts", f"ID,CUIs\na,{A}\n".encode(), "rocov2", "concepts.csv"),
    ("captions", b"ID,Caption\na,a CT\n", "csv", "captions.csv"),
    ("labels", b"ID,organ\na,chest\n", "csv", "labels.csv"),
    ("label_map", f"label_type,label,cui\norgan,chest,{A}\n".encode(), "csv", "label_map.csv"),
    ("graph", f"child,parent\n{A},{B}\n".encode(), "csv", "graph/edges.csv"),
    ("graph", OBO.encode(), "OBO", "graph/x.obo"),
    ("graph", GRAPHML.encode(), "GraphML", "graph/x.graphml"),
    ("names", NAMES, "csv", "names.csv"),
    ("names", MRCONSO.encode(), "MRCONSO", "names.csv"),
    ("run", TREC.encode(), "trec", "systems/one/run.trec"),
    ("run", b'{"a": {"b": 0.9}}', "json", "systems/one/run.json"),
    ("embeddings", NPZ, "npz", "systems/one/embeddings.npz"),
]


@pytest.mark.parametrize(("kind", "data", "form", "place"), PARTS)
def test_what_a_study_can_use(kind: str, data: bytes, form: str, place: str, tmp_path: Path) -> None:
    """The problems are those the open study has of the file."""
    (tmp_path / "concepts.csv").write_text(f"ID,CUIs\na,{A};{B}\nb,{B}\nc,\nd\n")
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).write_bytes(data)
    concepts = concepts_of(read_layout(tmp_path)[0])
    for given in (data, gzip.compress(data)) if kind != "embeddings" else (data,):
        found = try_part(kind, given, file=place, concepts=concepts, system="one")
        assert (found.form, found.usable, found.bound) == (form, True, True)
        opened = open_study(tmp_path).report.of_file(place)
        said = [str(p) for p in opened.problems if p.rule not in ("open-end", "not-in-graph")]
        assert [str(p) for p in found.report.problems] == said
    assert try_part(kind, data, file=place).usable, "there need be no concepts yet"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "data", [b"", b"\x00\xff", b"nothing of the kind\n", b"PK\x03\x04", b"\x1f\x8b hurt"]
)
def test_what_no_study_can_use(kind: str, data: bytes) -> None:
    found = try_part(kind, data, file="upload", concepts=CONCEPTS)
    assert not (found.usable or found.bound)
    assert found.report.total("error") > 0 or kind in ("concepts", "names", "label_map")


def test_a_run_about_other_images_can_be_used_but_not_here() -> None:
    for kind, data in (
        ("run", b"x Q0 y 1 0.5 s\n"),
        ("embeddings", saved(np.savez, ids=["x"], vectors=[[1.0]])),
    ):
        found = try_part(kind, data, file="upload", concepts=CONCEPTS)
        assert (found.usable, found.bound) == (True, False)
        assert "no-rows" in {p.rule for p in found.report.of_severity("error")}
        assert try_part(kind, data, file="upload").bound


def test_what_binding_raises_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(trial, "derive_labels", fails)
    data = f"label_type,label,cui\norgan,chest,{A}\n".encode()
    found = try_part("label_map", data, file="map.csv", concepts=CONCEPTS)
    assert (found.usable, found.bound) == (False, False)
    assert [(p.rule, p.file) for p in found.report.problems] == [("unreadable-file", "map.csv")]


def test_a_folder_without_concepts_has_none(tmp_path: Path) -> None:
    assert concepts_of(read_layout(tmp_path)[0]) is None
    (tmp_path / "concepts.csv").write_text(f"a,{A}\n")
    assert concepts_of(read_layout(tmp_path)[0]).image_ids == ("a",)
