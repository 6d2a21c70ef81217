"""Single files become parts of an uploaded study: read and matched first, kept only when of use to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evalcore.study import open_study
from evalcore.study.concepts.concepts import ConceptRows, read_shards
from evalcore.study.folder.layout import is_reserved, read_layout
from evalcore.study.opening import Opening, read_basis
from evalcore.study.parts.reading import custom_format, parse_once
from evalcore.study.parts.recognise import UNKNOWN
from evalcore.study.parts.registry import IN_UPLOADS, KINDS, StudyContext, stem_of
from evalcore.study.tables.files import unpack
from evalcore.study.tables.ids import explain_id_mismatch
from evalcore.study.tables.problems import Problems, guarded
from evalcore.study.workspace.change import Change, changed, staging
from evalcore.study.workspace.file_names import safe_name
from evalcore.study.workspace.folders import unused_study
from evalcore.study.workspace.home import keeping, make_folder, write_new
from evalcore.study.workspace.image_uploads import put_images, ready_images
from evalcore.study.workspace.recognise import STUDY, Recognised
from evalcore.study.workspace.swap import key_of, put
from evalcore.study.workspace.zips import add_study_zip
from evalcore.values import events
from evalcore.values.account import check_file
from evalcore.values.errors import InputError, Report, UnknownName


def add_part(
    study: Path, kind: str, filename: str, data: bytes, *, system: str | None = None, in_place: bool = False
) -> Report:
    """Make a file part of an uploaded study, or of one opened in place where the user allows that.

    Parameters
    ----------
    study : its folder (``folders.study_folder``), which must be there: `add_first_part` makes a new one.
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
        The folder is neither one of the uploaded studies nor allowed, is not there (any more), or cannot be
        written to. The file is larger than a server allows.
    """
    name = _checked(kind, filename, data)
    with changed(study, in_place=in_place, file=name, what=name) as change:
        return _add(change, kind, name, data, system)


def add_first_part(
    name: str, kind: str, filename: str, data: bytes, *, system: str | None = None
) -> tuple[Path | None, Report]:
    """Make a file the first part of a new study, under ``name`` or ``name_2`` and so on when that is taken.

    Returns its folder (None when nothing was kept) and the problems of the file; raises what
    ``add_part`` raises.
    """
    file = _checked(kind, filename, data)
    with keeping(file), staging() as aside:
        new = aside / "study"
        make_folder(new)
        report = _add(Change(read_layout(new)[0], aside, Problems(file)), kind, file, data, system)
        if not any(new.iterdir()):
            return None, report
        return new.rename(unused_study(name)), report  # whole from its first moment


def _checked(kind: str, filename: str, data: bytes) -> str:
    """The name of a file without folders; raises for unknown kinds and files that are too large."""
    if kind not in IN_UPLOADS:
        raise UnknownName("kind of part", kind, IN_UPLOADS)
    name = Path(filename.replace("\\", "/")).name or "file"
    check_file(name, len(data))
    return name


def _add(change: Change, kind: str, name: str, data: bytes, system: str | None) -> Report:
    """A file into the study that changes; with a problem of rule "not-kept" nothing changes."""
    system = _one_line(system or stem_of(name))
    if KINDS[kind].of_a_system and is_reserved(system, change.problems):
        return change.problems.report() + _not_kept(name)
    opening = Opening(change.layout, Problems(""))
    has_basis = kind != "graph" and read_basis(opening) and bool(change.layout.files["concepts"])
    study = opening if has_basis and opening.concepts.vocabulary else None
    if kind == "images":
        ids = None if study is None else study.concepts.image_ids
        pictures, report = ready_images(name, data, image_ids=ids, aside=change.aside)
        if pictures is not None:
            change.share_as_around(pictures)
            put_images(change, pictures)
        return report + change.problems.report()
    plain = unpack(data, Problems(name)) or data
    place, report = _place_of(change, kind, name, plain, system, study)
    if place is None:
        return report + _not_kept(name)
    put(change, kind, change.ready(plain), place, system)
    return report + change.problems.report()


def _not_kept(file: str) -> Report:
    """The problem that says an upload left no trace."""
    problems = Problems(file)
    message = f"{file} was not kept, because nothing in it can be used."
    problems.error("not-kept", message, "What was there before is unchanged.")
    return problems.report()


def _place_of(
    change: Change, kind: str, name: str, data: bytes, system: str, study: Opening | None
) -> tuple[str | None, Report]:
    """Where a file belongs, and what is wrong with it: a place in the study folder, or in that of its system.

    None where nothing of it is usable, by itself or in the ``study`` that it must match (None: there is
    nothing to match yet).
    """
    part = KINDS[kind]
    if kind == "concepts":
        value, report = _concepts(change, name, data)
        usable = part.used(value)
        if usable and study is not None and _replaces_all_images(value, data, study):
            usable, report = False, report + _other_images(name, value, study)
    else:
        value, report = parse_once(part.parser_of(name), data, file=name)
        usable = part.used(value)
        if usable and study is not None:
            graph = bool(study.layout.files["graph"])
            target = StudyContext(study.concepts, study.queries, with_graph=graph, system=system)
            bound, problems = guarded(name, lambda problems: part.bind(value, problems, target), None)
            usable, report = bound is not None and part.useful(bound), report + problems
    if not usable or part.place is None:
        return None, report
    custom = custom_format(kind, name)
    return part.place(name, data, value) if custom is None else f"{kind}{custom.ending}", report


def _concepts(change: Change, name: str, data: bytes) -> tuple[ConceptRows, Report]:
    """The concepts of a table, or of a shard, which is read from a file."""
    if data[:4] != b"PAR1":
        return parse_once(
            KINDS["concepts"].parser_of(name), data, file=name, scheme=change.layout.toml.scheme
        )
    shard, problems = change.aside / "shard" / safe_name(name), Problems(name)
    write_new(shard, data)
    return read_shards([shard], problems, root=shard.parent).concepts, problems.report()


def _replaces_all_images(rows: ConceptRows, data: bytes, study: Opening) -> bool:
    """Whether concepts would take the place of those of the study and leave parts of it without any image."""
    is_shard = data[:4] == b"PAR1" and study.layout.files["concepts"][0].suffix == ".parquet"
    if is_shard or not rows.sets.keys().isdisjoint(study.concepts.image_ids):
        return False
    try:
        now = open_study(study.layout.root)
    except InputError:
        return False
    captions = now.captions is not None and any(text is not None for text in now.captions.texts)
    labels = any(len(column.indices) for column in now.label_columns.values())
    return bool(now.systems or captions or labels or now.images)


def _other_images(file: str, rows: ConceptRows, study: Opening) -> Report:
    problems = Problems(file)
    n, example = len(rows.sets), next(iter(rows.sets))
    message = f"None of its {n:,} images is one of the study, whose other files would belong to no image."
    remedy = (
        explain_id_mismatch(list(rows.sets), study.concepts.image_ids)
        or "Make a new study of it, or correct its ids."
    )
    problems.error("other-images", message, remedy, value=example, count=n)
    return problems.report()


def has_part(study: Path, kind: str, *, system: str | None = None) -> bool:
    """Whether a study folder has a file of this kind (for ``system``, else for any system)."""
    if not study.is_dir():
        return False
    layout = read_layout(study)[0]
    if KINDS[kind].of_a_system:
        wanted = None if system is None else key_of(layout, _one_line(system))
        return any(layout.files_of(system, kind) for system in layout.systems if wanted in (None, system))
    return bool(layout.files[kind])


def _one_line(system: str) -> str:
    return " ".join(system.split())


@dataclass(frozen=True, slots=True)
class Added:
    """What became of several files: the study's folder (None: none was made), and those kept and refused."""

    folder: Path | None
    kept: tuple[str, ...]
    refused: tuple[str, ...]
    report: Report


def add_files(files: Sequence[Recognised], into: Path | str, *, in_place: bool = False) -> Added:
    """Keep recognised files, in their order, in a study's folder or in a new study of that name.

    Files of no known part are left out. Each file is kept or refused on its own; what cannot be kept is
    reported (rule "not-kept"), and what was there before is unchanged then. A whole study in a zip is a new
    study; where no folder is given, the other files join it. Raises what `add_part` raises for the folder.
    """
    folder = into if isinstance(into, Path) else None
    kept: list[str] = []
    refused: list[str] = []
    reports: list[Report] = []
    for file in files:
        if file.kind == UNKNOWN:
            continue
        name, system = Path(file.file).name, file.system or None
        new: Path | None
        try:
            if file.kind == STUDY:
                new, report = add_study_zip(safe_name(Path(name).stem), file.data)
            elif folder is None:
                new, report = add_first_part(str(into), file.kind, name, file.data, system=system)
            else:
                report = add_part(folder, file.kind, name, file.data, system=system, in_place=in_place)
                new = folder
        except InputError as reason:
            problems = Problems(name)
            problems.error("not-kept", str(reason), "What was there before is unchanged.")
            new, report = None, problems.report() + (reason.report or Report())
        lost = new is None or any(rule == "not-kept" for _, _, rule in report.counts)
        (refused if lost else kept).append(file.file)
        if new is not None and not lost:
            events.record("uploaded", study=new.name, kind=file.kind, file=name, bytes=len(file.data))
        folder = folder if lost else folder or new
        reports.append(report)
    return Added(folder if kept else None, tuple(kept), tuple(refused), Report.joined(reports))
