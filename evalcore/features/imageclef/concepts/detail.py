"""Behind the official F1: precision, recall, single concepts, and credit for near misses.

Nothing here enters an official score. Concepts are compared upper-cased, without spaces and without
the empty "concept" that some editions count; images without true concepts are left out.

    nnF1(G, P) = (2 |G∩P| + alpha · NN_n(G, P)) / (|G| + |P|)

with NN_n counted as in nn-IoU (relevance.neighbour): a predicted concept that is a graph neighbour of
a missed one earns a part of the credit. With threshold n = 0 it is F1.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.features.imageclef.concepts.scores import cleaned
from evalcore.graph import neighbours
from evalcore.relevance.neighbour import alpha_fraction, near_of, neighbour_count, neighbour_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalcore.graph import ConceptGraph
    from evalcore.relevance.neighbour import Near
    from evalcore.values.arrays import Floats
    from evalcore.values.settings import Settings

    Items = Mapping[str, Sequence[str]]
    Pairs = Sequence[tuple[frozenset[str], frozenset[str]]]


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
        found = [c for c in self.concepts if c.hits + c.missed >= at_least]
        return tuple(sorted(found, key=lambda c: (rank(c), -c.hits - c.missed, c.cui))[:n])


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
    found = Counter(
        pair for g, p in pairs if g != p for pair in neighbour_pairs(g - p, p - g, near, threshold=threshold)
    )
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Confusion(a, b, near[a][b], images) for (a, b), images in ordered)
