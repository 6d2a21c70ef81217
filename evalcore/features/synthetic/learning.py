"""Weights of features learnt from people's judgments, and how much of the gain is left on other images.

With one archetype that has every feature, WSI rises with the weighted share of the features an image has. So
weights that put images in the order of people are a regression of judgments on features, none negative, and
drawn towards equal weights (ridge); or equal weights of the few features that go with the judgments most.

How strong, and how few, is decided by cross-validation, and a score by the same folds is too good: the best
of several is chosen by it. So both happen inside the folds of another, outer cross-validation (Varma & Simon
2006, doi:10.1186/1471-2105-7-91): an outer score is of images that neither weights nor their strength were
learnt from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from evalcore.features.synthetic.evaluation.evaluate import Evaluation
from evalcore.features.synthetic.tversky import Presence, quotient
from evalcore.stats.correlation import spearman
from evalcore.values.arrays import Bools, Floats, Offsets, frozen
from evalcore.values.errors import InputError
from evalcore.values.progress import Progress, silent

FOLDS, REPEATS = 5, 5
FEWEST = 25
"""Judged images from which on weights are learnt."""
STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)
SIZES = (1, 2, 4, 8, 16)
N_RESAMPLES = 999
EQUAL, WEIGHTS, SELECTED = "equal weights", "learnt weights", "selected features"
Fit = Callable[[Floats, Floats], Floats]
"""From features as 0 and 1, shape (n, m), and judgments, shape (n,), to weights, shape (m,)."""


@dataclass(frozen=True, slots=True)
class LearntRow:
    """Spearman's rho with people of one way to weigh features.

    outer: of images left out, with its interval; gain: less that of equal weights, on the same images. inner:
    of the folds that chose; apparent: of the images that the weights were learnt from. The last two are too
    good; None for equal weights, which learn nothing.
    """

    how: str
    outer: float
    low: float
    high: float
    gain: float | None = None
    gain_low: float | None = None
    gain_high: float | None = None
    inner: float | None = None
    apparent: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """Equal weights, learnt ones and selected features over ``n`` judged images.

    weights: learnt of all images, mean 1, by feature; kept: share of the outer folds in which a feature was
    selected, shape (m,) both.
    """

    rows: tuple[LearntRow, ...]
    names: tuple[str, ...]
    weights: Floats
    kept: Floats
    n: int
    seed: int

    @property
    def sentence(self) -> str:
        """Whether learning helps."""
        best = max(self.rows[1:], key=lambda row: row.outer)
        assert best.gain is not None and best.gain_low is not None and best.gain_high is not None
        if best.gain_low > 0:
            what = best.how.capitalize()
            return f"{what} agree better with people than equal weights, on images that taught them nothing."
        if best.gain_high < 0:
            return "Equal weights agree better with people than learnt ones on images left out."
        return "Learning makes no clear difference on images left out: keep equal weights."


def learn(
    presence: Presence,
    judged: Floats,
    names: Sequence[str],
    *,
    units: Sequence[str] | None = None,
    beta: float = 1.0,
    seed: int = 0,
    level: float = 0.95,
    progress: Progress = silent,
) -> Learnt:
    """Learn weights of features, and what they are worth on other images.

    Parameters
    ----------
    presence
        Of the images, n of them with m features; against one archetype with every feature.
    judged
        By people, shape (n,), more is better; images with NaN are left out.
    units
        Of each image, such as what it was made from: those of one unit are in one fold, and drawn together.
    beta
        Of WSI. Weights do not depend on it, and neither does any order of images.

    Returns
    -------
    Learnt
        `REPEATS` times `FOLDS` outer folds, each with as many inner ones; an image counts with the mean of
        its scores when it was left out. Intervals: percentile bootstrap over images; they do not contain what
        other folds or other judged images would have taught.

    Raises
    ------
    InputError
        Fewer than `FEWEST` judged images, or judgments that are all the same.
    """
    rows = np.flatnonzero(np.isfinite(judged))
    if len(rows) < FEWEST:
        raise InputError(
            f"Weights are learnt from {FEWEST} judged images or more; {len(rows)} of these are judged. Ids "
            "must be those of the images."
        )
    y = np.asarray(judged[rows], float)
    if not np.ptp(y):
        raise InputError("All judgments are the same, so no weights can be learnt from them.")
    images = presence.rows(rows)  # type: ignore[arg-type]
    x = _filled(images)
    unit = rows if units is None else np.unique(np.array(units, str)[rows], return_inverse=True)[1]
    of: Offsets = np.unique(unit, return_inverse=True)[1].astype(np.int64)
    ways: dict[str, list[Fit]] = {
        WEIGHTS: [partial(_ridge, strength=strength) for strength in STRENGTHS],
        SELECTED: [partial(_selected, size=size) for size in SIZES if size <= x.shape[1]],
    }
    equal = _wsi(images, np.ones(x.shape[1]), beta)
    outer = {how: np.zeros(len(y)) for how in ways}
    inner: dict[str, list[float]] = {how: [] for how in ways}
    kept, n_folds = np.zeros(x.shape[1]), 0
    rng = np.random.default_rng((seed, 11))
    for done, out in enumerate(_folds(of, REPEATS, rng)):
        progress(done / (FOLDS * REPEATS), "learning weights")
        for how, fits in ways.items():
            best, score = _chosen(images.rows(~out), x[~out], y[~out], of[~out], fits, beta, rng)
            weights = best(x[~out], y[~out])
            outer[how][out] += _wsi(images.rows(out), weights, beta) / REPEATS
            inner[how].append(score)
            if how == SELECTED:
                kept += weights > 0
        n_folds += 1
    progress(1, "")
    drawn = _resampled(of, np.random.default_rng((seed, 12)))
    result = [LearntRow(EQUAL, *_with_ends([spearman(equal, y)], [(equal, y)], drawn, level))]
    final = np.ones(x.shape[1])
    for how, fits in ways.items():
        best, _ = _chosen(images, x, y, of, fits, beta, rng)
        weights = best(x, y)
        final = weights if how == WEIGHTS else final
        value, gain = spearman(outer[how], y), spearman(outer[how], y) - spearman(equal, y)
        ends = _with_ends([value], [(outer[how], y)], drawn, level)
        gains = _with_ends([gain], [(outer[how], y), (equal, y)], drawn, level)
        apparent = spearman(_wsi(images, weights, beta), y)
        result.append(LearntRow(how, *ends, *gains, float(np.nanmean(inner[how])), apparent))
    return Learnt(
        tuple(result), tuple(names), frozen(final / final.mean()), frozen(kept / n_folds), len(y), seed
    )


def learn_from(
    of: Evaluation, judged: Mapping[str, float], *, seed: int = 0, progress: Progress = silent
) -> Learnt:
    """The same of all groups of an evaluation; ``judged`` by image id, or by group/id where groups share ids.
    Images with one id, such as altered copies of one picture, are one unit.

    Raises InputError as `learn`, and where every archetype image counts by itself.
    """
    if of.settings.archetype != "tolerance":
        raise InputError("Weights are learnt against one archetype with every feature, not against each.")
    tallies = [group.tally for group in of.groups]
    values = [
        judged.get(f"{tally.name}/{image}", judged.get(image, np.nan))
        for tally in tallies
        for image in tally.ids
    ]
    images = Presence(
        np.vstack([tally.presence.present for tally in tallies]),
        np.vstack([tally.presence.known for tally in tallies]),
    )
    return learn(
        images,
        np.array(values, float),
        of.names,
        units=[image for tally in tallies for image in tally.ids],
        beta=of.settings.beta,
        level=of.settings.level,
        seed=seed,
        progress=progress,
    )


def _filled(images: Presence) -> Floats:
    """Features as 0 and 1; what is not known is the mean of the others."""
    known = images.known.sum(axis=0)
    share = images.present.sum(axis=0) / np.maximum(known, 1)
    return np.asarray(np.where(images.known, images.present, share), float)


def _wsi(images: Presence, weights: Floats, beta: float) -> Floats:
    """WSI against the archetype with every feature; 0 where nothing counts."""
    has, lacks = images.present @ weights, (images.known & ~images.present) @ weights
    return quotient(has, has + beta * lacks, "zero")


def _folds(of: Offsets, repeats: int, rng: np.random.Generator) -> Iterator[Bools]:
    """Which images each fold leaves out, all of a unit (numbered in ``of``) or none."""
    numbers, own = np.unique(of, return_inverse=True)
    for _ in range(repeats):
        part = (rng.permutation(len(numbers)) % FOLDS)[own]
        yield from (part == fold for fold in range(FOLDS))


def _resampled(of: Offsets, rng: np.random.Generator) -> list[Offsets]:
    """Rows of the images of units that are drawn with replacement, as many units as there are."""
    order = np.argsort(of, kind="stable")
    rows = np.split(order, np.cumsum(np.bincount(of))[:-1])
    draws = rng.integers(0, len(rows), (N_RESAMPLES, len(rows)))
    return [np.concatenate([rows[unit] for unit in draw]) for draw in draws]


def _chosen(
    images: Presence,
    x: Floats,
    y: Floats,
    of: Offsets,
    fits: Sequence[Fit],
    beta: float,
    rng: np.random.Generator,
) -> tuple[Fit, float]:
    """The way to fit with the highest rho over folds of these images, and that rho."""
    folds = list(_folds(of, 1, rng))
    scores = []
    for fit in fits:
        values = np.zeros(len(y))
        for out in folds:
            values[out] = _wsi(images.rows(out), fit(x[~out], y[~out]), beta)
        scores.append(spearman(values, y))
    best = int(np.nanargmax(scores)) if np.isfinite(scores).any() else 0
    return fits[best], scores[best]


def _ridge(x: Floats, y: Floats, *, strength: float) -> Floats:
    """Weights of at least 0 whose sum over an image's features comes near the judgments, drawn towards equal
    ones by ``strength``; equal ones where no feature goes with the judgments."""
    from scipy.optimize import nnls

    centred, target = x - x.mean(axis=0), y - y.mean()
    whole = centred.sum(axis=1)
    equal = max(float(whole @ target) / max(float(whole @ whole), 1e-12), 0.0)
    pull = np.sqrt(strength * len(y) / x.shape[1])
    rows = np.vstack([centred, pull * np.eye(x.shape[1])])
    weights, _ = nnls(rows, np.r_[target, np.full(x.shape[1], pull * equal)])
    return np.asarray(weights, float) if weights.any() else np.ones(x.shape[1])


def _selected(x: Floats, y: Floats, *, size: int) -> Floats:
    """Equal weights of the ``size`` features that rise most with the judgments, 0 of the others."""
    centred, target = x - x.mean(axis=0), y - y.mean()
    spread = np.sqrt((centred * centred).sum(axis=0))
    rise = np.where(spread > 0, centred.T @ target / np.where(spread > 0, spread, 1.0), -np.inf)
    best = np.argsort(-rise, kind="stable")[:size]
    weights = np.zeros(x.shape[1])
    weights[best[rise[best] > 0]] = 1.0
    return weights if weights.any() else np.ones(x.shape[1])


def _with_ends(
    value: list[float], pairs: Sequence[tuple[Floats, Floats]], drawn: Sequence[Offsets], level: float
) -> tuple[float, float, float]:
    """A rho, or the difference of two, and its interval over resampled images."""
    again = []
    for rows in drawn:
        first, *others = [spearman(a[rows], b[rows]) for a, b in pairs]
        again.append(first - sum(others))
    known = np.array([one for one in again if np.isfinite(one)])
    tail = (1 - level) / 2
    low, high = np.quantile(known, [tail, 1 - tail]) if len(known) else (np.nan, np.nan)
    return value[0], float(low), float(high)
