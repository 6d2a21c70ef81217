"""Labels that follow from concepts, and how much label metrics depend on which concepts count.

A label map says which concept means which label (CT: C0040405). A caption that names a kind of it (spiral
CT) has the label too, if concepts below the mapped one count: up to how many links below is a choice, and
this choice decides which images have a label, whether two of them agree, and so P@K (arXiv 2506.13509, Table
1, which leaves it open). A concept takes the labels of the nearest mapped concepts above it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.scoring import score
from evalcore.evaluate.summary import summarise_all
from evalcore.ranking.metrics import parse_metric
from evalcore.stats.levels import SAME
from evalcore.study.concepts.labels import LabelMap, all_labels, derive_labels
from evalcore.values.errors import InputError
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.graph.structure import ConceptGraph
    from evalcore.values.model import Interval, Labels, Study
    from evalcore.values.progress import Progress

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
            for child in graph.down_indices[graph.down_indptr[node] : graph.down_indptr[node + 1]].tolist():
                if child not in labels:
                    reached.setdefault(child, set()).update(names)
        labels.update(reached)
        frontier, steps = reached, steps + 1
    from_graph = {graph.cuis[node]: tuple(sorted(names)) for node, names in labels.items()}
    return {**of_cui, **from_graph}


def map_below(study: Study, cui: str) -> LabelMap:
    """The label map of a concept: each concept one link below it is a label, of the type that it names.

    Of several with one name only the first, by id, is called so, the others by their ids. Labels that no
    image has, with all concepts below them, are left out.

    Raises
    ------
    InputError
        There is no graph, the graph does not know the concept, or nothing below it is on an image.
    """
    graph = study.graph
    node = -1 if graph is None else graph.index(cui)
    if graph is None or node < 0:
        raise InputError(
            f"The graph of this study does not know {cui}. Name a concept of it, or a label map."
        )
    names: dict[str, str] = {}
    for child in graph.down_indices[graph.down_indptr[node] : graph.down_indptr[node + 1]].tolist():
        own = graph.cuis[child]
        called = study.name_of(own)
        names[own] = called if called not in names.values() else own
    reached = below(graph, {own: (called,) for own, called in names.items()}, None)
    used = {label for concept in study.concepts.vocabulary for label in reached.get(concept, ())}
    of_cui = {own: (called,) for own, called in sorted(names.items()) if called in used}
    if not of_cui:
        raise InputError(f"No image has a concept below {study.name_of(cui)}. Name another concept.")
    kind = re.sub(r"\s*[=,&]+\s*", "_", study.name_of(cui))
    return LabelMap({kind: of_cui}, len(of_cui))


def labels_below(study: Study, label_map: LabelMap, reach: int | None) -> Labels:
    """The labels of the images of a study by a map, with concepts up to ``reach`` links below; None: all.

    Raises
    ------
    InputError
        No image has a mapped concept, or concepts below count and the study has no graph.
    """
    types = label_map.types
    if reach != 0:
        if study.graph is None:
            raise InputError(
                "Concepts below a mapped one need a graph. Add graph/edges.csv, or use --reach 0."
            )
        types = {kind: below(study.graph, of_cui, reach) for kind, of_cui in types.items()}
    columns = derive_labels(LabelMap(types, label_map.rows), study.concepts)
    result = all_labels(columns)
    if result is None or not any(len(column.indices) for column in columns.values()):
        raise InputError("No image of the study has a concept of the label map. Check the concepts it names.")
    return result


@dataclass(frozen=True, slots=True)
class LabelChoice:
    """One metric of one system under one choice of labels.

    reach: links below a mapped concept that count, None for all. n_labelled: images with every label that the
    metric needs. rank: of the system under this metric and choice,
    1 the best; equal means share it.
    """

    reach: int | None
    metric: str
    system: str
    mean: Interval
    n_labelled: int
    rank: int


def label_choices(
    study: Study,
    label_map: LabelMap,
    *,
    reaches: Sequence[int | None],
    metrics: Sequence[str],
    systems: Sequence[str] | None = None,
    settings: Settings = Settings(),
    progress: Progress | None = None,
) -> tuple[LabelChoice, ...]:
    """Label metrics of systems under several choices of which concepts count."""
    rows: list[LabelChoice] = []
    for reach in reaches:
        labels = labels_below(study, label_map, reach)
        scores = score(
            replace(study, labels=labels), metrics, systems=systems, settings=settings, progress=progress
        )
        means = summarise_all(scores)
        for metric in dict.fromkeys(one.metric for one in scores):
            own = [
                (one.system, mean) for one, mean in zip(scores, means, strict=True) if one.metric == metric
            ]
            names = parse_metric(metric, labels.columns).labels
            every = np.logical_and.reduce([np.diff(labels.columns[name].indptr) > 0 for name in names])
            rows += [
                LabelChoice(
                    reach,
                    metric,
                    system,
                    mean,
                    int(every.sum()),
                    1 + sum(other.mean > mean.mean + SAME for _, other in own),
                )
                for system, mean in own
            ]
    return tuple(rows)


def in_words(rows: Sequence[LabelChoice]) -> str:
    """How far the means move with the choice, and whether the order of the systems does."""
    moves: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        moves.setdefault((row.metric, row.system), []).append(row.mean.mean)
    spans = {key: max(means) - min(means) for key, means in moves.items()}
    (metric, system), widest = max(spans.items(), key=lambda item: item[1])
    best = [
        {row.system for row in rows if (row.rank, row.metric, row.reach) == (1, metric, reach)}
        for reach in dict.fromkeys(row.reach for row in rows)
    ]
    always = sorted(set.intersection(*best))
    order = f"The best system depends on the choice: {', '.join(sorted(set.union(*best)))}."
    if always:
        order = f"Under every choice {' and '.join(always)} {'is' if len(always) == 1 else 'are'} best."
    if not widest:
        return f"All choices of labels give the same scores. {order}"
    return f"Choosing other labels moves {metric} of {system} by {widest:.3f}, more than any other. {order}"
