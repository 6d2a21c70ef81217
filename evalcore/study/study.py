"""A study folder becomes a ``Study``: its parts are found, read and bound to the images.

What cannot be used is reported and kept out; only a folder without readable concepts is no study. One that
has captions, pictures, judgments, or systems with pairs or labels, and no file of concepts is a study whose
images nobody annotated yet. Which ids are images, queries and candidates: see `study_ids`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args

from evalcore.graph.neighbour_lists import remember_neighbours_by
from evalcore.study.folder.layout import TOML, Layout, find_layout, is_reserved
from evalcore.study.folder.study_toml import is_title
from evalcore.study.folder.unread import report_unread
from evalcore.study.graphs.neighbours import stored_neighbours
from evalcore.study.objects import input_error, located, source_of
from evalcore.study.opening import PARTS, Opening, read_basis
from evalcore.study.parts.given_runs import read_given_run
from evalcore.study.parts.runs import bind_run, parse_run
from evalcore.study.saving import save
from evalcore.study.tables.frames import Frame
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace.file_names import readable
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError, Report, SettingError
from evalcore.values.model import Run, Study, SystemLook, provide
from evalcore.values.settings import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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


# A study with runs beside its systems that are no part of its folder.


def with_runs(study: Study, given: Mapping[str, Any], *, unknown: Unknown = "error") -> tuple[Study, Report]:
    """The study with a system more for each run: {name: what `objects` takes, or "-" for standard input}.

    Nothing is written; the digest of the study stays in front of the new one. A run that cannot be used is
    left out; the report holds the problems of all of them.

    Raises
    ------
    InputError
        The study has a system of that name already.
    """
    taken = [name for name in given if study.holds(name) or name in study.looks]
    if taken:
        raise InputError(f"The study has a system called {taken[0]} already. Give your run another name.")
    runs, report = dict(study.runs), Report()
    for name, value in given.items():
        run, problems = _given_run(study, name, value, unknown)
        report += problems
        if run is not None:
            runs[name] = run
    part = digest_of("runs", *(f"{name}:{runs[name].digest}" for name in given if name in runs))
    changed = replace(study, runs=MappingProxyType(runs), digest=f"{study.digest}+{part[:8]}")
    return changed, report


def _given_run(study: Study, name: str, value: Any, unknown: Unknown) -> tuple[Run | None, Report]:
    """A run from a file or from memory, over the images of the study; None when there is none."""
    how: Any = {"system": name, "image_ids": study.image_ids, "unknown": unknown, "queries": study.queries}
    if isinstance(value, str):
        return read_given_run(value, **how)
    if isinstance(value, Run):  # over the images of this study
        return replace(value, system=name), Report()
    argument = f"runs[{name!r}]"
    source, report = source_of(value, "run", argument, filled=True)
    if isinstance(source, Path):
        return read_given_run(str(source), **how)
    if source is None:
        return None, report
    assert isinstance(source, Frame), "runs are tables"
    rows, parsing = parse_run(source, file=argument)
    problems = Problems(argument)
    run = bind_run(rows, problems, **how)
    return run, located(parsing + problems.report(), {argument}, {"unknown-id": study.image_ids})


def _with_runs(study: Study, given: Mapping[str, Any], *, unknown: Unknown) -> Study:
    """The same, refused where anything is wrong; see `Study.with_runs`."""
    if unknown not in get_args(Unknown):
        raise SettingError("unknown", f"one of {', '.join(get_args(Unknown))}", unknown)
    odd = Problems("runs")
    for name in given:
        if not isinstance(name, str) or not is_title(name) or is_reserved(name, odd):
            rule = "Give it a name of one line, without @ in front."
            raise InputError(f"{name!r} cannot be the name of a system. {rule}")
    changed, report = with_runs(study, given, unknown=unknown)
    if report.total("error"):
        raise input_error("The runs cannot be used", report)
    whole = None if study.whole is None else with_runs(study.whole, given, unknown=unknown)[0]
    return replace(changed, whole=whole, over=None, report=study.report + report)


provide(with_runs=_with_runs, save=save)


# Does a system read captions? The concepts come from captions, so such a system sees part of the answer.

READS, PERHAPS = "reads captions", "reads captions?"
"""The remark wherever such a system is ranked: as ``study.toml`` says, or as its name suggests."""
_TEXT = re.compile(
    r"(?:^|[^a-z])"
    r"(?:captions?|text|txt|tf[-_ ]?idf|bm25|lsa|[a-z]*bert|word2vec|doc2vec|reports?)"
    r"(?:[^a-z]|$)",
    re.IGNORECASE,
)
"""Words in names of systems that work on text."""


def reads_captions(name: str, looks: Mapping[str, SystemLook]) -> bool:
    """Whether a system reads captions: as ``study.toml`` says (``reads``), else whether its name speaks of
    text.

    A system put together of others (``rrf:A+B``) reads what any of them reads. Rankings of the program's own
    (``@iou``) are marked as such elsewhere.

    >>> [reads_captions(name, {}) for name in ("caption-tfidf", "context_cnn", "rrf:hog+bm25")]
    [True, False, True]
    """
    if name in looks and looks[name].reads is not None:
        return "captions" in (looks[name].reads or ())
    how, colon, members = name.partition(":")
    if name.startswith("@"):
        return how == "@cosine" and bool(colon) and reads_captions(members, looks)
    if colon:
        return any(reads_captions(member, looks) for member in members.split("+"))
    key = looks[name].key if name in looks else ""
    return any(_TEXT.search(text) for text in (name, key))


def readers(names: Iterable[str], looks: Mapping[str, SystemLook]) -> list[str]:
    """Those of these systems that read captions, each once."""
    return [name for name in dict.fromkeys(names) if reads_captions(name, looks)]


def remark(name: str, looks: Mapping[str, SystemLook]) -> str:
    """`READS`, `PERHAPS` where only the name says so, or "".

    >>> remark("caption-tfidf", {}), remark("hog", {})
    ('reads captions?', '')
    """
    if not reads_captions(name, looks):
        return ""
    members = name.removeprefix("@cosine:").partition(":")[2].split("+") if ":" in name else [name]
    inputs = [looks[system].reads for system in (name, *members) if system in looks]
    return READS if any("captions" in (reads or ()) for reads in inputs) else PERHAPS


def in_words(names: Iterable[str], looks: Mapping[str, SystemLook]) -> str:
    """What must be said beside a ranking of these systems; "" where none of them reads captions."""
    reading = readers(names, looks)
    sure = [name for name in reading if remark(name, looks) == READS]
    unsure = [name for name in reading if name not in sure]
    return " ".join(
        [*_sentences(sure), *_sentences(unsure, "Judging by its name, ", "Judging by their names, ")]
    )


def _sentences(names: list[str], singular: str = "", many: str = "") -> list[str]:
    """What such systems see, one of them or many; none for none."""
    if not names:
        return []
    if len(names) == 1:
        who, they = f"{singular}{names[0]} reads", "its score is flattered"
    else:
        who, they = f"{many}{', '.join(names[:-1])} and {names[-1]} read", "their scores are flattered"
    return [f"{who} captions. If the concepts were taken from captions, {they}."]
