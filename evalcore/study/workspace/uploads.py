"""Files become parts of an uploaded study: read and matched first, kept only when of use to it. Whole
studies come in and go out as one zip."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from evalcore.study import open_study
from evalcore.study.folder.layout import find_layout, is_reserved
from evalcore.study.parts.concepts import ConceptRows
from evalcore.study.parts.images import ENDINGS_IMAGE_FILES, MAX_FILE, find_images, is_picture
from evalcore.study.parts.kind import TOML, Opening, parse_source, stem_of
from evalcore.study.parts.recognise import STUDY, UNKNOWN, Recognised
from evalcore.study.parts.registry import IN_UPLOADS, KINDS
from evalcore.study.pixels import check_header
from evalcore.study.study import read_basis
from evalcore.study.tables.archives import MAX_ENTRIES, inner, unpack
from evalcore.study.tables.files import content_of
from evalcore.study.tables.files import unpack as unpack_file
from evalcore.study.tables.ids import explain_id_mismatch
from evalcore.study.tables.problems import Problems, Refused, guarded
from evalcore.study.workspace.change import Change, changed, name_in, put_part
from evalcore.study.workspace.file_names import picture_name, readable, safe_name
from evalcore.study.workspace.home import flush, unused, write_new
from evalcore.values import events
from evalcore.values.account import check_file, is_served
from evalcore.values.errors import InputError, Report, UnknownName
from evalcore.values.writing import file_size

_UNCHANGED = "what was there before is unchanged."


def add_part(
    into: Path | str, kind: str, filename: str, data: bytes, *, system: str = "", in_place: bool = False
) -> tuple[Path | None, Report]:
    """Make a file part of an uploaded study, of a new one, or of a folder opened in place, if allowed; or a
    whole study in a zip a new one.

    Parameters
    ----------
    into : the folder of a study (see ``home.study_folder``), which must be there; or the name of a new one,
        which is ``name_2`` and so on when that is taken.
    kind : one of ``registry.IN_UPLOADS``, or ``STUDY``. Graph files, vectors of concepts, judgments and
        images add to those there are; any other file takes the place of the part of its kind.
    filename : what the user's file was called; only for messages, endings and default names.
    system : the system a run or embeddings belong to, by its name; by default named after the file.
    in_place : the user allows changes to this folder, which is no uploaded study; a file of it is replaced
        by one of its name alone.

    Returns
    -------
    folder : of the study; None where nothing was written or changed: nothing in the file can be read, or
        nothing of it belongs to the study. Then there is a problem of rule "not-kept".
    report : the problems of the file, read and matched with the study.

    Raises
    ------
    UnknownName
        There is no such kind.
    InputError
        The folder is neither one of the uploaded studies nor allowed, is not there (any more), or cannot be
        written to. The file is larger than a server allows.
    """
    if kind not in (*IN_UPLOADS, STUDY):
        raise UnknownName("kind of part", kind, IN_UPLOADS)
    name = Path(filename.replace("\\", "/")).name or "file"
    check_file(name, len(data))
    kept = None
    with changed(into, in_place=in_place, file=name, what=name) as change, suppress(Refused):
        _add(change, kind, data, system)
        kept = change.study
    return kept, change.problems.report()


def _add(change: Change, kind: str, data: bytes, called: str) -> None:
    """A file into the study that changes; refused, with a problem that says why, where it is of no use."""
    if kind == STUDY:
        _unpack_study(change, data)
        return
    part, layout, problems, name = KINDS[kind], change.layout, change.problems, change.problems.file
    system = " ".join((called or stem_of(name)).split()) if part.of_a_system else ""
    if system and is_reserved(system, problems):
        _refuse(problems)
    opening = Opening(layout, Problems(""), KINDS)
    has_basis = kind != "graph" and read_basis(opening) and bool(layout.files["concepts"])
    study = opening if has_basis and opening.concepts.vocabulary else None
    if kind == "images":
        ids = None if study is None else study.concepts.image_ids
        _put_images(change, ready_images(data, problems, image_ids=ids, aside=change.aside))
        return
    plain = guarded(Problems(name), partial(unpack_file, data), data)
    scheme = {"scheme": layout.toml.scheme} if kind == "concepts" else {}
    value: Any = parse_source(part.parser_of(name), plain, problems, **scheme)
    usable = part.used(value)
    if usable and study is not None and kind == "concepts":
        usable = not _are_of_other_images(value, plain, study, problems)
    elif usable and study is not None:
        study.problems = problems
        bound = study.bind(kind, value, name, **({"system": system} if system else {}))
        usable = bound is not None and part.useful(bound)
    if not usable:
        _refuse(problems)
    if system and (known := name_in(layout, system)) != system:
        message = f"The system is called {known!r} here: no folder can be called {system!r}."
        problems.warning("renamed-system", message, "Give it another name.", value=system)
        system = known
    put_part(change, kind, plain, part.place(name, plain, value), system)


def _refuse(problems: Problems, why: str = "nothing in it can be used", remedy: str = "") -> NoReturn:
    """Refuse an upload, which leaves no trace then."""
    message = f"{problems.file} was not kept: {why}."
    problems.refuse("not-kept", message, remedy or _UNCHANGED.capitalize())


def _are_of_other_images(rows: ConceptRows, data: bytes, study: Opening, problems: Problems) -> bool:
    """Whether concepts would take the place of those of the study and leave parts of it without any image;
    then an error."""
    is_shard = data[:4] == b"PAR1" and study.layout.files["concepts"][0].suffix == ".parquet"
    if is_shard or not rows.sets.keys().isdisjoint(study.concepts.image_ids):
        return False
    try:
        now = open_study(study.layout.root)
    except InputError:
        return False
    texts = () if now.captions is None else now.captions.texts
    labels = any(len(column.indices) for column in now.labels.values())
    if not (now.systems or now.images or labels or any(text is not None for text in texts)):
        return False
    n, example = len(rows.sets), next(iter(rows.sets))
    message = f"None of its {n:,} images is one of the study, whose other files would belong to no image."
    own = explain_id_mismatch(list(rows.sets), study.concepts.image_ids)
    remedy = own or "Make a new study of it, or correct its ids."
    problems.error("other-images", message, remedy, value=example, count=n)
    return True


def has_part(study: Path, kind: str, *, system: str = "") -> bool:
    """Whether a study folder has a file of this kind (for ``system``, else for any system)."""
    if not study.is_dir():
        return False
    layout = find_layout(study)
    if KINDS[kind].of_a_system:
        wanted = name_in(layout, system) if system else ""
        return any(kind in parts for name, parts in layout.systems.items() if wanted in ("", name))
    return bool(layout.files[kind])


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
        name = Path(file.file).name
        place = safe_name(Path(name).stem) if file.kind == STUDY else folder or into
        try:
            new, report = add_part(place, file.kind, name, file.data, system=file.system, in_place=in_place)
        except InputError as reason:
            problems = Problems(name)
            problems.error("not-kept", str(reason), "What was there before is unchanged.")
            new, report = None, problems.report() + (reason.report or Report())
        reports.append(report)
        if new is None:
            refused.append(file.file)
            continue
        kept.append(file.file)
        folder = folder or new
        events.record("uploaded", study=new.name, kind=file.kind, file=name, bytes=len(file.data))
    return Added(folder if kept else None, tuple(kept), tuple(refused), sum(reports, Report()))


# Pictures, one by one or in a zip: each is looked at before it joins the others.


def ready_images(data: bytes, problems: Problems, *, image_ids: Sequence[str] | None, aside: Path) -> Path:
    """An image file, or all images of a zip, in a folder aside; refused when none can be used.

    Files that are no readable images are errors and left out, other files counted as a warning. With
    ``image_ids`` (those of the study they are to join) at least one must belong to one of them.
    """
    name, unpacked = problems.file, aside / "unpacked"
    if data[:4] == b"PK\x03\x04":
        problems.include(unpack(data, unpacked, file=name))
    else:
        write_new(unpacked / picture_name(name), data)
    accepted = _accepted(unpacked, problems)
    if not accepted:
        remedy = f"Give a zip of {', '.join(ENDINGS_IMAGE_FILES[:6])} files; {_UNCHANGED}"
        _refuse(problems, "there is no image in it that can be read", remedy)
    # The deepest folder that holds all of them: what surrounds the images in a zip says nothing.
    pictures = Path(os.path.commonpath([path.parent for path in accepted]))
    if image_ids is not None:
        why = Problems(name)
        if guarded(why, partial(find_images, pictures, image_ids), None) is None:
            problems.include(why.report())
            remedy = f"Name each image file by its image id; {_UNCHANGED}"
            _refuse(problems, "none of its images belongs to an image of the study", remedy)
    return pictures


def _accepted(folder: Path, problems: Problems) -> list[Path]:
    """The readable images below a folder, by name; other files are removed."""
    accepted, others = [], []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        try:
            if not is_picture(name):
                others.append(name)
            elif path.stat().st_size > MAX_FILE:
                raise InputError(f"{name} is larger than {file_size(MAX_FILE)}.")
            else:
                check_header(path.read_bytes(), file=name)
                accepted.append(path)
                continue
        except InputError as reason:
            problems.error("broken-image", f"{reason}", "It is left out.", value=name)
        path.unlink()
    problems.add_summary("not-an-image", others, "{n} files are no images; they are left out.", "")
    return accepted


def _put_images(change: Change, pictures: Path) -> None:
    """Add a folder of images to those of a study; a file of the same name takes the place of the older one.

    InputError where those of the study are in a zip, which is never changed.
    """
    root, existing = change.root, change.layout.files["images"]
    if existing and not existing[0].is_dir():
        where = f"The pictures of this study are in {existing[0].name}, which is not changed."
        raise InputError(f"{where} Make a new study with all of them.")
    flush(pictures)
    target = existing[0] if existing else unused(root / "images")
    places: dict[Path, Path] = {}
    for path in sorted(pictures.rglob("*")):  # nothing is put before it is clear that all of them can
        place = target / path.relative_to(pictures)
        if place.exists() and place.is_dir() != path.is_dir():
            name = place.relative_to(target).as_posix()
            message = f"{name} cannot be added: a folder and a file would have the same name."
            raise InputError(f"{message} Rename it, then add the images again.")
        if path.is_file():
            places[path] = place
    for path, place in places.items():
        change.put(place, path)
    if change.layout.files["images"] != (target,):
        change.name("images", [target])


# Whole studies as one zip: taken in, and given out for a colleague.

MAX_PACKED = 10**9
"""Largest study that is packed in memory, in bytes of its files."""
_STORED = (".jpg", ".jpeg", ".png", ".gz", ".npz", ".parquet", ".zip", ".webp")


def _unpack_study(change: Change, data: bytes) -> None:
    """A zipped study as the new study; a single folder around it is taken off.

    Refused, with the problems of the zip and of its concepts, when the zip is unsafe or damaged or contains
    no readable concepts.
    """
    problems, unpacked = change.problems, change.aside / "zip"
    problems.include(unpack(data, unpacked, file=problems.file))
    if not unpacked.is_dir():
        raise Refused
    top = inner(unpacked)
    opening = Opening(find_layout(top, problems.of(TOML)), problems, KINDS)
    if not read_basis(opening) or not (opening.concepts.vocabulary or opening.scored):
        message = "The zip contains no readable concepts; it was not kept."
        remedy = "Zip a study folder with concepts.csv in it, rows such as: image_1,C0040405;C0817096"
        problems.refuse("no-concepts", message, remedy)
    flush(top)
    change.folder.rmdir()  # nothing is in it yet
    top.rename(change.folder)


def zip_study(study: Path) -> bytes:
    """The files of a study folder as a zip with one folder in it; the same content gives the same bytes.

    Hidden files and links are left out. Raises InputError for a study larger than ``MAX_PACKED``, of more
    files than a zip may hold, or with a file that cannot be read.
    """
    if why := why_not_packed(study):
        raise InputError(why)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path in sorted(_files(study), key=lambda path: path.relative_to(study).as_posix()):
            # The date is left at its default, so that the zip depends on nothing but the content.
            info = zipfile.ZipInfo(readable(f"{study.name}/{path.relative_to(study).as_posix()}"))
            packed = path.suffix.lower() in _STORED
            info.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            try:
                archive.writestr(info, content_of(path, info.filename))
            except InputError as reason:
                message = "The study cannot be packed while a file in it cannot be read."
                raise InputError(message, reason.report) from reason
    return out.getvalue()


def why_not_packed(study: Path) -> str:
    """Why a study cannot be packed, with the way out; "" when it can. Stops looking when it is too large."""
    left, remedy = MAX_PACKED, "Ask an administrator for its folder."
    if not is_served():
        remedy = f"Copy its folder instead: {readable(str(study))}"
    for number, path in enumerate(_files(study)):
        with suppress(OSError):  # it went meanwhile
            left -= path.stat().st_size
        if number >= MAX_ENTRIES:
            return f"The study contains more than {MAX_ENTRIES:,} files: too many for a zip. {remedy}"
        if left < 0:
            return f"The study is larger than {file_size(MAX_PACKED)}: too much for a download. {remedy}"
    return ""


def _files(study: Path) -> Iterator[Path]:
    """The files of a study, one folder after the other, but hidden ones and links."""
    for folder, below, names in os.walk(study):
        below[:] = sorted(name for name in below if not name.startswith("."))
        paths = (Path(folder, name) for name in names if not name.startswith("."))
        yield from (path for path in paths if path.is_file() and not path.is_symlink())
