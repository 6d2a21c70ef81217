"""Ids and vectors out of ``.npz``, ``.npy`` and ``.parquet`` files, without ever loading a pickle."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.study.tables import tables
from evalcore.study.tables.limits import fits
from evalcore.study.tables.lines import decode, lines_of
from evalcore.study.tables.parquet_files import DAMAGED as DAMAGED_PARQUET
from evalcore.study.tables.parquet_files import (
    columns_of,
    in_words,
    is_list,
    numbers_of,
    open_parquet,
    texts_of,
)
from evalcore.study.tables.problems import Problems, shown, whole
from evalcore.study.vectors.npy_files import DAMAGED, WAY_OUT, Vectors, read_member, read_npy_bytes

VECTOR_NAMES = ("vectors", "embeddings", "features", "x", "emb", "embedding", "vector")
ID_NAMES = ("ids", "id", "names", "image_ids", "image_id", "images", "filenames")
"""Names of arrays and columns, lower case, tried in this order."""
_FORMS = {b"PK": "npz", b"\x93NUMPY": "npy", b"PAR1": "parquet"}
_LAST = 0x10FFFF
"""The last character there is."""
_ID_BYTES = 60
"""What an id takes in memory beside its text."""


def form_of(data: bytes) -> str:
    """What kind of file of vectors it is, as it begins: "npz", "npy" or "parquet"; "" for any other."""
    return next((form for start, form in _FORMS.items() if data.startswith(start)), "")


def read_vectors(
    data: bytes, found: Problems, *, names: Sequence[str] = ID_NAMES, ids: bytes | None = None
) -> tuple[tuple[str, ...], npt.NDArray[np.float32]] | None:
    """Ids and vectors, shape (n, d), of a file of one of these kinds; None, with an error, without them.

    names: what the ids may be called in it. ids: the file beside a ``.npy``, one id per line.
    """
    read = {"npz": _read_npz, "parquet": _read_parquet}.get(form_of(data))
    if read is not None:
        texts, vectors = read(data, found, names)
    else:
        vectors = read_npy_bytes(data, found)
        texts = None if vectors is None else _ids_of_lines(ids, found)
    if texts is None or vectors is None:
        return None
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu":
        message = (
            f"The vectors must be a table of numbers. Got shape {vectors.shape} of {shown(vectors.dtype)}."
        )
        found.error("wrong-shape", message, WAY_OUT)
        return None
    if len(texts) != len(vectors):
        message = f"There are {len(texts):,} ids for {len(vectors):,} vectors."
        found.error("wrong-count", message, "Give one id per vector, in the same order.")
        return None
    with np.errstate(over="ignore"):  # beyond float32 becomes inf, which is reported where they are used
        return texts, vectors.astype(np.float32)


def _read_npz(
    data: bytes, found: Problems, ids: Sequence[str]
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
                found.error("wrong-header", message, WAY_OUT)
                return None, None
            if extra := sorted(members.keys() - set(keys)):
                message = f"Arrays that are not read: {shown(', '.join(extra))}."
                remedy = "Only the ids and vectors of images are; a query's vector is that of its image."
                found.warning("array-not-read", message, remedy, value=extra[0])
            texts, vectors = (read_member(archive, members[str(key)], found) for key in keys)
    except DAMAGED as reason:
        found.error("unreadable-container", f"The .npz file is damaged: {shown(reason)}.", WAY_OUT)
        return None, None
    return (None if texts is None else _texts(texts, found)), vectors


def _read_parquet(
    data: bytes, found: Problems, ids: Sequence[str]
) -> tuple[tuple[str, ...] | None, Vectors | None]:
    """A column of ids beside a column of lists, or beside one column per dimension."""
    try:
        with open_parquet(data) as table:
            names = table.names
            at, v = (tables.named(names, wanted) for wanted in (ids, VECTOR_NAMES))
            if at is None:
                message = f"A column of ids is needed; there are {shown(', '.join(names))}."
                found.error("wrong-header", message, "Name it id, and the vectors vector.")
                return None, None
            places = [i for i in range(len(names)) if i != at] if v is None else [v]
            columns = columns_of(table, [at, *places], found)
            if columns is None:
                return None, None
            kind, words = columns[at].type, texts_of(columns[at])
            if words is None:
                message = f"The column of ids holds {in_words(kind)}, not texts."
                found.error("wrong-type", message, "Save the ids as text.")
                return None, None
            named = _whole_ids((word or "" for word in words), found)
            if v is not None:
                return named, _stacked(columns[v], found)
            return named, _side_by_side([columns[i] for i in places], len(named), found)
    except DAMAGED_PARQUET as reason:
        text = shown(str(reason).partition("\n")[0])
        found.error("unreadable-container", f"The parquet file is damaged: {text}", WAY_OUT)
        return None, None


def _side_by_side(columns: list[pa.ChunkedArray], n: int, found: Problems) -> Vectors | None:
    """One column per dimension as a table."""
    table = numbers_of(columns) if columns else np.empty((n, 0))
    if table is None:
        kinds = shown(", ".join(dict.fromkeys(in_words(column.type) for column in columns)))
        found.error("wrong-shape", f"The columns beside the ids hold {kinds}, not only numbers.", WAY_OUT)
    return table


def _stacked(column: pa.ChunkedArray, found: Problems) -> Vectors | None:
    """A column of equally long lists as a table."""
    lists = column.combine_chunks()
    kind = lists.type
    number = is_list(kind) and (pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type))
    if not number:
        message = f"The vector column holds {in_words(kind)}, not lists of numbers."
        found.error("wrong-shape", message, WAY_OUT)
        return None
    lengths: list[Any] = [None] if lists.null_count else pc.unique(pc.list_value_length(lists)).to_pylist()
    if len(lengths) != 1 or None in lengths:
        message = f"Vectors differ in length: {shown(lengths[:5])}."
        found.error("wrong-shape", message, "Give every image a vector of the same length.")
        return None
    return np.asarray(lists.flatten().to_numpy(zero_copy_only=False)).reshape(len(lists), lengths[0])


def _ids_of_lines(data: bytes | None, found: Problems) -> tuple[str, ...] | None:
    """The ids beside a ``.npy`` file: first cell of each line, a header such as ``ID`` left out."""
    if data is None:
        remedy = "Save ids and vectors as one .npz; or, of a system, add ids.txt with one id per line."
        found.error("no-ids", "A .npy file needs its ids beside it.", remedy)
        return None
    text = decode(data, found)
    if text is None or not fits(found, text.count("\n"), _ID_BYTES):
        return None
    names = (line.partition(",")[0].strip() for line in lines_of(text.rstrip("\n")))
    ids = _whole_ids(names, found)
    return ids[1:] if ids[0].lower() in tables.ID_NAMES else ids


def _texts(ids: Vectors, found: Problems) -> tuple[str, ...] | None:
    """Ids as text, whether saved as text, bytes or numbers."""
    if ids.dtype.kind not in "SUiuf":
        found.error("wrong-type", f"The ids are {ids.dtype}, not texts.", "Save the ids as text.")
        return None
    if not fits(found, ids.size, _ID_BYTES + ids.dtype.itemsize):
        return None
    if ids.dtype.kind == "S":
        ids = np.char.decode(ids, "utf-8", "replace")
    elif (
        ids.dtype.kind == "U"
        and np.frombuffer(ids.tobytes(), f"{ids.dtype.byteorder}u4").max(initial=0) > _LAST
    ):
        found.error("undecodable", "The ids are damaged: not all of them are text.", "Save the ids as text.")
        return None
    return _whole_ids((str(image).strip() for image in ids.reshape(-1).tolist()), found)


def _whole_ids(names: Iterable[str], found: Problems) -> tuple[str, ...]:
    """Ids; one with bytes that are not UTF-8 is an error, and matches no image."""
    ids = []
    for row, name in enumerate(names, start=1):
        ids.append(whole(name))
        if ids[-1] != name:
            message, remedy = f"The id {ids[-1]!r} is not UTF-8.", "Save the ids as text in UTF-8."
            found.error("undecodable", message, remedy, line=row, value=ids[-1])
    return tuple(ids)
