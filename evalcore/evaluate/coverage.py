"""How much of a study is there: annotated images, concepts the graph knows, queries each system answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalcore.evaluate.common_pool import searched_pool
from evalcore.ranking.lists import tie_groups
from evalcore.values.model import Study


@dataclass(frozen=True, slots=True)
class SystemCoverage:
    """What one system returned: queries answered, shortest and longest list, queries with equal scores.

    ``embedded``: images with a vector. A system without a run has answered nothing yet. ``searched``:
    candidates it searches, as its vectors or its run show ("all" where neither does; see
    `evaluate.common_pool`).
    """

    system: str
    answered: int
    shortest: int
    longest: int
    tied: int
    embedded: int
    searched: int
    searched_by: str


@dataclass(frozen=True, slots=True)
class StudyCoverage:
    """Counts of a study; "occurrences" count a concept once per image that carries it.

    ``unknown``: concepts not in the graph with their images, most frequent first; all of them
    when there is no graph.
    """

    images: int
    not_annotated: int
    without_concepts: int
    concepts_per_image_mean: float
    concepts_per_image_median: float
    concepts_per_image_max: int
    concepts: int
    concepts_in_graph: int
    concepts_named: int
    occurrences: int
    occurrences_in_graph: int
    unknown: tuple[tuple[str, int], ...]
    captions: int
    pictures: int
    labelled: tuple[tuple[str, int], ...]
    systems: tuple[SystemCoverage, ...]


def coverage(study: Study) -> StudyCoverage:
    """What is there and what is missing; means and medians are over annotated images, 0 without any."""
    concepts = study.concepts
    sizes = concepts.sizes[concepts.annotated]
    images_with = concepts.images_with
    known = np.array([study.in_graph(cui) for cui in concepts.vocabulary], np.bool_)
    unknown = [(concepts.vocabulary[i], int(images_with[i])) for i in np.flatnonzero(~known)]
    columns = study.labels
    return StudyCoverage(
        images=len(concepts),
        not_annotated=int(np.count_nonzero(~concepts.annotated)),
        without_concepts=int(np.count_nonzero(sizes == 0)),
        concepts_per_image_mean=float(sizes.mean()) if len(sizes) else 0.0,
        concepts_per_image_median=float(np.median(sizes)) if len(sizes) else 0.0,
        concepts_per_image_max=int(sizes.max(initial=0)),
        concepts=len(concepts.vocabulary),
        concepts_in_graph=int(known.sum()),
        concepts_named=sum(cui in study.names for cui in concepts.vocabulary),
        occurrences=int(images_with.sum()),
        occurrences_in_graph=int(images_with[known].sum()),
        unknown=tuple(sorted(unknown, key=lambda pair: (-pair[1], pair[0]))),
        captions=sum(text is not None for text in study.captions.texts) if study.captions else 0,
        pictures=study.images.count if study.images else 0,
        labelled=tuple((name, int(column.labelled.sum())) for name, column in columns.items()),
        systems=tuple(_of_system(study, name) for name in study.systems),
    )


def _of_system(study: Study, name: str) -> SystemCoverage:
    embeddings, pool = study.embeddings.get(name), searched_pool(study, name)
    run = study.runs[name].without_self() if name in study.runs else None
    embedded = 0 if embeddings is None else int(np.count_nonzero(embeddings.rows >= 0))
    rest = embedded, pool.n, pool.source
    if run is None or not len(run.queries):
        return SystemCoverage(name, 0, 0, 0, 0, *rest)
    depths, groups = np.diff(run.indptr), tie_groups(run.indptr, run.scores)
    starts = groups[:-1][np.diff(groups) > 1]
    tied = len(np.unique(np.searchsorted(run.indptr, starts, side="right")))
    return SystemCoverage(name, len(run.queries), int(depths.min()), int(depths.max()), tied, *rest)
