"""Image vectors of a system: ``.npz`` (ids + vectors), ``.npy`` beside an ids file, or ``.parquet``.

Queries may have vectors of their own, of the same length: ``query_ids`` and ``query_vectors`` in the
``.npz``, or a second file ``queries.npz``.

Arrays of Python objects (pickles) are never loaded: reading them could run code.
"""

from __future__ import annotations

import ast
import io
import lzma
import math
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.study.tables import tables
from evalcore.study.tables.ids import positions, report_unknown
from evalcore.study.tables.limits import allowed, fits, max_bytes, report_growth, report_too_large
from evalcore.study.tables.lines import decode, lines_of
from evalcore.study.tables.parquet import is_list, parquet_schema, read_parquet, texts_of, type_name
from evalcore.study.tables.problems import Problems, attempt, reader, shown, whole
from evalcore.values.arrays import Floats, Ints, digest_of, frozen
from evalcore.values.errors import Report, Severity
from evalcore.values.model import Embeddings
from evalcore.values.settings import Unknown

# Arrays of ``.npy`` and ``.npz`` files, without ever loading a pickle, and such files of ids and vectors.

Vectors = npt.NDArray[Any]

MAX_HEADER = 10_000
MAX_DIMENSIONS = 64
"""As many as numpy knows; vectors have two."""
WAY_OUT = "Save them with numpy.savez(file, ids=[...], vectors=[...]): ids as text, vectors as float32."
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    OSError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)
"""What a damaged zip of arrays raises; a name in it that is not UTF-8 is a ValueError."""
_HURT = (ValueError, TypeError, LookupError, ArithmeticError, SyntaxError, MemoryError, RecursionError)
"""What the header of a damaged array raises."""


def read_member(archive: zipfile.ZipFile, name: str, problems: Problems) -> Vectors | None:
    """One array of a ``.npz`` archive; None with an error when it is damaged or unpacks to too much."""
    info = archive.getinfo(name)
    if info.file_size > allowed(info.compress_size):
        report_growth(problems, info.compress_size)
        return None
    with archive.open(info) as stream:
        return _read_npy(stream, info.file_size, problems)


def read_npy_bytes(data: bytes, problems: Problems) -> Vectors | None:
    """The array of a ``.npy`` file."""
    return _read_npy(io.BytesIO(data), len(data), problems)


def npz_bytes(
    ids: Sequence[str],
    vectors: npt.NDArray[np.float32],
    of_queries: tuple[Sequence[str], npt.NDArray[np.float32]] | None = None,
) -> bytes:
    """An archive of the arrays ids and vectors, without a time: the same vectors give the same file.

    ``of_queries``: ids and vectors of queries that have vectors of their own.
    """
    arrays = {"ids": np.array(list(ids), dtype=str), "vectors": vectors}
    if of_queries is not None:
        arrays |= zip(OF_QUERIES, (np.array(list(of_queries[0]), dtype=str), of_queries[1]), strict=True)
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), member.getvalue())
    return held.getvalue()


def _read_npy(stream: IO[bytes], size: int, problems: Problems) -> Vectors | None:
    """One array; its header is checked against the size before any memory is taken."""
    try:
        shape, fortran, dtype = _npy_header(stream)
    except _HURT as reason:
        message = f"The array is damaged: {shown(reason) or type(reason).__name__}."
        problems.error("unreadable-container", message, WAY_OUT)
        return None
    if dtype.hasobject:
        problems.error("pickled-array", "An array contains Python objects, which are never loaded.", WAY_OUT)
        return None
    expected = math.prod(shape) * dtype.itemsize
    if size >= expected > max_bytes():
        report_too_large(problems, "The array contains")
        return None
    raw = stream.read(expected) if size >= expected else b""
    if len(raw) < expected:
        problems.error("unreadable-container", "The array is cut short.", WAY_OUT, value=shape)
        return None
    return np.frombuffer(raw, dtype).reshape(shape, order="F" if fortran else "C")


def _npy_header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, Fortran order and type of an array; raises one of many errors when the header is damaged."""
    magic = stream.read(8)
    if magic[:6] != b"\x93NUMPY" or len(magic) < 8:
        raise ValueError("it does not begin like a .npy file")
    length = int.from_bytes(stream.read(2 if magic[6] == 1 else 4), "little")
    if length > MAX_HEADER:
        raise ValueError("its header is too long")
    header = ast.literal_eval(stream.read(length).decode("latin-1").strip())
    shape = tuple(int(n) for n in header["shape"])
    if any(n < 0 for n in shape) or len(shape) > MAX_DIMENSIONS:
        raise ValueError(f"it claims the shape {shown(shape)}")
    dtype = np.lib.format.descr_to_dtype(header["descr"])
    if not dtype.itemsize:
        raise ValueError(f"its values, of type {dtype}, have size 0")
    return shape, bool(header["fortran_order"]), dtype


# Ids and vectors out of ``.npz``, ``.npy`` and ``.parquet`` files, without ever loading a pickle.

VECTOR_NAMES = ("vectors", "embeddings", "features", "x", "emb", "embedding", "vector")
ID_NAMES = ("ids", "id", "names", "image_ids", "image_id", "images", "filenames")
"""Names of arrays and columns, lower case, tried in this order."""
OF_QUERIES = ("query_ids", "query_vectors")
"""Names of the arrays of queries that have vectors of their own."""
_FORMS = {b"PK": "npz", b"\x93NUMPY": "npy", b"PAR1": "parquet"}
_LAST = 0x10FFFF
"""The last character there is."""
_ID_BYTES = 60
"""What an id takes in memory beside its text."""


def form_of(data: bytes) -> str:
    """What kind of file of vectors it is, as it begins: "npz", "npy" or "parquet"; "" for any other."""
    return next((form for start, form in _FORMS.items() if data.startswith(start)), "")


def read_vectors(
    data: bytes, problems: Problems, *, names: Sequence[str] = ID_NAMES, ids: bytes | None = None
) -> tuple[tuple[str, ...], npt.NDArray[np.float32]] | None:
    """Ids and vectors, shape (n, d), of a file of one of these kinds; None, with an error, without them.

    names: what the ids may be called in it. ids: the file beside a ``.npy``, one id per line.
    """
    read = {"npz": _read_npz, "parquet": _read_parquet}.get(form_of(data))
    if read is not None:
        texts, vectors = read(data, problems, names)
    else:
        vectors = read_npy_bytes(data, problems)
        texts = None if vectors is None else _ids_of_lines(ids, problems)
    if texts is None or vectors is None:
        return None
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu":
        message = (
            f"The vectors must be a table of numbers. Got shape {vectors.shape} of {shown(vectors.dtype)}."
        )
        problems.error("wrong-shape", message, WAY_OUT)
        return None
    if len(texts) != len(vectors):
        message = f"There are {len(texts):,} ids for {len(vectors):,} vectors."
        problems.error("wrong-count", message, "Give one id per vector, in the same order.")
        return None
    with np.errstate(over="ignore"):  # beyond float32 becomes inf, which is reported where they are used
        return texts, vectors.astype(np.float32)


def _read_npz(
    data: bytes, problems: Problems, ids: Sequence[str]
) -> tuple[tuple[str, ...] | None, Vectors | None]:
    """Ids and vectors of a ``.npz`` archive, None for what it does not hold."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name.removesuffix(".npy").lower(): name for name in archive.namelist()}
            keys = [next((n for n in wanted if n in members), None) for wanted in (ids, VECTOR_NAMES)]
            if None in keys:
                message = (
                    f"The arrays ids and vectors are needed; there are {shown(', '.join(members)) or 'none'}."
                )
                problems.error("wrong-header", message, WAY_OUT)
                return None, None
            of_queries = OF_QUERIES if {*OF_QUERIES} <= members.keys() else ()
            if extra := sorted(members.keys() - {*keys, *of_queries}):
                message = f"Arrays that are not read: {shown(', '.join(extra))}."
                remedy = (
                    "Only the ids and vectors of images are, and query_ids with query_vectors; else a "
                    "query's vector is that of its image."
                )
                problems.warning("array-not-read", message, remedy, value=extra[0])
            texts, vectors = (read_member(archive, members[str(key)], problems) for key in keys)
    except DAMAGED as reason:
        problems.error("unreadable-container", f"The .npz file is damaged: {shown(reason)}.", WAY_OUT)
        return None, None
    return (None if texts is None else _texts(texts, problems)), vectors


def _read_parquet(
    data: bytes, problems: Problems, ids: Sequence[str]
) -> tuple[tuple[str, ...] | None, Vectors | None]:
    """A column of ids beside a column of lists, or beside one column per dimension."""
    schema = parquet_schema(data, problems)
    if schema is None:
        return None, None
    names = schema.names
    at, v = (tables.named(names, wanted) for wanted in (ids, VECTOR_NAMES))
    if at is None:
        message = f"A column of ids is needed; there are {shown(', '.join(names))}."
        problems.error("wrong-header", message, "Name it id, and the vectors vector.")
        return None, None
    table = read_parquet(data, names if v is None else {names[at], names[v]}, problems)
    if table is None:
        return None, None
    words = texts_of(table[names[at]])
    if words is None:
        message = f"The column of ids contains {type_name(table[names[at]].type)}, not texts."
        problems.error("wrong-type", message, "Save the ids as text.")
        return None, None
    named = _whole_ids((word or "" for word in words), problems)
    if v is not None:
        return named, _stacked(table[names[v]], problems)
    return named, _side_by_side(table.drop_columns([names[at]]), problems)


def _side_by_side(table: pa.Table, problems: Problems) -> Vectors | None:
    """One column per dimension as an array."""
    kinds = table.schema.types
    if not all(pa.types.is_integer(k) or pa.types.is_floating(k) or pa.types.is_boolean(k) for k in kinds):
        others = shown(", ".join(dict.fromkeys(map(type_name, kinds))))
        message = f"The columns beside the ids contain {others}, not only numbers."
        problems.error("wrong-shape", message, WAY_OUT)
        return None
    columns = [column.to_numpy() for column in table.columns]
    return np.column_stack(columns) if columns else np.empty((table.num_rows, 0))


def _stacked(column: pa.ChunkedArray, problems: Problems) -> Vectors | None:
    """A column of equally long lists as a table."""
    lists = column.combine_chunks()
    kind = lists.type
    number = is_list(kind) and (pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type))
    if not number:
        message = f"The vector column contains {type_name(kind)}, not lists of numbers."
        problems.error("wrong-shape", message, WAY_OUT)
        return None
    lengths: list[Any] = [None] if lists.null_count else pc.unique(pc.list_value_length(lists)).to_pylist()
    if len(lengths) != 1 or None in lengths:
        message = f"Vectors differ in length: {shown(lengths[:5])}."
        problems.error("wrong-shape", message, "Give every image a vector of the same length.")
        return None
    return np.asarray(lists.flatten().to_numpy(zero_copy_only=False)).reshape(len(lists), lengths[0])


def _ids_of_lines(data: bytes | None, problems: Problems) -> tuple[str, ...] | None:
    """The ids beside a ``.npy`` file: first cell of each line, a header such as ``ID`` left out."""
    if data is None:
        remedy = "Save ids and vectors as one .npz; or, of a system, add ids.txt with one id per line."
        problems.error("no-ids", "A .npy file needs its ids beside it.", remedy)
        return None
    text = decode(data, problems)
    if text is None or not fits(problems, text.count("\n"), _ID_BYTES):
        return None
    names = (line.partition(",")[0].strip() for line in lines_of(text.rstrip("\n")))
    ids = _whole_ids(names, problems)
    return ids[1:] if ids[0].lower() in tables.ID_NAMES else ids


def _texts(ids: Vectors, problems: Problems) -> tuple[str, ...] | None:
    """Ids as text, whether saved as text, bytes or numbers."""
    if ids.dtype.kind not in "SUiuf":
        problems.error("wrong-type", f"The ids are {ids.dtype}, not texts.", "Save the ids as text.")
        return None
    if not fits(problems, ids.size, _ID_BYTES + ids.dtype.itemsize):
        return None
    if ids.dtype.kind == "S":
        ids = np.char.decode(ids, "utf-8", "replace")
    elif (
        ids.dtype.kind == "U"
        and np.frombuffer(ids.tobytes(), f"{ids.dtype.byteorder}u4").max(initial=0) > _LAST
    ):
        problems.error(
            "undecodable", "The ids are damaged: not all of them are text.", "Save the ids as text."
        )
        return None
    return _whole_ids((str(image).strip() for image in ids.reshape(-1).tolist()), problems)


def _whole_ids(names: Iterable[str], problems: Problems) -> tuple[str, ...]:
    """Ids; one with bytes that are not UTF-8 is an error, and matches no image."""
    ids = []
    for row, name in enumerate(names, start=1):
        ids.append(whole(name))
        if ids[-1] != name:
            message, remedy = f"The id {ids[-1]!r} is not UTF-8.", "Save the ids as text in UTF-8."
            problems.error("undecodable", message, remedy, line=row, value=ids[-1])
    return tuple(ids)


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddingRows:
    """Vectors as the file has them: ``vectors[i]``, shape (n, d), belongs to ``ids[i]`` on row i + 1."""

    ids: tuple[str, ...]
    vectors: npt.NDArray[np.float32]
    format: str
    file: str
    of_queries: EmbeddingRows | None = None
    """Vectors that stand for queries only."""

    @property
    def rows(self) -> int:
        return len(self.ids)


@reader(lambda _: None)
def parse_embeddings(
    data: bytes, *, file: str, ids: bytes | None = None
) -> tuple[EmbeddingRows | None, Report]:
    """Read the vectors of a system.

    Parameters
    ----------
    data : content of a ``.npz``, ``.npy`` or ``.parquet`` file, recognised from the content.
    ids : content of the ids file (one id per line, in the order of the vectors), for ``.npy`` only.

    Returns
    -------
    rows, report : None when there are no usable vectors: damaged container, arrays of objects, no
        ids, numbers of ids and vectors that differ, not two-dimensional, not numbers.
    """
    problems = Problems(file)
    form = form_of(data)
    if not form:
        problems.error("unknown-format", "The file is not .npz, .npy or .parquet.", WAY_OUT)
        return None, problems.report()
    held = read_vectors(data, problems, ids=ids)
    if held is None:
        return None, problems.report()
    if not held[1].size:
        problems.error("empty-file", "There are no vectors.", WAY_OUT)
        return None, problems.report()
    of_queries = _of_queries(data, held[1].shape[1], file, problems) if form == "npz" else None
    return EmbeddingRows(*held, form, file, of_queries), problems.report()


def _of_queries(data: bytes, width: int, file: str, problems: Problems) -> EmbeddingRows | None:
    """The vectors of queries in the same ``.npz``; None, with an error where they cannot be used."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name.removesuffix(".npy").lower(): name for name in archive.namelist()}
        if not {*OF_QUERIES} <= members.keys():
            return None
        arrays = [read_member(archive, members[name], problems) for name in OF_QUERIES]
    if arrays[0] is None or arrays[1] is None or (ids := _texts(arrays[0], problems)) is None:
        return None
    vectors = arrays[1]
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu" or vectors.shape != (len(ids), width):
        message = (
            f"query_vectors must be a table of numbers with {len(ids):,} rows and {width:,} columns, as many "
            f"as the images' vectors have. Got shape {vectors.shape} of {shown(vectors.dtype)}."
        )
        problems.error("wrong-shape", message, "Compute both sides by one model.")
        return None
    with np.errstate(over="ignore"):
        return EmbeddingRows(ids, vectors.astype(np.float32), "npz", file)


@reader(lambda _: None)
def bind_embeddings(
    rows: EmbeddingRows, *, system: str, image_ids: Sequence[str], unknown: Unknown = "error"
) -> tuple[Embeddings | None, Report]:
    """Align vectors with the images of a study, and with its queries where these have vectors of their own.

    Vectors with NaN or infinity and repeated ids are errors and left out (of repeated ids the first
    stays); zero vectors have no direction and are left out with a warning; images without a vector
    are counted. None when no vector is left. What has a vector on one side only has it on both.
    """
    problems = Problems(rows.file)
    own = _aligned(rows, problems, image_ids, unknown)
    if own is None:
        problems.error(
            "no-rows", "No vector of this file can be used.", "See the other problems of this file."
        )
        return None, problems.report()
    at, vectors = own
    asked = None
    asking = Problems(rows.of_queries.file if rows.of_queries is not None else "")
    if rows.of_queries is not None:
        if rows.of_queries.vectors.shape[1] != vectors.shape[1]:
            message = (
                f"The vectors of queries have {rows.of_queries.vectors.shape[1]:,} numbers, those of images "
                f"{vectors.shape[1]:,}; the former are left out."
            )
            asking.error("wrong-shape", message, "Compute both sides by one model.")
        elif (of_queries := _aligned(rows.of_queries, asking, image_ids, unknown)) is not None:
            theirs = np.where(of_queries[0] < 0, -1, of_queries[0] + np.int32(len(vectors))).astype(np.int32)
            asked = frozen(np.where(theirs < 0, at, theirs))
            at = np.where(at < 0, theirs, at)
            vectors = np.concatenate([vectors, of_queries[1]])
    without = [image_ids[i] for i in np.flatnonzero(at < 0).tolist()]
    remedy = "They are neither queries nor results of this system's own ranking."
    problems.counted("no-vector", without, f"{{n}} of {len(at):,} images have no vector.", remedy)
    digest = digest_of(at, vectors) if asked is None else digest_of(at, vectors, asked)
    table = Embeddings(system, frozen(at), frozen(vectors), digest, asked)
    return table, problems.report() + asking.report()


def _aligned(
    rows: EmbeddingRows, problems: Problems, image_ids: Sequence[str], unknown: Unknown
) -> tuple[Ints, npt.NDArray[np.float32]] | None:
    """The row of each image, -1 for none, and the rows; None where no vector can be used."""
    index = positions(rows.ids, image_ids)
    missing = np.flatnonzero(index < 0)
    report_unknown(
        problems, [rows.ids[i] for i in missing], (missing + 1).tolist(), image_ids, unknown=unknown
    )
    known = np.flatnonzero(index >= 0)
    keep = np.zeros(len(index), np.bool_)
    keep[known[np.unique(index[known], return_index=True)[1]]] = True  # the first of each image
    _report_rows(
        rows,
        (index >= 0) & ~keep,
        problems,
        "error",
        "duplicate-id",
        "The image {value} has a vector already; this one is left out.",
        "Keep one vector per image.",
    )
    finite = np.isfinite(rows.vectors).all(axis=1)
    _report_rows(
        rows,
        keep & ~finite,
        problems,
        "error",
        "nan-vector",
        "The vector of {value} contains NaN or infinity; it is left out.",
        "Compute it again.",
    )
    zero = ~rows.vectors.any(axis=1)
    _report_rows(
        rows,
        keep & zero,
        problems,
        "warning",
        "zero-vector",
        "The vector of {value} is all zeros and has no direction; it is left out.",
        "Compute it again.",
    )
    kept = np.flatnonzero(keep & finite & ~zero)
    kept = kept[np.argsort(index[kept])]
    if not len(kept):
        return None
    at = np.full(len(image_ids), -1, np.int32)
    at[index[kept]] = np.arange(len(kept), dtype=np.int32)
    return at, np.ascontiguousarray(rows.vectors[kept])


def _report_rows(
    rows: EmbeddingRows,
    which: npt.NDArray[np.bool_],
    problems: Problems,
    severity: Severity,
    rule: str,
    *texts: str,
) -> None:
    at = np.flatnonzero(which)
    if len(at):
        message, remedy = texts
        lines, values = (at + 1).tolist(), [rows.ids[i] for i in at]
        problems.each(severity, rule, message, remedy, lines=lines, values=values)


# Vectors kept as one array per image in a ``.npz``, the image id its name; pickles are never loaded.

MAX_ENTRY = 1 << 20
"""Largest array of one image, in bytes."""


def read_keyed_vectors(data: bytes, images: Sequence[str]) -> Floats | None:
    """Vectors in the order of the images, shape (images, width), NaN rows where there is none.

    None when the file is not such an archive: no zip, no entry named after one of the images, entries
    that are no vectors of one width, or more of them than the limits allow.
    """
    result, _ = attempt(lambda: _vectors(data, images))
    if not result or len({len(vector) for vector in result.values()}) != 1:
        return None
    width = len(next(iter(result.values())))
    if len(images) * width * np.dtype(float).itemsize > max_bytes():
        return None
    rows = np.full((len(images), width), np.nan)
    for i, image in enumerate(images):
        if image in result:
            rows[i] = result[image]
    return rows


def _vectors(data: bytes, images: Sequence[str]) -> dict[str, Floats] | None:
    """The vectors by image id; None when one of them is none."""
    result: dict[str, Floats] = {}
    wanted = {f"{image}.npy": image for image in images}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = [e for e in archive.infolist() if e.filename in wanted and e.file_size <= MAX_ENTRY]
        if sum(entry.file_size for entry in entries) > allowed(len(data)):
            return None
        for entry in entries:
            array = read_member(archive, entry.filename, Problems(entry.filename))
            if array is None or array.dtype.kind not in "fiu":
                return None
            result[wanted[entry.filename]] = array.astype(np.float64).ravel()
    return result
