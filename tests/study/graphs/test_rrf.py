"""MRREL: which concept is the parent, filters, blocks, and the same edges as the real edge table."""

from __future__ import annotations

import gzip
import io
from typing import TYPE_CHECKING

import pytest

from evalcore.study.graphs import rrf
from evalcore.study.graphs.edges import Edges
from evalcore.study.graphs.graph_files import parse_graph
from evalcore.study.parts.registry import parse_path
from evalcore.study.tables.problems import Problems

if TYPE_CHECKING:
    from pathlib import Path

    from evalcore.values.errors import Report


def row(cui1: str, rel: str, cui2: str, rela: str = "", sab: str = "MSH", suppress: str = "N") -> str:
    return f"{cui1}|A1|AUI|{rel}|{cui2}|A2|AUI|{rela}|R1||{sab}|{sab}|||{suppress}||\n"


def edges(*lines: str, **options: object) -> tuple[list[tuple[str, str, str]], list[str]]:
    read, report = parse_graph(io.BytesIO("".join(lines).encode()), file="MRREL.RRF", **options)
    return triples(read), [str(p) for p in report.problems]


def triples(read: Edges) -> list[tuple[str, str, str]]:
    columns = read.links["child"], read.links["parent"], read.labels
    return sorted(zip(*(column.to_pylist() for column in columns), strict=True))


@pytest.mark.parametrize(
    ("line", "options", "expected"),
    [
        (row("C1", "PAR", "C2"), {}, ("C1", "C2", "MSH")),
        (row("C1", "CHD", "C2"), {}, ("C2", "C1", "MSH")),
        (row("C1", "PAR", "C2", "inverse_isa"), {}, ("C1", "C2", "MSH isa")),
        (row("C1", "CHD", "C2", "isa"), {}, ("C2", "C1", "MSH isa")),
        (row("C1", "RB", "C2"), {}, None),
        (row("C1", "RN", "C2", "isa"), {"rela": ["isa"]}, ("C2", "C1", "MSH isa")),
        (row("C1", "CHD", "C2", "part_of"), {}, None),
        (row("C1", "RO", "C2", "part_of"), {"rela": ["part_of"]}, ("C2", "C1", "MSH part_of")),
        (row("C1", "RO", "C2", "has_part"), {"rela": ["part_of"]}, ("C1", "C2", "MSH part_of")),
        (row("C1", "RO", "C2"), {}, None),
        (row("C1", "SIB", "C2"), {}, None),
        (row("C1", "PAR", "C2"), {"sources": ["NCI"]}, None),
        (row("C1", "PAR", "C2"), {"rela": ["isa"]}, None),
        (row("C1", "PAR", "C2", suppress="O"), {}, None),
        (row("C1", "PAR", "C2", suppress="Y"), {}, None),
        (row("C1", "PAR", "C1"), {}, ("C1", "C1", "MSH")),
    ],
)
def test_which_concept_is_the_parent(line: str, options: dict, expected: tuple | None) -> None:
    assert edges(line, **options) == ([expected] if expected else [], [])


def test_contradictions_and_broken_rows_are_reported() -> None:
    result, problems = edges("C1|broken\n", row("C1", "PAR", "C2", "isa"), "\n", row("Cä", "PAR", "C2"))
    assert result == [("C1", "C2", "MSH isa"), ("Cä", "C2", "MSH")]
    assert problems == [
        "MRREL.RRF:1: A row has 16 cells, but this one has 1; it is left out. Copy the file again.",
        "MRREL.RRF:2: In 1 rows REL and RELA point opposite ways; REL was followed.",
    ]


def test_a_row_without_one_of_its_concepts_is_an_error_and_a_blank_line_is_none() -> None:
    result, problems = edges("\n", row("C1", "PAR", ""), "\n\n", row("", "CHD", "C2"), row("C1", "PAR", "C2"))
    assert result == [("C1", "C2", "MSH")]
    messages = "The row has no concept; it is left out. Copy the file again."
    assert problems == [f"MRREL.RRF:2: {messages}", f"MRREL.RRF:5: {messages}"]


def test_blocks_and_streams_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "".join(row(f"C{k:07d}", "PAR", f"C{k // 2:07d}") for k in range(1, 2_000))
    whole, _ = parse_graph(lines.encode(), file="M")
    monkeypatch.setattr(rrf, "_BLOCK", 5_000)
    blocks, report = parse_graph(io.BytesIO(lines.encode()), file="M")
    assert triples(blocks) == triples(whole)
    assert (len(whole.links), blocks.rows, report.problems) == (1_999, 1_999, ())


def from_path(path: Path) -> tuple[Edges | None, Report]:
    problems = Problems("M")
    return parse_path(parse_graph, path, problems), problems.report()


def test_a_gzipped_file_that_grows_without_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "MRREL.RRF.gz").write_bytes(gzip.compress(row("C1", "PAR", "C2").encode() * 500_000))
    read, report = from_path(tmp_path / "MRREL.RRF.gz")
    assert (read.rows, [p.rule for p in report.problems]) == (0, ["unreadable-container"])
    assert "200 times" in report.problems[0].message


def test_the_real_file_gives_the_edges_of_the_real_table(real_dir: Path) -> None:
    table, _ = parse_graph((real_dir / "kg/edges.csv").read_bytes(), file="edges.csv")
    with (real_dir / "kg/MRREL.RRF").open("rb") as stream:
        umls, report = parse_graph(stream, file="MRREL.RRF")
    assert report.problems == ()
    assert umls.rows == 140_188

    def pairs(read: Edges) -> set[tuple[str, str]]:
        return {(child, parent) for child, parent, _ in triples(read)}

    assert pairs(umls) == pairs(table)
    part_of, _ = parse_graph((real_dir / "kg/edges_part_of.csv").read_bytes(), file="edges_part_of.csv")
    with (real_dir / "kg/MRREL.RRF").open("rb") as stream:
        assert triples(parse_graph(stream, file="M", rela=["part_of"])[0]) == triples(part_of)
