"""What people have in memory as the tables that a study's files are: DataFrames, mappings, arrays, runs.

Every part of a study becomes a `pyarrow.Table`, which is read and checked as its file would be, so a study
made in memory is the one that its files would give.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from evalcore.graph import ConceptGraph
from evalcore.study.concepts.concepts import CUI_NAMES
from evalcore.study.graphs.edges import EDGES, spelled
from evalcore.study.parts.runs import RUN
from evalcore.study.tables.frames import as_pandas, column_of, frame_of, frame_of_rows, is_missing, items
from evalcore.study.tables.problems import Problems, truncate, why
from evalcore.study.tables.schema import IMAGE
from evalcore.study.vectors.files import VectorRows, vectors_from
from evalcore.values.arrays import ranks_of, rows_of
from evalcore.values.errors import InputError, Report
from evalcore.values.model import ConceptSets, Run
from evalcore.values.settings import as_list


def source_of(
    value: Any, kind: str, problems: Problems, *, filled: bool = False
) -> pa.Table | VectorRows | Path | None:
    """What a part of a study is read from.

    Parameters
    ----------
    value : what `make_study` takes for that part. A path is the file itself.
    kind : of the part (see `parts.registry`).
    problems : of the part, called such as ``runs['cnn']``.
    filled : whether a table without rows is an error too.

    Returns
    -------
    None, with an error, for an object that cannot be such a part.
    """
    if isinstance(value, (str, os.PathLike)):
        return Path(value)
    if kind == "embeddings":
        return vectors_from(value, problems)
    try:
        if kind in _FRAMES:
            frame = _FRAMES[kind](value)
        else:
            frame = frame_of(value) or frame_of_rows(*_rows(value, kind))
        if frame.num_rows or not filled:
            return frame
        because = "there is nothing in it"
    except (ValueError, TypeError, KeyError, AttributeError, pa.ArrowException) as reason:
        because = str(reason) if isinstance(reason, (TypeError, ValueError)) else why(reason)
    what = type(value).__name__
    message = f"An object of the type {what} cannot be read as {kind.replace('_', ' ')}: {because}."
    problems.error("wrong-shape", message, _REMEDIES[kind], value=what)
    return None


_REMEDIES = {
    "concepts": "Give {image: [concept, ...]}, or a DataFrame with the columns ID and CUIs.",
    "captions": "Give {image: caption}, or a DataFrame with the columns ID and Caption.",
    "labels": "Give a DataFrame with the column ID and one per label type, or {image: {type: value}}.",
    "groups": "Give {image: group}, a DataFrame (ID and patient), or the name of a label type.",
    "graph": "Give a DataFrame with the columns child and parent, or pairs (child, parent).",
    "names": "Give {concept: name}, or a DataFrame with the columns cui and name.",
    "concept_kinds": "Give {concept: kind}, or a DataFrame with the columns cui and kind.",
    "queries": "Give the ids in a list, or a DataFrame with the columns id, kind, text and concepts.",
    "pairs": "Give pairs (query, candidate), or a DataFrame with these columns.",
    "candidates": "Give the ids in a list.",
    "run": "Give {query: {result: score}}, or a DataFrame with the columns query_id, doc_id and score.",
    **dict.fromkeys(
        ("judgments", "judges"),
        "Give {query: {result: grade}}, or a DataFrame with the columns query, result and value.",
    ),
}


def _rows(value: Any, kind: str) -> tuple[Sequence[str], Iterable[Sequence[Any]]]:
    """The header and the rows of a mapping or a list.

    {key: value}; {image: {label type: value}}; {query: {result: grade}}; {query: candidates} or pairs; ids.
    """
    if kind in _TWO_COLUMNS:
        return _TWO_COLUMNS[kind], items(value)
    if kind in ("judgments", "judges"):
        rows = [(query, result, grade) for query, results in items(value) for result, grade in items(results)]
        return ("query", "result", "value"), rows
    if kind == "pairs":
        if isinstance(value, Mapping):
            value = [(query, candidate) for query, matched in value.items() for candidate in as_list(matched)]
        return ("query", "candidate"), value
    if kind == "labels" or isinstance(value, Mapping):
        types = list(dict.fromkeys(name for _, cells in items(value) for name in cells))
        return ("ID", *types), ((image, *map(cells.get, types)) for image, cells in items(value))
    return ("ID",), ((image,) for image in value)


_TWO_COLUMNS = {
    "captions": ("ID", "Caption"),
    "groups": ("ID", "group"),
    "names": ("cui", "name"),
    "concept_kinds": ("cui", "kind"),
}


def _named(table: Any, names: Sequence[str]) -> list[Any]:
    """The columns of a DataFrame called by one of these names, in the order of the names."""
    by_name = {str(column).strip().lower(): column for column in reversed(list(table.columns))}
    return [by_name[name] for name in names if name in by_name]


def concepts_frame(value: Any) -> pa.Table:
    """{image: concepts}, or a DataFrame: a row per image (``CUIs``), or per image and concept (``CUI``).

    Concepts: texts, or one text with ";" between. None in a dict: nobody annotated the image. An empty list
    or text, and an empty cell of a DataFrame (as of its CSV): annotated with nothing.
    """
    if isinstance(value, ConceptSets):
        sets = value
        value = {
            image: sorted(sets.of_image(i)) if sets.annotated[i] else None
            for i, image in enumerate(sets.image_ids)
        }
    table = as_pandas(value)
    if table is None:
        return frame_of_rows(("ID", "CUIs"), items(value))
    ids, concepts = _named(table, IMAGE.names), _named(table, CUI_NAMES)
    if not (ids and concepts):
        raise ValueError(f"its columns are {truncate(', '.join(map(str, table.columns)))}")
    pairs = zip(table[ids[0]].tolist(), table[concepts[0]].tolist(), strict=True)
    rows: list[tuple[Any, Any]] = [(image, "" if is_missing(cell) else cell) for image, cell in pairs]
    if str(concepts[0]).strip().lower() in ("cui", "concept"):
        sets_of: dict[Any, list[Any]] = {}
        for image, concept in rows:
            sets_of.setdefault(image, []).append(concept)
        rows = list(sets_of.items())
    return frame_of_rows(("ID", "CUIs"), rows)


def edges_frame(value: Any) -> pa.Table:
    """A DataFrame (child, parent, source, rela), pairs, {child: parents}, a networkx DiGraph, or a graph."""
    names = tuple(column.name for column in EDGES.columns)
    rows: list[Sequence[Any]]
    if isinstance(value, ConceptGraph):
        rows = [*_links_of(value)]
    elif (frame := frame_of(value)) is not None:
        return frame
    elif hasattr(value, "edges") and hasattr(value, "nodes"):
        rows = [(u, v, link.get("source"), link.get("rela")) for u, v, link in value.edges(data=True)]
    elif isinstance(value, Mapping):
        rows = [(child, parent) for child, parents in value.items() for parent in as_list(parents)]
    else:
        rows = [tuple(row) for row in value]
    if any(not 2 <= len(row) <= 4 for row in rows):
        raise ValueError("an edge is a pair (child, parent)")
    return frame_of_rows(names, rows)


def _source_and_relation(part: str) -> tuple[str, str]:
    """Of one part of a link's label: its last word is the relation when it is in lower case.

    >>> _source_and_relation("UBERON isa"), _source_and_relation("MESH"), _source_and_relation("part_of")
    (('UBERON', 'isa'), ('MESH', ''), ('', 'part_of'))
    """
    source, _, last = part.rpartition(" ")
    return (source, last) if last.islower() else (part, "")


def _links_of(graph: ConceptGraph) -> list[tuple[str, ...]]:
    """The links of a graph, one row per link and source, and a loop for each concept without any link."""
    child, parent = rows_of(graph.up[0]), graph.up[1]
    rows = []
    for i, j, label in zip(child.tolist(), parent.tolist(), graph.labels.tolist(), strict=True):
        for part in graph.edge_labels[label].split("; "):
            source, relation = _source_and_relation(part)
            if spelled(relation) != relation:  # so that reading them gives the same label
                source, relation = part, ""
            rows.append((graph.cuis[i], graph.cuis[j], source, relation))
    alone = np.flatnonzero(np.diff(graph.both[0]) == 0).tolist()
    return [*rows, *((graph.cuis[i], graph.cuis[i], "", "") for i in alone)]


_QUERY = ("query_id", "qid", "q_id", *RUN.columns[0].names)
_RESULT = ("docno", "doc_id", "docid", *RUN.columns[1].names)
"""Names of columns, those first that mean the id where a table has several (PyTerrier's query is a text)."""


def _run(value: Any) -> pa.Table:
    """The results of one system.

    - a DataFrame: a query, a result and a score per row; without a score the rank decides, 1 first;
    - {query: {result: score}}, {query: [(result, score), ...]}, {query: [result, ...]} best first;
    - a ``ranx.Run``; rows (query, result, score);
    - arrays (queries, results, scores) of one length.
    """
    table = as_pandas(value)
    columns: Sequence[Any]
    if table is not None:
        columns = _columns_of_run(table)
    elif isinstance(value, tuple) and len(value) == 3 and np.ndim(value[2]) == 1:
        columns = value
    else:
        rows = (
            [tuple(row) for row in value]
            if not isinstance(value, Mapping)
            else [(query, *row) for query, answer in value.items() for row in _ranked(answer)]
        )
        if any(len(row) != 3 for row in rows):
            raise ValueError("a row of a run is (query, result, score)")
        columns = [*zip(*rows, strict=True)] or [(), (), ()]
    columns = [*columns[:2], *map(np.asarray, columns[2:])]
    names = ["query", "candidate", "score", "rank"][: len(columns)]
    return pa.table([*map(column_of, columns)], names)


def _columns_of_run(table: Any) -> list[Any]:
    """Query, result, score and, where there is a column of it, rank."""
    names = (_QUERY, _RESULT, RUN.columns[2].names, RUN.columns[3].names)
    columns: list[Any] = [next((table[name] for name in _named(table, known)), None) for known in names]
    if list(table.columns) == [0, 1, 2]:
        columns = [table[0], table[1], table[2], None]
    query, result, score, rank = columns
    if query is None or result is None or (score is None and rank is None):
        raise ValueError(f"its columns are {truncate(', '.join(map(str, table.columns)))}")
    if score is None:
        return [query, result, -rank.to_numpy(dtype=float)]
    return [query, result, score] if rank is None else [query, result, score, rank]


def _ranked(answer: Any) -> Iterable[tuple[Any, Any]]:
    """The results of a query with their scores; of a list without scores 1 below the first, and so on."""
    if isinstance(answer, Mapping):
        return answer.items()
    listed = list(answer)
    are_pairs = all(isinstance(item, tuple) and len(item) == 2 for item in listed)
    return listed if are_pairs else [(image, -place) for place, image in enumerate(listed, start=1)]


_FRAMES = {"concepts": concepts_frame, "graph": edges_frame, "run": _run}
"""Of parts that are more than a DataFrame with its own header, or what `_rows` takes."""

# What readers find wrong with such a file, as what is wrong with the object.

SHOWN = 15
"""Problems that an error spells out; its report has all."""
_ARGUMENTS = {"no-such-baseline": "baseline", "no-such-group": "groups"}


def located(report: Report, tables: Collection[str]) -> Report:
    """The report with rows in place of lines, for the problems of tables in memory (by their names)."""
    problems = []
    for problem in report.problems:
        if problem.file in tables:
            problem = replace(problem, unit="row")
        if problem.file == "study.toml":
            problem = replace(problem, file=_ARGUMENTS.get(problem.rule, "make_study"))
        remedy = problem.remedy.replace(" at the top of study.toml", "").replace(
            "in study.toml", "in make_study"
        )
        problems.append(replace(problem, remedy=remedy))
    return Report(tuple(problems), report.counts)


def run_frame(run: Run, image_ids: Sequence[str]) -> pa.Table:
    """A run of a study, whose images have these ids; ValueError where it holds an unknown image."""
    if (run.candidates < 0).any():
        raise ValueError(f"The run of {run.system} contains images that are not in the study.")
    ids = pa.array(image_ids, pa.string())
    queries = ids.take(pa.array(np.repeat(run.queries, np.diff(run.indptr))))
    candidates = ids.take(pa.array(run.candidates))
    columns = (queries, candidates, pa.array(run.scores), pa.array(ranks_of(run.indptr)))
    return pa.table(columns, names=["query", "candidate", "score", "rank"])


def input_error(what: str, report: Report) -> InputError:
    """The error that names everything that is wrong, the first of it line by line."""
    errors = report.of_severity("error")
    n = report.total("error")
    lines = [f"  {problem}" for problem in errors[:SHOWN]]
    more = [f"  and {n - len(lines):,} more; the error's `report` has them."] if n > len(lines) else []
    head = f"{what}: {n:,} error{'' if n == 1 else 's'}."
    return InputError("\n".join([head, *lines, *more]), Report(errors, report.counts))
