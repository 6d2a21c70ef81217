"""Ids and vectors out of ``.npz``, ``.npy`` and ``.parquet`` files, without ever loading a pickle."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.sources.tables import tables
from evalcore.sources.tables.limits import fits
from evalcore.sources.tables.lines import decode, lines_of
from evalcore.sources.tables.parquet_files import DAMAGED as DAMAGED_PARQUET
from evalcore.sources.tables.parquet_files import (
    columns_of,
    in_words,
    is_list,
    numbers_of,
    open_parquet,
    texts_of,
)
from evalcore.sources.tables.problems import Problems, shown, whole
from evalcore.sources.vectors.npy_files import DAMAGED, WAY_OUT, Vectors, read_member

VECTOR_NAMES = ("vectors", "embeddings", "features", "x", "emb", "embedding", "vector")
ID_NAMES = ("ids", "id", "names", "image_ids", "image_id", "images", "filenames")
"""Names of arrays and columns, lower case, tried in this order."""
_LAST = 0x10FFFF
"""The last character there is."""
_ID_BYTES = 60
"""What an id takes in memory beside its text."""


def read_npz(
    data: bytes, found: Problems, *, ids: Sequence[str] = ID_NAMES
) -> tuple[tuple[str, ...] | None, Vectors | None]:
    """Ids and vectors of a ``.npz`` archive, None for what it does not hold; ``ids``: what the former may be
    called."""
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
            texts, vectors = (read_member(archive, members[str(key)], found) for key in keys)
    except DAMAGED as reason:
        found.error("unreadable-container", f"The .npz file is damaged: {shown(reason)}.", WAY_OUT)
        return None, None
    return (None if texts is None else _texts(texts, found)), vectors


def read_parquet(
    data: bytes, found: Problems, *, ids: Sequence[str] = ID_NAMES
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


def ids_of_lines(data: bytes | None, found: Problems) -> tuple[str, ...] | None:
    """The ids beside a ``.npy`` file: first cell of each line, a header such as ``ID`` left out."""
    if data is None:
        found.error("no-ids", "A .npy file needs its ids beside it.", "Add ids.txt with one id per line.")
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
