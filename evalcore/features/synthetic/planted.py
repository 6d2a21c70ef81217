"""How many copies would be found? Copies of known images are planted in groups of other real images.

Real images are divided at random: one half plays the training images, the other the images of an honest
generator. Some of these are replaced by copies of training images, and every detector is asked. It may flag
5% of the groups without a copy: its threshold is what it takes for that in half of the honest groups, and the
share that it flags of the other half is listed as false alarms.

========= ==================================================================================================
hash      fewest bits that differ between an image, or it mirrored, and a training image or a part of one
cosine    largest cosine of the features of an image and of a training image
nearest   the test of `memorisation`: are images nearer to training images than these are to each other?
========= ==================================================================================================

Rounds divide the same images anew: they say what such copies would be found among such images.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from statistics import fmean
from typing import NamedTuple

import numpy as np
from PIL import Image
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from evalcore.evaluate.duplicates import FEWEST_BITS, MORE_NEAR, NEAR, Words, all_hashes, packed
from evalcore.features.synthetic.copies import cosines_across
from evalcore.features.synthetic.memorisation import compare_nearest
from evalcore.stats.bootstrap import wilson_interval
from evalcore.values.arrays import Bools, Floats, Ints, Offsets
from evalcore.values.errors import SettingError
from evalcore.values.progress import Progress, part_of, silent

KINDS = ("exact", "mirrored", "cropped")
CUT = 0.1
"""The most that a cropped copy lacks at each side, as a share of it; drawn evenly from 0."""
ALARMS = 0.05
MOST = 400
"""Real images that are divided, drawn with the seed: each has copies that are measured."""
FEWEST = 20
ROUNDS, RELABELLED = 200, 99


@dataclass(frozen=True, slots=True)
class Power:
    """How often ``detector`` flagged groups of ``n`` images, ``copies`` of them planted, against ``training``
    images; its interval (Wilson) is over ``rounds``. alarms: share of groups without a copy that it flags.
    limit: what it flags from: bits below this, a cosine above it, a p below it."""

    detector: str
    kind: str
    copies: int
    n: int
    training: int
    power: float
    low: float
    high: float
    alarms: float
    limit: float
    rounds: int


class _Round(NamedTuple):
    """What each detector looks at, larger for copies; and the sizes."""

    values: tuple[float, float, float]
    sizes: tuple[int, int, int]


def planted(pixels: Floats, kind: str, rng: np.random.Generator) -> Floats:
    """A copy of an image, intensities from 0 to 1: the same, mirrored left to right, or a part made as large.

    >>> planted(np.array([[0.0, 1.0]]), "mirrored", np.random.default_rng(0)).tolist()
    [[1.0, 0.0]]
    """
    if kind == "mirrored":
        return pixels[:, ::-1]
    if kind != "cropped":
        return pixels
    height, width = pixels.shape[:2]
    top, bottom, left, right = rng.uniform(0, CUT, 4)
    box = (left * width, top * height, width * (1 - right), height * (1 - bottom))
    channels = [pixels] if pixels.ndim == 2 else list(np.moveaxis(pixels, 2, 0))
    cut = [
        np.asarray(Image.fromarray(one.astype(np.float32)).resize((width, height), box=box), float)
        for one in channels
    ]
    return np.asarray(np.clip(cut[0] if pixels.ndim == 2 else np.stack(cut, axis=2), 0.0, 1.0), float)


def power_of_copies(
    images: Sequence[Floats],
    measure: Callable[[Floats], Floats],
    *,
    share: float = 0.01,
    groups: Sequence[str] | None = None,
    rounds: int = ROUNDS,
    seed: int = 0,
    progress: Progress = silent,
) -> tuple[Power, ...]:
    """Every detector for every kind of copy.

    Parameters
    ----------
    images
        Real images, intensities from 0 to 1; `FEWEST` or more.
    measure
        The vector of features of an image, the same length for all.
    share
        Of a group that copies are, above 0 and below 1; one copy at least.
    groups
        Of each image, such as its patient: never divided. Nor are real images that nearly repeat each other.

    Raises
    ------
    SettingError
        Too few images, or a share out of range.
    """
    if not 0 < share < 1:
        raise SettingError("planted", "a share above 0 and below 1", share)
    if len(images) < FEWEST:
        raise SettingError("images", f"at least {FEWEST} real ones, to divide and plant copies", len(images))
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.permutation(len(images))[:MOST])
    kept = [images[i] for i in chosen]
    sets = {"": kept} | {kind: [planted(one, kind, rng) for one in kept] for kind in KINDS[1:]}
    bits, cosines, twins = _compared(sets, measure, progress)
    bits["exact"], cosines["exact"] = bits[""], cosines[""]
    of = _tied(twins, None if groups is None else np.array(groups, str)[chosen])

    def drawn(kind: str) -> _Round:
        """A group with copies of a kind, "" for none."""
        training, own = _halves(of, rng)
        n = ceil(share * len(own)) if kind else 0
        sources, replaced = rng.choice(training, n, replace=False), rng.choice(len(own), n, replace=False)
        rest = np.delete(own, replaced)
        values = []
        for table in ({name: -one for name, one in bits.items()}, cosines):
            block = table[""][np.ix_(rest, training)]
            if n:
                block = np.vstack([block, table[kind][np.ix_(sources, training)]])
            values.append(block)
        p = _nearest_test(cosines, rest, sources, training, kind, int(rng.integers(2**31)))
        return _Round((float(values[0].max()), float(values[1].max()), -p), (n, len(own), len(training)))

    progress(0.8, "planting copies")
    fits, honest = ([drawn("") for _ in range(rounds)] for _ in range(2))
    result = []
    for kind in KINDS:
        flagged = [drawn(kind) for _ in range(rounds)]
        for k, detector in enumerate(("hash", "cosine", "nearest")):
            limit = -ALARMS if detector == "nearest" else _limit([one.values[k] for one in fits])
            n = sum(one.values[k] > limit for one in flagged)
            alarms = sum(one.values[k] > limit for one in honest) / rounds
            low, high = map(float, wilson_interval(n, rounds, level=0.95))
            shown = limit if detector == "cosine" else -limit
            copies, own, training = (round(fmean(one.sizes[j] for one in flagged)) for j in range(3))
            power = n / rounds
            result.append(
                Power(detector, kind, copies, own, training, power, low, high, alarms, shown, rounds)
            )
    progress(1, "")
    return tuple(result)


def _limit(values: Sequence[float]) -> float:
    """What at most `ALARMS` of these values are above."""
    ordered = sorted(values)
    return float(ordered[ceil((1 - ALARMS) * len(ordered)) - 1])


def _tied(twins: Bools, groups: np.ndarray | None) -> Ints:
    """A number for each image, shared by images of one group and by near duplicates, shape (n,)."""
    together = twins if groups is None else twins | (groups[:, np.newaxis] == groups)
    return np.asarray(connected_components(csr_array(together), directed=False)[1], np.int32)


def _halves(groups: Ints, rng: np.random.Generator) -> tuple[Offsets, Offsets]:
    """Two sets of about the same size, groups whole."""
    order = rng.permutation(int(groups.max()) + 1)
    sizes = np.bincount(groups)[order]
    inside = np.isin(groups, order[np.cumsum(sizes) <= len(groups) / 2])
    return np.flatnonzero(inside), np.flatnonzero(~inside)


def _nearest_test(
    cosines: dict[str, Floats], rest: Offsets, sources: Offsets, training: Offsets, kind: str, seed: int
) -> float:
    """p of the test on the nearest training image by cosine, 1 for NaN; copies are compared as originals."""
    both = np.concatenate([training, rest, sources])
    square = cosines[""][np.ix_(both, both)].copy()
    if len(sources):
        across = cosines[kind][np.ix_(sources, np.concatenate([training, rest]))]
        at = len(training) + len(rest)
        square[at:, :at], square[:at, at:] = across, across.T
    own = np.arange(len(both)) >= len(training)
    p = compare_nearest(square, own, n_resamples=RELABELLED, seed=seed).p
    return 1.0 if np.isnan(p) else p


def _compared(
    sets: dict[str, list[Floats]], measure: Callable[[Floats], Floats], progress: Progress
) -> tuple[dict[str, Floats], dict[str, Floats], Bools]:
    """Bits and cosines of the images of each set ("" is of the originals) with every original, shape (n, n);
    and which originals nearly repeat which."""
    hashes, features = {}, {}
    for i, (kind, pixels) in enumerate(sets.items()):
        part = part_of(partial(_within, progress), i, len(sets))
        rows = []
        for j, one in enumerate(pixels):
            part(j / len(pixels), "measuring copies")
            rows.append((_hashed(one), measure(one)))
        hashes[kind], features[kind] = (np.stack(column) for column in zip(*rows, strict=True))
    real = features[""]
    usable = np.isfinite(np.vstack(list(features.values()))).all(axis=0) & (np.ptp(real, axis=0) > 0)
    middle, spread = real[:, usable].mean(axis=0), real[:, usable].std(axis=0)
    scaled = {kind: (rows[:, usable] - middle) / spread for kind, rows in features.items()}
    whole = hashes[""][:, 0]
    twins = np.stack([np.bitwise_count(whole ^ one).sum(-1) <= NEAR for one in whole])
    return (
        {kind: _bits(words, hashes[""]) for kind, words in hashes.items()},
        {kind: cosines_across(rows, scaled[""]) for kind, rows in scaled.items()},
        twins,
    )


def _within(progress: Progress, share: float, text: str) -> None:
    progress(0.8 * share, text)


def _hashed(pixels: Floats) -> Words:
    """The hashes of a picture, of it mirrored and of its parts, shape (83, 4)."""
    values = np.rint(np.clip(pixels, 0, 1) * 255).astype(np.uint8)
    picture = Image.fromarray(values if values.ndim == 2 or values.shape[2] == 3 else values.max(axis=2))
    return packed(all_hashes(picture, mirrored=True, cropped=True))


def _bits(own: Words, training: Words) -> Floats:
    """Fewest bits between an image, or it mirrored, and a training image or a part of one, for which so many
    more may differ; shapes (n, 83, 4) and (m, 83, 4), result (n, m). Images compared with themselves too."""
    others = np.delete(training, 1, axis=1)
    more = np.r_[0, np.full(others.shape[1] - 1, MORE_NEAR)]
    plain: Bools = np.bitwise_count(others).sum(-1) < FEWEST_BITS
    result = np.empty((len(own), len(training)))
    for i, hashes in enumerate(own):
        apart = np.minimum(*(np.bitwise_count(others ^ one).sum(-1, dtype=int) for one in hashes[:2])) - more
        result[i] = np.where(plain, 256, apart).min(axis=1)
    return result
