"""Vectors kept as one array per image in a ``.npz``, the image id its name; pickles are never loaded."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

import numpy as np

from evalcore.study.tables.guard import attempt
from evalcore.study.tables.limits import allowed, max_bytes
from evalcore.study.tables.problems import Problems
from evalcore.study.vectors.npy_files import read_member
from evalcore.values.arrays import Floats

MAX_ENTRY = 1 << 20
"""Largest array of one image, in bytes."""


def read_keyed_vectors(data: bytes, images: Sequence[str]) -> Floats | None:
    """Vectors in the order of the images, shape (images, width), NaN rows where there is none.

    None when the file is not such an archive: no zip, no entry named after one of the images, entries
    that are no vectors of one width, or more of them than the limits allow.
    """
    found, _ = attempt(lambda: _vectors(data, images))
    if not found or len({len(vector) for vector in found.values()}) != 1:
        return None
    width = len(next(iter(found.values())))
    if len(images) * width * np.dtype(float).itemsize > max_bytes():
        return None
    rows = np.full((len(images), width), np.nan)
    for i, image in enumerate(images):
        if image in found:
            rows[i] = found[image]
    return rows


def _vectors(data: bytes, images: Sequence[str]) -> dict[str, Floats] | None:
    """The vectors by image id; None when one of them is none."""
    found: dict[str, Floats] = {}
    wanted = {f"{image}.npy": image for image in images}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = [e for e in archive.infolist() if e.filename in wanted and e.file_size <= MAX_ENTRY]
        if sum(entry.file_size for entry in entries) > allowed(len(data)):
            return None
        for entry in entries:
            array = read_member(archive, entry.filename, Problems(entry.filename))
            if array is None or array.dtype.kind not in "fiu":
                return None
            found[wanted[entry.filename]] = array.astype(np.float64).ravel()
    return found
