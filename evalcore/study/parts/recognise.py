"""Which part of a study is a file? Its content says; its name decides only between parts that look the same.

Uploads, ``check`` of a file and the files of a folder that nothing is read from are told the same by it.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import zipfile
import zlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

import pyarrow as pa

from evalcore.study.folder.layout import LOOSE, OF_PARTS, OUTSIDE, content, matching
from evalcore.study.graphs.obo import is_obo, report_unsupported
from evalcore.study.graphs.rrf import MRCONSO, MRREL, MRSTY, is_rrf
from evalcore.study.parts.concepts import CUI_NAMES
from evalcore.study.parts.images import is_picture
from evalcore.study.parts.kind import FORMATS, TOML, Layout, custom_format, parse_source, stem_of
from evalcore.study.parts.registry import IN_UPLOADS, KINDS, OF_A_STUDY
from evalcore.study.parts.vectors import form_of as form_of_vectors
from evalcore.study.pixels import check_header, is_dicom
from evalcore.study.tables import archives, tables
from evalcore.study.tables.files import decode, max_bytes, open_file, read_bytes, unpack
from evalcore.study.tables.load import form_of
from evalcore.study.tables.parquet import parquet_schema
from evalcore.study.tables.problems import Problems, guarded, truncate, try_call, whole
from evalcore.study.tables.schema import Sample, are_concepts
from evalcore.study.workspace.file_names import picture_name, readable
from evalcore.values.errors import Report
from evalcore.values.writing import pluralize

UNKNOWN = ""
"""Of a file that is no part of a study, or whose part is not clear."""
PICTURES = {
    b"\xff\xd8\xff": ".jpg",
    b"\x89PNG\r\n\x1a\n": ".png",
    b"II*\0": ".tif",
    b"MM\0*": ".tif",
    b"GIF8": ".gif",
    b"\0\0\0\x0cjP": ".jp2",
}
"""How files of pictures begin, and their ending."""
HEAD = 100_000
"""Bytes of a file that say what it is."""
_JSON_RUN = re.compile(rb'\{\s*"[^"]*"\s*:\s*\{\s*"[^"]*"\s*:\s*[-\d]')
_UMLS = {MRCONSO: "names", MRREL: "graph", MRSTY: "concept_kinds"}
"""Parts that are files of the UMLS, those of the most columns first."""
_ROWS, _MANY = 50, 8
"""Rows that are looked at, and numbers in a row that make it a vector."""


def kind_of(name: str, data: bytes) -> str:
    """The kind of part that a file is, one of ``registry.KINDS``; `UNKNOWN` where it is none, or not clear.

    ``data``: its content, gzipped or not, or the first `HEAD` bytes of it. A zip is a whole study (`STUDY`),
    pictures, or arrays of vectors. Damaged files are what they begin as; nothing is raised.
    """
    for part in FORMATS:
        if custom_format(part, name) is not None:
            return part
    plain = guarded(Problems(name), partial(unpack, data), b"")
    if plain.startswith((_ZIP, _EMPTY_ZIP)):
        return _of_zip(plain)
    if plain.startswith((*PICTURES,)) or is_dicom(plain) or (is_picture(name) and b"\0" in plain[:HEAD]):
        return "images"
    form = form_of_vectors(plain)
    if form == "pickle":
        return "concept_vectors"
    if form:
        return _of_parquet(name, plain) if form == "parquet" else _of_vectors(plain)
    head = plain[:HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith((b"{", b"[")):
        return _of_json(name, head)
    if umls := next((form for form in _UMLS if is_rrf(head, form)), ""):
        return _UMLS[umls]
    if head.startswith(b"<") or is_obo(plain) or report_unsupported(plain, Problems(name)):
        return "graph"
    text = guarded(Problems(name), partial(decode, plain[:HEAD]), "")
    return _of_text(name, text.removeprefix("\ufeff")) if text else UNKNOWN


def _of_zip(data: bytes) -> str:
    names = _names_in(data)
    inside = _without_folder_around(names)
    patterns = [pattern for kind in OF_A_STUDY for group in KINDS[kind].names for pattern in group]
    if matching(inside, patterns) or any(file == TOML or _OF_A_SYSTEM.fullmatch(file) for file in inside):
        return STUDY  # it has a part by its conventional name
    if names and all(is_picture(file) or Path(file).name.startswith(".") for file in names):
        return "images"
    return _of_vectors(data) if names and all(file.endswith(".npy") for file in names) else UNKNOWN


def _of_json(name: str, head: bytes) -> str:
    if b'"graphs"' in head[:4_096]:
        return "graph"
    if _JSON_RUN.match(head):
        return "run"
    try:  # by the keys of the first object of JSON lines
        value = json.loads(head.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return UNKNOWN
    keys = tuple(str(key).lower() for key in value) if isinstance(value, dict) else ()
    return _of_header(Sample(name, keys, (("",),) * len(keys)))


def _of_parquet(name: str, data: bytes) -> str:
    schema = guarded(Problems(name), partial(parquet_schema, data), pa.schema([]))
    header = tuple(column.lower() for column in schema.names)
    sample = Sample(name, header, (("C0000000",),) * len(header))
    kind = _of_header(sample) if len(header) <= _MANY else UNKNOWN
    if kind in ("judgments", "judges", "concepts"):
        return kind
    return "embeddings" if tables.named(header, CUI_NAMES) is None else "concept_vectors"


def _of_vectors(data: bytes) -> str:
    """Vectors of images or of concepts, by their ids."""
    for kind in ("embeddings", "concept_vectors"):
        value, _ = KINDS[kind].parse(data, file="vectors")
        if value is not None:
            return "concept_vectors" if are_concepts(value.ids[:_ROWS]) else kind
    return "embeddings"


def _of_text(name: str, text: str) -> str:
    lines = [line for line in text.split("\n")[:_ROWS] if line.strip()]
    if len(lines) > 1 and len(text) >= HEAD // 2:
        lines.pop()  # perhaps cut in the middle
    if len(lines) > 1 and re.fullmatch(r"\s*\d+\s+\d+\s*", lines[0]):
        return "concept_vectors"
    top = "\n".join(lines)
    for kind in KINDS.values():
        forms = [form_of(top, schema) for schema in kind.schemas if schema.spaces]
        if any(form is not None and form.name == "trec" for form in forms):
            return kind.name
    body = "\n".join(line for line in lines if not line.startswith("#"))
    read = tables.records(body, tables.guess_delimiter(text), Problems(name))
    rows = [[cell.strip().strip('"') for cell in row.cells] for row in read]
    if not rows:
        return UNKNOWN
    below = [row for row in rows[1:] if len(row) == len(rows[0])] or rows[:1]
    sample = Sample(name, tuple(cell.lower() for cell in rows[0]), tuple(zip(*below, strict=True)))
    if sum(map(sample.has_numbers, range(1, sample.width))) >= _MANY:
        return "concept_vectors" if sample.has_concepts(0) else "embeddings"
    by_shape = (kind.name for kind in KINDS.values() if kind.has_shape(sample))
    return _of_header(sample) or next(by_shape, UNKNOWN)


def _of_header(sample: Sample) -> str:
    """The kind most of whose columns a header names; `UNKNOWN` where it names those of none."""
    if not sample.width:
        return UNKNOWN

    names = {
        kind.name: max((sample.named(schema) for schema in kind.schemas), default=0)
        for kind in KINDS.values()
        if kind.has_content(sample)
    }
    best = max(names, key=lambda kind: names[kind], default=UNKNOWN)
    return best if names.get(best) else UNKNOWN


# Which files of a study folder is nothing read from, and what would read them?
#
# A file with a name of its own may well be meant as a part of the study, so each is named with what to do.
# Not named: hidden files, notes and licences, what the program itself keeps in a study, what is in folders of
# pictures, systems and reviews (systems say by themselves what they lack).

RULE, RUN_RULE = "not-read", "run-not-read"
"""Of any file, and of one that looks like the rankings of a system."""
MOST = 50
"""Files that are named one by one."""
_OWN = frozenset((TOML, "settings.toml", "annotate.toml", "review", "systems", "images"))
_NO_PART = re.compile(
    r"(readme|licen[cs]e|copying|notice|changelog|citation|contributing|makefile).*"
    r"|.*\.(md|rst|pdf|html|ipynb|py|sh|r|log|docx|toml|yaml|yml)",
    re.I | re.S,
)
"""Names of notes, licences and programs."""


def report_unread(layout: Layout, problems: Problems) -> None:
    """A warning for every file that no part of the study comes from; beyond `MOST` they are counted.

    Links that lead outside the folder, for which there is a problem already, are left out.
    """
    reported = {problem.value for problem in problems.report().problems if problem.rule == OUTSIDE}
    used = {path for paths in layout.files.values() for path in paths}
    used |= {path for parts in layout.systems.values() for path in parts.values()}
    root, ignored, left = layout.root, Problems(TOML), dict[str, Path]()
    for name in content(root, ignored):
        path = root / name
        if name in _OWN or path.resolve() in used or _NO_PART.fullmatch(name):
            continue
        if not os.path.isdir(path) or not path.resolve().is_relative_to(root):  # noqa: PTH112 -- never raises
            left[name] = path
        elif name in (*OF_PARTS, *LOOSE):
            for file in content(path, ignored):
                if not _NO_PART.fullmatch(file) and (path / file).resolve() not in used:
                    left[f"{name}/{file}"] = path / file
        elif not any(file.is_relative_to(path.resolve()) for file in used):
            left[f"{name}/"] = path
    unread = [(name, path) for name, path in left.items() if name not in reported]
    for name, path in unread[:MOST]:
        problems.of(readable(name)).warning(*_described(name, path, layout), value=name)
    n = max(len(unread) - MOST, 0)
    problems.of(TOML).add_summary(RULE, n, "{n} more files are not read.", "Name them under [files].")


def _described(name: str, path: Path, layout: Layout) -> tuple[str, str, str]:
    """Rule, message and way out for one file."""
    if name.endswith("/"):
        remedy = "A study's parts are in the folder itself, or named under [files] in study.toml."
        return RULE, f"The folder {truncate(name)} is not read.", remedy
    if not path.resolve().is_relative_to(layout.root):
        message = f"{truncate(name)} is a link that leads outside the study folder, where nothing is read."
        return RULE, message, "Copy what it leads to into the folder."
    kind = kind_of(name, _head(path))
    if kind not in KINDS:
        remedy = "If it is a part of the study, name it under [files] in study.toml; otherwise leave it."
        return RULE, f"{truncate(name)} is not read.", remedy
    title = KINDS[kind].title.removeprefix("System: ").lower()
    message, rule = f"{truncate(name)} looks like {title} and is not read.", RULE
    if kind == "run":
        message, rule = f"{truncate(name)} looks like the ranking of a system and is not read.", RUN_RULE
    if KINDS[kind].of_a_system or kind in ("judgments", "judges"):
        return rule, message, f"Move it to {_home(kind, name)}."
    there = "" if KINDS[kind].many or not layout.files[kind] else layout.name_of(layout.files[kind][0])
    instead = f"The study reads {there}. To read this one instead" if there else "To read it"
    return rule, message, f'{instead}, write under [files] in study.toml: {kind} = "{name}"'


def _home(kind: str, name: str) -> str:
    """Where in a study folder a file of this kind is found, under an ending that such files have."""
    file = name.rpartition("/")[2]
    stem, _, ending = file.partition(".")
    known, usual = KINDS[kind].names[0], f"{kind}.{ending}".lower()
    if KINDS[kind].of_a_system:
        system = re.sub(r"[^A-Za-z0-9_-]+", "_", stem) or "NAME"
        return f"systems/{system}/{usual if usual in known else known[0]}"
    has_ending = any(fnmatchcase(f"{kind}/{file.lower()}", pattern) for pattern in known)
    return f"{kind}/{file}" if has_ending else f"{kind}/{stem}.qrels"


def _head(path: Path) -> bytes:
    """How a file begins; of parquet and of arrays all of it, as what they are stands at the end."""
    try:
        with open_file(path) as opened:
            head = opened.read(HEAD)
            if head[:4] in (b"PAR1", b"PK\x03\x04"):
                head += opened.read(max_bytes())
        if head.startswith(b"\x1f\x8b"):
            with gzip.open(path) as packed:
                head = packed.read(HEAD)
        return head
    except (OSError, EOFError, zlib.error):
        return b""


# What are the files that somebody adds? Nothing is kept here: `uploads.add_files` keeps what was recognised.

STUDY = "study"
"""A whole study as one zip."""
_ORDER = (STUDY, "concepts", "captions", "graph", "queries", *IN_UPLOADS)
"""What is kept first: later parts are matched with the earlier ones."""
_MISSED = ("concepts", "run", "graph", "captions", "images", "labels", "names", "judgments")
"""What a study can lack, the most useful first."""
_ZIP, _EMPTY_ZIP = b"PK\x03\x04", b"PK\x05\x06"
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

    Single pictures are one part together. In the order in which they should be kept.
    """
    result: list[Recognised] = []
    pictures: list[tuple[str, bytes]] = []
    for name, data in files:
        problems = Problems(name)
        kind = guarded(problems, partial(_kind_of_upload, data), UNKNOWN)
        if kind == "images" and not data.startswith(_ZIP):
            pictures.append((name, data))
        else:
            result.append(recognise_as(Recognised(name, kind, data, report=problems.report()), kind))
    if pictures:
        result.append(_together(pictures))
    return tuple(_with_own_names(sorted(result, key=lambda file: _ORDER.index(file.kind or _ORDER[-1]))))


def recognise_file(path: Path) -> tuple[Recognised, ...]:
    """What a file on disk is; one that cannot be read is not recognised."""
    problems = Problems(path.name)
    data = guarded(problems, partial(read_bytes, path), None)
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
        report = Report() if again else file.report
        if is_zip and kind != UNKNOWN:
            report = archives.check(file.data, file=file.file)
        return replace(file, kind=kind, holds=holds, system="", report=report)
    name = Path(file.file).name
    problems = Problems(name)
    value = parse_source(KINDS[kind].parser_of(name), file.data, problems)
    holds = KINDS[kind].contents(value) if KINDS[kind].used(value) else "nothing that can be used"
    return replace(file, kind=kind, holds=holds, system=system, report=problems.report())


def missing(there: Collection[str]) -> dict[str, str]:
    """What a study of these parts lacks, {kind: what it would add}; vectors or a ranking make a system."""
    has = {*there, *(("run", "embeddings") if {"run", "embeddings"} & {*there} else ())}
    kinds = (KINDS[kind] for kind in _MISSED if kind not in has)
    return {kind.name: kind.adds for kind in kinds}


def _kind_of_upload(data: bytes, problems: Problems) -> str:
    """The part that a file is, by its content; an error where it is none, or not clear which."""
    kind = kind_of(problems.file, data)
    if not data.strip() or data.startswith(_EMPTY_ZIP):
        problems.error("not-recognised", f"{problems.file} is empty.", "Check that it was saved completely.")
    elif not kind:
        unpack(data, problems)  # refused, with the reason, where it is a gzip file that cannot be read
        if data.startswith(_ZIP):
            problems.include(archives.check(data, file=problems.file))
        if not problems.n_errors:
            message = f"{problems.file} is not recognised as a part of a study."
            problems.error("not-recognised", message, "Select what it is, or leave it out.")
    return kind


def _names_in(data: bytes) -> list[str]:
    """The files that a zip lists; none of a damaged one."""
    try:
        with archives.open_zip(io.BytesIO(data)) as archive:
            names = [name.replace("\\", "/") for name in archive.namelist()]  # as they are unpacked
            return [name for name in names if not name.endswith("/")]
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
    problems = Problems("")
    for name, data in pictures:
        if (reason := try_call(partial(check_header, data, file=name))[1]) is not None:
            problems.of(name).error("broken-image", f"{reason}", "It is left out.", value=name)
    if len(pictures) == 1:
        name, data = pictures[0]
        return Recognised(_with_ending(name, data), "images", data, "1 picture", report=problems.report())
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in dict(pictures).items():
            archive.writestr(zipfile.ZipInfo(_with_ending(picture_name(whole(name)), data)), data)
    files = pluralize(len(pictures), "picture")
    return Recognised(files, "images", out.getvalue(), files, report=problems.report())


def _with_ending(name: str, data: bytes) -> str:
    own = next((ending for magic, ending in PICTURES.items() if data.startswith(magic)), ".dcm")
    return name if is_picture(name) or name.lower().endswith(own) else f"{name}{own}"
