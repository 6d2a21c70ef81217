"""Vectors kept as one array per image in a ``.npz``, the image id its name; pickles are never loaded."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.model import Floats

MAX_ENTRY = 1 << 20
"""Largest array of one image, in bytes."""


def read_keyed_vectors(data: bytes, images: Sequence[str]) -> Floats | None:
    """Vectors in the order of the images, shape (images, width), NaN rows where there is none.

    None when the file is not such an archive: no zip, no entry named after one of the images, or entries
    that are no vectors of one width.
    """
    found: dict[str, Floats] = {}
    wanted = {f"{image}.npy": image for image in images}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                if entry.filename in wanted and entry.file_size <= MAX_ENTRY:
                    array = np.load(io.BytesIO(archive.read(entry)), allow_pickle=False)
                    found[wanted[entry.filename]] = np.asarray(array, float).ravel()
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, TypeError, NotImplementedError):
        return None
    if len({len(vector) for vector in found.values()}) != 1:
        return None
    rows = np.full((len(images), len(next(iter(found.values())))), np.nan)
    for i, image in enumerate(images):
        if image in found:
            rows[i] = found[image]
    return rows
