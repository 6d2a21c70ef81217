"""What people have in memory (DataFrames, dicts, arrays, runs of other programs) as files that readers know.

Every part of a study becomes the content of such a file. What is wrong with it is then found by the reader of
that file, and a study made in memory is by construction the one that its files would give.

A DataFrame is anything with ``columns`` and ``to_numpy`` (pandas), or that becomes one by ``to_pandas``
(polars, pyarrow). Ids may be numbers; floats without fractions, as pandas makes of integers with gaps, are
integers.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import compute as pc
from pyarrow import csv as arrow_csv

from evalcore.graph import ConceptGraph
from evalcore.graph.links import kind_of
from evalcore.study.concepts.concepts import CUI_NAMES
from evalcore.study.graphs.edges import EDGES, spelled
from evalcore.study.parts.runs import RUN
from evalcore.study.tables.problems import Problems, shown, why
from evalcore.study.tables.tables import ID_NAMES
from evalcore.study.vectors.embeddings import npz_bytes
from evalcore.values.arrays import Offsets, ranks_of, rows_of
from evalcore.values.errors import InputError, Report
from evalcore.values.model import ConceptSets, Run


class InMemory(NamedTuple):
    """The content of a file; ``lines``: on which line of it each row begins, ascending; none for no table."""

    data: bytes
    lines: Offsets

    def row_at(self, line: int | None) -> int | None:
        """The row, from 1, that a line of the file belongs to; None for the header, or no line."""
        row = 0 if line is None else int(np.searchsorted(self.lines, line, side="right"))
        return row or None


class WrongShape(ValueError):
    """An object that cannot be such a part: what it is, and what to give instead."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message, self.remedy = message, remedy


def file_of(
    value: Any, kind: str, name: str, *, filled: bool = False
) -> tuple[InMemory | Path | None, Report]:
    """The file that stands for a part of a study.

    Parameters
    ----------
    value : what `make_study` takes for that part. A path is the file itself.
    kind : of the part (see `parts.registry`).
    name : what messages call it, such as ``runs['cnn']``.
    filled : whether a table without rows is an error too.

    Returns
    -------
    None, with an error in the report, for an object that cannot be such a part.
    """
    problems = Problems(name)
    if isinstance(value, (str, os.PathLike)):
        return Path(value), problems.report()
    try:
        made = _MAKERS[kind](value)
        if filled and not len(made.lines):
            raise WrongShape("There is nothing in it.", "Leave it out, or give its rows.")
        return made, problems.report()
    except WrongShape as reason:
        problems.error("wrong-shape", reason.message, reason.remedy, value=type(value).__name__)
    except (ValueError, TypeError, KeyError, AttributeError, pa.ArrowException) as reason:
        what = type(value).__name__
        because = reason if isinstance(reason, TypeError) else why(reason)
        message = f"An object of the type {what} cannot be read as {kind.replace('_', ' ')}: {because}."
        problems.error("wrong-shape", message, _REMEDIES[kind], value=type(value).__name__)
    return None, problems.report()


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
    "judgments": "Give {query: {result: grade}}, or a DataFrame with the columns query, result and value.",
    "judges": "Give {query: {result: grade}}, or a DataFrame with the columns query, result and value.",
    "embeddings": "Give (ids, array) with one row of numbers per id, or {id: vector}.",
}


# Tables as CSV.


def csv_of(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> InMemory:
    """A table as CSV: missing values are empty cells, lists are joined by ";"."""
    text, lines = io.StringIO(newline=""), []
    table = csv.writer(text, lineterminator="\n")
    line = 1
    for row in chain([header], rows):
        cells = [cell_of(value) for value in row]
        table.writerow(cells)
        lines.append(line)
        line += 1 + sum(cell.count("\n") for cell in cells)
    return InMemory(text.getvalue().encode("utf-8", "surrogateescape"), np.array(lines[1:], np.int64))


def cell_of(value: Any) -> str:
    """A value as a cell; "" where there is none.

    >>> [cell_of(value) for value in ("a", None, float("nan"), 3.0, np.float32(0.5), ["CT", "MR"])]
    ['a', '', '', '3', '0.5', 'CT;MR']
    """
    if isinstance(value, str):
        return value.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    if is_missing(value):
        return ""
    if isinstance(value, (float, np.floating)):
        return str(int(value)) if float(value).is_integer() else str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        return ";".join(
            map(cell_of, sorted(value, key=str) if isinstance(value, (set, frozenset)) else value)
        )
    return str(value)


def is_missing(value: Any) -> bool:
    """Whether it stands for no value: None, NaN, and those of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)


def arrow_csv_of(columns: Mapping[str, pa.Array]) -> InMemory:
    """The same of many rows: columns of texts and numbers, floats in full."""
    table = pa.table(dict(columns))
    held = io.BytesIO()
    held.write((",".join(columns) + "\n").encode())
    arrow_csv.write_csv(table, held, arrow_csv.WriteOptions(include_header=False))
    return InMemory(held.getvalue(), np.arange(2, table.num_rows + 2, dtype=np.int64))


def texts_of(values: Any) -> pa.Array:
    """Ids or words as Arrow texts, "" for missing ones."""
    column = values if isinstance(values, (pa.Array, pa.ChunkedArray)) else _plain(values)
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_integer(column.type):
        column = column.cast(pa.string())
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        column = pa.array([cell_of(value) for value in column.to_pylist()], pa.string())
    return pc.fill_null(column.cast(pa.string()), "")


def _plain(values: Any) -> pa.Array:
    values = values.to_numpy() if hasattr(values, "to_numpy") else values
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError):  # of several types
        return pa.array([cell_of(value) for value in values], pa.string())


def scores_of(values: Any) -> pa.Array:
    """Scores as float64, or as the texts they are, of which the reader says which are no numbers."""
    array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if array.dtype.kind in "fiu":
        return pa.array(array.astype(np.float64))
    return texts_of(values)


# DataFrames.


def is_frame(value: Any) -> bool:
    return hasattr(value, "columns") and hasattr(value, "to_numpy")


def framed(value: Any) -> Any:
    """The pandas DataFrame of an object that is, or becomes, one; anything else as it is."""
    if not is_frame(value) and hasattr(value, "to_dataframe"):  # ranx.Run
        value = value.to_dataframe()
    if hasattr(value, "to_pandas"):
        value = value.to_pandas()
    return _with_index(value) if is_frame(value) else value


def _with_index(frame: Any) -> Any:
    """A DataFrame with its index among the columns, where the index has names or holds texts."""
    names = [name for name in frame.index.names if name is not None]
    texts = not names and frame.index.dtype.kind not in "iuf" and not _named(frame, ID_NAMES)
    if texts:
        return frame.rename_axis("ID").reset_index()
    return frame.reset_index() if names and not set(names) & set(frame.columns) else frame


def _named(frame: Any, names: Collection[str]) -> list[Any]:
    """The columns called by one of these names: in the order of names in a tuple, else in their own."""
    by_name = {str(column).strip().lower(): column for column in reversed(list(frame.columns))}
    order = names if isinstance(names, tuple) else [str(column).strip().lower() for column in frame.columns]
    return [by_name[name] for name in order if name in by_name and name in names]


def _rows(frame: Any, columns: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    return zip(*(frame[column].tolist() for column in columns), strict=True)


def _table(value: Any, header: Sequence[str], *, of_images: bool = True) -> InMemory:
    """A DataFrame with its own header, the id of images first; {id: value} as two columns with ``header``."""
    frame = framed(value)
    if is_frame(frame):
        ids = _named(frame, ID_NAMES)[:1] if of_images else []
        columns = [*ids, *(column for column in frame.columns if column not in ids)]
        return csv_of([str(column) for column in columns], _rows(frame, columns))
    return csv_of(header, _items(frame))


def _items(value: Any) -> list[tuple[Any, Any]]:
    """(key, value) of a mapping, or of a pandas Series."""
    if hasattr(value, "to_dict") and not isinstance(value, Mapping):
        value = value.to_dict()
    if not isinstance(value, Mapping):
        raise TypeError("it is neither a table nor a mapping")
    return list(value.items())


# One function per kind of part.


def concepts_file(value: Any) -> InMemory:
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
    frame = framed(value)
    rows: list[tuple[Any, Any]]
    if not is_frame(frame):
        rows = _items(frame)
    else:
        ids, concepts = _named(frame, ID_NAMES), _named(frame, CUI_NAMES)
        if not (ids and concepts):
            names = shown(", ".join(map(str, frame.columns)))
            raise WrongShape(
                f"A column of image ids and one of concepts are needed; there are {names}.",
                _REMEDIES["concepts"],
            )
        rows = [(image, "" if is_missing(of) else of) for image, of in _rows(frame, (ids[0], concepts[0]))]
        if str(concepts[0]).strip().lower() in ("cui", "concept"):
            rows = _gathered(rows)
    return csv_of(("ID", "CUIs"), ((image,) if is_missing(of) else (image, of) for image, of in rows))


def _gathered(rows: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """One row per image of rows with one concept each."""
    sets: dict[Any, list[Any]] = {}
    for image, concept in rows:
        sets.setdefault(image, []).append(concept)
    return list(sets.items())


def labels_file(value: Any) -> InMemory:
    """A DataFrame with an id and label types, or {image: {label type: value or values}}."""
    frame = framed(value)
    if is_frame(frame):
        return _table(frame, ())
    items = _items(frame)
    types = list(dict.fromkeys(name for _, of in items for name in of))
    return csv_of(("ID", *types), ((image, *(of.get(name) for name in types)) for image, of in items))


def ids_file(value: Any) -> InMemory:
    """Image ids: a list, an array, a Series, or a DataFrame with a column of them."""
    frame = framed(value)
    if is_frame(frame):
        return _table(frame, ())
    # A second column: an id with a semicolon in it is not taken for two cells.
    return csv_of(("ID", "row"), ((image, row) for row, image in enumerate(frame, start=1)))


def queries_file(value: Any) -> InMemory:
    """Image ids as `ids_file`; or {query: {"kind": "text", "text": ..., "concepts": [...]}}."""
    return labels_file(value) if isinstance(value, Mapping) else ids_file(value)


def pairs_file(value: Any) -> InMemory:
    """A DataFrame with the columns query and candidate, {query: candidates}, or pairs."""
    frame = framed(value)
    if is_frame(frame):
        return _table(frame, (), of_images=False)
    if isinstance(frame, Mapping):
        frame = [(query, candidate) for query, of in frame.items() for candidate in _several(of)]
    return csv_of(("query", "candidate"), frame)


def edges_file(value: Any) -> InMemory:
    """A DataFrame (child, parent, source, rela), pairs, {child: parents} or a networkx DiGraph."""
    if isinstance(value, ConceptGraph):
        return _edges_of_graph(value)
    frame = framed(value)
    if is_frame(frame):
        known = frozenset(chain.from_iterable(column.names for column in EDGES.columns))
        columns = [column for column in frame.columns if str(column).strip().lower() in known] or list(
            frame.columns
        )
        return arrow_csv_of({str(column): texts_of(frame[column]) for column in columns})
    rows: list[Sequence[Any]]
    if hasattr(frame, "edges") and hasattr(frame, "nodes"):
        rows = [(u, v, of.get("source"), of.get("rela")) for u, v, of in frame.edges(data=True)]
    elif isinstance(frame, Mapping):
        rows = [(child, parent) for child, of in frame.items() for parent in _several(of)]
    else:
        rows = [tuple(row) for row in frame]
    if any(not 2 <= len(row) <= 4 for row in rows):
        raise WrongShape("An edge is a pair (child, parent).", _REMEDIES["graph"])
    return csv_of(("child", "parent", "source", "rela"), ((*row, "", "")[:4] for row in rows))


def _several(value: Any) -> Iterable[Any]:
    return (value,) if isinstance(value, str) else value


def _edges_of_graph(graph: ConceptGraph) -> InMemory:
    """The links of a graph, one row per link and source, and a loop for each concept without any link."""
    child, parent = rows_of(graph.up_indptr), graph.up_indices
    rows = [
        (graph.cuis[i], graph.cuis[j], *_source_and_relation(part))
        for i, j, label in zip(child.tolist(), parent.tolist(), graph.up_labels.tolist(), strict=True)
        for part in graph.edge_labels[label].split("; ")
    ]
    alone = np.flatnonzero(np.diff(graph.indptr) == 0).tolist()
    return csv_of(
        ("child", "parent", "source", "rela"), [*rows, *((graph.cuis[i],) * 2 + ("", "") for i in alone)]
    )


def _source_and_relation(part: str) -> tuple[str, str]:
    """Both of a part of a link's label, so that reading them gives the same label."""
    source, relation = kind_of(part)
    return (source, relation) if spelled(relation) == relation else (part, "")


def vectors_file(value: Any) -> InMemory:
    """(ids, array of shape (n, d)), {id: vector}, or a DataFrame with ids and a column per dimension."""
    frame = framed(value)
    if is_frame(frame):
        ids = _named(frame, ID_NAMES)[:1]
        if not ids:
            raise WrongShape("The table of vectors has no column of ids.", _REMEDIES["embeddings"])
        rest = [column for column in frame.columns if column != ids[0]]
        names, vectors = frame[ids[0]].tolist(), frame[rest].to_numpy()
    elif isinstance(frame, Mapping):
        names, vectors = list(frame), np.asarray(list(frame.values()))
    else:
        names, vectors = frame
        vectors = np.asarray(vectors)
    if vectors.dtype.kind not in "fiu":
        raise WrongShape(f"The vectors are {vectors.dtype}, not numbers.", _REMEDIES["embeddings"])
    return InMemory(npz_bytes(list(map(cell_of, names)), vectors), np.arange(1, len(vectors) + 1))


# Runs.

_QUERY = ("query_id", "qid", "q_id", *sorted(RUN.columns[0].names))
_RESULT = ("docno", "doc_id", "docid", *sorted(RUN.columns[1].names))
"""Names of columns, those first that mean the id where a table has several (PyTerrier's query is a text)."""


def run_file(value: Any) -> InMemory:
    """The results of one system.

    - a DataFrame: a query, a result and a score per row; without a score the rank decides, 1 first;
    - {query: {result: score}}, {query: [(result, score), ...]}, {query: [result, ...]} best first;
    - a ``ranx.Run``; ``ScoredDoc``s of ir_measures, or other rows (query, result, score);
    - arrays (queries, results, scores): scores of shape (n, k), queries (n,), results (n, k), or (k,) where
      every query has the same.
    """
    frame = framed(value)
    if is_frame(frame):
        return _run_of_frame(frame)
    if isinstance(frame, Mapping):
        return _run_of_lists(frame)
    if isinstance(frame, tuple) and len(frame) == 3 and np.ndim(frame[2]) >= 1:
        queries, results, scores = map(np.asarray, frame)
        if scores.ndim == 2:
            queries = np.broadcast_to(queries.reshape(-1, 1), scores.shape).ravel()
            results = np.broadcast_to(results, scores.shape).ravel()
        return _run_of_columns(queries, results, scores.ravel())
    rows = [(row.query_id, row.doc_id, row.score) if hasattr(row, "doc_id") else tuple(row) for row in frame]
    if any(len(row) != 3 for row in rows):
        raise WrongShape("A row of a run is (query, result, score).", _REMEDIES["run"])
    return _run_of_columns(*(zip(*rows, strict=True) if rows else ((), (), ())))


def judgments_file(value: Any) -> InMemory:
    """A DataFrame with its own header; {query: {result: grade}}."""
    frame = framed(value)
    if is_frame(frame):
        return _table(frame, (), of_images=False)
    rows = [(query, result, grade) for query, of in _items(frame) for result, grade in _items(of)]
    return csv_of(("query", "result", "value"), rows)


def _run_of_frame(frame: Any) -> InMemory:
    names = (_QUERY, _RESULT, RUN.columns[2].names, RUN.columns[3].names)
    query, result, score, rank = (next(iter(_named(frame, of)), None) for of in names)
    if list(frame.columns) == [0, 1, 2]:
        query, result, score = 0, 1, 2
    if query is None or result is None or (score is None and rank is None):
        there = shown(", ".join(map(str, frame.columns)))
        message = f"Columns for the query, the result and its score are needed; there are {there}."
        raise WrongShape(message, "Call them query_id, doc_id and score.")
    if score is None:
        return _run_of_columns(frame[query], frame[result], -frame[rank].to_numpy(dtype=float))
    return _run_of_columns(frame[query], frame[result], frame[score], None if rank is None else frame[rank])


def _run_of_lists(answers: Mapping[Any, Any]) -> InMemory:
    queries, results, scores = list[Any](), list[Any](), list[Any]()
    for query, answer in answers.items():
        if isinstance(answer, Mapping):
            ranked = list(answer.items())
        else:
            listed = list(answer)
            pairs = all(isinstance(item, tuple) and len(item) == 2 for item in listed)
            ranked = listed if pairs else [(image, -place) for place, image in enumerate(listed, start=1)]
        queries += [query] * len(ranked)
        results += [result for result, _ in ranked]
        scores += [score for _, score in ranked]
    return _run_of_columns(queries, results, scores)


def _run_of_columns(queries: Any, results: Any, scores: Any, ranks: Any = None) -> InMemory:
    columns = {"query": texts_of(queries), "candidate": texts_of(results), "score": scores_of(scores)}
    if ranks is not None:
        columns["rank"] = texts_of(ranks)
    return arrow_csv_of(columns)


def file_of_run(run: Run, image_ids: Sequence[str]) -> InMemory:
    """A run of a study, whose images have these ids; ValueError where it holds an unknown image."""
    if (run.candidates < 0).any():
        raise ValueError(f"The run of {run.system} contains images that are not in the study.")
    ids = pa.array(image_ids, pa.string())
    queries = np.repeat(run.queries, np.diff(run.indptr))
    columns = {"query": ids.take(pa.array(queries)), "candidate": ids.take(pa.array(run.candidates))}
    return arrow_csv_of(columns | {"score": pa.array(run.scores), "rank": pa.array(ranks_of(run.indptr))})


_MAKERS = {
    "concepts": concepts_file,
    "captions": lambda value: _table(value, ("ID", "Caption")),
    "labels": labels_file,
    "groups": lambda value: _table(value, ("ID", "group")),
    "graph": edges_file,
    "names": lambda value: _table(value, ("cui", "name"), of_images=False),
    "concept_kinds": lambda value: _table(value, ("cui", "kind"), of_images=False),
    "queries": queries_file,
    "pairs": pairs_file,
    "candidates": ids_file,
    "run": run_file,
    "embeddings": vectors_file,
    "judgments": judgments_file,
    "judges": judgments_file,
}


# What readers find wrong with such a file, as what is wrong with the object.

SHOWN = 15
"""Problems that an error spells out; its report has all."""
_ARGUMENTS = {"no-such-baseline": "baseline", "no-such-group": "groups"}
NEAR = 60
"""Likeness, 0 to 100, from which on an id is offered in place of another."""
_LOOKED_AT = 50
"""Ids of a part for which the nearest ones are looked for: each is held against all."""


def as_found(report: Report, files: Mapping[str, InMemory], known: Mapping[str, Sequence[str]]) -> Report:
    """The report with rows in place of lines, counted from 1, and with what an unknown id is nearest to.

    ``files`` by their name in messages; ``known``: by rule, such as "unknown-id", the ids there are.
    """
    looked_at: dict[tuple[str, str], int] = {}
    problems = []
    for problem in report.problems:
        if problem.file in files:
            problem = replace(problem, line=files[problem.file].row_at(problem.line))
        if problem.file == "study.toml":
            problem = replace(problem, file=_ARGUMENTS.get(problem.rule, "make_study"))
        if problem.rule in known and not problem.remedy.startswith("Apart from"):
            key = problem.file, problem.rule
            looked_at[key] = looked_at.get(key, 0) + 1
            near = nearest(problem.value, known[problem.rule]) if looked_at[key] <= _LOOKED_AT else []
            if near:
                problem = replace(problem, remedy=f"The nearest: {', '.join(map(repr, near))}.")
        remedy = problem.remedy.replace(" at the top of study.toml", "").replace(
            "in study.toml", "in make_study"
        )
        problems.append(replace(problem, remedy=remedy))
    return Report(tuple(problems), report.counts)


def nearest(identifier: str, known: Sequence[str]) -> list[str]:
    """The ids that are most like another one, at most three, the nearest first; none that are like it.

    >>> nearest("ROCO_1234", ["ROCO_01234", "ROCO_12345", "CXR_7"])
    ['ROCO_01234', 'ROCO_12345']
    """
    from rapidfuzz import fuzz, process

    return [
        near for near, *_ in process.extract(identifier, known, scorer=fuzz.ratio, limit=3, score_cutoff=NEAR)
    ]


def refused(what: str, report: Report) -> InputError:
    """The error that names everything that is wrong, the first of it line by line."""
    errors = report.of_severity("error")
    n = report.total("error")
    lines = [f"  {problem}" for problem in errors[:SHOWN]]
    more = [f"  and {n - len(lines):,} more; the error's `report` has them."] if n > len(lines) else []
    head = f"{what}: {n:,} error{'' if n == 1 else 's'}."
    return InputError("\n".join([head, *lines, *more]), Report(errors, report.counts))
