"""Vectors of images or of concepts, out of any file or object that has ids and numbers.

A file is recognised by its content: ``.npz`` with the arrays ids and vectors; ``.npy`` beside a list of ids;
``.parquet`` with a column of ids beside lists, or beside a column per dimension; text with an id and its
numbers on each line (word2vec, GloVe, CSV such as cui2vec's). All become `VectorRows`. Pickles are never
loaded: reading them could run code.
"""

from __future__ import annotations

import io
import math
import re
import warnings
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.study.parts.kind import TOML, Files, Opening, PartKind, plain_name, system_folders
from evalcore.study.tables.archives import open_zip
from evalcore.study.tables.files import (
    check_memory,
    check_size,
    decode,
    is_decodable,
    lines_of,
    packed,
    parse_float,
    reader,
)
from evalcore.study.tables.frames import distinct_texts, frame_of, holds_texts, is_list, is_number, text_of
from evalcore.study.tables.ids import KnownIds, report_concepts_without
from evalcore.study.tables.parquet import parquet_schema, read_columns, type_name
from evalcore.study.tables.problems import Problems, Refused, refused, truncate, whole
from evalcore.study.tables.schema import IMAGE
from evalcore.study.tables.tables import Row, guess_delimiter, named, undecoded_records
from evalcore.study.workspace.file_names import without_ending
from evalcore.values.arrays import Bools, Ints, digest_of, readonly
from evalcore.values.concept_scheme import as_written
from evalcore.values.concept_values import NAME_RULE, ConceptVectors, is_name
from evalcore.values.errors import Severity
from evalcore.values.model import Embeddings, Study
from evalcore.values.writing import pluralize

Array = npt.NDArray[Any]
VECTOR_NAMES = ("vectors", "embeddings", "features", "x", "emb", "embedding", "vector")
ID_NAMES = ("ids", "id", "names", "image_ids", "image_id", "images", "filenames")
CONCEPT_NAMES = ("concepts", "concept", "cuis", "cui", "words", "word", "keys", *ID_NAMES)
"""Names of arrays and columns, lower case, tried in this order."""
OF_QUERIES = ("query_ids", "query_vectors")
"""Names of the arrays of queries that have vectors of their own."""
SAVE_AGAIN = "Save them with numpy.savez(file, ids=[...], vectors=[...]): ids as text, vectors as float32."
_EXPORT = (
    f"{SAVE_AGAIN} Those of gensim are exported once:\n"
    "  from gensim.models import KeyedVectors\n"
    '  vectors = KeyedVectors.load("FILE")\n'
    '  vectors.save_word2vec_format("NAME.txt")'
)
_FORMS = {
    b"PK": "npz",
    b"\x93NUMPY": "npy",
    b"PAR1": "parquet",
    **dict.fromkeys((b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05", b"(dp", b"ccopy_reg"), "pickle"),
}
_AGAIN, _SEE = "Compute it again.", "See the other problems of this file."
_ID_BYTES, _ROW_BYTES = 60, 160
"""What an id takes in memory beside its text; an id, its line and its row of a text beside the numbers."""
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


@dataclass(frozen=True, slots=True, eq=False)
class VectorRows:
    """Vectors as a file has them: ``vectors[i]``, shape (n, d), is that of ``ids[i]`` on line ``lines[i]``.

    Lines of a file that is no text are rows, counted from 1. ``of_queries``: vectors that stand for queries
    only.
    """

    ids: tuple[str, ...]
    lines: Sequence[int]
    vectors: npt.NDArray[np.float32]
    format: str
    file: str
    of_queries: VectorRows | None = None

    @property
    def rows(self) -> int:
        return len(self.ids)


def form_of(data: bytes) -> str:
    """What kind of file of vectors it is, as it begins: "npz", "npy", "parquet", "pickle"; "" for text."""
    return next((form for start, form in _FORMS.items() if data.startswith(start)), "")


@reader(lambda _: None)
def parse_embeddings(
    data: bytes | VectorRows,
    problems: Problems,
    *,
    id_names: Sequence[str] = ID_NAMES,
    ids: bytes | None = None,
) -> VectorRows:
    """Read the ids and vectors of a file.

    Parameters
    ----------
    data : content of the file, recognised from its first bytes; or what `vectors_from` read of an object.
    id_names : what the array or the column of ids may be called.
    ids : content of the ids file (an id per line, in the order of the vectors), for ``.npy`` only.

    Returns
    -------
    rows : refused when there are no usable vectors: a damaged container, a pickle, arrays of objects, no ids,
        numbers of ids and vectors that differ, not two-dimensional, not numbers. Lines of a text that are no
        vector are errors and left out. What is wrong with single vectors is reported where they are bound.
    """
    if isinstance(data, VectorRows):
        return data
    form = form_of(data)
    if form == "npz":
        with refused(problems, "The .npz file is damaged: {why}.", SAVE_AGAIN):
            return _from_archive(open_zip(io.BytesIO(data)), id_names, problems)
    if form == "npy":
        vectors = _read_array(io.BytesIO(data), len(data), problems)
        return _rows(_listed_ids(ids, problems), vectors, form, problems)
    if form == "parquet":
        return _from_table(data, id_names, problems)
    if form == "pickle":
        message = "The file is a pickle, which is never loaded: reading one can run any code."
        problems.refuse("pickle", message, _EXPORT, line=1, value=data[:2].hex())
    if b"\0" in data[:1000] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        message = "The file is not .npz, .npy, .parquet or text."
        problems.refuse("unknown-format", message, SAVE_AGAIN)
    return _from_text(data, problems)


parse_concept_vectors = partial(parse_embeddings, id_names=CONCEPT_NAMES)


def vectors_from(value: Any, problems: Problems) -> VectorRows:
    """The vectors of images in an object in memory.

    Parameters
    ----------
    value : ``numpy.load`` of an ``.npz``, a pair (ids, array of shape (n, d)), {id: vector}, or a DataFrame
        (pandas, polars, pyarrow) with a column or an index of ids beside a column of lists, or beside a
        column per dimension.

    Returns
    -------
    rows : as `parse_embeddings` gives them, lines being rows from 1; refused is anything else.
    """
    message = f"{truncate(type(value).__name__)} is not vectors with ids: {{why}}."
    remedy = "Give (ids, array of shape (n, d)), {id: vector}, a table with a column of ids, or a path."
    with refused(problems, message, remedy, rule="wrong-shape"):
        if isinstance(value, np.lib.npyio.NpzFile) and value.zip is not None:
            return _from_archive(value.zip, ID_NAMES, problems)
        table = value if isinstance(value, pa.Table) else frame_of(value)
        if table is not None:
            return _from_table(table, ID_NAMES, problems)
        if isinstance(value, np.ndarray):
            raise ValueError("an array alone has no ids")
        ids, vectors = (list(value), list(value.values())) if isinstance(value, Mapping) else value
        return _rows(_ids(ids, problems), np.asarray(vectors), "memory", problems)


def _rows(
    ids: tuple[str, ...], vectors: Array, form: str, problems: Problems, lines: Sequence[int] | None = None
) -> VectorRows:
    """Ids with their vectors; refused where they are not one table of numbers."""
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu":
        shape = f"Got shape {vectors.shape} of {truncate(vectors.dtype)}."
        problems.refuse("wrong-shape", f"The vectors must be a table of numbers. {shape}", SAVE_AGAIN)
    if len(ids) != len(vectors):
        message = f"There are {len(ids):,} ids for {len(vectors):,} vectors."
        problems.refuse("wrong-count", message, "Give one id per vector, in the same order.")
    if not vectors.size:
        problems.refuse("no-rows", "There are no vectors in the file.", _SEE)
    with np.errstate(over="ignore"):  # beyond float32 becomes inf, which is reported where they are used
        kept = vectors.astype(np.float32)
    return VectorRows(ids, range(1, len(ids) + 1) if lines is None else lines, kept, form, problems.file)


# Ids.


def _ids(values: Iterable[Any], problems: Problems) -> tuple[str, ...]:
    """Ids as texts, whether saved as texts, bytes or numbers; "" for none.

    One with bytes that are not UTF-8 is an error, and is no id of a study.
    """
    ids = []
    for line, value in enumerate(values, start=1):
        name = (text_of(value) or "").strip()
        ids.append(whole(name))
        if ids[-1] != name:
            message, remedy = f"The id {ids[-1]!r} is not UTF-8.", "Save the ids as text in UTF-8."
            problems.error("undecodable", message, remedy, line=line, value=ids[-1])
    return tuple(ids)


def _ids_of_array(ids: Array, problems: Problems) -> tuple[str, ...]:
    check_memory(problems, ids.size, _ID_BYTES + ids.dtype.itemsize)
    if ids.dtype.kind not in "SUiuf":
        problems.refuse("wrong-type", f"The ids are {ids.dtype}, not texts.", "Save the ids as text.")
    try:
        return _ids(ids.reshape(-1).tolist(), problems)
    except SystemError:  # beyond the last character that there is
        message = "The ids are damaged: not all of them are text."
        problems.refuse("undecodable", message, "Save the ids as text.")


def _listed_ids(data: bytes | None, problems: Problems) -> tuple[str, ...]:
    """The ids beside a ``.npy`` file: first cell of each line, a header such as ``ID`` left out."""
    if data is None:
        remedy = "Save ids and vectors as one .npz; or, of a system, add ids.txt with one id per line."
        problems.refuse("no-ids", "A .npy file needs its ids beside it.", remedy)
    text = decode(data, problems)
    check_memory(problems, text.count("\n"), _ID_BYTES)
    ids = _ids((line.partition(",")[0] for line in lines_of(text.rstrip("\n"))), problems)
    return ids[1:] if ids[0].lower() in IMAGE.names else ids


# Arrays that anybody may have made.


def _from_archive(archive: zipfile.ZipFile, id_names: Sequence[str], problems: Problems) -> VectorRows:
    """Ids and vectors of a ``.npz``, without those of queries where these cannot be used; raises when it is
    damaged."""
    members = {name.removesuffix(".npy").lower(): name for name in archive.namelist()}
    keys = tuple(next((n for n in names if n in members), "") for names in (id_names, VECTOR_NAMES))
    if not all(keys):
        there = truncate(", ".join(members)) or "none"
        message = f"The arrays ids and vectors are needed; there are {there}."
        problems.refuse("wrong-header", message, SAVE_AGAIN)
    sides: dict[Sequence[str], VectorRows] = {}
    for names in (keys, OF_QUERIES) if {*OF_QUERIES} <= members.keys() else (keys,):
        arrays = []
        for info in (archive.getinfo(members[name]) for name in names):
            with suppress(Refused):  # each that cannot be used is reported
                check_size(problems, info.file_size, packed=info.compress_size)
                with archive.open(info) as stream:
                    arrays.append(_read_array(stream, info.file_size, problems))
        if len(arrays) == len(names):
            with suppress(Refused):
                ids, vectors = arrays
                sides[names] = _rows(_ids_of_array(ids, problems), vectors, "npz", problems)
    if keys not in sides:
        raise Refused
    return replace(sides[keys], of_queries=sides.get(OF_QUERIES))


def _read_array(stream: IO[bytes], size: int, problems: Problems) -> Array:
    """The array of a ``.npy`` file of that many bytes; refused is anything else.

    What its header claims is compared with the size before any memory is taken.
    """
    with refused(problems, "The array is damaged: {why}.", SAVE_AGAIN):
        with warnings.catch_warnings():  # about headers that Python 2 wrote
            warnings.simplefilter("ignore")
            shape, by_column, dtype = _HEADERS[np.lib.format.read_magic(stream)](stream)
        expected = math.prod(shape) * dtype.itemsize
        if dtype.hasobject:
            message = "An array contains Python objects, which are never loaded."
            problems.refuse("pickled-array", message, SAVE_AGAIN)
        if size >= expected:
            check_size(problems, expected, "The array contains")
        content = stream.read(expected) if min(shape, default=0) >= 0 and size >= expected else b""
        if min(shape, default=0) < 0 or len(content) < expected:
            raise ValueError("it is shorter than its header claims")
        return np.frombuffer(content, dtype).reshape(shape, order="F" if by_column else "C")


def npz_bytes(
    ids: Sequence[str],
    vectors: npt.NDArray[np.float32],
    of_queries: tuple[Sequence[str], npt.NDArray[np.float32]] | None = None,
) -> bytes:
    """An archive of the arrays ids and vectors, without a time: the same vectors give the same file.

    ``of_queries``: ids and vectors of queries that have vectors of their own.
    """
    arrays = zip(("ids", "vectors", *OF_QUERIES), (ids, vectors, *(of_queries or ())), strict=False)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, values in arrays:
            array = values if isinstance(values, np.ndarray) else np.array(list(values), dtype=str)
            member = io.BytesIO()
            np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), member.getvalue())
    return content.getvalue()


# Tables.


def _from_table(source: bytes | pa.Table, id_names: Sequence[str], problems: Problems) -> VectorRows:
    """A column of ids beside a column of lists, or beside one column per dimension."""
    schema = parquet_schema(source, problems)
    at, vector = (named(schema.names, names) for names in (id_names, VECTOR_NAMES))
    if at is None:
        message = f"A column of ids is needed; there are {truncate(', '.join(schema.names))}."
        problems.refuse("wrong-header", message, "Name it id, and the vectors vector.")
    if vector is not None and is_number(schema.types[vector]):
        vector = None  # x beside y
    places = [i for i in range(len(schema)) if i != at] if vector is None else [vector]
    column, *numbers = read_columns(source, [at, *places], problems).columns
    if not holds_texts(column.type):
        message = f"The column of ids contains {type_name(column.type)}, not texts."
        problems.refuse("wrong-type", message, "Save the ids as text.")
    texts, codes = distinct_texts(column)
    ids = _ids(map(texts.__getitem__, codes.tolist()), problems)
    if vector is not None:
        return _rows(ids, _stacked(numbers[0], problems), "parquet", problems)
    if others := dict.fromkeys(type_name(c.type) for c in numbers if not is_number(c.type)):
        message = f"The columns beside the ids contain {truncate(', '.join(others))}, not only numbers."
        problems.refuse("wrong-shape", message, SAVE_AGAIN)
    vectors = np.column_stack([c.to_numpy() for c in numbers]) if numbers else np.empty((len(ids), 0))
    return _rows(ids, vectors, "parquet", problems)


def _stacked(column: pa.ChunkedArray, problems: Problems) -> Array:
    """A column of equally long lists as a table."""
    lists = column.combine_chunks()
    if not is_list(lists.type) or not is_number(lists.type.value_type):
        message = f"The vector column contains {type_name(lists.type)}, not lists of numbers."
        problems.refuse("wrong-shape", message, SAVE_AGAIN)
    lengths: list[Any] = [None] if lists.null_count else pc.unique(pc.list_value_length(lists)).to_pylist()
    if len(lengths) != 1 or None in lengths:
        message = f"Vectors differ in length: {truncate(lengths[:5])}."
        problems.refuse("wrong-shape", message, "Give every image a vector of the same length.")
    return np.asarray(lists.flatten().to_numpy(zero_copy_only=False)).reshape(len(lists), lengths[0])


# Texts: an id and its numbers on each line, apart by spaces, TABs, commas or semicolons; above them the two
# counts of word2vec, the header of a table, or nothing.

_COUNTS = re.compile(r"[ \t]*([0-9]{1,9})[ \t]+([0-9]{1,9})[ \t]*(?:\n|$)")


def _from_text(data: bytes, problems: Problems) -> VectorRows:
    text = decode(data, problems)
    text, counts = text.replace('"', ""), _COUNTS.match(text)
    rows = undecoded_records(text, guess_delimiter(text, "\t,; "), problems)
    first = next(rows, Row(1, []))
    width = int(counts[2]) if counts else len(first.cells) - 1
    if width < 1:
        message = "A line contains an id and the numbers of its vector; the first line has none."
        value = " ".join(first.cells)
        problems.refuse("wrong-columns", message, SAVE_AGAIN, line=first.line, value=value)
    check_memory(problems, text.count("\n") + 1, 4 * width + _ROW_BYTES)
    if not counts and parse_float(first.cells[1]) is not None:
        rows = chain([first], rows)
    good: list[tuple[str, int, npt.NDArray[np.float32]]] = []
    for row in rows:
        is_text = is_decodable(" ".join(row.cells), row.line, problems)
        vector = _vector(row, width, problems) if is_text else None
        good += [] if vector is None else [(row.cells[0], row.line, vector)]
    n = len(good) + problems.n_errors
    if counts and n != int(counts[1]):
        message = f"The first line says {int(counts[1]):,} vectors, and there are {n:,} rows."
        remedy = "If the file was cut off while it was copied, copy it again; else correct its first line."
        problems.error("wrong-count", message, remedy, line=1, value=int(counts[1]))
    names, lines, vectors = map(list, zip(*good, strict=True)) if good else ([], [], [])
    return _rows(tuple(names), np.array(vectors).reshape(-1, width), "text", problems, lines)


def _vector(row: Row, width: int, problems: Problems) -> npt.NDArray[np.float32] | None:
    """The numbers of a line; None, with an error, for anything else."""
    name, *cells = row.cells
    if len(cells) != width:
        message = f"The row of {truncate(name)!r} has {len(cells):,} numbers, not {width:,}; it is left out."
        remedy = "Give every vector the same length."
        problems.error("wrong-columns", message, remedy, line=row.line, value=name)
        return None
    text = "".join(cells)
    with suppress(ValueError), np.errstate(over="ignore"):  # beyond float32 becomes inf, which is reported
        if "_" not in text and text.isascii():  # float takes more than numbers
            return np.array(list(map(float, cells))).astype(np.float32)
    wrong = next((cell for cell in cells if parse_float(cell) is None), "")
    contains = f"contains {truncate(wrong)!r}, which is not a number"
    message = f"The vector of {truncate(name)!r} {contains}; it is left out."
    problems.error("not-a-number", message, "Write numbers such as -0.25.", line=row.line, value=wrong)
    return None


def bind_embeddings(rows: VectorRows, problems: Problems, opening: Opening, *, system: str) -> Embeddings:
    """Align vectors with the images of a study, and with its queries where these have vectors of their own.

    Vectors without an id, with NaN or infinity, and a second one of an image are errors and left out; zero
    vectors have no direction and are left out with a warning; ids of no image are reported as those of a run
    are (see ``open_study`` for ``unknown``), and images without a vector counted. Refused when no vector is
    left. What has a vector on one side only has it on both.
    """
    images, queries, of_queries = opening.images, rows.of_queries, None
    at, vectors = _aligned(rows, problems, images)
    if not len(vectors):
        problems.refuse("no-rows", "No vector of this file can be used.", _SEE)
    query_problems = problems.of(rows.file if queries is None else queries.file)
    if queries is not None and queries.vectors.shape[1] != vectors.shape[1]:
        message = (
            f"The vectors of queries have {queries.vectors.shape[1]:,} numbers, those of images "
            f"{vectors.shape[1]:,}; the former are left out."
        )
        query_problems.error("wrong-shape", message, "Compute both sides by one model.")
    elif queries is not None:
        theirs, own = _aligned(queries, query_problems, images)
        if len(own):
            theirs = np.where(theirs < 0, -1, theirs + len(vectors)).astype(np.int32)
            of_queries = readonly(np.where(theirs < 0, at, theirs))
            at, vectors = np.where(at < 0, theirs, at), np.concatenate([vectors, own])
    without = [images.ids[i] for i in np.flatnonzero(at < 0).tolist()]
    remedy = "They are neither queries nor results of this system's own ranking."
    problems.add_summary("no-vector", without, f"{{n}} of {len(at):,} images have no vector.", remedy)
    digest = digest_of(at, vectors) if of_queries is None else digest_of(at, vectors, of_queries)
    of_queries = readonly(at) if of_queries is None else of_queries
    return Embeddings(system, readonly(at), of_queries, readonly(vectors), digest)


def bind_concept_vectors(
    rows: VectorRows, problems: Problems, opening: Opening, *, name: str = "vectors", metric: str = "cosine"
) -> ConceptVectors:
    """Vectors that can be compared, by ascending concept; of other concepts than the study's too.

    Vectors without a concept, with NaN or infinity, a second one of a concept and, for ``poincare``, those
    outside the unit ball are errors and left out; of zeros, which have no direction, with a warning where the
    metric is the cosine. Concepts of the study without a vector are counted. Refused when no vector is left,
    or none belongs to a concept of the study.
    """
    concepts = opening.concepts
    rows = replace(rows, ids=tuple(map(as_written, rows.ids)))
    known = KnownIds(sorted({*rows.ids} - {""}))
    remedy = f'Compute it again, or write metric = "cosine" below [concept_vectors.{name}].'
    codes, vectors = _usable(
        rows, known.positions(rows.ids), "concept", problems, metric=metric, out_of_ball=remedy
    )
    names = [known.ids[code] for code in codes.tolist()]
    if not names:
        problems.refuse("no-rows", "No vector of this file can be used.", _SEE)
    if {*names}.isdisjoint(concepts.vocabulary):
        message = "None of the {n} vectors is that of a concept of the study, such as {example}."
        remedy, example = "Name the concepts as the study does.", next(iter(concepts.vocabulary), "")
        problems.refuse("unknown-concept", message, remedy, count=len(names), n=len(names), example=example)
    report_concepts_without(
        problems, concepts, {*names}, "no-vector", "have no vector", "They are like themselves only."
    )
    return ConceptVectors.from_arrays(names, vectors, metric)


def _aligned(rows: VectorRows, problems: Problems, images: KnownIds) -> tuple[Ints, npt.NDArray[np.float32]]:
    """The row of each image, -1 for none, and the rows."""
    places = images.positions(rows.ids)
    missing = [i for i in np.flatnonzero(places < 0).tolist() if rows.ids[i]]
    if missing:
        ids, lines = [rows.ids[i] for i in missing], [rows.lines[i] for i in missing]
        images.report_unknown(problems, ids, lines, unknown=images.unknown)
    kept, vectors = _usable(rows, places, "image", problems)
    at = np.full(len(images.ids), -1, np.int32)
    at[kept] = np.arange(len(kept), dtype=np.int32)
    return at, vectors


def _usable(
    rows: VectorRows,
    codes: Ints,
    what: str,
    problems: Problems,
    *,
    metric: str = "cosine",
    out_of_ball: str = "",
) -> tuple[Ints, npt.NDArray[np.float32]]:
    """The vectors that can be compared, by ascending code, and these codes; the others are reported.

    ``codes``: the same for rows of the same id, -1 for an id that is reported elsewhere.
    """

    named = np.fromiter(map(bool, rows.ids), np.bool_, rows.rows)
    good = (codes >= 0) | ~named
    with np.errstate(over="ignore"):  # beyond float32 is infinite
        vectors = rows.vectors.astype(np.float32, copy=False)
    finite = np.logical_and.reduce(np.isfinite(vectors), axis=1)
    text = f"The vector has no {what}; it is left out."
    faults: list[tuple[Bools, Severity, str, str, str]] = [
        (~named, "error", "missing-id", text, "Write its id in front.")
    ]
    text = "The vector of {value} contains NaN or infinity; it is left out."
    faults.append((~finite, "error", "nan-vector", text, _AGAIN))
    if metric == "cosine":
        zero = ~np.logical_or.reduce(vectors != 0, axis=1)
        text = "The vector of {value} is all zeros and has no direction; it is left out."
        faults.append((zero, "warning", "zero-vector", text, _AGAIN))
    if metric == "poincare":
        wide = vectors.astype(np.float64)
        outside = np.einsum("ij,ij->i", wide, wide) >= 1
        text = "The vector of {value} is not within the Poincaré ball: its length is not below 1."
        faults.append((outside, "error", "outside-ball", text, out_of_ball))
    usable = np.flatnonzero(good & ~np.logical_or.reduce([bad for bad, *_ in faults]))
    kept = usable[np.unique(codes[usable], return_index=True)[1]]
    again = np.zeros(rows.rows, np.bool_)
    again[np.setdiff1d(usable, kept)] = True
    text = f"The {what} {{value}} has a vector already; this one is left out."
    faults.append((again, "error", "duplicate-id", text, f"Keep one vector per {what}."))
    for bad, severity, rule, message, remedy in faults:
        at = np.flatnonzero(bad & good).tolist()
        lines, values = [rows.lines[i] for i in at], [rows.ids[i] for i in at]
        problems.each(severity, rule, message, remedy, lines=lines, values=values)
        good &= ~bad
    return codes[kept], np.ascontiguousarray(vectors[kept])


# As parts of a study.


VECTOR_ENDINGS = (
    *packed(".txt", ".vec", ".csv", ".tsv"),
    *(".npz", ".parquet", ".kv", ".model", ".pkl", ".pickle"),
)
"""Of vectors of concepts; the last are pickles, which are refused with the way out."""


def name_of_vectors(file: str) -> str:
    """What vectors of concepts are called: their file without the ending.

    >>> name_of_vectors("cui2vec.500.txt.gz"), name_of_vectors("graph.npz")
    ('cui2vec.500', 'graph')
    """
    return without_ending(file, VECTOR_ENDINGS)


def _read_concept_vectors(opening: Opening) -> Mapping[str, ConceptVectors]:
    """Vectors of concepts by name; a second file of one name, and one without a usable name, is left out."""
    metrics = opening.layout.toml.vector_metrics
    files: dict[str, Path] = {}
    for path in opening.layout.files["concept_vectors"]:
        name = name_of_vectors(path.name)
        if name in files or not is_name(name):
            wrong = f"it must be {NAME_RULE}" if not is_name(name) else "another file is called so too"
            message = "'{value}' cannot be the name of these vectors: {wrong}."
            of_file = opening.problems.of(opening.layout.name_of(path))
            of_file.error("bad-name", message, "Rename the file.", value=name, wrong=wrong)
        else:
            files[name] = path
    bound = {
        name: opening.bind(
            "concept_vectors",
            opening.read("concept_vectors", path),
            name=name,
            metric=metrics.get(name, "cosine"),
        )
        for name, path in sorted(files.items())
    }
    for name in sorted(metrics.keys() - files.keys()):
        message = "There are no vectors called '{value}' in concept_vectors; their metric is ignored."
        known, remedy = [*files] or ["none"], "Name one of these: {known}."
        opening.problems.of(TOML).warning("no-such-vectors", message, remedy, value=name, known=known)
    return {name: vectors for name, vectors in bound.items() if vectors is not None}


def _write_concept_vectors(study: Study) -> Files:
    for name, vectors in study.concept_vectors.items():
        yield f"concept_vectors/{name}.npz", npz_bytes(vectors.concepts, vectors.vectors)


def _write_embeddings(study: Study) -> Files:
    for system, folder in system_folders(study).items():
        if (table := study.embeddings.get(system)) is None:
            continue
        own, sides = np.where(table.query_rows != table.rows, table.query_rows, -1), []
        for rows in (table.rows, own):
            images = np.flatnonzero(rows >= 0)
            sides.append(([study.image_ids[i] for i in images.tolist()], table.vectors[rows[images]]))
        data = npz_bytes(*sides[0], sides[1] if (own >= 0).any() else None)
        yield f"systems/{folder}/embeddings.npz", data


def _place(name: str, _data: bytes, rows: VectorRows) -> str:
    ending = {"npz": ".npz", "parquet": ".parquet"}.get(rows.format, ".txt")
    return f"concept_vectors/{plain_name(name_of_vectors(Path(name).name)) or 'vectors'}{ending}"


def _contents(rows: VectorRows) -> str:
    return f"{pluralize(rows.rows, 'vector')} of {rows.vectors.shape[1]:,} numbers"


PARTS = (
    PartKind(
        "embeddings",
        "System: vectors",
        (("embeddings.npz", "embeddings.npy", "embeddings.parquet", "embeddings.csv"),),
        of_a_system=True,
        parse=parse_embeddings,
        bind=bind_embeddings,
        of_object=vectors_from,
        of_frames=True,
        write=_write_embeddings,
        kept_as=lambda _name, _data, rows: (
            f"embeddings{ {'parquet': '.parquet', 'text': '.csv'}.get(rows.format, '.npz') }"
        ),
        expected="npz with ids and vectors, parquet, or CSV with an id and the numbers in each row.",
        adds="similarity as a system sees it, and larger result lists",
        contents=_contents,
    ),
    PartKind(
        "ids",
        "System: image ids",
        (("ids.txt", "ids.csv", "embeddings.ids.txt", "embeddings_ids.txt", "embeddings.txt"),),
        of_a_system=True,
        ids=("id",),
    ),
    PartKind(
        "concept_vectors",
        "Concept vectors",
        (tuple(f"concept_vectors/*{e}" for e in VECTOR_ENDINGS),),
        many=True,
        parse=parse_concept_vectors,
        bind=bind_concept_vectors,
        study_field="concept_vectors",
        read=_read_concept_vectors,
        write=_write_concept_vectors,
        kept_as=_place,
        expected="word2vec as text, cui2vec’s CSV, .npz or .parquet. No pickles.",
        contents=_contents,
    ),
)
