"""A study of what is in memory: DataFrames, dicts, arrays, runs of other programs, and paths of files.

    study = make_study(concepts={"a": ["C0040405"], "b": ["C0817096"]}, runs={"cnn": {"a": {"b": 0.7}}})

Every part becomes a table (see `parts.kind`) that is checked as that of a file in a study folder is: numbers
and the digest are those of the folder, to the last digit; messages name rows in place of lines.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evalcore.study.folder.layout import is_reserved, is_title
from evalcore.study.parts.kind import Layout, StudyToml
from evalcore.study.parts.registry import KINDS, OF_A_STUDY
from evalcore.study.study import study_of
from evalcore.study.tables.files import content_of, virtual_files
from evalcore.study.tables.problems import Problems, input_error, located, truncate
from evalcore.values.concept_scheme import NAMED, scheme_named
from evalcore.values.errors import InputError, Report, SettingError
from evalcore.values.model import Study
from evalcore.values.settings import Unknown

ROOT = Path("memory")
"""The folder that the parts would lie in."""


def make_study(
    *,
    concepts: Any = None,
    labels: Any = None,
    graph: Any = None,
    names: Any = None,
    groups: Any = None,
    queries: Any = None,
    candidates: Any = None,
    pairs: Any = None,
    captions: Any = None,
    kinds: Any = None,
    images: str | os.PathLike[str] | None = None,
    vectors: Mapping[str, Any] | None = None,
    runs: Mapping[str, Any] | None = None,
    judgments: Mapping[str, Any] | None = None,
    judges: Mapping[str, Any] | None = None,
    name: str = "study",
    description: str = "",
    baseline: str = "",
    scheme: str | None = None,
    unknown: Unknown = "error",
) -> Study:
    """Which experiment do these tables hold? As `open_study`, without a folder.

    Every part may also be the path of a file that a study folder could hold in its place. Which ids are
    images, queries and candidates: see `study.settle_ids`.

    Parameters
    ----------
    concepts
        {image: concepts}, None for an image nobody annotated; or a DataFrame with the columns ID and CUIs
        (one row per image, a list or a text with ";" between), or ID and CUI (one row per concept), where an
        empty cell means annotated with nothing. It may be left out where captions or images say which images
        there are, or systems are scored by judgments, pairs or labels.
    labels
        A DataFrame with the column ID and one per label type; or {image: {label type: value or values}}.
    graph
        is_a links: a DataFrame with the columns child and parent (and source, rela), pairs (child, parent),
        {child: parents}, a networkx DiGraph from child to parent; a list of paths.
    names, kinds, captions
        {concept: name}, {concept: kind}, {image: caption}; or DataFrames with such two columns.
    groups
        Images that are not independent: {image: group}, a DataFrame with the columns ID and, say, patient, or
        the name of a label type.
    queries, candidates
        Ids of images; every image by default. Queries that are not images: a DataFrame with the columns id,
        kind (image, text, report, image+text), text, image and concepts, or {id: {"kind": ..., "text": ...}};
        further columns are labels.
    pairs
        What each query was matched with: pairs (query, candidate), {query: candidates} or a DataFrame.
    images
        The folder, or the zip, of the pictures.
    vectors
        By system: (ids, array of shape (n, d)), {image: vector}, a DataFrame, or the path of a file.
    runs
        By system: a DataFrame with the columns query_id, doc_id and score (and other usual names);
        {query: {result: score}}; a ``ranx.Run``; rows or arrays of queries, results and scores; the path of a
        run file.
    judgments, judges
        Judgments of others by the name of the relevance ``qrels:NAME``, of people and of programs: {query:
        {result: grade}}; a DataFrame with the columns query, result and value, and reader or judge where
        there are several; the path of a file.
    name, description, baseline, scheme
        As in ``study.toml``.
    unknown
        What to do with ids in runs and vectors that are in no concept set: see `open_study`.

    Returns
    -------
    The study; ``report`` holds the warnings. Ids are compared as texts.

    Raises
    ------
    InputError
        Whatever a study folder would have errors about, all of it at once: ids that no image has (with the
        nearest ones there are), malformed concepts, scores that are no numbers, tables without the columns
        that are needed.
    SettingError
        ``unknown`` or ``scheme`` is none of its choices.
    """
    if scheme is not None and (called := scheme_named(scheme)) is None:
        raise SettingError("scheme", f"one of {', '.join(NAMED)}, or the prefix of CURIEs such as HP", scheme)
    of_a_column = isinstance(groups, str) and not Path(groups).is_file()
    several = isinstance(graph, (list, tuple)) and all(isinstance(part, (str, os.PathLike)) for part in graph)
    of_a_study: list[tuple[str, str, Any]] = [
        ("concepts", "concepts", concepts),
        ("labels", "labels", labels),
        ("names", "names", names),
        ("groups", "groups", None if of_a_column else groups),
        ("queries", "queries", queries),
        ("candidates", "candidates", candidates),
        ("pairs", "pairs", pairs),
        ("captions", "captions", captions),
        ("concept_kinds", "kinds", kinds),
        ("images", "images", images),
        *(("graph", "graph", part) for part in (graph if several else [graph])),
    ]
    for kind, by_name in (("judgments", judgments), ("judges", judges)):
        of_a_study += [
            (kind, f"{kind}/{key}.csv", value) for key, value in parts_by_name(by_name, kind).items()
        ]
    problems, in_memory = Problems("make_study"), dict[str, Any]()
    files: dict[str, tuple[Path, ...]] = dict.fromkeys(OF_A_STUDY, ())
    systems: dict[str, dict[str, Path]] = {}
    for kind, file, value in of_a_study:
        if value is not None:
            files[kind] += _place(value, kind, file, in_memory, problems)
    for kind, argument, by_system in (("run", "runs", runs), ("embeddings", "vectors", vectors)):
        for system, value in parts_by_name(by_system, argument).items():
            of_system = problems.of(f"{argument}[{truncate(system)!r}]")
            if not isinstance(system, str) or not (is_title(system) or system.startswith("@")):
                message = f"{truncate(system)!r} cannot be the name of a system."
                of_system.error("bad-name", message, "Give it a name of one line, without spaces around it.")
            elif not is_reserved(system, of_system):
                for path in _place(value, kind, of_system.file, in_memory, problems):
                    systems.setdefault(system, {})[kind] = path
    toml = StudyToml(
        name=name,
        description=description,
        baseline=baseline,
        group=groups if of_a_column else "",
        scheme=None if scheme is None else called,
    )
    layout = Layout(ROOT, toml, files, systems)
    sources = {ROOT / file: source for file, source in in_memory.items()}
    tables = {file for file, source in in_memory.items() if not isinstance(source, bytes)}
    try:
        with virtual_files(sources):
            study = study_of(layout, problems, path=None, unknown=unknown)
    except InputError as reason:
        refusals = located(reason.report or Report(), tables)
        what = "There are no readable concepts in `concepts`"
        raise input_error(what, refusals) if refusals.total("error") else InputError(f"{what}.") from None
    report = located(study.report, tables)
    if report.total("error"):
        raise input_error("The study cannot be made", report)
    return replace(study, report=report)


def parts_by_name(by_name: Any, argument: str) -> Mapping[Any, Any]:
    """What an argument holds by name; InputError where it is no mapping."""
    if not isinstance(by_name or {}, Mapping):
        raise InputError(f"`{argument}` is a {type(by_name).__name__}. Give {{name: its {argument}}}.")
    return by_name or {}


def _place(
    value: Any, kind: str, file: str, in_memory: dict[str, Any], problems: Problems
) -> tuple[Path, ...]:
    """Where a part lies, in memory or on the disk; nowhere, with an error, where it cannot be such a part."""
    if kind in ("judgments", "judges") and isinstance(value, (str, os.PathLike)):
        in_memory[file] = content_of(Path(value), file)  # called as it was given, whatever its file is called
        return (ROOT / file,)
    source = KINDS[kind].source_of(value, problems.of(file), filled=KINDS[kind].of_a_system)
    if source is None or isinstance(source, Path):
        return () if source is None else (source,)
    in_memory[file] = source
    return (ROOT / file,)
