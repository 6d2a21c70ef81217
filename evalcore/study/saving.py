"""A study as a folder: the parts it holds in the files that `open_study` reads the same parts from."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.study.folder.toml import toml_text
from evalcore.study.graphs.neighbours import dictionary_rows
from evalcore.study.objects import concepts_frame, edges_frame, run_frame
from evalcore.study.parts.judgments import FOLDER, OF_PROGRAMS
from evalcore.study.pictures.image_files import image_bytes
from evalcore.study.tables.frames import csv_of, frame_of_rows
from evalcore.study.tables.writers import write_pieces
from evalcore.study.vectors.files import npz_bytes
from evalcore.study.workspace.file_names import folder_name
from evalcore.study.workspace.home import is_full
from evalcore.values.arrays import Bools, Ints, rows_of
from evalcore.values.concept_scheme import UMLS
from evalcore.values.errors import InputError
from evalcore.values.model import ConceptSets, Qrels, Study
from evalcore.values.own_queries import OwnQueries, Pairs


def save(study: Study, folder: str | os.PathLike[str]) -> Path:
    """Write a study as a folder; see `Study.save`. Whole or not at all."""
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
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".saving-") as aside:
            unfinished = Path(aside) / "study"
            yield unfinished
            if target.exists():
                target.rmdir()
            unfinished.rename(target)
    except OSError as problem:
        if is_full(problem):
            reason, remedy = "the disk is full", "Free some space, or name a folder on another disk."
        else:
            reason, remedy = str(problem.strerror), "Name a folder that you may write to."
        raise InputError(f"Cannot write {target}: {reason}. {remedy}") from problem


def table_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """A table as CSV: missing values are empty cells, lists are joined by ";"."""
    return csv_of(frame_of_rows(header, rows))


def _files(study: Study) -> Iterator[tuple[str, bytes]]:
    """Every file by its path in the folder; pictures in an archive left out."""
    ids, toml = study.image_ids, _toml(study)
    own, only = study.own_queries, study.concepts.only
    yield "concepts.csv", csv_of(concepts_frame(_of_images(study)), short=True)
    if own is not None:
        yield "queries.csv", _own_queries(study, own)
    if study.pairs is not None:
        yield "pairs.csv", table_csv(("query", "candidate"), _pairs(study.pairs, ids, only))
    if study.captions is not None:
        texts = (
            (image, text)
            for i, (image, text) in enumerate(zip(ids, study.captions.texts, strict=True))
            if only is None or not only[i] or own is None or own.text_of(i) != text
        )
        yield "captions.csv", table_csv(("ID", "Caption"), texts)
    if columns := study.label_columns:
        of_images = ((image, *(of.of_image(i) for of in columns.values())) for i, image in enumerate(ids))
        yield "labels.csv", table_csv(("ID", *columns), of_images)
    if study.groups is not None:
        of = study.groups.of_image.tolist()
        rows_of_groups = (
            (image, None if group < 0 else f"group {group}") for image, group in zip(ids, of, strict=True)
        )
        yield "groups.csv", table_csv(("ID", study.groups.name), rows_of_groups)
    if study.graph is not None:
        yield "graph/edges.csv", csv_of(edges_frame(study.graph))
    if study.neighbours is not None:
        yield "neighbours.csv", table_csv(*dictionary_rows(study.neighbours))
    if study.names:
        yield "names.csv", table_csv(("cui", "name"), study.names.items())
    if study.kinds is not None:
        yield "kinds.csv", table_csv(("cui", "kind"), study.kinds.of.items())
    for name, vectors in study.concept_vectors.items():
        yield f"concept_vectors/{name}.npz", npz_bytes(vectors.concepts, vectors.vectors)
    for qrels in study.qrels.values():
        folder = OF_PROGRAMS if qrels.by_program else FOLDER
        yield f"{folder}/{qrels.name}.csv", _judgments(qrels, ids)
    images = np.arange(len(ids)) if only is None else np.flatnonzero(~only)
    if own is None and not np.array_equal(study.queries, images):
        yield "queries.txt", _ids(study.queries, ids)
    offered = _offered_images(study)
    if offered is not None and not np.array_equal(offered, images):
        yield "candidates.txt", _ids(offered, ids)
    yield from _systems(study, _keys(study))
    if study.images is not None and study.images.archive is None:
        for i, entry in enumerate(study.images.entries):
            if entry is not None:
                yield f"images/{entry}", image_bytes(study.images, i)
    if toml:
        yield "study.toml", toml_text(toml).encode()


def _pairs(pairs: Pairs, ids: tuple[str, ...], only: Bools | None) -> Iterator[tuple[str, str]]:
    """Each pair once, a query that is no image before an image."""
    queries = rows_of(pairs.indptr)
    first = queries <= pairs.matched
    if only is not None:
        first = np.where(only[queries] == only[pairs.matched], first, only[queries])
    for query, candidate in zip(queries[first].tolist(), pairs.matched[first].tolist(), strict=True):
        yield ids[query], ids[candidate]


def _offered_images(study: Study) -> Ints | None:
    """The images that are candidates; None where all queries look among texts."""
    if not study.directions:
        return study.candidates
    return next((of.candidates for of in study.directions if of.name.endswith("->image")), None)


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


def _judgments(qrels: Qrels, ids: tuple[str, ...]) -> bytes:
    """A row per judgment of each rater, or per pair where no raters are named."""
    queries, results = rows_of(qrels.judged.indptr).tolist(), qrels.judged.candidates.tolist()
    pairs = [(ids[query], ids[result]) for query, result in zip(queries, results, strict=True)]
    if not qrels.raters:
        rows = ((*pair, value) for pair, value in zip(pairs, qrels.judged.values.tolist(), strict=True))
        return table_csv(("query", "result", "value"), rows)
    given = (
        (rater, *pair, value)
        for rater, values in zip(qrels.raters, qrels.by_reader.tolist(), strict=True)
        for pair, value in zip(pairs, values, strict=True)
        if not isnan(value)
    )
    unjudged = (
        (qrels.raters[0], *pair, -1)
        for pair, value in zip(pairs, qrels.judged.values.tolist(), strict=True)
        if value < 0
    )
    who = "judge" if qrels.by_program else "reader"
    return table_csv((who, "query", "result", "value"), [*given, *unjudged])


def _own_queries(study: Study, own: OwnQueries) -> bytes:
    """The table of queries; the concepts of those that are images are in the concept file."""
    rows = (
        (
            study.image_ids[i],
            kind,
            text,
            sorted(study.concepts.of_image(i)) if own.only[i] and study.concepts.annotated[i] else None,
        )
        for i, kind, text in zip(own.rows.tolist(), own.kinds, own.texts, strict=True)
    )
    return table_csv(("id", "kind", "text", "concepts"), rows)


def _ids(some: Ints, ids: tuple[str, ...]) -> bytes:
    return table_csv(("ID",), ((ids[i],) for i in some.tolist()))


def _keys(study: Study) -> dict[str, str]:
    """The folder of each system."""
    keys: dict[str, str] = {}
    for system in replace(study, directions=()).systems:
        look = study.looks.get(system)
        keys[system] = folder_name(look.key if look is not None and look.key else system, keys.values())
    return keys


def _systems(study: Study, keys: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    for system, key in keys.items():
        several = study.seeds.get(system, ())
        for name in several or ((system,) if system in study.runs else ()):
            number = f".{name.rpartition('.')[2]}" if several else ""
            try:
                yield f"systems/{key}/run{number}.csv", csv_of(run_frame(study.runs[name], study.image_ids))
            except ValueError as reason:
                raise InputError(f'{reason} Open it with unknown="drop" before it is saved.') from None
        if (table := study.embeddings.get(system)) is not None:
            images = np.flatnonzero(table.rows >= 0)
            ids = [study.image_ids[i] for i in images.tolist()]
            yield f"systems/{key}/embeddings.npz", npz_bytes(ids, table.vectors[table.rows[images]])
            if table.asked is not None:
                queries = np.flatnonzero(table.asked >= 0)
                ids = [study.image_ids[i] for i in queries.tolist()]
                yield f"systems/{key}/queries.npz", npz_bytes(ids, table.vectors[table.asked[queries]])


def _toml(study: Study) -> dict[str, Any]:
    """What ``study.toml`` says."""
    content: dict[str, Any] = {"name": study.name}
    for name in ("description", "baseline"):
        if value := getattr(study, name):
            content[name] = value
    if study.scheme != UMLS:
        content["scheme"] = study.scheme
    systems: dict[str, Any] = {}
    for system, key in _keys(study).items():
        look = study.looks.get(system)
        settings = (
            {field.name: getattr(look, field.name) for field in fields(look) if field.name != "key"}
            if look
            else {}
        )
        chosen = {name: value for name, value in settings.items() if value not in (None, "")}
        if system != key:
            chosen["title"] = system
        if chosen:
            systems[key] = {
                name: list(value) if isinstance(value, tuple) else value for name, value in chosen.items()
            }
    vectors = {
        name: {"metric": of.metric} for name, of in study.concept_vectors.items() if of.metric != "cosine"
    }
    tables = {"systems": systems, "concept_vectors": vectors}
    return content | {name: table for name, table in tables.items() if table}
