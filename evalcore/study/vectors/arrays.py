"""Arrays of ``.npy`` and ``.npz`` files that anybody may have made; pickles are never loaded."""

from __future__ import annotations

import io
import lzma
import math
import warnings
import zipfile
import zlib
from collections.abc import Sequence
from tokenize import TokenError
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from evalcore.study.tables.files import max_bytes, max_unpacked_size, report_growth, report_too_large
from evalcore.study.tables.problems import Problems, truncate

Array = npt.NDArray[Any]
OF_QUERIES = ("query_ids", "query_vectors")
"""Names of the arrays of queries that have vectors of their own."""
SAVE_AGAIN = "Save them with numpy.savez(file, ids=[...], vectors=[...]): ids as text, vectors as float32."
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
_BAD_ARRAY = (
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    SyntaxError,
    MemoryError,
    RecursionError,
    TokenError,
)
"""What the header of a damaged array raises."""
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def read_member(archive: zipfile.ZipFile, name: str, problems: Problems) -> Array | None:
    """An array of a ``.npz`` archive; None, with an error, when it is damaged or unpacks to too much.

    Raises one of `DAMAGED` when the archive itself is damaged.
    """
    info = archive.getinfo(name)
    if info.file_size > max_unpacked_size(info.compress_size):
        report_growth(problems, info.compress_size)
        return None
    with archive.open(info) as stream:
        return read_array(stream, info.file_size, problems)


def read_array(stream: IO[bytes], size: int, problems: Problems) -> Array | None:
    """The array of a ``.npy`` file of that many bytes; None, with an error, for anything else.

    What its header claims is compared with the size before any memory is taken.
    """
    try:
        with warnings.catch_warnings():  # about headers that Python 2 wrote
            warnings.simplefilter("ignore")
            shape, by_column, dtype = _HEADERS[np.lib.format.read_magic(stream)](stream)
        expected = math.prod(shape) * dtype.itemsize
        if dtype.hasobject:
            message = "An array contains Python objects, which are never loaded."
            problems.error("pickled-array", message, SAVE_AGAIN)
            return None
        if size >= expected > max_bytes():
            report_too_large(problems, "The array contains")
            return None
        content = stream.read(expected) if min(shape, default=0) >= 0 and size >= expected else b""
        if min(shape, default=0) < 0 or len(content) < expected:
            raise ValueError("it is shorter than its header claims")
        return np.frombuffer(content, dtype).reshape(shape, order="F" if by_column else "C")
    except _BAD_ARRAY as reason:
        message = f"The array is damaged: {truncate(reason) or type(reason).__name__}."
        problems.error("unreadable-container", message, SAVE_AGAIN)
        return None


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
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), member.getvalue())
    return content.getvalue()
