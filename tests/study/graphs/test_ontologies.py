"""One small vocabulary in both formats: the same links, relation types, ids and names."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from evalcore.study.graphs.graph_files import parse_graph
from evalcore.study.graphs.ontology import form_of
from evalcore.study.naming import names_in

if TYPE_CHECKING:
    from pathlib import Path

    from evalcore.study.graphs.edges import Edges

OBO = """format-version: 1.4

[Term]
id: ENVO:1
name: wood
synonym: "forest" EXACT []
xref: UMLS:C0000001
is_a: ENVO:2
relationship: part_of ENVO:3

[Term]
id: ENVO:2
name: land

[Term]
id: ENVO:3
name: region

[Term]
id: ENVO:4
name: gone
is_a: ENVO:2
is_obsolete: true
"""
IRI = "http://purl.obolibrary.org/obo/"
JSON = json.dumps(
    {
        "graphs": [
            {
                "id": f"{IRI}envo.owl",
                "nodes": [
                    {
                        "id": f"{IRI}ENVO_1",
                        "lbl": "wood",
                        "type": "CLASS",
                        "meta": {
                            "synonyms": [{"pred": "hasExactSynonym", "val": "forest", "xrefs": ["A: b"]}],
                            "xrefs": [{"val": "UMLS:C0000001"}, {"val": "no id at all"}],
                        },
                    },
                    {"id": f"{IRI}ENVO_2", "lbl": "land", "type": "CLASS"},
                    {"id": f"{IRI}ENVO_3", "lbl": "region", "type": "CLASS"},
                    {"id": f"{IRI}ENVO_4", "lbl": "gone", "type": "CLASS", "meta": {"deprecated": True}},
                    {"id": f"{IRI}BFO_0000050", "lbl": "part of", "type": "PROPERTY"},
                ],
                "edges": [
                    {"sub": f"{IRI}ENVO_1", "pred": "is_a", "obj": f"{IRI}ENVO_2"},
                    {"sub": f"{IRI}ENVO_1", "pred": f"{IRI}BFO_0000050", "obj": f"{IRI}ENVO_3"},
                    {"sub": f"{IRI}ENVO_4", "pred": "is_a", "obj": f"{IRI}ENVO_2"},
                ],
            }
        ]
    }
)
FORMATS = {"OBO": OBO, "OBO Graphs": JSON}


def links(edges: Edges) -> set[tuple[str, str, str]]:
    columns = edges.links["child"], edges.links["parent"], edges.labels
    return set(zip(*(column.to_pylist() for column in columns), strict=True))


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_gives_the_same_links(form: str) -> None:
    data = FORMATS[form].encode()
    assert form_of(data) == form
    edges, report = parse_graph(data, file="x", scheme="ENVO", rela=["isa", "part_of"])
    assert links(edges) == {("ENVO:1", "ENVO:2", "ENVO isa"), ("ENVO:1", "ENVO:3", "ENVO part_of")}
    assert dict(edges.relations) == {"isa": 1, "part_of": 1}
    assert report.problems == ()
    of_cuis, _ = parse_graph(data, file="x")
    assert links(of_cuis) == {("C0000001", "ENVO:2", "ENVO isa")}


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_names_its_concepts(tmp_path: Path, form: str) -> None:
    (tmp_path / "x.gz").write_bytes(gzip.compress(FORMATS[form].encode(), mtime=0))
    names, _ = names_in([tmp_path / "x.gz"], scheme="ENVO")
    rows = set(zip(names.concepts, names.texts, names.preferred.tolist(), strict=True))
    assert rows == {
        ("ENVO:1", "wood", True),
        ("ENVO:1", "forest", False),
        ("ENVO:2", "land", True),
        ("ENVO:3", "region", True),
    }
    assert set(names.sources) == {"ENVO"}
    assert set(names_in([tmp_path / "x.gz"])[0].concepts) == {"C0000001", "ENVO:2", "ENVO:3"}
