"""Ids and vectors out of ``.npz``, ``.npy`` and ``.parquet`` files, without ever loading a pickle."""

from __future__ import annotations

import ast
import io
import math
import zipfile
import zlib
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from evalcore.sources import tables
from evalcore.sources.lines import decode
from evalcore.sources.problems import Problems, shown

Vectors = npt.NDArray[Any]

VECTOR_NAMES = ("vectors", "embeddings", "features", "x", "emb", "embedding", "vector")
ID_NAMES = ("ids", "id", "names", "image_ids", "image_id", "images", "filenames")
"""Names of arrays and columns, lower case, tried in this order."""
MAX_HEADER = 10_000
MAX_BYTES = 8 << 30
"""Largest array that is read, in bytes."""
WAY_OUT = "Save them with numpy.savez(file, ids=[...], vectors=[...]): ids as text, vectors as float32."


def read_npz(data: bytes, found: Problems) -> tuple[tuple[str, ...] | None, Vectors | None]:
    """Ids and vectors of a ``.npz`` archive, None for what it does not hold."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name.removesuffix(".npy").lower(): name for name in archive.namelist()}
            keys = [next((n for n in wanted if n in members), None) for wanted in (ID_NAMES, VECTOR_NAMES)]
            if None in keys:
                message = (
                    f"The arrays ids and vectors are needed; there are {shown(', '.join(members)) or 'none'}."
                )
                found.error("wrong-header", message, WAY_OUT)
                return None, None
            arrays = []
            for key in keys:
                info = archive.getinfo(members[str(key)])
                with archive.open(info) as stream:
                    arrays.append(_read_npy(stream, info.file_size, found))
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError) as reason:
        found.error("unreadable-container", f"The .npz file is damaged: {reason}.", WAY_OUT)
        return None, None
    ids, vectors = arrays
    return (None if ids is None else _texts(ids)), vectors


def read_npy_bytes(data: bytes, found: Problems) -> Vectors | None:
    """The array of a ``.npy`` file."""
    return _read_npy(io.BytesIO(data), len(data), found)


def _read_npy(stream: IO[bytes], size: int, found: Problems) -> Vectors | None:
    """One array; its header is checked against the size before any memory is taken."""
    try:
        shape, fortran, dtype = _npy_header(stream)
    except (ValueError, TypeError, KeyError, SyntaxError, MemoryError, RecursionError) as reason:
        message = f"The array is damaged: {shown(reason) or type(reason).__name__}."
        found.error("unreadable-container", message, WAY_OUT)
        return None
    if dtype.hasobject:
        found.error("pickled-array", "An array holds Python objects, which are never loaded.", WAY_OUT)
        return None
    expected = math.prod(shape) * dtype.itemsize
    if not expected <= min(size, MAX_BYTES):
        found.error("unreadable-container", "The array is cut short or too large.", WAY_OUT, value=shape)
        return None
    raw = stream.read(expected)
    if len(raw) < expected:
        found.error("unreadable-container", "The array is cut short.", WAY_OUT, value=shape)
        return None
    return np.frombuffer(raw, dtype).reshape(shape, order="F" if fortran else "C")


def _npy_header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, Fortran order and type of an array; raises one of many errors when the header is damaged."""
    magic = stream.read(8)
    if magic[:6] != b"\x93NUMPY":
        raise ValueError("it does not begin like a .npy file")
    length = int.from_bytes(stream.read(2 if magic[6] == 1 else 4), "little")
    if length > MAX_HEADER:
        raise ValueError("its header is too long")
    header = ast.literal_eval(stream.read(length).decode("latin-1").strip())
    shape = tuple(int(n) for n in header["shape"])
    if any(n < 0 for n in shape):
        raise ValueError(f"it claims the shape {shape}")
    return shape, bool(header["fortran_order"]), np.lib.format.descr_to_dtype(header["descr"])


def read_parquet(data: bytes, found: Problems) -> tuple[tuple[str, ...] | None, Vectors | None]:
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
        found.error("unreadable-container", f"The parquet file is damaged: {text}", WAY_OUT)
        return None, None


def _stacked(column: pa.ChunkedArray, found: Problems) -> Vectors | None:
    """A column of equally long lists as a table."""
    lists = column.combine_chunks()
    kind = lists.type
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)):
        found.error("wrong-shape", f"The vector column holds {kind}, not lists of numbers.", WAY_OUT)
        return None
    lengths = pc.unique(pc.list_value_length(lists)).to_pylist()
    if len(lengths) != 1 or None in lengths:
        message = f"Vectors differ in length: {shown(lengths[:5])}."
        found.error("wrong-shape", message, "Give every image a vector of the same length.")
        return None
    return np.asarray(lists.flatten().to_numpy(zero_copy_only=False)).reshape(len(lists), -1)


def ids_of_lines(data: bytes | None, found: Problems) -> tuple[str, ...] | None:
    """The ids beside a ``.npy`` file: first cell of each line, a header such as ``ID`` left out."""
    if data is None:
        found.error("no-ids", "A .npy file needs its ids beside it.", "Add ids.txt with one id per line.")
        return None
    text = decode(data, found)
    if text is None:
        return None
    lines = [line.split(",")[0].strip() for line in text.rstrip("\n").split("\n")]
    return tuple(lines[1:] if lines[0].lower() in tables.ID_NAMES else lines)


def _texts(ids: Vectors) -> tuple[str, ...]:
    """Ids as text, whatever type they were saved with."""
    if ids.dtype.kind == "S":
        ids = np.char.decode(ids, "utf-8", "replace")
    return tuple(str(image).strip() for image in ids.reshape(-1).tolist())
