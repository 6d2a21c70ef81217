"""F1 of concept detection, as each edition's script computes it.

    F1(G, P) = 2 |G∩P| / (|G| + |P|)          per image, on sets of upper-cased concepts

The primary score is the mean over the images of the ground truth (2017 to 2019: over those with true
concepts). The secondary score of 2025 keeps only 15 curated concepts on both sides, takes the truth
from the manually checked file, and leaves out images with none of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.features.imageclef.editions import CURATED
from evalcore.graph import neighbours
from evalcore.relevance.neighbour import alpha_fraction, near_of, neighbour_count, neighbour_pairs
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from evalcore.graph import ConceptGraph
    from evalcore.relevance.neighbour import Near
    from evalcore.values.settings import Settings

    Pairs = Sequence[tuple[frozenset[str], frozenset[str]]]

Items = Mapping[str, Sequence[str]]


def cleaned(items: Sequence[str]) -> frozenset[str]:
    """Concepts without the spaces around them, and without the empty "concept" that some editions count."""
    return frozenset(item.strip() for item in items if item.strip())


def f1_per_image(truth: Sequence[frozenset[str]], predicted: Sequence[frozenset[str]]) -> Floats:
    """2 |G∩P| / (|G| + |P|) of aligned sets; two empty sets give 0, as in scikit-learn.

    >>> f1_per_image([frozenset("ab"), frozenset()], [frozenset("bc"), frozenset()]).tolist()
    [0.5, 0.0]
    """
    n = len(truth)
    shared = np.fromiter((len(g & p) for g, p in zip(truth, predicted, strict=True)), np.int64, n)
    sizes = np.fromiter((len(g) + len(p) for g, p in zip(truth, predicted, strict=True)), np.int64, n)
    values: Floats = np.divide(2.0 * shared, sizes, out=np.zeros(n), where=sizes > 0)
    return values


def primary_score(truth: Items, predicted: Items) -> tuple[Floats, float]:
    """F1 per image of the truth, NaN for images that do not count, and the main score.

    An image without prediction counts as predicted empty. The score is NaN when no image counts, where
    the script divides by zero, and when the run has none of the images.
    """
    values = _counted(truth, [frozenset(truth[image]) for image in truth], predicted, frozenset)
    if not any(image in predicted for image in truth):
        values[:] = np.nan
    return values, _mean_in_order(tuple(truth), values, predicted)


def secondary_score(truth: Items, manual: Items, predicted: Items, *, file: str) -> float:
    """The curated score: both sides cut down to the 15 concepts; NaN when no image has any of them.

    Raises
    ------
    InputError
        The manually checked file lacks images of the ground truth, which the script stops at.
    """
    absent = [image for image in truth if image not in manual]
    if absent:
        some = ", ".join(absent[:5])
        raise InputError(
            f"{file} lacks {len(absent):,} image{'s' * (len(absent) > 1)} of the ground truth, "
            f"such as {some}. Add them."
        )
    true = [CURATED.intersection(manual[image]) for image in truth]
    values = _counted(truth, true, predicted, CURATED.intersection)
    return _mean_in_order(tuple(truth), values, predicted, extra=len(manual) - len(truth))


def _counted(
    images: Iterable[str],
    true: Sequence[frozenset[str]],
    predicted: Items,
    kept: Callable[[Sequence[str]], frozenset[str]],
) -> Floats:
    """F1 per image; NaN where nothing is true."""
    values = f1_per_image(true, [kept(predicted.get(image, ())) for image in images])
    values[np.fromiter((not g for g in true), np.bool_, len(true))] = np.nan
    return values


def _mean_in_order(images: Sequence[str], values: Floats, predicted: Items, *, extra: int = 0) -> float:
    """The mean, added up in the order of the run as the scripts do, so that the last bit agrees.

    ``extra`` images that only the manual file has: the script divides by them too.
    """
    counted = int(np.count_nonzero(~np.isnan(values))) + extra
    if not counted:
        return float("nan")
    at = {image: i for i, image in enumerate(images)}
    own = np.fromiter((at[image] for image in predicted if image in at), np.int64)
    ordered = np.nan_to_num(values[own])
    return float(np.cumsum(ordered)[-1]) / counted if len(ordered) else float("nan")


# Behind the official F1: precision, recall, single concepts, and credit for near misses.
#
# Nothing here enters an official score. Concepts are compared upper-cased, without spaces and without the
# empty "concept" that some editions count; images without true concepts are left out.
#
#     nnF1(G, P) = (2 |G∩P| + alpha · NN_n(G, P)) / (|G| + |P|)
#
# with NN_n counted as in nn-IoU (relevance.neighbour): a predicted concept that is a graph neighbour of a
# missed one earns a part of the credit. With threshold n = 0 it is F1.


@dataclass(frozen=True, slots=True)
class ConceptTally:
    """One concept over all images: hits, wrong predictions and misses, and what follows from them."""

    cui: str
    hits: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """Share of its predictions that are right; NaN when it was never predicted."""
        return _ratio(self.hits, self.hits + self.wrong)

    @property
    def recall(self) -> float:
        """Share of its images that were found; NaN when no image has it."""
        return _ratio(self.hits, self.hits + self.missed)

    @property
    def f1(self) -> float:
        """2 hits / (2 hits + wrong + missed)."""
        return 2 * self.hits / (2 * self.hits + self.wrong + self.missed)


@dataclass(frozen=True, slots=True)
class Confusion:
    """A missed concept and a wrongly predicted one of the same images that are neighbours in the graph."""

    true: str
    predicted: str
    distance: int
    images: int


@dataclass(frozen=True, slots=True, eq=False)
class ConceptDetail:
    """Everything beside the official score of one run.

    ``images`` those with true concepts; ``precision``, ``recall``, ``nn_f1`` per such image (precision
    of an empty prediction is 0; ``nn_f1`` None without a graph). ``concepts`` by CUI, every concept of
    truth or run; ``micro_f1`` over all their occurrences, ``macro_f1`` the mean over concepts.
    """

    images: tuple[str, ...]
    precision: Floats
    recall: Floats
    nn_f1: Floats | None
    micro_f1: float
    macro_f1: float
    concepts: tuple[ConceptTally, ...]
    confusions: tuple[Confusion, ...]

    def worst(self, n: int, *, at_least: int = 1) -> tuple[ConceptTally, ...]:
        """Concepts with the lowest F1 among those with ``at_least`` true images, frequent ones first."""
        return self._by(lambda c: c.f1, n, at_least)

    def best(self, n: int, *, at_least: int = 1) -> tuple[ConceptTally, ...]:
        """Concepts with the highest F1 among those with ``at_least`` true images, frequent ones first."""
        return self._by(lambda c: -c.f1, n, at_least)

    def _by(self, rank: Callable[[ConceptTally], float], n: int, at_least: int) -> tuple[ConceptTally, ...]:
        result = [c for c in self.concepts if c.hits + c.missed >= at_least]
        return tuple(sorted(result, key=lambda c: (rank(c), -c.hits - c.missed, c.cui))[:n])


def concept_detail(
    truth: Items, predicted: Items, *, graph: ConceptGraph | None, settings: Settings
) -> ConceptDetail:
    """What lies behind a run's score.

    Parameters
    ----------
    truth, predicted
        {image: concepts}; an image without prediction counts as predicted empty.
    graph
        For neighbours; without one ``nn_f1`` is None and there are no confusions.
    settings
        ``alpha``, ``threshold``, ``count_rule`` and ``direction`` of nn-F1.
    """
    images = tuple(image for image in truth if cleaned(truth[image]))
    pairs = [(cleaned(truth[image]), cleaned(predicted.get(image, ()))) for image in images]
    n = len(pairs)
    shared = np.fromiter((len(g & p) for g, p in pairs), float, n)
    true_size = np.fromiter((len(g) for g, _ in pairs), float, n)
    size = np.fromiter((len(p) for _, p in pairs), float, n)
    precision = np.divide(shared, size, out=np.zeros(n), where=size > 0)
    tallies = _tallies(pairs)
    near = None if graph is None else _near(graph, pairs, settings)
    return ConceptDetail(
        images,
        precision,
        shared / true_size,
        None if near is None else _nn_f1(pairs, near, shared, true_size + size, settings),
        _ratio(2 * float(shared.sum()), float(true_size.sum() + size.sum())),
        _ratio(sum(c.f1 for c in tallies), len(tallies)),
        tallies,
        () if near is None else _confusions(pairs, near, settings.threshold),
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _tallies(pairs: Pairs) -> tuple[ConceptTally, ...]:
    hits = Counter(cui for g, p in pairs for cui in g & p)
    wrong = Counter(cui for g, p in pairs for cui in p - g)
    missed = Counter(cui for g, p in pairs for cui in g - p)
    return tuple(ConceptTally(c, hits[c], wrong[c], missed[c]) for c in sorted({*hits, *wrong, *missed}))


def _near(graph: ConceptGraph, pairs: Pairs, settings: Settings) -> Near:
    words = sorted({cui for g, p in pairs for cui in g | p})
    return near_of(neighbours(graph, words, threshold=settings.threshold, direction=settings.direction))


def _nn_f1(pairs: Pairs, near: Near, shared: Floats, sizes: Floats, settings: Settings) -> Floats:
    threshold, rule = settings.threshold, settings.count_rule
    # Equal sets have no misses to forgive; with `pairs_all` and `concepts_full` their own concepts count.
    counts = np.fromiter(
        (neighbour_count(g, p, near, threshold=threshold, rule=rule) for g, p in pairs), float, len(pairs)
    )
    alpha = alpha_fraction(settings.alpha)
    values: Floats = (2 * alpha.denominator * shared + alpha.numerator * counts) / (alpha.denominator * sizes)
    return values


def _confusions(pairs: Pairs, near: Near, threshold: int) -> tuple[Confusion, ...]:
    """Neighbouring (missed, wrong) pairs of concepts, those of most images first."""
    counter = Counter(
        pair for g, p in pairs if g != p for pair in neighbour_pairs(g - p, p - g, near, threshold=threshold)
    )
    ordered = sorted(counter.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Confusion(a, b, near[a][b], images) for (a, b), images in ordered)
