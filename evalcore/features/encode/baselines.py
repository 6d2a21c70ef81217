"""Encoders that need no weights: ready for any study, and the least that a trained one should beat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from evalcore.features.encode.encoding import Encoder
from evalcore.values.arrays import Floats, digest_of

# Vectors of pictures without a trained model: brightness, texture, shape, and principal components.
#
# What a picture looks like as a whole, and nothing of what it shows: the floor under every trained encoder.

SIDE = 96
"""Every picture is reduced to this square, in grey, before features are taken."""
BINS = 16
LEVELS = 32
"""Grey levels that co-occurrence is counted over."""
GLCM = ("contrast", "dissimilarity", "homogeneity", "energy", "correlation")
LBP_POINTS, LBP_RADIUS = 8, 1
PCA_SIDE, COMPONENTS = 24, 24


def grey(picture: Image.Image) -> Floats:
    """The picture as a (SIDE, SIDE) array in 0 to 1, each value the mean of the pixels it covers."""
    small = picture.convert("L").resize((SIDE, SIDE), Image.Resampling.BOX)
    return np.asarray(small, dtype=float) / 255


def intensity_histogram(image: Floats) -> Floats:
    """The share of each of ``BINS`` grey levels: knows nothing about where.

    >>> intensity_histogram(np.array([[0.0, 0.1], [0.9, 1.0]])).tolist()[:2]
    [0.25, 0.25]
    """
    counts, _ = np.histogram(image, bins=BINS, range=(0, 1))
    return counts / image.size


def texture(image: Floats) -> Floats:
    """Local binary patterns and properties of grey-level co-occurrence, as scikit-image computes them.

    Ten shares of uniform patterns (8 neighbours, radius 1), then contrast, dissimilarity, homogeneity, energy
    and correlation of ``LEVELS`` grey levels, each the mean and the range over four directions, at 1 and 3
    pixels. Contrast and dissimilarity are divided by the most they can be.
    """
    from skimage import feature

    skimage: Any = feature  # without types
    bytes_ = (image * 255).round().astype(np.uint8)
    codes = skimage.local_binary_pattern(bytes_, LBP_POINTS, LBP_RADIUS, method="uniform")
    patterns = np.bincount(codes.astype(int).ravel(), minlength=LBP_POINTS + 2) / codes.size
    levels = (bytes_.astype(int) * LEVELS // 256).astype(np.uint8)
    directions = (0, np.pi / 4, np.pi / 2, 3 * np.pi / 4)
    pairs = skimage.graycomatrix(levels, (1, 3), directions, levels=LEVELS, symmetric=True, normed=True)
    most = {"contrast": (LEVELS - 1) ** 2, "dissimilarity": LEVELS - 1}
    result = [skimage.graycoprops(pairs, name) / most.get(name, 1) for name in GLCM]
    summary = [value for channel in result for value in (channel.mean(axis=1), np.ptp(channel, axis=1))]
    return np.concatenate([patterns, *summary])


def hog(image: Floats) -> Floats:
    """Histograms of oriented gradients as scikit-image computes them: where which edges run.

    9 orientations in cells of 12 x 12 pixels (8 x 8 of them), blocks of 2 x 2 cells, L2-Hys (Dalal & Triggs
    2005).
    """
    from skimage import feature

    how = {"pixels_per_cell": (12, 12), "cells_per_block": (2, 2), "block_norm": "L2-Hys"}
    return np.asarray(feature.hog(image, orientations=9, **how))


def small_pixels(image: Floats) -> Floats:
    """The reduced picture as a row of pixels, brightness and contrast taken out."""
    step = SIDE // PCA_SIDE
    flat = image.reshape(PCA_SIDE, step, PCA_SIDE, step).mean(axis=(1, 3)).ravel()
    return np.asarray((flat - flat.mean()) / (flat.std() + 1e-9))


def principal_components(rows: npt.NDArray[np.floating]) -> Floats:
    """Rows projected on their first principal components, as many as there are.

    The sign of a component is arbitrary: its largest entry is made positive, so that it is the same on every
    machine.
    """
    numbers = rows.astype(np.float64)
    centred = numbers - numbers.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:COMPONENTS]
    signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])
    return np.asarray(centred @ (axes * signs[:, None]).T)


def standardised(rows: npt.NDArray[np.floating]) -> Floats:
    """Each column with mean 0 and deviation 1, so that features of different scales count alike.

    A column without any deviation becomes 0.
    """
    numbers = rows.astype(np.float64)
    deviation = numbers.std(axis=0)
    return np.asarray((numbers - numbers.mean(axis=0)) / np.where(deviation > 1e-12, deviation, np.inf))


# Vectors of captions without a trained model: weighted words, and the topics behind them.

WORD = r"[a-z0-9]{2,}"
"""A word: two letters or digits and more, in lower case; CT, MR and T2 are words of captions."""
MOST_WORDS, MOST_TERMS = 2_048, 4_096
"""Words, and words and pairs of words, of a study that are counted, the most frequent first."""
TOPICS, SEED = 128, 0


def tfidf(captions: Sequence[str]) -> Floats:
    """How often each word, weighted by how few captions contain it: tf times ln((1 + n) / (1 + df)) + 1.

    As scikit-learn's ``TfidfVectorizer`` computes it, without a norm: the cosine needs none. A caption
    without any word is a row of zeros.
    """
    return np.asarray(_weighted(captions, MOST_WORDS, norm=None).toarray(), dtype=float)


def tfidf_svd(captions: Sequence[str]) -> Floats:
    """TF-IDF of words and pairs of words brought to a few dimensions: latent semantic analysis.

    scikit-learn's ``TfidfVectorizer`` (1 + ln tf, one and two words, rows of length 1), then the truncated
    singular value decomposition; no more topics than captions or words less one. Captions that share no word
    but speak of the same can then be near each other.

    As scikit-learn's ``TruncatedSVD`` with ARPACK computes it, which leaves ARPACK to draw vectors without a
    seed where captions repeat: topics that weigh the same would be others every time.
    """
    from scipy.linalg import svd
    from scipy.sparse.linalg import aslinearoperator, eigsh
    from sklearn.utils.extmath import svd_flip

    weighted = _weighted(captions, MOST_TERMS, sublinear_tf=True, ngram_range=(1, 2))
    n_captions, n_terms = weighted.shape
    n = min(TOPICS, n_captions - 1, n_terms - 1)
    if n < 1:
        return np.asarray(weighted.toarray(), dtype=float)
    wide = n_captions < n_terms
    tall = aslinearoperator(weighted.T if wide else weighted)
    start = np.random.RandomState(SEED).uniform(-1, 1, min(n_captions, n_terms))
    _, axes = eigsh(tall.H @ tall, n, v0=start, rng=SEED)
    axes, _ = np.linalg.qr(axes)
    left, weights, right = svd(tall.matmat(axes), full_matrices=False)
    topics, terms = (axes @ right.T, left) if wide else (left, axes @ right.T)
    topics, _ = svd_flip(topics, terms.T, u_based_decision=False)
    return np.asarray(topics * weights, dtype=float)


def _weighted(captions: Sequence[str], most: int, **how: Any) -> Any:
    """The weights as a sparse array; one column of zeros where no caption contains a word.

    Words without a meaning of their own (the, of, with) are left out: scikit-learn's list for English.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    try:
        vectorizer = TfidfVectorizer(token_pattern=WORD, stop_words="english", max_features=most, **how)
        return vectorizer.fit_transform(captions)
    except ValueError:
        from scipy.sparse import csr_array

        return csr_array((len(captions), 1))


PREFIX = "baseline:"
"""Before the name of a baseline that is given as a model."""
_EDITION = 3
"""Goes up when a baseline computes something else: rows kept before are then not used."""


def _baseline(name: str, title: str, packages: str, **how: Any) -> Encoder:
    """A baseline that packages (by name, with spaces between) compute."""
    used = {package: version(package) for package in packages.split()}
    digest = digest_of("baseline", name, _EDITION, sorted(f"{k} {v}" for k, v in used.items()))
    return Encoder(name=name, title=title, backend="baseline", digest=digest, versions=used, **how)


def _of_pictures(
    name: str,
    title: str,
    row: Callable[[Floats], Floats],
    package: str = "",
    together: Callable[[npt.NDArray[Any]], npt.NDArray[Any]] | None = None,
) -> Encoder:
    """A baseline with a ``row`` for each picture as `grey` gives it."""
    return _baseline(
        name,
        title,
        f"numpy pillow {package}",
        what="images",
        encode=lambda pictures: np.stack([row(grey(picture)) for picture in pictures]),
        together=together,
        side=2 * SIDE,
    )


def _of_captions(name: str, title: str, rows: Callable[[Sequence[str]], Floats]) -> Encoder:
    """A baseline with rows of all captions at once: words weigh by how common they are in the study."""
    return _baseline(name, title, "numpy scikit-learn", what="captions", encode=rows, batch=None)


_ALL = (
    _of_pictures("intensity-histogram", "Intensity histogram", intensity_histogram),
    _of_pictures("texture", "Texture (LBP and GLCM)", texture, "scikit-image", standardised),
    _of_pictures("hog", "Histogram of oriented gradients", hog, "scikit-image"),
    _of_pictures("pixel-pca", "Principal components of pixels", small_pixels, "", principal_components),
    _of_captions("caption-tfidf", "TF-IDF of words", tfidf),
    _of_captions("caption-tfidf-svd", "TF-IDF and SVD (latent semantic analysis)", tfidf_svd),
)
BASELINES: Mapping[str, Encoder] = MappingProxyType({encoder.name: encoder for encoder in _ALL})
