"""Encoders that need no weights: ready for any study, and the floor a trained one has to beat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.features.encode import pictures, words
from evalcore.features.encode.encoder import Encoder, What
from evalcore.values.arrays import digest_of
from evalcore.values.errors import UnknownName

if TYPE_CHECKING:
    import numpy.typing as npt
    from PIL import Image

PREFIX = "baseline:"
"""In front of the name of a baseline where a model is asked for."""
_EDITION = 3
"""Goes up when a baseline computes something else: rows kept before are then not used."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """A baseline: ``name`` (of its system too), what it reads, what it looks at in one line."""

    name: str
    what: What
    title: str
    looks_at: str
    rows: Callable[[Sequence[Any]], npt.NDArray[Any]]
    """Of pictures as `pictures.grey` gives them, or of all captions."""
    together: Callable[[npt.NDArray[Any]], npt.NDArray[Any]] | None = None
    packages: tuple[str, ...] = ("numpy", "pillow")


_SKIMAGE, _SKLEARN = ("numpy", "pillow", "scikit-image"), ("numpy", "scikit-learn")
_ALL = (
    Baseline("intensity-histogram", "images", "Intensity histogram",
             "how bright the picture is: the share of each of 16 grey levels", pictures.intensity_histogram),
    Baseline("texture", "images", "Texture (LBP and GLCM)",
             "fine structure: local binary patterns and grey-level co-occurrence", pictures.texture,
             pictures.standardised, _SKIMAGE),
    Baseline("hog", "images", "Histogram of oriented gradients",
             "shape: which edges run where", pictures.hog, None, _SKIMAGE),
    Baseline("pixel-pca", "images", "Principal components of pixels",
             "the coarse distribution of light and dark: 24 × 24 pixels on 24 components",
             pictures.small_pixels, pictures.principal_components),
    Baseline("caption-tfidf", "captions", "TF-IDF of words",
             "words of the caption, rare ones weighing more", words.tfidf, None, _SKLEARN),
    Baseline("caption-tfidf-svd", "captions", "TF-IDF and SVD (latent semantic analysis)",
             "topics of the caption: words and pairs of words that occur together, on 128 dimensions",
             words.tfidf_svd, None, _SKLEARN),
)  # fmt: skip

BASELINES: Mapping[str, Baseline] = MappingProxyType({one.name: one for one in _ALL})


def baseline_named(name: str) -> Baseline:
    """The baseline of a name, with ``baseline:`` in front or without; UnknownName when there is none.

    A short form does where only one baseline that reads the same has it.

    >>> baseline_named("baseline:hog").title, baseline_named("tfidf").name
    ('Histogram of oriented gradients', 'caption-tfidf')
    """
    wanted = name.removeprefix(PREFIX)
    short = {"tfidf": "caption-tfidf", "tfidf-svd": "caption-tfidf-svd", "pca": "pixel-pca",
             "histogram": "intensity-histogram"}  # fmt: skip
    wanted = short.get(wanted, wanted)
    if wanted not in BASELINES:
        raise UnknownName("baseline", wanted, BASELINES)
    return BASELINES[wanted]


def baselines_for(what: Sequence[What]) -> list[Baseline]:
    """The baselines that read this, in order."""
    return [one for one in BASELINES.values() if one.what in what]


def baseline_encoder(one: Baseline) -> Encoder:
    """A baseline as an encoder.

    Captions are weighed by how common their words are in the study, so they are all encoded at once and no
    row is worth keeping.
    """
    used = {name: version(name) for name in one.packages}
    of_pictures = one.what == "images"

    def rows(given: Sequence[Any]) -> npt.NDArray[Any]:
        if of_pictures:
            shown: Sequence[Image.Image] = given
            return np.asarray(one.rows([pictures.grey(picture) for picture in shown]))
        return np.asarray(one.rows(given))

    return Encoder(
        name=one.name, title=one.title, what=one.what, backend="baseline", encode=rows,
        digest=digest_of("baseline", one.name, _EDITION, sorted(f"{k} {v}" for k, v in used.items())),
        versions=MappingProxyType(used), together=one.together, side=2 * pictures.SIDE,
        batch=32 if of_pictures else 1 << 30, keeps=of_pictures,
    )  # fmt: skip
