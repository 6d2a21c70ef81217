"""A small vocabulary: its links, relation types, ids and names."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from evalcore.study.graphs.graph_files import parse_graph
from evalcore.study.graphs.obo import is_obo
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


def links(edges: Edges) -> set[tuple[str, str, str]]:
    columns = edges.links["child"], edges.links["parent"], edges.labels
    return set(zip(*(column.to_pylist() for column in columns), strict=True))


def test_links_and_relation_types() -> None:
    data = OBO.encode()
    assert is_obo(data)
    edges, report = parse_graph(data, file="x", scheme="ENVO", rela=["isa", "part_of"])
    assert links(edges) == {("ENVO:1", "ENVO:2", "ENVO isa"), ("ENVO:1", "ENVO:3", "ENVO part_of")}
    assert dict(edges.relations) == {"isa": 1, "part_of": 1}
    assert report.problems == ()
    of_cuis, _ = parse_graph(data, file="x")
    assert links(of_cuis) == {("C0000001", "ENVO:2", "ENVO isa")}


def test_names(tmp_path: Path) -> None:
    (tmp_path / "x.gz").write_bytes(gzip.compress(OBO.encode(), mtime=0))
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
