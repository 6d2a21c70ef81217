"""Graph files of every format become one graph; filters and oddities are reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evalcore import make_study, open_study
from evalcore.study.folder.study_toml import StudyToml
from evalcore.study.study import Opening, read_graph_files
from evalcore.study.tables.problems import Problems
from evalcore.values.errors import InputError
from tests.study.reported import graph_layout

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evalcore.graph import ConceptGraph
    from evalcore.values.errors import Report
    from evalcore.values.model import Part

OBO = """format-version: 1.2
[Term]
id: X:2
xref: UMLS:C0000002
is_a: X:1
[Term]
id: X:1
xref: UMLS:C0000001
"""
GRAPHML = """<?xml version="1.0"?>
<graphml><graph edgedefault="directed"><edge source="C0000002" target="C0000001"/></graph></graphml>"""
MRREL = "C0000002|A1|AUI|PAR|C0000001|A2|AUI|inverse_isa|R1||X|X|||N||\n"
TABLE = "child,parent\nC0000002,C0000001\n"


def read_graph(
    paths: Sequence[Path], *, root: Path, **which: Sequence[str]
) -> tuple[ConceptGraph | None, Report, list[Part]]:
    chosen = {f"graph_{name}": tuple(values) for name, values in which.items()}
    opening = Opening(graph_layout(root, paths, StudyToml(**chosen)), Problems(""))
    return read_graph_files(opening), opening.problems.report(), opening.parts


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("edges.csv", TABLE, "csv"),
        ("MRREL.RRF", MRREL, "MRREL"),
        ("whatever.txt", MRREL, "MRREL"),
        ("x.obo", OBO, "OBO"),
        ("x.graphml", GRAPHML, "GraphML"),
    ],
)
def test_every_format_gives_the_same_edge(tmp_path: Path, name: str, text: str, format: str) -> None:
    (tmp_path / name).write_text(text)
    graph, report, parts = read_graph([tmp_path / name], root=tmp_path)
    assert graph.cuis == ("C0000001", "C0000002")
    assert graph.parents(1).tolist() == [0]
    assert report.problems == ()
    assert [(part.kind, part.file, part.format, part.used) for part in parts] == [
        ("graph", name, format, True)
    ]


def test_filters(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text(
        "child,parent,source,rela\nC0000002,C0000001,A,isa\nC0000003,C0000001,B,part_of\n"
    )
    paths = [tmp_path / "e.csv"]
    graph, report, _ = read_graph(paths, root=tmp_path, rela=["part_of"])
    assert (graph.cuis, report.problems) == (("C0000001", "C0000003"), ())
    assert read_graph(paths, root=tmp_path, sources=["A"])[0].cuis == ("C0000001", "C0000002")
    graph, report, parts = read_graph(paths, root=tmp_path, sources=["Z"], rela=["isa"])
    assert graph is None
    assert [str(p) for p in report.problems] == [
        "e.csv: No edge has the source Z and the relation isa selected. Correct or remove [graph] "
        "in study.toml."
    ]
    assert not parts[0].used


@pytest.mark.parametrize(
    ("edges", "example", "remedy"),
    [
        ("HP:0000002,HP:0000001\n", "HP:0000001", "another vocabulary"),
        ("C0000009,C0000008\n", "C0000008", "about other concepts"),
        ("c0000001,c0000002\n", "c0000001", "upper and lower case"),
    ],
)
def test_a_graph_of_other_concepts_is_an_error_with_an_id_of_each_side(
    tmp_path: Path, edges: str, example: str, remedy: str
) -> None:
    (tmp_path / "concepts.csv").write_text("ID,CUIs\na,C0000001;C0000002\nb,C0000001\n")
    (tmp_path / "edges.csv").write_text("child,parent\n" + edges)
    study = open_study(tmp_path)
    assert study.graph is None
    (problem,) = study.report.of_severity("error")
    assert (problem.file, problem.rule, problem.value) == ("edges.csv", "not-in-graph", example)
    assert "C0000001" in problem.message and example in problem.message and remedy in problem.remedy
    rows = [tuple(edges.strip().split(","))]
    with pytest.raises(InputError, match="has none of the 2 concepts of the study"):
        make_study(concepts={"a": ["C0000001", "C0000002"], "b": ["C0000001"]}, graph=rows)
