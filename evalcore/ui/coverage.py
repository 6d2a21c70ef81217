"""How much of a study is there: images with findings, findings the graph knows, queries answered. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from evalcore.figures.data import Coverage

if TYPE_CHECKING:
    from evalcore.model import Study


@dataclass(frozen=True, slots=True)
class SystemFacts:
    """What one system returned. ``shortest`` and ``longest`` list, ``tied``: queries with equal scores."""

    name: str
    answered: int
    shortest: int
    longest: int
    tied: int
    embedded: int


@dataclass(frozen=True, slots=True)
class StudyFacts:
    """Coverage rows for the figure, concepts the graph does not know {cui: images}, and the systems."""

    rows: tuple[Coverage, ...]
    unknown: dict[str, int]
    systems: tuple[SystemFacts, ...]
    concepts_per_image: float
    vocabulary: int
    known: int


@st.cache_resource(max_entries=8, show_spinner=False)
def facts(digest: str, _study: Study) -> StudyFacts:  # noqa: ARG001
    """Everything the coverage section says about a study."""
    study, concepts, n = _study, _study.concepts, len(_study.image_ids)
    images_of = np.bincount(concepts.indices, minlength=len(concepts.vocabulary))
    known = np.array(
        [study.graph is not None and study.graph.index(c) >= 0 for c in concepts.vocabulary], bool
    )
    rows = [Coverage("Images with findings", int(np.count_nonzero(concepts.sizes)), n)]
    if study.captions is not None:
        rows.append(
            Coverage("Images with a caption", sum(text is not None for text in study.captions.texts), n)
        )
    if study.images is not None:
        rows.append(Coverage("Images with a picture", study.images.count, n))
    for name, column in study.labels.columns.items() if study.labels else ():
        rows.append(Coverage(f"Images with label “{name}”", int(np.count_nonzero(column.labelled)), n))
    if study.graph is not None:
        total = int(images_of.sum())
        rows.append(Coverage("Different findings in the graph", int(known.sum()), len(known)))
        rows.append(Coverage("Findings in the graph, each time used", int(images_of[known].sum()), total))
    named = sum(cui in study.names for cui in concepts.vocabulary)
    rows.append(Coverage("Findings with a name", named, len(known)))
    unknown = {c: int(images_of[i]) for i, c in enumerate(concepts.vocabulary) if not known[i]}
    return StudyFacts(
        tuple(rows), unknown if study.graph is not None else {},
        tuple(_system(study, name) for name in study.systems),
        len(concepts.indices) / n if n else 0.0, len(known), int(known.sum()),
    )  # fmt: skip


def _system(study: Study, name: str) -> SystemFacts:
    run, vectors = study.runs.get(name), study.embeddings.get(name)
    embedded = 0 if vectors is None else int(np.count_nonzero(vectors.rows >= 0))
    if run is None or not len(run.queries):
        return SystemFacts(name, 0 if run is not None else embedded, 0, 0, 0, embedded)
    depths = np.diff(run.indptr)
    equal = np.zeros(len(run.scores), bool)
    equal[1:] = run.scores[1:] == run.scores[:-1]
    starts = run.indptr[:-1][depths > 0]
    equal[starts] = False
    tied = np.add.reduceat(equal, starts) > 0 if len(starts) else np.zeros(0, bool)
    return SystemFacts(
        name, len(run.queries), int(depths.min()), int(depths.max()), int(np.count_nonzero(tied)), embedded
    )
