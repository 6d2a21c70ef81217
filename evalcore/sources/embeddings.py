"""Image vectors of a system: ``.npz`` (ids + vectors), ``.npy`` beside an ids file, or ``.parquet``.

Arrays of Python objects (pickles) are never loaded: reading them could run code.
"""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from evalcore.model import Embeddings, Ints, Report, Severity, digest_of, frozen
from evalcore.settings import Unknown
from evalcore.sources import tables
from evalcore.sources.ids import positions, report_unknown
from evalcore.sources.lines import decode
from evalcore.sources.problems import Problems, shown

Vectors = npt.NDArray[Any]

VECTOR_NAMES = ("vectors", "embeddings", "features", "x", "emb", "embedding", "vector")
ID_NAMES = ("ids", "id", "names", "image_ids", "image_id", "images", "filenames")
"""Names of arrays and columns, lower case, tried in this order."""
MAX_BYTES = 8 << 30
"""Largest array that is read, in bytes."""
_WAY_OUT = "Save them with numpy.savez(file, ids=[...], vectors=[...]): ids as text, vectors as float32."


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddingRows:
    """Vectors as the file has them: ``vectors[i]``, shape (n, d), belongs to ``ids[i]`` on row i + 1."""

    ids: tuple[str, ...]
    vectors: npt.NDArray[np.float32]
    format: str
    file: str

    @property
    def rows(self) -> int:
        return len(self.ids)


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
    found = Problems(file)
    names: tuple[str, ...] | None
    if data.startswith(b"PK"):
        form, (names, vectors) = "npz", _from_npz(data, found)
    elif data.startswith(b"PAR1"):
        form, (names, vectors) = "parquet", _from_parquet(data, found)
    elif data.startswith(b"\x93NUMPY"):
        form, vectors = "npy", _read_npy(io.BytesIO(data), len(data), found)
        names = _ids_of_lines(ids, found)
    else:
        found.error("unknown-format", "The file is not .npz, .npy or .parquet.", _WAY_OUT)
        return None, found.report()
    if names is None or vectors is None:
        return None, found.report()
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu":
        message = f"The vectors must be a table of numbers. Got shape {vectors.shape} of {vectors.dtype}."
        found.error("wrong-shape", message, _WAY_OUT)
    elif len(names) != len(vectors):
        message = f"There are {len(names):,} ids for {len(vectors):,} vectors."
        found.error("wrong-count", message, "Give one id per vector, in the same order.")
    elif not vectors.size:
        found.error("empty-file", "There are no vectors.", _WAY_OUT)
    else:
        with np.errstate(over="ignore"):  # beyond float32 becomes inf, which bind_embeddings reports
            return EmbeddingRows(names, vectors.astype(np.float32), form, file), found.report()
    return None, found.report()


def bind_embeddings(
    rows: EmbeddingRows, *, system: str, image_ids: Sequence[str], unknown: Unknown = "error"
) -> tuple[Embeddings | None, Report]:
    """Align vectors with the images of a study.

    Vectors with NaN or infinity and repeated ids are errors and left out (of repeated ids the first
    stays); zero vectors have no direction and are left out with a warning; images without a vector
    are counted. None when no vector is left.
    """
    found = Problems(rows.file)
    index = positions(rows.ids, image_ids)
    missing = np.flatnonzero(index < 0)
    report_unknown(found, [rows.ids[i] for i in missing], (missing + 1).tolist(), image_ids, unknown=unknown)
    keep = index >= 0
    keep[np.setdiff1d(np.flatnonzero(keep), np.unique(np.where(keep, index, -1), return_index=True)[1])] = (
        False
    )
    _report_rows(
        rows, (index >= 0) & ~keep, found, "error", "duplicate-id",
        "The image {value} has a vector already; this one is left out.", "Keep one vector per image.",
    )  # fmt: skip
    finite = np.isfinite(rows.vectors).all(axis=1)
    _report_rows(
        rows, keep & ~finite, found, "error", "nan-vector",
        "The vector of {value} holds NaN or infinity; it is left out.", "Compute it again.",
    )  # fmt: skip
    zero = ~rows.vectors.any(axis=1)
    _report_rows(
        rows, keep & zero, found, "warning", "zero-vector",
        "The vector of {value} is all zeros and has no direction; it is left out.", "Compute it again.",
    )  # fmt: skip
    kept = np.flatnonzero(keep & finite & ~zero)
    kept = kept[np.argsort(index[kept])]
    if not len(kept):
        found.error("no-rows", "No vector of this file can be used.", "See the other problems of this file.")
        return None, found.report()
    at = np.full(len(image_ids), -1, np.int32)
    at[index[kept]] = np.arange(len(kept), dtype=np.int32)
    _report_uncovered(found, at, image_ids)
    vectors = np.ascontiguousarray(rows.vectors[kept])
    return Embeddings(system, frozen(at), frozen(vectors), digest_of(at, vectors)), found.report()


def _report_rows(
    rows: EmbeddingRows,
    which: npt.NDArray[np.bool_],
    found: Problems,
    severity: Severity,
    rule: str,
    *texts: str,
) -> None:
    at = np.flatnonzero(which)
    if len(at):
        message, way_out = texts
        lines, values = (at + 1).tolist(), [rows.ids[i] for i in at]
        found.each(severity, rule, message, way_out, lines=lines, values=values)


def _report_uncovered(found: Problems, at: Ints, image_ids: Sequence[str]) -> None:
    without = np.flatnonzero(at < 0)
    if len(without):
        message = f"{len(without):,} of {len(at):,} images have no vector."
        way_out = "They are neither queries nor results of this system's own ranking."
        found.warning("no-vector", message, way_out, value=image_ids[int(without[0])], count=len(without))


def _from_npz(data: bytes, found: Problems) -> tuple[tuple[str, ...] | None, Vectors | None]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name.removesuffix(".npy").lower(): name for name in archive.namelist()}
            keys = [next((n for n in wanted if n in members), None) for wanted in (ID_NAMES, VECTOR_NAMES)]
            if None in keys:
                message = (
                    f"The arrays ids and vectors are needed; there are {shown(', '.join(members)) or 'none'}."
                )
                found.error("wrong-header", message, _WAY_OUT)
                return None, None
            arrays = []
            for key in keys:
                info = archive.getinfo(members[str(key)])
                with archive.open(info) as stream:
                    arrays.append(_read_npy(stream, info.file_size, found))
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError) as reason:
        found.error("unreadable-container", f"The .npz file is damaged: {reason}.", _WAY_OUT)
        return None, None
    ids, vectors = arrays
    return (None if ids is None else tuple(str(i).strip() for i in ids.reshape(-1).tolist())), vectors


def _read_npy(stream: IO[bytes], size: int, found: Problems) -> Vectors | None:
    """One array; its header is checked against the size before any memory is taken."""
    try:
        version = np.lib.format.read_magic(stream)
        if version == (1, 0):
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
        else:
            shape, fortran, dtype = np.lib.format.read_array_header_2_0(stream)
    except (ValueError, EOFError) as reason:
        found.error("unreadable-container", f"The array is damaged: {str(reason).splitlines()[0]}", _WAY_OUT)
        return None
    if dtype.hasobject:
        found.error("pickled-array", "An array holds Python objects, which are never loaded.", _WAY_OUT)
        return None
    expected = math.prod(shape) * dtype.itemsize
    if not expected <= min(size, MAX_BYTES):
        found.error("unreadable-container", "The array is cut short or too large.", _WAY_OUT, value=shape)
        return None
    raw = stream.read(expected)
    if len(raw) < expected:
        found.error("unreadable-container", "The array is cut short.", _WAY_OUT, value=shape)
        return None
    return np.frombuffer(raw, dtype).reshape(shape, order="F" if fortran else "C")


def _from_parquet(data: bytes, found: Problems) -> tuple[tuple[str, ...] | None, Vectors | None]:
    """A column of ids beside a column of lists, or beside one column per dimension."""
    try:
        table = pq.read_table(pa.BufferReader(data))
        at = {
            key: tables.named(table.column_names, names)
            for key, names in (("id", ID_NAMES), ("v", VECTOR_NAMES))
        }
        if at["id"] is None:
            message = f"A column of ids is needed; there are {shown(', '.join(table.column_names))}."
            found.error("wrong-header", message, "Name it id, and the vectors vector.")
            return None, None
        ids = tuple(str(i).strip() for i in table.column(at["id"]).to_pylist())
        if at["v"] is None:
            columns = [c for i, c in enumerate(table.columns) if i != at["id"]]
            return ids, np.column_stack([c.to_numpy() for c in columns]) if columns else np.empty(
                (len(ids), 0)
            )
        return ids, _stacked(table.column(at["v"]), found)
    except (pa.ArrowException, OSError) as reason:
        text = str(reason).splitlines()[0]
        found.error("unreadable-container", f"The parquet file is damaged: {text}", _WAY_OUT)
        return None, None


def _stacked(column: pa.ChunkedArray, found: Problems) -> Vectors | None:
    """A column of equally long lists as a table."""
    lists = column.combine_chunks()
    kind = lists.type
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)):
        found.error("wrong-shape", f"The vector column holds {kind}, not lists of numbers.", _WAY_OUT)
        return None
    lengths = {len(row) if row is not None else 0 for row in lists}
    if len(lengths) != 1:
        found.error(
            "wrong-shape", f"Vectors differ in length: {sorted(lengths)[:5]}.", "Give all the same length."
        )
        return None
    return np.asarray(lists.flatten().to_numpy(zero_copy_only=False)).reshape(len(lists), -1)


def _ids_of_lines(data: bytes | None, found: Problems) -> tuple[str, ...] | None:
    if data is None:
        found.error("no-ids", "A .npy file needs its ids beside it.", "Add ids.txt with one id per line.")
        return None
    text = decode(data, found)
    if text is None:
        return None
    lines = [line.split(",")[0].strip() for line in text.rstrip("\n").split("\n")]
    return tuple(lines[1:] if lines[0].lower() in tables.ID_NAMES else lines)
