"""Runs and labels for studies made in memory (see ``tests.toy.study_of``)."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from evalcore.values.arrays import digest_of
from evalcore.values.grouping import groups_of_column
from evalcore.values.model import LabelColumn, Labels, Run
from tests.toy import TOY_EDGES, study_of


def run_of(study, system, answers):
    """{query: {candidate: score}} or {query: [candidates, best first]}; candidate "?" is unknown (-1)."""
    index = {**{image: i for i, image in enumerate(study.image_ids)}, "?": -1}
    queries, candidates, scores, indptr = [], [], [], [0]
    for query in sorted(answers):
        answer = answers[query]
        scored = answer if isinstance(answer, dict) else {c: -float(place) for place, c in enumerate(answer)}
        ranked = sorted((-score, index[candidate]) for candidate, score in scored.items())
        queries.append(index[query])
        candidates += [candidate for _, candidate in ranked]
        scores += [-score for score, _ in ranked]
        indptr.append(len(candidates))
    return Run.from_arrays(
        system,
        np.array(queries, np.int32),
        np.array(indptr, np.int64),
        np.array(candidates, np.int32),
        np.array(scores, float),
    )


def column_of(study, name, values):
    """{image: value, values or None} as a label column."""
    rows = [values.get(image) or () for image in study.image_ids]
    rows = [(row,) if isinstance(row, str) else tuple(row) for row in rows]
    known = sorted({value for row in rows for value in row})
    indptr = np.cumsum([0] + [len(row) for row in rows])
    indices = [i for row in rows for i in sorted(known.index(value) for value in row)]
    return LabelColumn(name, tuple(known), indptr.astype(np.int64), np.array(indices, np.int32))


def with_parts(study, *, runs=None, labels=None, queries=None, candidates=None):
    """The study with runs {system: answers}, labels {column: {image: value}}, and lists of image ids."""
    columns = {name: column_of(study, name, values) for name, values in (labels or {}).items()}
    indices = {
        part: np.sort(np.array([study.concepts.index(image) for image in images], np.int32))
        for part, images in (("queries", queries), ("candidates", candidates))
        if images is not None
    }
    made = {name: run_of(study, name, answers) for name, answers in (runs or {}).items()}
    digest = digest_of(
        study.digest,
        *(run.digest for run in made.values()),
        *(
            part
            for column in columns.values()
            for part in (column.name, column.values, column.indptr, column.indices)
        ),
        *indices.values(),
    )
    listed = Labels(MappingProxyType(columns), digest_of(sorted(columns))) if columns else study.labels
    return replace(study, runs=MappingProxyType(made), digest=digest, labels=listed, **indices)


def in_groups(study, group):
    """The study with patients {image: patient}."""
    groups = groups_of_column(column_of(study, "patient", group))
    return replace(study, groups=groups, digest=digest_of(study.digest, groups.of_image))


def drawn_study(seed, n=30, *, systems=(), depth=10, without=(), labels=(), embeddings=None):
    """Images i00, i01, ... with up to four concepts of the toy taxonomy; those ``without`` are not annotated.

    Every system returns images at random; ``labels``: {column: values to choose from}.
    """
    rng, images = np.random.default_rng(seed), [f"i{k:02}" for k in range(n)]
    concepts = sorted({concept for edge in TOY_EDGES for concept in edge})
    sets = {i: {*rng.choice(concepts, rng.integers(0, 5), replace=False).tolist()} for i in images}
    runs = {
        name: {i: [c for c in rng.permutation(images).tolist() if c != i][:depth] for i in images}
        for name in systems
    }
    columns = {name: {i: str(rng.choice(values)) for i in images} for name, values in dict(labels).items()}
    study = study_of({**sets, **dict.fromkeys(without)}, TOY_EDGES, embeddings=embeddings)
    return with_parts(study, runs=runs, labels=columns)


def by_cosine(vectors, query, pool=None, *, top=None):
    """{candidate: cosine}, best first, then by id, without the query."""
    a = vectors[query]
    cosines = {
        c: float(a @ vectors[c] / np.sqrt((a @ a) * (vectors[c] @ vectors[c])))
        for c in pool or vectors
        if c != query
    }
    return dict(sorted(cosines.items(), key=lambda pair: (-pair[1], pair[0]))[:top])
