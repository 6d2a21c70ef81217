"""The similarity of any two concepts of a study, computed once: a square table over its vocabulary.

Every value is rounded to a multiple of 2^-38 (4e-12). Sums of some thousand of them are then exact in
float64 whatever their order, so that equally relevant images have equal relevances and ties are true ties.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.errors import InputError
from evalcore.graph.information import information
from evalcore.graph.taxonomy import lineage_of, path_lengths, taxonomy_of
from evalcore.model import frozen, position
from evalcore.relevance import concept_similarity as formulas

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from evalcore.graph import ConceptGraph
    from evalcore.graph.taxonomy import Lineage, Taxonomy
    from evalcore.model import Bools, ConceptSets, Floats, Ints, Study

GRAIN = 2.0**-38
"""All values are multiples of it."""
ROOM = 512 << 20
"""Bytes of tables (and of what they are made from) held ready; those asked for last stay."""


@dataclass(frozen=True, slots=True, eq=False)
class ConceptTable:
    """``values[i, j]`` is the similarity, 0 to 1, of two concepts of a vocabulary; symmetric.

    A concept that the graph does not know is similar 1 to itself and 0 to all others.
    """

    vocabulary: tuple[str, ...]
    values: Floats

    def similar(self, x: str, y: str) -> float:
        """s(x, y); concepts that are not in the vocabulary are like those the graph does not know."""
        i, j = position(self.vocabulary, x), position(self.vocabulary, y)
        return float(self.values[i, j]) if i >= 0 and j >= 0 else float(x == y)


_kept: OrderedDict[Hashable, Any] = OrderedDict()
_lock = Lock()


def concept_table(study: Study, concept: str) -> ConceptTable:
    """The table of a concept similarity (a key of ``concept_measures.CONCEPT_MEASURES``) for a study.

    Kept by content, the last ones of up to 512 MB.

    Raises
    ------
    InputError
        The study has no concept graph (only `cs1` needs none).
    """
    concepts, graph = study.concepts, study.graph
    if concept == "cs1":
        return ConceptTable(concepts.vocabulary, frozen(np.eye(len(concepts.vocabulary))))
    if graph is None:
        way_out = "Add graph/edges.csv with lines such as: C0042449,C0005847"
        raise InputError(f"{concept!r} compares concepts by a graph, which this study lacks. {way_out}")
    values: Floats = _once(
        (concepts.digest, graph.digest, concept), lambda: similarities(graph, concepts, concept)
    )
    return ConceptTable(concepts.vocabulary, values)


def forget() -> None:
    """Keep no table: for measurements of first use."""
    with _lock:
        _kept.clear()


def similarities(graph: ConceptGraph, concepts: ConceptSets, concept: str) -> Floats:
    """The table itself, shape (V, V), rounded to multiples of `GRAIN`."""
    vocabulary = concepts.vocabulary
    name, _, content = concept.partition("-") if concept.startswith("cs") else concept.rpartition("-")
    if concept in ("path", "leacock-chodorow"):
        links = _once((concepts.digest, graph.digest, "links"), lambda: path_lengths(graph, vocabulary))
        known = np.array([position(graph.cuis, cui) >= 0 for cui in vocabulary], np.bool_)
        return _finished(_by_path(concept, links, _taxonomy(graph)), np.flatnonzero(known), len(vocabulary))
    lineage: Lineage = _once(
        (concepts.digest, graph.digest, "lineage"),
        lambda: lineage_of(graph, _taxonomy(graph), vocabulary),
    )
    if concept == "wu-palmer":
        depth, steps = _common(lineage, lineage.depth.astype(np.float64))
        return _finished(formulas.wu_palmer(depth, steps), lineage.known, len(vocabulary))
    counts = np.bincount(concepts.indices, minlength=len(vocabulary))
    worth, highest = information(lineage, content, counts)
    values = _by_information(name, worth[lineage.own], _common(lineage, worth)[0], highest, _same(lineage))
    return _finished(values, lineage.known, len(vocabulary))


def _by_path(concept: str, links: Ints, taxonomy: Taxonomy) -> Floats:
    """Similarities by the links between concepts, for the whole vocabulary."""
    far = np.where(links < 0, np.inf, links)
    if concept == "path":
        return formulas.path_similarity(far)
    depth = taxonomy.max_depth
    values: Floats = formulas.leacock_chodorow(far, depth) / np.log(2 * depth)
    return values


def _by_information(name: str, own: Floats, common: Floats, highest: float, same: Bools) -> Floats:
    """Similarities of known concepts by their information and that of their best common ancestor."""
    a, b = own[:, np.newaxis], own[np.newaxis, :]
    match name:
        case "resnik":
            return formulas.resnik(common) / highest if highest > 0 else np.zeros_like(common)
        case "lin":
            return formulas.lin(a, b, common, same)
        case "jiang-conrath":
            return formulas.jiang_conrath(formulas.jiang_conrath_distance(a, b, common))
        case "cs2":
            return 1 - formulas.cs2(a, b, common, same)
        case "cs3":
            return 1 - formulas.cs3(a, b, common)
        case "cs4":
            return 1 - formulas.cs4(common, highest, same)
    raise ValueError(f"no concept similarity called {name!r}")


def _taxonomy(graph: ConceptGraph) -> Taxonomy:
    taxonomy: Taxonomy = _once((graph.digest, "taxonomy"), lambda: taxonomy_of(graph))
    return taxonomy


def _common(lineage: Lineage, worth: Floats) -> tuple[Floats, Ints]:
    """Worth of the best common ancestor of any two known concepts, and the steps up to it from both."""
    from evalcore.graph import loops_taxonomy

    best, steps = loops_taxonomy.best_common(lineage.indptr, lineage.indices, lineage.steps, worth)
    return best, steps


def _same(lineage: Lineage) -> Bools:
    """True for two concepts of one class: the same, or of one cycle."""
    same: Bools = lineage.own[:, np.newaxis] == lineage.own[np.newaxis, :]
    return same


def _finished(values: Floats, known: Any, size: int) -> Floats:
    """The whole table, rounded; ``values`` are those of the known concepts, or of all."""
    table = np.eye(size)
    inside = values if len(values) == len(known) else values[np.ix_(known, known)]
    table[np.ix_(known, known)] = np.clip(np.round(inside / GRAIN) * GRAIN, 0.0, 1.0)
    return frozen(table)


def _once(key: Hashable, make: Callable[[], Any]) -> Any:
    """What ``make`` makes, kept under a key."""
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    made = make()
    with _lock:
        _kept[key] = made
        while len(_kept) > 1 and sum(map(_size, _kept.values())) > ROOM:
            _kept.popitem(last=False)
    return made


def _size(made: Any) -> int:
    """Bytes of an array, or of all arrays of a value."""
    if isinstance(made, np.ndarray):
        return made.nbytes
    return sum(
        value.nbytes for name in made.__slots__ if isinstance(value := getattr(made, name), np.ndarray)
    )
