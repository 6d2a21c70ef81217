"""Image vectors of a system: ``.npz`` (ids + vectors), ``.npy`` beside an ids file, or ``.parquet``.

Arrays of Python objects (pickles) are never loaded: reading them could run code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evalcore.study.tables.guard import reader
from evalcore.study.tables.ids import positions, report_unknown
from evalcore.study.tables.problems import Problems
from evalcore.study.vectors.embedding_files import form_of, read_vectors
from evalcore.study.vectors.npy_files import WAY_OUT
from evalcore.values.arrays import digest_of, frozen
from evalcore.values.model import Embeddings
from evalcore.values.problems import Report, Severity
from evalcore.values.settings import Unknown


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
    found = Problems(file)
    form = form_of(data)
    if not form:
        found.error("unknown-format", "The file is not .npz, .npy or .parquet.", WAY_OUT)
        return None, found.report()
    held = read_vectors(data, found, ids=ids)
    if held is None:
        return None, found.report()
    if not held[1].size:
        found.error("empty-file", "There are no vectors.", WAY_OUT)
        return None, found.report()
    return EmbeddingRows(*held, form, file), found.report()


@reader(lambda _: None)
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
    known = np.flatnonzero(index >= 0)
    keep = np.zeros(len(index), np.bool_)
    keep[known[np.unique(index[known], return_index=True)[1]]] = True  # the first of each image
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
    without = [image_ids[i] for i in np.flatnonzero(at < 0).tolist()]
    remedy = "They are neither queries nor results of this system's own ranking."
    found.counted("no-vector", without, f"{{n}} of {len(at):,} images have no vector.", remedy)
    vectors = np.ascontiguousarray(rows.vectors[kept])
    return Embeddings(system, frozen(at), frozen(vectors), digest_of(at, vectors)), found.report()


def _report_rows(
    rows: EmbeddingRows, which: npt.NDArray[np.bool_], found: Problems, severity: Severity, rule: str,
    *texts: str,
) -> None:  # fmt: skip
    at = np.flatnonzero(which)
    if len(at):
        message, remedy = texts
        lines, values = (at + 1).tolist(), [rows.ids[i] for i in at]
        found.each(severity, rule, message, remedy, lines=lines, values=values)
