"""One kind for each concept of a study, from everything the study says about kinds.

What is nearer to the user's own hand counts more: ``kinds.csv``, then a column of the names, then the roots
in ``study.toml``, then MRSTY. So a table of five rows can correct what a terminology says of a million.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from evalcore.graph import ConceptGraph
from evalcore.study.concept_kinds.mrsty import MRSTY, parse_mrsty
from evalcore.study.concept_kinds.roots import kinds_below
from evalcore.study.concept_kinds.rows import KindRows, no_kinds, parse_kind_table, parse_names_column
from evalcore.study.graphs.rrf import is_rrf, read_rrf_or
from evalcore.study.tables.lines import read_bytes, unpack
from evalcore.study.tables.parsed import parsed
from evalcore.study.tables.problems import Problems
from evalcore.values.concept_values import ConceptKinds
from evalcore.values.model import Part
from evalcore.values.problems import Report


def parse_kind_file(data: bytes, *, file: str) -> tuple[KindRows, Report]:
    """Kinds from either sort of file, ``cui,kind`` or MRSTY, recognised from its content."""
    plain = unpack(data, Problems(file)) or b""
    if is_rrf(plain, MRSTY):
        return parse_mrsty(plain, file=file)
    return parse_kind_table(data, file=file)


def read_kinds(
    files: Sequence[Path], names: Sequence[Path], roots: Mapping[str, Sequence[str]],
    vocabulary: Sequence[str], graph: ConceptGraph | None, *, called: Callable[[Path], str],
    line_of_root: Callable[[str], int | None],
) -> tuple[ConceptKinds | None, Report, list[Part]]:  # fmt: skip
    """The kinds of the concepts that images carry; None where nothing gives any of them a kind.

    ``files`` of kinds, ``names`` the files of names, ``roots`` by kind; ``called`` names a file in messages,
    ``line_of_root`` finds a root in ``study.toml``.
    """
    wanted = frozenset(vocabulary)
    by_source: list[tuple[int, str, Mapping[str, str]]] = []
    report, parts = Report(), []
    for path in files:
        rows, problems = read_rrf_or(
            path, called(path), "MRSTY", rrf=partial(parse_mrsty, wanted=wanted), other=parse_kind_file,
            nothing=no_kinds,
        )  # fmt: skip
        report += problems
        if rows.format == "csv":
            report += _strangers(called(path), rows, wanted, graph)
        parts.append(Part("concept_kinds", called(path), rows.format, rows.rows, bool(rows.rows)))
        by_source.append((3 if rows.format == "MRSTY" else 0, called(path), rows.kinds))
    for path in names:
        rows, problems = _of_names(path, called(path))
        report += problems
        by_source.append((1, f"a column of {called(path)}", rows.kinds))
    if any(roots.values()):
        report += _lost_roots(roots, graph, line_of_root)
        if graph is not None:
            by_source.append((2, "roots in study.toml", kinds_below(graph, roots, vocabulary)))
    kinds: dict[str, str] = {}
    sources: list[str] = []
    for _, source, found in sorted(by_source, key=lambda one: one[0]):
        new = {cui: kind for cui, kind in found.items() if cui in wanted and cui not in kinds}
        kinds |= new
        sources += [source] if new else []
    return (ConceptKinds.of_concepts(kinds, ", ".join(sources)) if kinds else None), report, parts


def _of_names(path: Path, file: str) -> tuple[KindRows, Report]:
    """The kinds in a file of names; what cannot be read of it was said when its names were."""
    if ".rrf" in path.name.lower():
        return no_kinds("names"), Report()
    data = read_bytes(path, Problems(file))
    return (no_kinds("names"), Report()) if data is None else parsed(parse_names_column, data, file=file)


def _strangers(file: str, rows: KindRows, wanted: frozenset[str], graph: ConceptGraph | None) -> Report:
    """How many concepts of a table neither an image nor the graph has: most likely a slip of the pen."""
    found = Problems(file)
    strange = [cui for cui in rows.kinds if cui not in wanted and (graph is None or graph.index(cui) < 0)]
    message = f"{{n}} of {len(rows.kinds):,} concepts are on no image and not in the graph."
    remedy = "Check how they are written; their rows say nothing."
    lines = [rows.lines.get(cui) for cui in strange]
    found.counted("unknown-concept", strange, message, remedy, lines=lines)
    return found.report()


def _lost_roots(
    roots: Mapping[str, Sequence[str]], graph: ConceptGraph | None, line_of: Callable[[str], int | None]
) -> Report:
    found = Problems("study.toml")
    if graph is None:
        found.warning(
            "roots-without-graph", "[kinds] names roots, but there is no concept graph to look below them.",
            "Add the graph, or give the kinds in kinds.csv.", line=line_of("[kinds]"),
        )  # fmt: skip
        return found.report()
    for kind, concepts in roots.items():
        for cui in (one for one in concepts if graph.index(one) < 0):
            found.warning(
                "unknown-root", f"The graph does not know the root {cui} of {kind}.",
                "Name a concept of the graph.", line=line_of(cui), value=cui,
            )  # fmt: skip
    return found.report()
