"""Paths as files: rows for a spreadsheet, and a DOT text that Graphviz draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalcore.graph.paths import steps
from evalcore.graph.structure import ConceptGraph

PATH_COLUMNS = ("path", "step", "from", "from_name", "direction", "to", "to_name", "sources")


def path_rows(
    graph: ConceptGraph, paths: Sequence[Sequence[str]], names: Mapping[str, str]
) -> list[tuple[str, ...]]:
    """One row per link of each path, under ``PATH_COLUMNS``: paths and steps count from 1."""
    return [
        (
            str(number),
            str(place),
            step.start,
            names.get(step.start, ""),
            step.direction,
            step.end,
            names.get(step.end, ""),
            step.label,
        )
        for number, path in enumerate(paths, start=1)
        for place, step in enumerate(steps(graph, path), start=1)
    ]


def path_dot(graph: ConceptGraph, paths: Sequence[Sequence[str]], names: Mapping[str, str]) -> str:
    """The paths together as a DOT graph: child -> parent, more general concepts on top.

    Text from the study is quoted, so that it can only be shown.
    """
    nodes = list(dict.fromkeys(cui for path in paths for cui in path))
    ends = {cui for path in paths for cui in (path[0], path[-1])}
    lines = ["digraph path {", "  rankdir=BT;", '  node [shape=box, style="rounded", fontname="sans-serif"];']
    for cui in nodes:
        label = f"{names[cui]}\n{cui}" if cui in names else cui
        lines.append(f"  {_quoted(cui)} [label={_quoted(label)}{', penwidth=2' if cui in ends else ''}];")
    links = {
        (step.start, step.end, step.label)
        if step.direction == "up"
        else (step.end, step.start, step.label): 0
        for path in paths
        for step in steps(graph, path)
    }
    lines += [f"  {_quoted(a)} -> {_quoted(b)} [label={_quoted(label)}];" for a, b, label in links]
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    """A DOT string: backslashes and quotes escaped, line feeds as DOT writes them.

    >>> print(_quoted('a "b"'))
    "a \\"b\\""
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
