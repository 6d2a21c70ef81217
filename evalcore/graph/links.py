"""Some of a graph's links only: by source or by relation.

A link carries the sources that state it, as one text ("MESH; UBERON isa"). Each part is a *kind*: a source,
a relation, or both. Relations are written in lower case ("isa", "part_of") by the UMLS and by the
ontologies, sources are not; so the last word of a part is its relation when it is in lower case.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from evalcore.graph.structure import ConceptGraph, graph_of_links
from evalcore.values.arrays import Bools, rows_of


@dataclass(frozen=True, slots=True)
class LinkKind:
    """One way in which the graph links concepts, and how many of its links are stated that way.

    ``source`` or ``relation`` are "" where the file names none.
    """

    source: str
    relation: str
    n_links: int


def kind_of(part: str) -> tuple[str, str]:
    """(source, relation) of one part of a link's label.

    >>> kind_of("UBERON isa"), kind_of("MESH"), kind_of("part_of"), kind_of("")
    (('UBERON', 'isa'), ('MESH', ''), ('', 'part_of'), ('', ''))
    """
    source, _, last = part.rpartition(" ")
    return (source, last) if last.islower() else (part, "")


def kinds_of(graph: ConceptGraph) -> tuple[LinkKind, ...]:
    """In which ways are concepts linked here? The most frequent first, then by name.

    A link that several sources state counts for each of them.
    """
    links = np.bincount(graph.up_labels, minlength=len(graph.edge_labels))
    totals: dict[tuple[str, str], int] = {}
    for label, n in zip(graph.edge_labels, links.tolist(), strict=True):
        for part in label.split("; "):
            totals[kind_of(part)] = totals.get(kind_of(part), 0) + n
    ordered = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    return tuple(LinkKind(*kind, n) for kind, n in ordered)


def only_links(
    graph: ConceptGraph, *, sources: Collection[str] | None = None, relations: Collection[str] | None = None
) -> ConceptGraph:
    """The graph with the links that one of these sources states, as one of these relations.

    None keeps all; "" stands for "not named". Concepts that lose all links stay in the graph. Labels
    keep only what was asked for.
    """
    if sources is None and relations is None:
        return graph
    kept = [
        [part for part in label.split("; ") if _is_wanted(part, sources, relations)]
        for label in graph.edge_labels
    ]
    wanted = np.array([bool(parts) for parts in kept], np.bool_)
    labels = ["; ".join(parts) for parts in kept]
    return _subgraph(graph, wanted[graph.up_labels], labels)


def _is_wanted(part: str, sources: Collection[str] | None, relations: Collection[str] | None) -> bool:
    source, relation = kind_of(part)
    return (sources is None or source in sources) and (relations is None or relation in relations)


def _subgraph(graph: ConceptGraph, kept: Bools, labels: Sequence[str]) -> ConceptGraph:
    """The same concepts with some of the links; ``labels`` by the old numbers, equal ones become one."""
    child = rows_of(graph.up_indptr)[kept]
    names = sorted(set(labels)) or [""]
    place = {name: i for i, name in enumerate(names)}
    recoded = np.array([place[label] for label in labels], np.int32)
    labels_of_kept = recoded[graph.up_labels[kept]]
    parent = graph.up_indices[kept].astype(np.int64)
    return graph_of_links(graph.cuis, child, parent, labels_of_kept, tuple(names))
