"""What are the files that somebody adds? Each by its content.

Nothing is kept here: `workspace.add_files` keeps what was recognised.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from evalcore.study.folder.layout import LOOSE, TOML, matching
from evalcore.study.parts.recognise import PICTURES, UNKNOWN, kind_of, kind_of_vectors
from evalcore.study.parts.registry import IN_UPLOADS, KINDS, OF_A_STUDY, parse_once, stem_of
from evalcore.study.pictures.image_files import is_picture
from evalcore.study.tables.files import read_bytes
from evalcore.study.tables.problems import Problems, guarded
from evalcore.values.errors import Report
from evalcore.values.writing import pluralize

STUDY = "study"
"""A whole study as one zip."""
_ORDER = (STUDY, "concepts", "captions", "graph", "queries", *IN_UPLOADS)
"""What is kept first: later parts are matched with the earlier ones."""
_MISSED = ("concepts", "run", "graph", "captions", "images", "labels", "names", "judgments")
"""What a study can lack, the most useful first."""
_ZIP = b"PK\x03\x04"
_SAYS_NOTHING = ("run", "runs", "embeddings", "vectors", "results")
"""Names of files that name no system."""
_OF_A_SYSTEM = re.compile(rf"(systems/([^/]+)|{'|'.join(LOOSE)})/[^/]+")
"""Paths in a study of files of its systems."""


@dataclass(frozen=True, slots=True, eq=False)
class Recognised:
    """A file, and what it was taken for.

    ``kind``: of ``registry.IN_UPLOADS``, ``STUDY`` or ``UNKNOWN``. ``holds``: how much there is of it, in
    words.
    ``system``: what its system will be called, "" for other parts. ``report``: the problems of the file.
    """

    file: str
    kind: str
    data: bytes
    holds: str = ""
    system: str = ""
    report: Report = field(default_factory=Report)

    @property
    def title(self) -> str:
        """What it is, as pages and commands say it."""
        return {STUDY: "A whole study", UNKNOWN: "Not recognised"}.get(self.kind) or KINDS[self.kind].title


def recognise(files: Iterable[tuple[str, bytes]]) -> tuple[Recognised, ...]:
    """What each of these files is, by ``(name, content)``; nothing is written, nothing raised.

    A zip is a whole study, pictures, or arrays of vectors. Single pictures are one part together. In the
    order in which they should be kept.
    """
    result: list[Recognised] = []
    pictures: list[tuple[str, bytes]] = []
    for name, data in files:
        kind, report = guarded(name, lambda problems: _kind_of(name, data, problems), UNKNOWN)  # noqa: B023
        if kind == "images" and not data.startswith(_ZIP):
            pictures.append((name, data))
        else:
            result.append(recognise_as(Recognised(name, kind, data, report=report), kind))
    if pictures:
        result.append(_together(pictures))
    return tuple(_with_own_names(sorted(result, key=lambda file: _ORDER.index(file.kind or _ORDER[-1]))))


def recognise_file(path: Path) -> tuple[Recognised, ...]:
    """What a file on disk is; one that cannot be read is not recognised."""
    problems = Problems(path.name)
    data = read_bytes(path, problems)
    if data is None:
        return (Recognised(path.name, UNKNOWN, b"", report=problems.report()),)
    return recognise([(path.name, data)])


def recognise_as(file: Recognised, kind: str) -> Recognised:
    """The same file read as another part: what it holds then, and its problems."""
    again = kind != file.kind
    system = _system_of(file.file, file.data) if kind in KINDS and KINDS[kind].of_a_system else ""
    if kind in (STUDY, "images", UNKNOWN):
        is_zip, names, holds = file.data.startswith(_ZIP), _names_in(file.data), file.holds
        if is_zip and kind == "images":
            holds = pluralize(sum(map(is_picture, names)), "picture")
        elif is_zip and kind == STUDY:
            systems = {path[2] for name in names if (path := _OF_A_SYSTEM.search(name)) and path[2]}
            holds = f"{pluralize(len(names), 'file')}, {pluralize(len(systems), 'system')}"
        return replace(file, kind=kind, holds=holds, system="", report=Report() if again else file.report)
    name = Path(file.file).name
    if kind == "concepts" and file.data[:4] == b"PAR1":
        return replace(file, kind=kind, holds="parquet", system="")
    value, report = parse_once(KINDS[kind].parser_of(name), file.data, file=name)
    holds = KINDS[kind].contents(value) if KINDS[kind].used(value) else "nothing that can be used"
    return replace(file, kind=kind, holds=holds, system=system, report=report)


def named(file: Recognised, system: str) -> Recognised:
    """The same file for a system of another name; without one, that of the file."""
    return replace(file, system=" ".join(system.split()) or file.system)


def missing(there: Collection[str]) -> dict[str, str]:
    """What a study of these parts lacks, {kind: what it would add}; vectors or a ranking make a system."""
    has = {*there, *(("run", "embeddings") if {"run", "embeddings"} & {*there} else ())}
    kinds = (KINDS[kind] for kind in _MISSED if kind not in has)
    return {kind.name: kind.adds for kind in kinds}


def _kind_of(name: str, data: bytes, problems: Problems) -> str:
    """The part that a file is, by its content; an error where it is none, or not clear which."""
    if data.startswith(_ZIP):
        names = _names_in(data)
        inside = _without_folder_around(names)
        patterns = [pattern for kind in OF_A_STUDY for group in KINDS[kind].names for pattern in group]
        if matching(inside, patterns) or any(file == TOML or _OF_A_SYSTEM.fullmatch(file) for file in inside):
            return STUDY  # it has a part by its conventional name
        if names and all(is_picture(file) or Path(file).name.startswith(".") for file in names):
            return "images"
        kind = kind_of_vectors(data) if names and all(file.endswith(".npy") for file in names) else UNKNOWN
    else:
        kind = kind_of(name, data)
    if not kind:
        message = f"{name} is not recognised as a part of a study."
        problems.error("not-recognised", message, "Select what it is, or leave it out.")
    return kind


def _names_in(data: bytes) -> list[str]:
    """The files that a zip lists; none of a damaged one."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [name for name in archive.namelist() if not name.endswith("/")]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return []


def _without_folder_around(names: Sequence[str]) -> Sequence[str]:
    """Paths without the folders that surround all of them."""
    first, _, rest = names[0].partition("/") if names else ("", "", "")
    if not rest or first == "images" or not all(name.startswith(f"{first}/") for name in names):
        return names
    return _without_folder_around([name.partition("/")[2] for name in names])


def _system_of(file: str, data: bytes) -> str:
    """What a file calls its system: its name, else its folder, else the last column of a TREC run."""
    path = Path(file)
    names = [stem_of(path.name), path.parent.name]
    head = data[:2_000] if not data.startswith(b"\x1f\x8b") else b""
    cells = head.partition(b"\n")[0].decode("utf-8", "replace").split()
    names += [cells[5]] if len(cells) == 6 else []
    good = [" ".join(name.split()).lstrip("@") for name in names if name.lower() not in _SAYS_NOTHING]
    return next(filter(None, good), "my_system")


def _with_own_names(files: Iterable[Recognised]) -> Iterable[Recognised]:
    """Two rankings, or two tables of vectors, of one name are two systems."""
    taken: set[tuple[str, str]] = set()
    for file in files:
        name, n = file.system, 2
        while file.system and (file.kind, name) in taken:
            name, n = f"{file.system}_{n}", n + 1
        taken.add((file.kind, name))
        yield replace(file, system=name)


def _together(pictures: Sequence[tuple[str, bytes]]) -> Recognised:
    """Single pictures as one zip; a name without the ending of its content gets it."""
    if len(pictures) == 1:
        name, data = pictures[0]
        return Recognised(_with_ending(name, data), "images", data, "1 picture")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in dict(pictures).items():
            archive.writestr(zipfile.ZipInfo(_with_ending(name, data)), data)
    files = pluralize(len(pictures), "picture")
    return Recognised(files, "images", out.getvalue(), files)


def _with_ending(name: str, data: bytes) -> str:
    own = next((ending for magic, ending in PICTURES.items() if data.startswith(magic)), ".dcm")
    return name if is_picture(name) or name.lower().endswith(own) else f"{name}{own}"
