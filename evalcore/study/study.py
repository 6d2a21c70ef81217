"""A study folder becomes a ``Study``: its parts are found, read and bound to the images.

What cannot be used is reported and kept out; only a folder without readable concepts is no study. One that
has captions, pictures, judgments, or systems with pairs or labels, and no file of concepts is a study whose
images nobody annotated yet. Which ids are images, queries and candidates: see `study_ids`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from evalcore.graph.neighbour_lists import remember_neighbours_by
from evalcore.study.folder.layout import TOML, Layout, find_layout
from evalcore.study.given_runs import refusing_runs
from evalcore.study.graphs.neighbours import stored_neighbours
from evalcore.study.opening import PARTS, Opening, read_basis
from evalcore.study.parts.recognise import report_unread
from evalcore.study.saving import save
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace.file_names import readable
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError, SettingError
from evalcore.values.model import Study, provide
from evalcore.values.settings import Unknown

remember_neighbours_by(stored_neighbours)


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
    if unknown not in get_args(Unknown):
        raise SettingError("unknown", f"one of {', '.join(get_args(Unknown))}", unknown)
    problems = Problems(TOML)
    layout = find_layout(Path(path), problems)
    return study_of(layout, problems, path=layout.root, unknown=unknown)


def study_of(layout: Layout, problems: Problems, *, path: Path | None, unknown: Unknown) -> Study:
    """The study of these files, what was wrong with finding them in front of its report.

    ``path``: its folder; None where there is none (see `in_memory`). Raises InputError as `open_study`.
    """
    opening = Opening(layout, problems, unknown)
    if not read_basis(opening):
        raise _no_study(opening)
    values = opening.values
    for name, read in PARTS.items():
        values[name] = read(opening)
    ids = values.pop("ids")
    first, *more = ids.directions
    if more:
        others = ", ".join(f"direction={direction.name}" for direction in more)
        message = (
            f"The queries are asked in several directions. Open is {first.name}, with "
            f"{len(first.queries):,} queries over {len(first.candidates):,} candidates."
        )
        remedy = f"For the others choose the queries by {others}."
        problems.of("pairs.csv").warning("several-directions", message, remedy)
    if path is not None:
        report_unread(opening.layout, problems)
    return Study(
        name=layout.toml.name or readable(layout.root.name),
        description=layout.toml.description,
        path=path,
        queries=ids.queries,
        candidates=ids.candidates,
        parts=tuple(opening.parts),
        report=problems.report(),
        digest=_digest(values, ids.digested),
        scheme=opening.scheme,
        directions=ids.several,
        **values,
    )


def _digest(values: Mapping[str, Any], of_ids: Sequence[Any]) -> str:
    """Of everything that the files hold; parts that a study does not have do not count."""

    def of(word: str, part: Any) -> list[str]:
        return [] if part is None else [f"{word}:{part.digest}"]

    first = (values["captions"], values["labels"], values["graph"] or values["neighbours"], values["images"])
    return digest_of(
        values["concepts"].digest,
        *(None if part is None else part.digest for part in first),
        list(values["names"]),
        list(values["names"].values()),
        *of_ids,
        *(f"run:{name}:{run.digest}" for name, run in values["runs"].items()),
        *(f"embeddings:{name}:{table.digest}" for name, table in values["embeddings"].items()),
        *of("groups", values["groups"]),
        *(f"concept_vectors:{name}:{vectors.digest}" for name, vectors in values["concept_vectors"].items()),
        *of("kinds", values["kinds"]),
        *(f"seeds:{name}:{len(names)}" for name, names in values["seeds"].items()),
        *(f"qrels:{name}:{q.by_program}:{q.judged.digest}" for name, q in values["qrels"].items()),
        *of("queries", values["own_queries"]),
        *of("pairs", values["pairs"]),
    )


def _no_study(opening: Opening) -> InputError:
    """Why a folder is no study, with what is wrong in it."""
    report, where = opening.problems.report(), readable(str(opening.layout.root))
    remedy = (
        "A study needs a file concepts.csv with rows such as: image_1,C0040405;C0817096 (or, beside "
        "systems, judgments/NAME.qrels, pairs.csv or labels.csv)."
    )
    looked = "Only the folder itself and the folders concepts and data in it were looked through."
    if ("error", "malformed-cui") in {(kind, rule) for kind, _, rule in report.counts}:
        looked += ' If its concepts are ids of another vocabulary, write scheme = "ids" in study.toml.'
    return InputError(f"There are no readable concepts in {where}. {remedy} {looked}", report)


provide(with_runs=refusing_runs, save=save)
