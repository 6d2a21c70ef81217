"""A study as a folder: the parts it holds in the files that `open_study` reads the same parts from."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import tomlkit

from evalcore.study.graphs.graph_files import dictionary_rows
from evalcore.study.objects import concepts_frame, edges_frame, run_frame
from evalcore.study.parts.judgments import FOLDER, OF_PROGRAMS
from evalcore.study.pictures.image_files import image_bytes
from evalcore.study.tables.frames import csv_of, frame_of_rows
from evalcore.study.tables.writers import write_pieces
from evalcore.study.vectors.files import npz_bytes
from evalcore.study.workspace.file_names import folder_name
from evalcore.study.workspace.home import is_full, replacing
from evalcore.values.arrays import Bools, rows_of
from evalcore.values.concept_scheme import UMLS
from evalcore.values.errors import InputError
from evalcore.values.model import ConceptSets, Qrels, Study
from evalcore.values.own_queries import OwnQueries, Pairs


def save_study(study: Study, folder: str | os.PathLike[str]) -> Path:
    """Write a study as a folder that `open_study` opens as the same study; the path of that folder.

    The folder must not exist, or be empty; it is written whole or not at all. Pictures are copied. Raises
    InputError where nothing can be written, or a run holds images that the study does not know
    (``unknown="zero"``).
    """
    target = Path(folder)
    with whole_folder(target) as unfinished:
        for name, data in _files(study):
            (unfinished / name).parent.mkdir(parents=True, exist_ok=True)
            write_pieces(unfinished / name, [data])
        archive = None if study.images is None else study.images.archive
        if archive is not None and archive.is_file():
            shutil.copyfile(archive, unfinished / "images.zip")
    return target


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Where a folder is made before it takes its place; nothing is left of it when that fails.

    Raises
    ------
    InputError
        There is something at ``target`` that is no empty folder; or it cannot be written.
    """
    if os.path.lexists(target) and not (target.is_dir() and not any(target.iterdir())):
        raise InputError(f"There is something at {target} already. Name a folder that is new, or empty.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(Path(os.path.realpath(target))) as unfinished:
            yield unfinished
            if target.exists():
                target.rmdir()
    except OSError as problem:
        if is_full(problem):
            reason, remedy = "the disk is full", "Free some space, or name a folder on another disk."
        else:
            reason, remedy = str(problem.strerror), "Name a folder that you may write to."
        raise InputError(f"Cannot write {target}: {reason}. {remedy}") from problem


def _files(study: Study) -> Iterator[tuple[str, bytes]]:
    """Every file by its path in the folder; pictures in an archive left out."""
    ids, own, only, columns = study.image_ids, study.own_queries, study.concepts.only, study.label_columns
    tables: dict[str, Any] = {
        "queries.csv": own and (("id", "kind", "text", "concepts"), _own_queries(study, own)),
        "pairs.csv": study.pairs and (("query", "candidate"), _pairs(study.pairs, ids, only)),
        "captions.csv": study.captions and (("ID", "Caption"), _captions(study)),
        "labels.csv": columns
        and (
            ("ID", *columns),
            ((image, *(column.of_image(i) for column in columns.values())) for i, image in enumerate(ids)),
        ),
        "groups.csv": study.groups
        and (
            ("ID", study.groups.name),
            (
                (image, None if group < 0 else f"group {group}")
                for image, group in zip(ids, study.groups.of_image.tolist(), strict=True)
            ),
        ),
        "neighbours.csv": study.neighbours and dictionary_rows(study.neighbours),
        "names.csv": study.names and (("cui", "name"), study.names.items()),
        "kinds.csv": study.kinds and (("cui", "kind"), study.kinds.kind_by_cui.items()),
    }
    images = np.arange(len(ids)) if only is None else np.flatnonzero(~only)
    of_images = (d.candidates for d in study.directions if d.name.endswith("->image"))
    offered = next(of_images, None) if study.directions else study.candidates
    for name, listed in (("queries", study.queries if own is None else None), ("candidates", offered)):
        if listed is not None and not np.array_equal(listed, images):
            tables[f"{name}.txt"] = ("ID",), [(ids[i],) for i in listed.tolist()]
    for qrels in study.qrels.values():
        folder = OF_PROGRAMS if qrels.by_program else FOLDER
        tables[f"{folder}/{qrels.name}.csv"] = _judgments(qrels, ids)
    yield "concepts.csv", csv_of(concepts_frame(_of_images(study)), short=True)
    yield from ((name, csv_of(frame_of_rows(*table))) for name, table in tables.items() if table)
    if study.graph is not None:
        yield "graph/edges.csv", csv_of(edges_frame(study.graph))
    for name, vectors in study.concept_vectors.items():
        yield f"concept_vectors/{name}.npz", npz_bytes(vectors.concepts, vectors.vectors)
    systems = dict(_systems(study))
    yield from ((path, data) for files in systems.values() for path, data in files.values())
    if study.images is not None and study.images.archive is None:
        for i, entry in enumerate(study.images.entries):
            if entry is not None:
                yield f"images/{entry}", image_bytes(study.images, i)
    yield "study.toml", tomlkit.dumps(_toml(study, systems)).encode()


def _captions(study: Study) -> Iterator[tuple[str, str | None]]:
    """The texts of images; those of queries that are none are in the table of queries."""
    own, only = study.own_queries, study.concepts.only
    for i, image in enumerate(study.image_ids):
        text = study.caption_of(i)
        if only is None or not only[i] or own is None or own.text_of(i) != text:
            yield image, text


def _pairs(pairs: Pairs, ids: tuple[str, ...], only: Bools | None) -> Iterator[tuple[str, str]]:
    """Each pair once, a query that is no image before an image."""
    queries = rows_of(pairs.indptr)
    first = queries <= pairs.matched
    if only is not None:
        first = np.where(only[queries] == only[pairs.matched], first, only[queries])
    for query, candidate in zip(queries[first].tolist(), pairs.matched[first].tolist(), strict=True):
        yield ids[query], ids[candidate]


def _of_images(study: Study) -> ConceptSets | dict[str, list[str] | None]:
    """The concepts of images; those of queries that are none are in the table of queries."""
    only = study.concepts.only
    if only is None:
        return study.concepts
    return {
        image: sorted(study.concepts.of_image(i)) if study.concepts.annotated[i] else None
        for i, image in enumerate(study.image_ids)
        if not only[i]
    }


def _judgments(qrels: Qrels, ids: tuple[str, ...]) -> tuple[Sequence[str], list[Sequence[Any]]]:
    """A row per judgment of each rater, or per pair where no raters are named."""
    queries, results = rows_of(qrels.judged.indptr).tolist(), qrels.judged.candidates.tolist()
    values = qrels.judged.values.tolist()
    pairs = [(ids[query], ids[result]) for query, result in zip(queries, results, strict=True)]
    if not qrels.raters:
        return ("query", "result", "value"), [
            (*pair, value) for pair, value in zip(pairs, values, strict=True)
        ]
    judged = [
        (rater, *pair, value)
        for rater, grades in zip(qrels.raters, qrels.by_reader.tolist(), strict=True)
        for pair, value in zip(pairs, grades, strict=True)
        if not isnan(value)
    ]
    unjudged = [(qrels.raters[0], *pair, -1) for pair, value in zip(pairs, values, strict=True) if value < 0]
    return ("judge" if qrels.by_program else "reader", "query", "result", "value"), [*judged, *unjudged]


def _own_queries(study: Study, own: OwnQueries) -> Iterator[Sequence[Any]]:
    """The table of queries; the concepts of those that are images are in the concept file."""
    annotated = own.only & study.concepts.annotated
    for i, kind, text in zip(own.rows.tolist(), own.kinds, own.texts, strict=True):
        concepts = sorted(study.concepts.of_image(i)) if annotated[i] else None
        yield study.image_ids[i], kind, text, concepts


Files = Mapping[str, tuple[str, bytes]]
"""The path and the content of each part of a system, by its kind."""


def _systems(study: Study) -> Iterator[tuple[str, Files]]:
    folders: list[str] = []
    for system in replace(study, directions=()).systems:
        folder, files = folder_name(system, folders), dict[str, tuple[str, bytes]]()
        folders.append(folder)
        if system in study.runs:
            try:
                data = csv_of(run_frame(study.runs[system], study.image_ids))
            except ValueError as reason:
                raise InputError(f'{reason} Open it with unknown="drop" before it is saved.') from None
            files["run"] = f"systems/{folder}/run.csv", data
        table = study.embeddings.get(system)
        if table is not None:
            own = np.where(table.of_queries != table.rows, table.of_queries, -1)
            sides = []
            for rows in (table.rows, own):
                images = np.flatnonzero(rows >= 0)
                sides.append(([study.image_ids[i] for i in images.tolist()], table.vectors[rows[images]]))
            data = npz_bytes(*sides[0], sides[1] if (own >= 0).any() else None)
            files["embeddings"] = f"systems/{folder}/embeddings.npz", data
        yield system, files


def _toml(study: Study, systems: Mapping[str, Files]) -> dict[str, Any]:
    """What ``study.toml`` says; it names the files of systems where a folder cannot be called as its system
    is."""
    content: dict[str, Any] = {"name": study.name, "description": study.description}
    content |= {"baseline": study.baseline, "scheme": "" if study.scheme == UMLS else study.scheme}
    named = any(
        path != f"systems/{s}/{Path(path).name}" for s, files in systems.items() for path, _ in files.values()
    )
    tables: dict[str, dict[str, Any]] = {}
    for system, files in systems.items():
        tables[system] = {kind: path for kind, (path, _) in files.items()} if named else {}
        if study.reads.get(system):
            tables[system]["reads"] = list(study.reads[system])
    content["systems"] = {system: table for system, table in tables.items() if table}
    content["concept_vectors"] = {
        name: {"metric": vectors.metric}
        for name, vectors in study.concept_vectors.items()
        if vectors.metric != "cosine"
    }
    return {name: value for name, value in content.items() if value or name == "name"}
