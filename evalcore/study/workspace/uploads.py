"""Single files become parts of an uploaded study: read and matched first, kept only when of use to it."""

from __future__ import annotations

from pathlib import Path

from evalcore.study.folder.layout import Layout, is_reserved, read_layout
from evalcore.study.parts.registry import IN_UPLOADS, KINDS, stem_of
from evalcore.study.tables.lines import unpack
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace.change import Change, changed, changing, staging
from evalcore.study.workspace.home import cannot_keep, check_may_change, make_folder, unused_study, write_new
from evalcore.study.workspace.image_uploads import check_own, put_images, ready_images
from evalcore.study.workspace.swap import forget, key_of, put_beside, put_named, put_of_system, put_one
from evalcore.study.workspace.upload_checks import Joined, check, joined
from evalcore.values import events
from evalcore.values.errors import Report, UnknownName
from evalcore.values.limits import check_file


def add_part(
    study: Path, kind: str, filename: str, data: bytes, *, system: str | None = None, in_place: bool = False
) -> Report:
    """Make a file part of an uploaded study, or of one opened in place where the user allows that.

    Parameters
    ----------
    study : its folder (``workspace.study_folder``); made when it is new.
    kind : one of ``registry.IN_UPLOADS``. Graph files, vectors of concepts and images add to those there
        are; any other file takes the place of the part of its kind.
    filename : what the user's file was called; only for messages, endings and default names.
    system : the system a run or embeddings belong to, by its name; by default named after the file.
    in_place : the user allows changes to this folder, which is no uploaded study.

    Returns
    -------
    The problems of the file, read and matched with the study. With a problem of rule "not-kept" nothing
    was written or changed: nothing in the file can be read, or nothing of it belongs to the study.

    Raises
    ------
    UnknownName
        There is no such kind.
    InputError
        The folder is neither one of the uploaded studies nor allowed, or cannot be written to. The file is
        larger, or the user of a server keeps more, than is allowed there.
    """
    _check(study, kind, in_place=in_place)
    return _add(study, kind, filename, data, system)[1]


def add_first_part(
    name: str, kind: str, filename: str, data: bytes, *, system: str | None = None
) -> tuple[Path | None, Report]:
    """Make a file the first part of a new study, under ``name`` or ``name_2`` and so on when that is taken.

    Returns its folder (None when nothing was kept) and the problems of the file; raises what
    ``add_part`` raises.
    """
    _check(unused_study(name), kind)
    return _add(name, kind, filename, data, system)


def has_part(study: Path, kind: str, *, system: str | None = None) -> bool:
    """Whether a study folder has a file of this kind (for ``system``, else for any system)."""
    if not study.is_dir():
        return False
    layout = _layout(study)
    if KINDS[kind].of_a_system:
        wanted = None if system is None else key_of(layout, _spelled(system))
        return any(layout.files_of(system, kind) for system in layout.systems if wanted in (None, system))
    return bool(layout.files[kind])


def known_as(study: Path, system: str) -> str:
    """The key that a study has for the system of this name, there or not."""
    return key_of(_layout(study), _spelled(system))


def remove_part(study: Path, kind: str, *, system: str | None = None, in_place: bool = False) -> None:
    """Remove all files of a kind from an uploaded study (of ``system``, for a run or embeddings).

    Raises what ``add_part`` raises; removing what is not there does nothing.
    """
    _check(study, kind, in_place=in_place)
    if not study.is_dir() or (KINDS[kind].of_a_system and system is None):
        return
    with changed(study, in_place=in_place, file=study.name) as change:
        if kind == "images":
            check_own(change)
        of_system = system is not None and KINDS[kind].of_a_system
        key = key_of(change.layout, _spelled(str(system))) if of_system else None
        paths = forget(change, kind, system=key)
        for number, path in enumerate(paths):
            path.rename(change.aside / str(number))
        for folder in {path.parent for path in paths} - {change.root}:
            if not any(folder.iterdir()):
                folder.rmdir()
        events.record("removed", study=study.name, kind=kind, system=system)


def not_kept(file: str) -> Report:
    """The problem that says an upload left no trace."""
    problems = Problems(file)
    message = f"{file} was not kept, because nothing in it can be used."
    problems.error("not-kept", message, "What was there before is unchanged.")
    return problems.report()


def _check(study: Path, kind: str, *, in_place: bool = False) -> None:
    if kind not in IN_UPLOADS:
        raise UnknownName("kind of part", kind, IN_UPLOADS)
    check_may_change(study, in_place=in_place)


def _spelled(system: str) -> str:
    return " ".join(system.split())


def _layout(study: Path) -> Layout:
    return read_layout(study)[0]


def _add(
    where: Path | str, kind: str, filename: str, data: bytes, system: str | None
) -> tuple[Path | None, Report]:
    """Into a study's folder, or into a new one of that name."""
    name = Path(filename.replace("\\", "/")).name or "file"
    check_file(name, len(data))
    system = _spelled(system or stem_of(name))
    problems = Problems(name)
    if KINDS[kind].of_a_system and is_reserved(system, problems):
        return None, problems.report() + not_kept(name)
    try:
        with staging(where if isinstance(where, Path) else None) as aside:
            there = isinstance(where, Path) and where.is_dir() and kind != "graph"
            to_join = joined(_layout(Path(where))) if there else None
            ready, place, report = _ready(kind, name, data, system, to_join, aside)
            if ready is None:
                return None, report
            with changing():
                study = where if isinstance(where, Path) else unused_study(where)
                new = not study.is_dir()
                into = aside / "study" if new else study
                make_folder(into)
                problems = _put(into, aside, kind, ready, place, system, name)
                if new:
                    into.rename(study)  # whole from its first moment
            return study, report + problems.report()
    except OSError as reason:
        raise cannot_keep(name, reason) from reason


def _ready(
    kind: str, name: str, data: bytes, system: str, study: Joined | None, aside: Path
) -> tuple[Path | None, str, Report]:
    """The file, or the folder of images, as it will be moved into the study; None when it is not kept."""
    if kind == "images":
        ids = None if study is None else study.concepts.image_ids
        pictures, report = ready_images(name, data, image_ids=ids, aside=aside)
        return pictures, "", report
    plain = unpack(data, Problems(name)) or data
    place, report = check(kind, name, plain, system=system, study=study, aside=aside)
    if place is None:
        return None, "", report + not_kept(name)
    ready = aside / "ready"
    write_new(ready, plain)
    return ready, place, report


def _put(study: Path, aside: Path, kind: str, ready: Path, place: str, system: str, name: str) -> Problems:
    change = Change.of(study, aside, file=name)
    change.shared_as_around(ready)
    if kind == "images":
        put_images(change, ready)
    elif KINDS[kind].of_a_system:
        put_of_system(change, kind, ready, place, system)
    elif kind in ("graph", "concept_vectors", "judgments", "judges"):
        put_beside(change, kind, ready, place)
    elif place.endswith(".parquet"):
        tables = [path for path in change.layout.files[kind] if path.suffix.lower() != ".parquet"]
        (put_named if tables else put_beside)(change, kind, ready, place)
    else:
        put_one(change, kind, ready, place)
    return change.problems
