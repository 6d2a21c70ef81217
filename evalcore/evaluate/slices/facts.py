"""What is known of an image as a query, in numbers: its concepts, how rare they are, the graph's share."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from evalcore.graph.structure import nodes_of, steps_down
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evalcore.values.arrays import Bools, Floats, Ints
    from evalcore.values.model import Study


def concepts(study: Study) -> Floats:
    """Number of concepts; 0 for "annotated with nothing", NaN for an image nobody annotated."""
    return np.where(study.concepts.annotated, study.concepts.sizes.astype(float), np.nan)


def rarest(study: Study) -> Floats:
    """Images of the study that carry the rarest of its concepts, itself included; NaN without concepts."""
    sets = study.concepts
    return _per_image(study, sets.images_with[sets.indices].astype(float), np.minimum)


def coverage(study: Study) -> Floats:
    """Share of its concepts that the graph knows, 0 to 1; NaN without concepts.

    Raises
    ------
    InputError
        The study has no graph.
    """
    graph, sets = study.graph, study.concepts
    if graph is None:
        raise InputError(NO_GRAPH.format("coverage"))
    known = (nodes_of(graph, sets.vocabulary) >= 0).astype(float)
    return _per_image(study, known[sets.indices], np.add) / np.maximum(sets.sizes, 1)


NO_GRAPH = (
    "`{}` needs a concept graph, and this study has none: add a folder graph/ with edges.csv, or leave the "
    "condition out."
)
NUMBERS: Mapping[str, Callable[[Study], Floats]] = MappingProxyType(
    {"concepts": concepts, "rarest": rarest, "coverage": coverage}
)
"""By the name that conditions use; each gives shape (n_images,)."""


def carrying(study: Study, cuis: Ints) -> Bools:
    """True for images that carry one or more of these concepts of the vocabulary, shape (n_images,)."""
    sets = study.concepts
    wanted = np.zeros(len(sets.vocabulary) + 1, np.bool_)
    wanted[cuis] = True
    return _per_image(study, wanted[sets.indices].astype(float), np.maximum, empty=0.0) > 0


def at_or_below(study: Study, cui: str) -> Ints:
    """Concepts of the vocabulary that are this one or lie below it in the graph, ascending.

    Raises
    ------
    InputError
        The study has no graph, or the graph does not know the concept.
    """
    graph = study.graph
    if graph is None:
        raise InputError(NO_GRAPH.format("below"))
    start = graph.index(cui)
    if start < 0:
        raise InputError(
            f"The graph does not know {cui}, so nothing lies below it. `concept={cui}` finds the images that "
            "carry the concept itself."
        )
    reached = steps_down(graph, np.array([start])) < graph.n_nodes
    nodes = nodes_of(graph, study.concepts.vocabulary)
    found: Ints = np.flatnonzero((nodes >= 0) & reached[nodes]).astype(np.int32)
    return found


def _per_image(study: Study, values: Floats, joined: np.ufunc, *, empty: float = np.nan) -> Floats:
    """One number per image from the numbers of its concepts; ``empty`` for an image without concepts."""
    sets = study.concepts
    found = np.full(len(sets), empty)
    filled = sets.sizes > 0
    if filled.any():
        found[filled] = joined.reduceat(values, sets.indptr[:-1][filled])
    return found
