"""Arrays of ``.npy`` and ``.npz`` files, without ever loading a pickle, and such files of ids and vectors."""

from __future__ import annotations

import ast
import io
import lzma
import math
import zipfile
import zlib
from collections.abc import Sequence
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from evalcore.study.tables.limits import allowed, max_bytes, report_growth, report_too_large
from evalcore.study.tables.problems import Problems, shown

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


def read_member(archive: zipfile.ZipFile, name: str, found: Problems) -> Vectors | None:
    """One array of a ``.npz`` archive; None with an error when it is damaged or unpacks to too much."""
    info = archive.getinfo(name)
    if info.file_size > allowed(info.compress_size):
        report_growth(found, info.compress_size)
        return None
    with archive.open(info) as stream:
        return _read_npy(stream, info.file_size, found)


def read_npy_bytes(data: bytes, found: Problems) -> Vectors | None:
    """The array of a ``.npy`` file."""
    return _read_npy(io.BytesIO(data), len(data), found)


def npz_bytes(ids: Sequence[str], vectors: npt.NDArray[np.float32]) -> bytes:
    """An archive of the arrays ids and vectors, without a time: the same vectors give the same file."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, array in (("ids", np.array(list(ids), dtype=str)), ("vectors", vectors)):
            member = io.BytesIO()
            np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), member.getvalue())
    return held.getvalue()


def _read_npy(stream: IO[bytes], size: int, found: Problems) -> Vectors | None:
    """One array; its header is checked against the size before any memory is taken."""
    try:
        shape, fortran, dtype = _npy_header(stream)
    except _HURT as reason:
        message = f"The array is damaged: {shown(reason) or type(reason).__name__}."
        found.error("unreadable-container", message, WAY_OUT)
        return None
    if dtype.hasobject:
        found.error("pickled-array", "An array holds Python objects, which are never loaded.", WAY_OUT)
        return None
    expected = math.prod(shape) * dtype.itemsize
    if size >= expected > max_bytes():
        report_too_large(found, "The array holds")
        return None
    raw = stream.read(expected) if size >= expected else b""
    if len(raw) < expected:
        found.error("unreadable-container", "The array is cut short.", WAY_OUT, value=shape)
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
        raise ValueError(f"its values, of type {dtype}, take no room")
    return shape, bool(header["fortran_order"]), dtype
