"""Labels that follow from concepts: a map says which concept means which label (CT: C0040405).

A caption that names a kind of it (spiral CT) has the label too, if concepts below the mapped one count: up to
how many links below is a choice, and it decides which images have a label, whether two of them agree, and so
P@K (arXiv 2506.13509, Table 1, which leaves it open).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.study.parts.labels import LabelMap, derive_labels
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.graph.structure import ConceptGraph
    from evalcore.values.model import LabelColumn, Study

Labelled = dict[str, tuple[str, ...]]


def below(graph: ConceptGraph, of_cui: Mapping[str, tuple[str, ...]], reach: int | None) -> Labelled:
    """Every concept up to ``reach`` links below a mapped one, and its labels; None: all below.

    A mapped concept keeps its own labels, whatever is above it. Concepts that are equally near to several
    mapped ones have the labels of all of them. Mapped concepts that the graph does not know stand alone.
    """
    place = {cui: i for i, cui in enumerate(graph.cuis)}
    labels: dict[int, set[str]] = {place[cui]: {*names} for cui, names in of_cui.items() if cui in place}
    frontier, steps = dict(labels), 0
    while frontier and (reach is None or steps < reach):
        reached: dict[int, set[str]] = {}
        for node, names in frontier.items():
            for child in graph.children(node).tolist():
                if child not in labels:
                    reached.setdefault(child, set()).update(names)
        labels.update(reached)
        frontier, steps = reached, steps + 1
    from_graph = {graph.cuis[node]: tuple(sorted(names)) for node, names in labels.items()}
    return {**of_cui, **from_graph}


def labels_below(study: Study, label_map: LabelMap, reach: int | None) -> Mapping[str, LabelColumn]:
    """The labels of the images of a study by a map, with concepts up to ``reach`` links below; None: all.

    Raises
    ------
    InputError
        No image has a mapped concept, or concepts below count and the study has no graph.
    """
    if reach != 0:
        if study.graph is None:
            raise InputError(
                "Concepts below a mapped one need a graph. Add graph/edges.csv, or give labels to the mapped "
                "concepts alone."
            )
        label_map = {kind: below(study.graph, of_cui, reach) for kind, of_cui in label_map.items()}
    columns = derive_labels(label_map, study.concepts)
    if not any(len(column.indices) for column in columns.values()):
        raise InputError("No image of the study has a concept of the label map. Check the concepts it names.")
    return columns
