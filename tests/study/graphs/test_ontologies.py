"""One small vocabulary in four formats: the same links, relation types, ids and names."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from evalcore.study.graphs.ontology import form_of, ontology_names, parse_ontology

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
TURTLE = f"""# a vocabulary
@prefix ENVO: <{IRI}ENVO_> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
ENVO:1 a skos:Concept ; skos:prefLabel "Wald"@de, "wood"@en ; skos:altLabel "forest"@en ;
  skos:exactMatch <http://linkedlifedata.com/resource/umls/id/C0000001> ; skos:broaderPartitive ENVO:3 .
ENVO:2 a skos:Concept ; skos:prefLabel "land"@en ; skos:narrower ENVO:1, ENVO:4 .
ENVO:3 a skos:Concept ; skos:prefLabel "region"@en .
ENVO:4 a skos:Concept ; skos:prefLabel "gone"@en ; owl:deprecated true .
"""
OWL = f"""<?xml version="1.0"?>
<rdf:RDF xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:oio="http://www.geneontology.org/formats/oboInOwl#"
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
<owl:Ontology rdf:about="{IRI}envo.owl"><owl:imports rdf:resource="http://evil.invalid/all.owl"/></owl:Ontology>
<owl:ObjectProperty rdf:about="{IRI}BFO_0000050"><rdfs:label>part of</rdfs:label></owl:ObjectProperty>
<owl:Class rdf:about="{IRI}ENVO_1">
 <rdfs:subClassOf rdf:resource="{IRI}ENVO_2"/>
 <rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="{IRI}BFO_0000050"/>
  <owl:someValuesFrom rdf:resource="{IRI}ENVO_3"/></owl:Restriction></rdfs:subClassOf>
 <rdfs:label xml:lang="en">wood</rdfs:label><oio:hasExactSynonym>forest</oio:hasExactSynonym>
 <oio:hasDbXref>UMLS:C0000001</oio:hasDbXref>
</owl:Class>
<owl:Class rdf:about="{IRI}ENVO_2"><rdfs:label>land</rdfs:label></owl:Class>
<owl:Class rdf:about="{IRI}ENVO_3"><rdfs:label>region</rdfs:label></owl:Class>
<owl:Class rdf:about="{IRI}ENVO_4"><rdfs:label>gone</rdfs:label>
 <rdfs:subClassOf rdf:resource="{IRI}ENVO_2"/>
 <owl:deprecated rdf:datatype="http://www.w3.org/2001/XMLSchema#boolean">true</owl:deprecated></owl:Class>
</rdf:RDF>
"""
FORMATS = {"OBO": OBO, "OBO Graphs": JSON, "SKOS": TURTLE, "OWL": OWL}


def links(edges: Edges) -> set[tuple[str, str, str]]:
    return set(zip(edges.child.to_pylist(), edges.parent.to_pylist(), edges.labels.to_pylist(), strict=True))


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_gives_the_same_links(form: str) -> None:
    data = FORMATS[form].encode()
    assert form_of(data) == form
    partly = "broaderPartitive" if form == "SKOS" else "part_of"
    edges, report = parse_ontology(data, file="x", form=form, scheme="ENVO", rela=["isa", partly])
    assert links(edges) == {("ENVO:1", "ENVO:2", "ENVO isa"), ("ENVO:1", "ENVO:3", f"ENVO {partly}")}
    assert dict(edges.relations) == {"isa": 1, partly: 1}
    assert [p.rule for p in report.problems] == (["import-not-followed"] if form == "OWL" else [])
    of_cuis, _ = parse_ontology(data, file="x", form=form)
    assert links(of_cuis) == {("C0000001", "ENVO:2", "ENVO isa")}


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_names_its_concepts(tmp_path: Path, form: str) -> None:
    (tmp_path / "x.gz").write_bytes(gzip.compress(FORMATS[form].encode(), mtime=0))
    names = ontology_names(tmp_path / "x.gz", scheme="ENVO")
    rows = set(zip(names.concepts, names.texts, names.preferred.tolist(), strict=True))
    german = {("ENVO:1", "Wald", False)} if form == "SKOS" else set()
    assert rows == german | {
        ("ENVO:1", "wood", True),
        ("ENVO:1", "forest", False),
        ("ENVO:2", "land", True),
        ("ENVO:3", "region", True),
    }
    assert set(names.sources) == {"ENVO"}
    assert set(ontology_names(tmp_path / "x.gz").concepts) == {"C0000001", "ENVO:2", "ENVO:3"}


def test_languages_of_a_skos_file_are_kept(tmp_path: Path) -> None:
    (tmp_path / "x.ttl").write_text(TURTLE)
    names = ontology_names(tmp_path / "x.ttl")
    assert {(text, language) for text, language in zip(names.texts, names.languages, strict=True)} == {
        ("Wald", "de"),
        ("wood", "en"),
        ("forest", "en"),
        ("land", "en"),
        ("region", "en"),
    }


def test_what_is_no_ontology_has_no_names(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("child,parent\nHP:1,HP:2\n")
    assert len(ontology_names(tmp_path / "edges.csv")) == len(ontology_names(tmp_path / "none.obo")) == 0
