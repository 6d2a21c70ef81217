"""Does the same picture come back when it was changed? Evaluation without labels, by augmented queries.

Pictures are rotated, cropped or darkened, more and more, encoded, and compared with all pictures as they are
by cosine. A system that is robust to a change returns the picture itself first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from evalcore.features.encode.encoding import pictures_of
from evalcore.values.errors import InputError, SettingError
from evalcore.values.progress import Progress, silent

if TYPE_CHECKING:
    from evalcore.features.encode.encoding import Encoder
    from evalcore.values.arrays import Floats
    from evalcore.values.model import Study

N_IMAGES = 100
MOST = 2_000
N_RESAMPLES = 1_000
LEVELS: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "rotated": (5, 10, 20, 45, 90),
        "cropped": (0.05, 0.1, 0.2, 0.3, 0.5),
        "darker": (0.1, 0.2, 0.4, 0.6, 0.8),
    }
)
"""By change: degrees; share of each side that is cut off; share of the brightness that is taken away."""


@dataclass(frozen=True, slots=True)
class AugmentedRow:
    """A change of some strength: share of pictures that come back first, its interval over pictures, the
    share among the first ten, and the mean reciprocal rank. Equal similarities count as in a random order."""

    system: str
    change: str
    level: float
    first: float
    ci_low: float
    ci_high: float
    in_ten: float
    reciprocal_rank: float
    n: int
    n_candidates: int


def changed(picture: Image.Image, change: str, level: float) -> Image.Image:
    """A picture rotated by degrees, cropped around its middle, or darkened."""
    if change == "rotated":
        return picture.rotate(level, resample=Image.Resampling.BILINEAR)
    if change == "cropped":
        width, height = picture.size
        x, y = (max(round(level * side / 2), 0) for side in (width, height))
        return picture.crop((x, y, max(width - x, x + 1), max(height - y, y + 1)))
    if change == "darker":
        return picture.point(lambda value: round(value * (1 - level)))
    raise SettingError("change", f"one of {', '.join(LEVELS)}", change)


def augmented(
    study: Study, encoder: Encoder, *, n_images: int = N_IMAGES, seed: int = 0, progress: Progress = silent
) -> tuple[AugmentedRow, ...]:
    """Every change at every level of ``n_images`` pictures, drawn with the seed.

    All pictures, at most ``MOST``, are candidates.

    Raises
    ------
    InputError
        The encoder reads captions, or fewer than two pictures can be read.
    """
    if encoder.what != "images":
        raise InputError(f"{encoder.name} reads captions; pictures are what is changed.")
    pictures = pictures_of(study, encoder, most=MOST, seed=seed)
    if len(pictures) < 2:
        raise InputError("Changed pictures are looked for among others: give two pictures or more.")
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.permutation(len(pictures))[:n_images])
    plain, rows = _encoded(encoder, pictures), []
    steps = [(change, level) for change, levels in LEVELS.items() for level in levels]
    for i, (change, level) in enumerate(steps):
        progress(i / len(steps), f"{change} {level:g}")
        queries = _encoded(encoder, [changed(pictures[j], change, level) for j in chosen])
        similar = _cosines(*_together(encoder, plain, queries))
        rows.append(_row(encoder.name, change, level, similar, chosen, rng))
    progress(1, "")
    return tuple(rows)


def _encoded(encoder: Encoder, pictures: Sequence[Image.Image]) -> Floats:
    size = encoder.batch
    parts = [encoder.encode(pictures[at : at + size]) for at in range(0, len(pictures), size)]
    return np.asarray(np.concatenate(parts), float)


def _together(encoder: Encoder, plain: Floats, queries: Floats) -> tuple[Floats, Floats]:
    """The vectors of both: where they depend on each other they are made out of all rows."""
    if encoder.together is None:
        return plain, queries
    both = np.asarray(encoder.together(np.concatenate([plain, queries]).astype(np.float32)), float)
    return both[: len(plain)], both[len(plain) :]


def _cosines(plain: Floats, queries: Floats) -> Floats:
    """Of every query with every picture, shape (queries, pictures); 0 where a vector has no direction."""

    def unit(rows: Floats) -> Floats:
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        result: Floats = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
        return result

    similar: Floats = np.round(unit(queries) @ unit(plain).T, 9)
    return similar


def _row(
    system: str, change: str, level: float, similar: Floats, chosen: np.ndarray, rng: np.random.Generator
) -> AugmentedRow:
    own = similar[np.arange(len(chosen)), chosen][:, np.newaxis]
    ahead, tied = (similar > own).sum(axis=1), (similar == own).sum(axis=1)
    first = np.where(ahead == 0, 1 / tied, 0.0)
    in_ten = np.clip((10 - ahead) / tied, 0, 1)
    # The mean of 1 / rank over the places that the tied ones share.
    reciprocal = [float(np.mean(1 / np.arange(a + 1, a + t + 1))) for a, t in zip(ahead, tied, strict=True)]
    again = rng.choice(first, (N_RESAMPLES, len(first))).mean(axis=1)
    low, high = np.quantile(again, (0.025, 0.975)).tolist()
    return AugmentedRow(
        system,
        change,
        float(level),
        float(first.mean()),
        low,
        high,
        float(in_ten.mean()),
        float(np.mean(reciprocal)),
        len(chosen),
        similar.shape[1],
    )
