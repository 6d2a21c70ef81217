"""A study folder becomes a ``Study``: its parts are found, read and bound to the images.

What cannot be used is reported and kept out; only a folder without readable concepts is no study. One that
has captions, pictures, judgments, or systems with pairs or labels, and no file of concepts is a study whose
images nobody annotated yet. Which ids are images, queries and candidates is settled once, before anything is
bound to them (see `ids`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.study.folder.layout import find_layout
from evalcore.study.ids import Links, NamedIds, settle_ids
from evalcore.study.parts.captions import are_queries, texts_in
from evalcore.study.parts.concepts import ConceptRows, ConceptsById, read_shards
from evalcore.study.parts.images import pictures_in
from evalcore.study.parts.judgments import name_of_judgments
from evalcore.study.parts.kind import TOML, Layout, Opening
from evalcore.study.parts.queries import PAIRS, QueryRows, are_pairs, usable_queries
from evalcore.study.parts.recognise import report_unread
from evalcore.study.parts.registry import KINDS
from evalcore.study.tables.files import read_plain
from evalcore.study.tables.ids import KnownIds
from evalcore.study.tables.load import header_of
from evalcore.study.tables.problems import Problems, Refused, guarded
from evalcore.study.tables.schema import Rows
from evalcore.study.workspace.file_names import readable
from evalcore.values.arrays import digest_of, readonly
from evalcore.values.concept_scheme import UMLS
from evalcore.values.errors import InputError
from evalcore.values.model import ConceptSets, Part, Study
from evalcore.values.own_queries import Direction
from evalcore.values.settings import Unknown


def read_basis(opening: Opening) -> bool:
    """Read the concepts, queries, judgments and pairs of a study, and settle its ids.

    Without a file of concepts nobody annotated the images, which is a remark. False where the concepts cannot
    be read, or there are none and nothing else makes a study of the folder.
    """
    rows = _concept_rows(opening)
    opening.judged = _judgment_rows(opening)
    sets = rows.sets if opening.layout.files["concepts"] else None
    has_none = sets is not None and not any(sets.values())
    if has_none and (not sets or opening.problems.report().total("error")):
        return False
    shown = set[str]() if sets is not None else _shown(opening)
    _read_queries(opening, dict.fromkeys(shown) if sets is None else sets)
    pairs = [] if opening.pairs is None else [opening.pairs]
    named = _labelled(opening) if sets is None else []
    opening.scored = any(table.rows for _, table in opening.judged.values()) or bool(
        opening.layout.systems and (pairs or named)
    )
    if sets is None and not (shown or opening.scored):
        return False
    listed = {kind: table.texts("id") for kind, table in opening.lists.items()}
    judged = [Links.of_table(table, "query", "result") for _, table in opening.judged.values()]
    opening.ids = ids = settle_ids(
        NamedIds(
            concepts=sets,
            shown=shown,
            documents=_documents(opening) if sets is None else (),
            named=named,
            kinds=None if opening.own is None else opening.own.kinds,
            queries=listed.get("queries", ()),
            candidates=listed.get("candidates", ()),
            truth=[*judged, *(Links.of_table(table, "query", "candidate") for table in pairs)],
            reversed_pairs=[Links.of_table(table, "candidate", "query") for table in pairs],
            systems=cache(lambda: _system_links(opening)),
        )
    )
    all_sets = dict.fromkeys(ids.image_ids) | dict(rows.sets)
    if opening.own is not None:
        all_sets |= {query: own for query, own in opening.own.sets.items() if query in all_sets}
    if sets is None:
        _report_no_concepts(opening, len(ids.image_ids) - (0 if ids.only is None else int(ids.only.sum())))
    concepts = ConceptSets.of(all_sets)
    if ids.only is not None:  # queries that are no images count in no frequency
        concepts = replace(concepts, only=ids.only, digest=digest_of(concepts.digest, ids.only))
    opening.concepts = opening.values["concepts"] = concepts
    opening.images = KnownIds(concepts.image_ids, opening.unknown)
    opening.queries = readonly(np.unique(np.concatenate([direction.queries for direction in ids.directions])))
    return True


def _concept_rows(opening: Opening) -> ConceptRows:
    """Concepts by image id, none when there is no such file; the scheme of the study is decided here: what
    ``study.toml`` says, else what the concepts are."""
    paths, scheme = opening.layout.files["concepts"], opening.layout.toml.scheme
    if paths and paths[0].suffix.lower() == ".parquet":
        shards = {opening.layout.name_of(path): path for path in sorted(paths)}
        rows = read_shards(shards, opening.problems, scheme=scheme)
        name = opening.layout.name_of(paths[0]) + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
        opening.parts["concepts", paths[0]] = Part(
            "concepts", name, "huggingface", rows.rows, bool(rows.rows)
        )
    else:
        rows = opening.read("concepts", scheme=scheme) or ConceptRows({}, 0, scheme or UMLS)
    opening.scheme, opening.concept_rows = scheme or rows.scheme, rows
    return rows


def _judgment_rows(opening: Opening) -> dict[str, tuple[str, Rows]]:
    """The kind and the rows of each file of judgments by its name; of two files of one name the first."""
    files: dict[str, tuple[str, Rows]] = {}
    for kind in ("judgments", "judges"):
        for rows in (opening.read(kind, path) for path in opening.layout.files[kind]):
            if rows is None:
                continue
            if (name := name_of_judgments(rows.file)) in files:
                message = "Another file of judgments is called '{value}' too; this one is left out."
                remedy = "Rename one of them, or write both into one file."
                opening.problems.of(rows.file).error("same-name", message, remedy, value=name)
            else:
                files[name] = kind, rows
    return files


def _shown(opening: Opening) -> set[str]:
    """The images that captions and pictures are of."""
    captions = opening.read("captions")
    ids = set() if captions is None else {*texts_in(captions)}
    places, pictures = opening.layout.files["images"], list[tuple[str, int, int]]()
    with suppress(Refused):
        pictures = pictures_in(places[0], Problems("")) if places else []
    for name in (Path(entry) for entry, _, _ in pictures):
        if ids.isdisjoint((name.name, name.stem, name.with_suffix("").as_posix())):
            ids.add(name.stem)
    return ids


def _labelled(opening: Opening) -> list[str]:
    """The ids that have labels or groups."""
    tables = [table for kind in ("labels", "groups") if (table := opening.read(kind)) is not None]
    return [image for table in tables if len(table.data.column_names) > 1 for image in table.texts("id")]


def _documents(opening: Opening) -> list[str]:
    """The ids in a corpus beside judgments."""
    texts = (opening.read("corpus", path) for path in opening.layout.files["corpus"])
    corpora = [corpus for corpus in texts if corpus is not None and not are_queries(corpus.file)]
    return [name for corpus in corpora for name in corpus.texts("id")]


def _system_links(opening: Opening) -> list[Links]:
    """What rankings and vectors link."""
    links = list[Links]()
    for files in opening.layout.systems.values():
        run, vectors = opening.system_file("run", files), opening.system_file("embeddings", files)
        links += [] if run is None else [Links.of_table(run, "query", "candidate")]
        if vectors is not None:
            queries = vectors.of_queries
            links.append(Links([*vectors.ids, *(queries.ids if queries else ())], vectors.ids, None))
    return links


def _report_no_concepts(opening: Opening, n: int) -> None:
    files = opening.layout.files
    kinds = ("captions", "images", "judgments", "judges", "pairs", "labels", "groups")
    about = next((path for kind in kinds for path in files[kind]), opening.layout.root)
    by = "judgments" if files["judgments"] or files["judges"] else "pairs or labels"
    remedy = "Find them in the captions (annotate), or add concepts.csv."
    if opening.scored:
        remedy = f"The study is scored by its {by}. To score by concepts too, add concepts.csv."
    message = "There is no file of concepts: none of the {n} images has any."
    opening.problems.of(opening.layout.name_of(about)).add_summary("no-concepts-yet", n, message, remedy)


def _read_queries(opening: Opening, known: ConceptsById) -> None:
    """The usable queries of ``queries.csv``, the ids of ``queries.txt`` and ``candidates.txt``, and the
    pairs, as far as there are such files. ``known``: concepts by image.

    A file called as pairs are that has other columns is none of the study.
    """
    queries = opening.read("queries", scheme=opening.scheme)
    if isinstance(queries, QueryRows) and queries.rows:
        usable = usable_queries(queries, opening.problems.of(queries.file), known)
        opening.own = usable if usable.kinds else None
    lists = {"queries": queries, "candidates": opening.read("candidates")}
    opening.lists = {kind: rows for kind, rows in lists.items() if isinstance(rows, Rows)}
    files = opening.layout.files
    tops = {path: guarded(Problems(""), partial(read_plain, path), b"") for path in files["pairs"]}
    headers = {path: header_of(data, PAIRS) for path, data in tops.items()}  # reported where the file is read
    kept = tuple(path for path, header in headers.items() if are_pairs(header))
    opening.layout = replace(opening.layout, files={**files, "pairs": kept})
    pairs = opening.read("pairs")
    opening.pairs = pairs if pairs is not None and pairs.rows else None


def open_study(path: str | Path, *, unknown: Unknown = "error") -> Study:
    """Which experiment does this folder hold?

    Parameters
    ----------
    path : the study folder.
    unknown : what to do with ids in runs and embeddings that are in no concept set. "error" reports
        them and leaves their rows out; "drop" leaves them out with a warning; "zero" keeps them in
        runs as results of relevance 0, with a warning.

    Returns
    -------
    The study with every part that could be read; ``report`` holds every problem. Graph, images,
    captions and labels are None, names and systems empty, where the folder has none that can be used.

    Raises
    ------
    InputError
        The folder does not exist or holds no readable concepts; it carries the report.
    SettingError
        ``unknown`` is none of its choices.
    """
    problems = Problems(TOML)
    layout = find_layout(Path(path), problems)
    return study_of(layout, problems, path=layout.root, unknown=unknown)


def study_of(layout: Layout, problems: Problems, *, path: Path | None, unknown: Unknown) -> Study:
    """The study of these files, what was wrong with finding them in front of its report.

    ``path``: its folder; None for a study in memory (see `in_memory`). Raises InputError as `open_study`.
    """
    opening = Opening(layout, problems, KINDS, unknown)
    if not read_basis(opening):
        raise _no_study(opening)
    values, directions = opening.values, opening.ids.directions
    for kind in KINDS.values():
        if kind.study_field:
            value = kind.read(opening) if kind.read else opening.bind(kind.name, opening.read(kind.name))
            values[kind.study_field] = value
    first, *more = directions
    if more:
        message = (
            f"The queries are asked in several directions. Open is {first.name}, with "
            f"{len(first.queries):,} queries over {len(first.candidates):,} candidates."
        )
        others = ", ".join(f"direction={direction.name}" for direction in more)
        remedy = f"For the others choose the queries by {others}."
        problems.of("pairs.csv").warning("several-directions", message, remedy)
    if path is not None:
        report_unread(opening.layout, problems)
    return Study(
        name=layout.toml.name or readable(layout.root.name),
        description=layout.toml.description,
        path=path,
        queries=first.queries,
        candidates=first.candidates,
        parts=tuple(opening.parts.values()),
        report=problems.report(),
        digest=_digest(values, directions),
        scheme=opening.scheme,
        directions=tuple(direction for direction in directions if direction.name),
        **values,
    )


def _digest(values: Mapping[str, Any], directions: Sequence[Direction]) -> str:
    """Of everything that the files hold; parts that a study does not have do not count."""
    parts = [
        text
        for part, value in values.items()
        if part not in ("reads", "baseline")
        for name, item in (value.items() if isinstance(value, Mapping) else [("", value)])
        if item is not None
        for text in (part, name, item if isinstance(item, str) else item.digest)
    ]
    sides = [
        item for direction in directions for item in (direction.name, direction.queries, direction.candidates)
    ]
    return digest_of(parts, *sides)


def _no_study(opening: Opening) -> InputError:
    """Why a folder is no study, with what is wrong in any of its files."""
    for kind, path in _files_without_images(opening.layout):
        opening.read(kind, path)
    report, where = opening.problems.report(), readable(str(opening.layout.root))
    remedy = (
        "A study needs a file concepts.csv with rows such as: image_1,C0040405;C0817096 (or, beside "
        "systems, judgments/NAME.qrels, pairs.csv or labels.csv)."
    )
    looked = "Only the folder itself and the folders concepts and data in it were looked through."
    if ("error", "malformed-cui") in {(kind, rule) for kind, _, rule in report.counts}:
        looked += ' If its concepts are ids of another vocabulary, write scheme = "ids" in study.toml.'
    return InputError(f"There are no readable concepts in {where}. {remedy} {looked}", report)


def _files_without_images(layout: Layout) -> Iterator[tuple[str, Path]]:
    """Kind and path of each file whose rows can be checked without knowing the images.

    Left out are the concepts, which were read, pictures, vectors, and files of the UMLS, which take minutes.
    """
    every = [(kind, path) for kind, paths in layout.files.items() for path in paths]
    every += [item for files in layout.systems.values() for item in files.items()]
    for kind, path in every:
        if kind not in ("concepts", "images", "ids", "embeddings") and ".rrf" not in path.name.lower():
            yield kind, path
