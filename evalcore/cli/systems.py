"""``systems``: what a study calls its systems and how it shows them; renamed, ordered, removed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import as_json, example
from evalcore.cli.output import complain, emit, mention
from evalcore.cli.study_request import on_study
from evalcore.results.rows import Column, Table, plain, titled, whole
from evalcore.study import open_study
from evalcore.study.workspace import workspace
from evalcore.study.workspace.removed import size_of
from evalcore.values.errors import UnknownName
from evalcore.values.writing import file_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evalcore.cli.study_request import StudyRequest
    from evalcore.values.model import Study

_PAIRS = {"rename": "title", "notes": "notes"}


@example("systems sample")
@on_study()
@click.option("--rename", multiple=True, metavar="NAME=NEW", help="Its new name; its folder is unchanged.")
@click.option("--notes", multiple=True, metavar="NAME=TEXT", help="Notes beside the system.")
@click.option(
    "--order", multiple=True, metavar="NAME", help="List systems in this order, all others after them."
)
@click.option("--remove", multiple=True, metavar="NAME", help="Remove it; a system is kept for 30 days.")
@click.option("--bring-back", multiple=True, metavar="NAME", help="Undo the last removal of this name.")
def systems(
    request: StudyRequest,
    order: tuple[str, ...],
    remove: tuple[str, ...],
    bring_back: tuple[str, ...],
    **given: tuple[str, ...],
) -> None:
    """List the systems of STUDY, or change them.

    With options, study.toml and the folder are changed first. Comments in study.toml are kept. NAME is a
    system's name or its key (its folder below systems/).
    """
    folder = Path(request.folder)
    in_place = not workspace.is_uploaded(folder)
    for name in bring_back:
        _brought_back(folder, name)
    study = open_study(folder, unknown=request.view.unknown)
    descriptions = _said(study, given, order)
    if descriptions:
        mention(workspace.describe(folder, descriptions, in_place=in_place))
    for name in remove:
        removed = workspace.remove_system(folder, name, in_place=in_place)
        days = removed.days_left
        complain(f"Removed {removed.name}; --bring-back {removed.name!r} undoes it for {days} days.")
    if descriptions or remove:
        study = open_study(folder, unknown=request.view.unknown)
    rows = [_row(study, name) for name in study.systems]
    table = Table(rows, (*_COLUMNS, _SEEDS) if study.seeds else _COLUMNS)
    shown: list[str | Table] = [table] if rows else ["The study has no systems."]
    request.emit({"study": study.name, "digest": study.digest, "systems": table}, shown)


@example("studies")
@click.command()
@click.option("--remove", multiple=True, metavar="NAME", help="Remove it; a study is kept for 30 days.")
@click.option("--bring-back", multiple=True, metavar="NAME", help="Undo the last removal of this name.")
@as_json
def uploaded(remove: tuple[str, ...], bring_back: tuple[str, ...], json_wanted: bool) -> None:
    """List the studies that were uploaded on the pages.

    And those deleted within 30 days.

    With options, studies are deleted or brought back first. A study opened in place is never deleted.
    """
    for name in bring_back:
        folder = workspace.restore_study(_deleted(name))
        complain(f"Brought back {workspace.readable(folder.name)}.")
    for name in remove:
        there = {workspace.readable(path.name): path for path in workspace.studies()}
        if name not in there:
            raise UnknownName("uploaded study", name, there)
        days = workspace.delete_study(there[name]).days_left
        complain(f"Removed {name}; --uploaded --bring-back {name!r} undoes it for {days} days.")
    rows = [
        {"study": workspace.readable(path.name), "bytes": size_of(path), "days_left": None}
        for path in workspace.studies()
    ]
    rows += [
        {"study": workspace.readable(one.name), "bytes": one.size, "days_left": one.days_left}
        for one in workspace.deleted_studies()
    ]
    table = Table(rows, _UPLOADED)
    emit({"studies": table}, [table] if rows else ["No study was uploaded."], json=json_wanted)


def _deleted(name: str) -> workspace.Removed:
    """The study of a name that was deleted last; UnknownName where there is none."""
    deleted = workspace.deleted_studies()
    for one in deleted:
        if workspace.readable(one.name) == name:
            return one
    raise UnknownName("deleted study", name, [workspace.readable(one.name) for one in deleted])


def _brought_back(folder: Path, name: str) -> None:
    removed = workspace.removed_systems(folder)
    for removal in removed:
        if removal.name == name:
            workspace.restore_system(removal)
            return
    raise UnknownName("removed system", name, [removal.name for removal in removed])


def _said(
    study: Study, given: Mapping[str, Iterable[str]], order: Iterable[str]
) -> dict[str, dict[str, str | int | None]]:
    """What is to be said about each system, by name."""
    descriptions: dict[str, dict[str, str | int | None]] = {}
    for option, field in _PAIRS.items():
        for pair in given[option]:
            name, value = _split(study, pair, option)
            descriptions.setdefault(name, {})[field] = value
    first = [study.called(name) for name in order]
    for place, name in enumerate(
        [*first, *(system for system in study.systems if system not in first)] if first else [], 1
    ):
        descriptions.setdefault(name, {})["order"] = place
    return descriptions


def _split(study: Study, pair: str, option: str) -> tuple[str, str]:
    """NAME=VALUE; the name may hold = too, so the longest one the study knows counts."""
    known = {*study.systems, *(look.key for look in study.looks.values())}
    cuts = [at for at, sign in enumerate(pair) if sign == "="]
    if not cuts:
        raise click.BadParameter(f"{pair!r} is not of the form NAME=VALUE.", param_hint=f"--{option}")
    at = next((at for at in reversed(cuts) if pair[:at] in known), cuts[0])
    return study.called(pair[:at]), pair[at + 1 :]


def _row(study: Study, name: str) -> dict[str, Any]:
    look, vectors = study.looks[name], study.embeddings.get(name)
    seeds = study.seeds.get(name, ())
    runs = [study.runs[seed] for seed in seeds or (name,) if seed in study.runs]
    return {
        "system": name,
        "key": look.key,
        "order": look.order,
        "notes": look.notes,
        "results": sum(len(run.candidates) for run in runs),
        "seeds": len(seeds),
        "vectors": 0 if vectors is None else int((vectors.rows >= 0).sum()),
    }


def _or_none(value: Any) -> str:
    return "-" if value in (None, "") else plain(str(value))


_SEEDS = Column("seeds", None, "seeds", whole)
_COLUMNS = (
    *titled("system", "key"),
    *titled("results", "vectors", text=whole),
    *titled("order", "notes", text=_or_none),
)
_UPLOADED = (
    *titled("study"),
    Column("bytes", None, "size", file_size),
    Column("days_left", None, "deleted, days left", _or_none),
)
