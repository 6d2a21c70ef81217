"""What does the concept graph do to a study: which pairs of images it brings nearer, and through which links?

Two concepts a and b that are neighbours are *at work* between two images when one image holds a, the
other b, and the count rule looks at them. With n_a images that hold a but not b, n_b that hold b but not
a, and n_ab that hold both, the number of such image pairs follows without looking at any pair:

============================================== =============================================
concepts, pairs, matching(2), query, candidate n_a · n_b  (a only in one, b only in the other)
concepts_full                                  n_a · n_b + n_ab · (n_a + n_b)
pairs_all                                      the same, plus n_ab · (n_ab - 1) / 2
============================================== =============================================

How many image pairs have any neighbour match at all needs a look at all pairs (the engine's counts).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from math import fsum, lcm
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from evalcore.engine import neighbours_of
from evalcore.engine.counts import Formula, counts_of, formula_of, space_of, tally_with, values_by
from evalcore.engine.listing import pool_of
from evalcore.engine.space import over_cores, slices
from evalcore.graph.links import without_links
from evalcore.relevance.registry import Relevance
from evalcore.stats.sums import sum_of
from evalcore.values.arrays import Floats, Ints, Offsets, digest_of, position, rows_of
from evalcore.values.errors import InputError
from evalcore.values.model import RelevanceCounts, Study
from evalcore.values.progress import Progress
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcore.graph.links import Edge

# How many pairs of images do neighbour matches change, and by how much? All pairs, counted by result.

_SETS_PER_BLOCK = 64


class Changes(NamedTuple):
    """Over ordered pairs of different images: ``n_related`` with a shared concept, ``n_changed`` with a
    neighbour match, ``n_new`` of these without a shared concept; ``total_change`` the sum of
    nn-IoU minus IoU over the changed ones."""

    n_related: int
    n_changed: int
    n_new: int
    total_change: float


def changes_of_pairs(
    study: Study, images: Ints, settings: Settings, *, progress: Progress | None = None
) -> Changes:
    """What neighbour matches change among all ordered pairs of ``images`` (ascending, different)."""
    near = Relevance("nn-iou")
    space, formula = space_of(study, near, settings), formula_of(near, settings)
    alone = formula_of(Relevance("iou"), settings)
    numbers, amounts = np.unique(space.set_of[images], return_counts=True)
    pool = pool_of(space, images)
    tally_of = tally_with(pool, space, rule=formula.rule, threshold=formula.threshold)

    def count(part: slice) -> Changes:
        tally = tally_of(numbers[part])
        results = np.diff(tally.firsts)
        stop = int(tally.firsts[-1])
        counts = RelevanceCounts(
            tally.overlaps[:stop],
            tally.nears[:stop],
            np.repeat(space.sizes[numbers[part]], results),
            tally.sizes[:stop],
        )
        times = np.repeat(amounts[part].astype(np.int64), results) * tally.amounts[:stop]
        return _sum(counts, times, formula, alone)

    # Every image was also counted with itself.
    result = over_cores(count, slices(len(numbers), _SETS_PER_BLOCK), progress)
    own = counts_of(space, images, images, rule=formula.rule, threshold=formula.threshold)
    itself = _sum(own, np.ones(len(images), np.int64), formula, alone)
    sums = [fsum(column) for column in zip(*result, strict=True)] or [0, 0, 0, 0.0]
    related, changed, new, change = (float(a) - float(b) for a, b in zip(sums, itself, strict=True))
    return Changes(round(related), round(changed), round(new), change)


def _sum(counts: RelevanceCounts, times: Offsets, formula: Formula, alone: Formula) -> Changes:
    """The counts of aligned results, each met ``times``."""
    near, shared = counts.neighbours > 0, counts.overlap > 0
    gained: Floats = values_by(formula, counts) - values_by(alone, counts)
    return Changes(
        int(times[shared].sum()),
        int(times[near].sum()),
        int(times[near & ~shared].sum()),
        sum_of(gained[near] * times[near]),
    )


@dataclass(frozen=True, slots=True)
class WorkingPair:
    """Two neighbouring concepts, their distance (edges), and between how many image pairs they are at work.

    ``images_a`` and ``images_b`` are how many images hold each.
    """

    a: str
    b: str
    distance: int
    image_pairs: int
    images_a: int
    images_b: int


@dataclass(frozen=True, slots=True)
class GraphEffect:
    """How many of the unordered pairs of annotated images the graph changes.

    ``n_related`` share a concept; ``n_changed`` have a neighbour match, of which ``n_new`` share no concept
    at all. ``mean_change`` is the average of nn-IoU minus IoU over both directions of the changed pairs, NaN
    without any. ``n_neighbours`` pairs of the study's concepts are neighbours.
    """

    n_images: int
    n_pairs: int
    n_related: int
    n_changed: int
    n_new: int
    mean_change: float
    n_neighbours: int

    @property
    def share(self) -> float:
        """Share of image pairs with a neighbour match; NaN without pairs."""
        return self.n_changed / self.n_pairs if self.n_pairs else float("nan")

    def as_dict(self) -> dict[str, Any]:
        """For JSON output."""
        return {**asdict(self), "share": self.share}


def graph_effect(study: Study, *, settings: Settings, progress: Progress | None = None) -> GraphEffect:
    """How many image pairs become more similar because of the graph, and by how much?

    Exact, over all pairs of annotated images, under the count rule, threshold, direction and alpha of
    ``settings``. ``progress`` is called with the share done; raise in it to cancel.
    """
    images = np.flatnonzero(study.concepts.annotated).astype(np.int32)
    changes = changes_of_pairs(study, images, settings, progress=progress)
    near = neighbours_of(study, threshold=settings.threshold, direction=settings.direction)
    n = len(images)
    return GraphEffect(
        n,
        n * (n - 1) // 2,
        changes.n_related // 2,
        changes.n_changed // 2,
        changes.n_new // 2,
        changes.total_change / changes.n_changed if changes.n_changed else float("nan"),
        len(near.indices) // 2,
    )


def working_pairs(study: Study, *, settings: Settings) -> tuple[WorkingPair, ...]:
    """Which neighbouring concepts are at work between the most image pairs?

    All neighbour pairs that are at work between any, by image pairs (most first), then by CUI; an image
    pair counts under each of its concept pairs. Empty without a graph, and at threshold 0.
    """
    near = neighbours_of(study, threshold=settings.threshold, direction=settings.direction)
    left = rows_of(near.indptr)
    once = left < near.indices
    a, b, steps = left[once], near.indices[once].astype(np.int64), near.distances[once]
    images = study.concepts.images_with
    both = _together(study, a, b)
    counts = _image_pairs(images[a] - both, images[b] - both, both, settings)
    words = near.vocabulary
    order = [k for k in np.lexsort((b, a, -counts)).tolist() if counts[k] > 0]
    return tuple(
        WorkingPair(
            words[a[k]], words[b[k]], int(steps[k]), int(counts[k]), int(images[a[k]]), int(images[b[k]])
        )
        for k in order
    )


def _image_pairs(only_a: Offsets, only_b: Offsets, both: Offsets, settings: Settings) -> Offsets:
    """Image pairs between which two concepts are at work; see the module."""
    pairs = only_a * only_b
    if settings.count_rule in ("concepts_full", "pairs_all"):
        pairs = pairs + both * (only_a + only_b)
    if settings.count_rule == "pairs_all":
        pairs = pairs + both * (both - 1) // 2
    return pairs


def _together(study: Study, a: Offsets, b: Offsets) -> Offsets:
    """How many images hold both concepts of each pair."""
    concepts = study.concepts
    shape = (len(concepts), len(concepts.vocabulary))
    if not len(a) or not len(concepts.indices):
        return np.zeros(len(a), np.int64)
    held = csr_array(
        (np.ones(len(concepts.indices), np.int64), concepts.indices, concepts.indptr), shape=shape
    )
    wanted = np.unique(np.concatenate([a, b]))
    place = np.zeros(shape[1], np.int64)
    place[wanted] = np.arange(len(wanted))
    columns = held.tocsc()[:, wanted]
    together = (columns.T @ columns).tocsr()
    counts: Offsets = np.asarray(together[place[a], place[b]]).ravel().astype(np.int64)
    return counts


def image_pairs_of(study: Study, a: str, b: str, *, limit: int, skip: int = 0) -> list[tuple[int, int]]:
    """Image pairs to look at: one image with concept ``a`` but not ``b``, one with ``b`` but not ``a``.

    Images with few other concepts come first (the two concepts then matter most), then by id; each
    image is shown once before any is shown again. ``skip`` pairs are passed over.
    """
    with_a, other = _only(study, a, b), _only(study, b, a)
    n = len(with_a) * len(other)
    # Pair k takes the k-th image of both, going round; where both begin anew, one of them moves on by one.
    again = lcm(len(with_a), len(other)) or 1
    return [
        (int(with_a[k % len(with_a)]), int(other[(k + k // again) % len(other)]))
        for k in range(skip, min(skip + limit, n))
    ]


def _only(study: Study, cui: str, without: str) -> Ints:
    """Images that hold one concept and not the other: fewest concepts first, those with a picture before."""
    concepts = study.concepts
    held = [concepts.indices == position(concepts.vocabulary, c) for c in (cui, without)]
    row = rows_of(concepts.indptr)
    has, lacks = (np.bincount(row[h], minlength=len(concepts)) > 0 for h in held)
    images = np.flatnonzero(has & ~lacks).astype(np.int32)
    files = study.images.entries if study.images is not None else None
    blank = [files is None or files[i] is None for i in images.tolist()]
    ordered: Ints = images[np.lexsort((images, concepts.sizes[images], np.array(blank, np.bool_)))]
    return ordered


def study_without(study: Study, edges: Iterable[Edge]) -> Study:
    """The study with a graph that lacks these links; its files are not touched, its digest is another one.

    The study itself when there are none. Raises InputError without a graph, or for two concepts that
    are not linked.
    """
    edges = list(edges)
    if not edges:
        return study
    if study.graph is None:
        raise InputError("The study has no graph, so no links can be left out.")
    graph = without_links(study.graph, edges)
    return replace(study, graph=graph, digest=digest_of(study.digest, "without", graph.digest))
