"""Which part of a study is a file? Its content says; its name decides only between parts that look the same.

Nothing is kept here: `workspace.add_files` keeps what was recognised.
"""

from __future__ import annotations

import io
import re
import sys
import tempfile
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakSet

from evalcore.study.concept_kinds import KIND_NAMES
from evalcore.study.concepts.concepts import CAPTION_NAMES, CUI_NAMES
from evalcore.study.concepts.own_queries import is_table
from evalcore.study.custom_formats import FORMATS, custom_format
from evalcore.study.folder.kinds import IN_UPLOADS, KINDS, stem_of
from evalcore.study.folder.layout import TOML, read_layout
from evalcore.study.folder.unread import are_judgments, is_note
from evalcore.study.graphs.edges import EDGES
from evalcore.study.graphs.ontology import form_of as ontology_of
from evalcore.study.graphs.ontology import report_unread
from evalcore.study.judgments.qrels import HEADER_NAMES as OF_JUDGMENTS
from evalcore.study.names import NAME_TABLE
from evalcore.study.parts.runs import RUN
from evalcore.study.pictures.image_files import is_picture
from evalcore.study.tables import tables
from evalcore.study.tables.archives import inner, unpack
from evalcore.study.tables.ids import parse_once
from evalcore.study.tables.lines import decode, number, read_bytes
from evalcore.study.tables.lines import unpack as gunzipped
from evalcore.study.tables.load import form_of as run_form
from evalcore.study.tables.parquet import parquet_schema
from evalcore.study.tables.problems import Problems, guarded
from evalcore.study.vectors.embeddings import VECTOR_NAMES, form_of
from evalcore.study.workspace.change import staging
from evalcore.values.account import is_served
from evalcore.values.concept_scheme import read_as, recognised
from evalcore.values.errors import Report
from evalcore.values.label_types import is_called_group
from evalcore.values.limits import current_limits
from evalcore.values.writing import count, file_size, listed, pluralize

STUDY = "study"
"""A whole study as one zip."""
UNKNOWN = ""
"""Of a file that is no part of a study, or whose part is not clear."""
ADDS = {
    "concepts": "what is in each image; nothing is scored without them",
    "run": "a system to compare",
    "graph": "credit for related concepts",
    "captions": "words beside the pictures, and concepts found in them",
    "images": "pictures beside the scores",
    "labels": "groups of queries, such as modality or organ",
    "names": "concepts in words",
    "judgments": "scores by what people said is relevant",
    "embeddings": "similarity as a system sees it, and larger result lists",
}
"""What each part of a study is good for, most useful first."""
_ORDER = (STUDY, "concepts", "captions", "graph", "mapping", "queries", *IN_UPLOADS)
"""What is kept first: later parts are matched with the earlier ones."""
_PICTURES = {
    b"\xff\xd8\xff": ".jpg",
    b"\x89PNG\r\n\x1a\n": ".png",
    b"II*\0": ".tif",
    b"MM\0*": ".tif",
    b"GIF8": ".gif",
    b"\0\0\0\x0cjP": ".jp2",
}
_ZIP = b"PK\x03\x04"
_PICKLES = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
_JSON_RUN = re.compile(rb'\{\s*"[^"]*"\s*:\s*\{\s*"[^"]*"\s*:\s*[-\d]')
_HEAD, _ROWS = 100_000, 50
JUDGE_NAMES = OF_JUDGMENTS["judge"]
_MANY = 8
"""Numbers in a row that make it a vector."""
_SAYS_NOTHING = ("run", "runs", "embeddings", "vectors", "results")
"""Names of files that name no system."""


_in_memory: WeakSet[Recognised] = WeakSet()
"""On a server, the files that were recognised for whichever page and are not yet kept or left."""
_lock = Lock()
_OF_ALL = 8
"""How many times the largest file they may contain together."""

_Opened = tuple[str, bytes, str, Report]
"""Name, content, kind and problems."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Recognised:
    """A file, and what it was taken for.

    ``kind``: of ``kinds.IN_UPLOADS``, ``STUDY`` or ``UNKNOWN``. ``holds``: how much there is of it, in words.
    ``system``: what its system will be called, "" for other parts. ``report``: the problems of the file.
    """

    file: str
    kind: str
    data: bytes
    holds: str = ""
    system: str = ""
    report: Report = field(default_factory=Report)

    def __post_init__(self) -> None:
        if is_served():
            with _lock:
                _in_memory.add(self)

    @property
    def title(self) -> str:
        """What it is, as pages and commands say it."""
        return {STUDY: "A whole study", UNKNOWN: "Not recognised"}.get(self.kind) or KINDS[self.kind].title


def recognise(files: Iterable[tuple[str, bytes]]) -> tuple[Recognised, ...]:
    """What each of these files is, by ``(name, content)``; nothing is written, nothing raised.

    A zip that is no whole study is taken apart under the limits of `archives.unpack`; zips inside it are not.
    Single pictures are one part together. In the order in which they should be kept. On a server no more is
    taken out of zips than the largest file has.
    """
    result: list[Recognised] = []
    pictures: list[tuple[str, bytes]] = []
    left = _room_in_memory()
    for name, data in files:
        none: list[_Opened] = []
        opened, fault = guarded(name, lambda: (_opened(name, data, left), Report()), none)  # noqa: B023
        if data.startswith(_ZIP):
            left -= sum(len(content) for _, content, *_ in opened)
        nothing = (name, data, UNKNOWN, fault if fault.counts else _not_recognised(name, ""))
        for file, content, kind, report in opened or [nothing]:
            if kind == "images" and not content.startswith(_ZIP):
                pictures.append((file, content))
            else:
                result.append(recognise_as(Recognised(file, kind, content, report=report), kind))
    if pictures:
        result.append(_together(pictures))
    return tuple(_with_own_names(sorted(result, key=lambda one: _ORDER.index(one.kind or _ORDER[-1]))))


def recognise_file(path: Path) -> tuple[Recognised, ...]:
    """What a file on disk is, or each file in a zip; one that cannot be read is not recognised."""
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
        holds = _holds_zip(file.data, kind) if file.data.startswith(_ZIP) else file.holds
        return replace(file, kind=kind, holds=holds, system="", report=Report() if again else file.report)
    name = Path(file.file).name
    if kind == "concepts" and file.data[:4] == b"PAR1":
        return replace(file, kind=kind, holds="parquet", system="")
    value, report = parse_once(KINDS[kind].parser_of(name), file.data, file=name)
    holds = _holds(kind, value) if KINDS[kind].used(value) else "nothing that can be used"
    return replace(file, kind=kind, holds=holds, system=system, report=report)


def named(file: Recognised, system: str) -> Recognised:
    """The same file for a system of another name; without one, that of the file."""
    return replace(file, system=" ".join(system.split()) or file.system)


def missing(there: Collection[str]) -> dict[str, str]:
    """What a study of these parts lacks, {kind: what it would add}; vectors or a ranking make a system."""
    has = {*there, *(("run", "embeddings") if {"run", "embeddings"} & {*there} else ())}
    return {kind: adds for kind, adds in ADDS.items() if kind not in has and (kind != "embeddings")}


# One file, or those of a zip.


def _room_in_memory() -> int:
    """Bytes that may still be taken out of zips: on a server those of the largest file, less where pages of
    all users hold much already."""
    limits = current_limits()
    if limits is None:
        return sys.maxsize
    with _lock:
        held = {id(file.data): len(file.data) for file in _in_memory}
    return min(limits.file_bytes, _OF_ALL * limits.file_bytes - sum(held.values()))


def _opened(name: str, data: bytes, left: int) -> list[_Opened]:
    if not data.startswith(_ZIP):
        return [(name, data, *_kind_of(name, data))]
    kind = _of_names(data)
    return [(name, data, kind, Report())] if kind is not None else _members(name, data, left)


def _of_names(data: bytes) -> str | None:
    """The part that a zip is by the names in it; None where it must be taken apart."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [one for one in archive.namelist() if not one.endswith("/")]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return None
    if names and all(name.endswith(".npy") for name in names):
        return _vectors(data)
    if names and all(is_picture(name) or Path(name).name.startswith(".") for name in names):
        return "images"
    return None


@contextmanager
def _aside() -> Iterator[Path]:
    """A folder that is gone afterwards: on a server in the workspace of who asks, as its disk is for that."""
    if is_served():
        with staging() as aside:
            yield aside
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _members(name: str, data: bytes, left: int) -> list[_Opened]:
    """A whole study, or the files in it one by one where they have no more than so many bytes."""
    with _aside() as aside:
        top = aside / "zip"
        report = unpack(data, top, file=name)
        if not top.is_dir():
            return [(name, data, UNKNOWN, report)]
        top = inner(top)
        paths = sorted(path for path in top.rglob("*") if path.is_file() and not path.name.startswith("."))
        if (top / "[Content_Types].xml").is_file():
            return [(name, data, UNKNOWN, _not_recognised(name, "Save the sheet as CSV."))]
        layout, _ = read_layout(top)
        inside = {kind for kind, files in layout.files.items() if files}
        if (top / TOML).is_file() or layout.systems or inside - {*IN_UPLOADS}:
            return [(name, data, STUDY, report)]
        if (size := sum(path.stat().st_size for path in paths)) > left:
            remedy = f"It unpacks to {file_size(size)}. Add its files in several steps, or a whole study."
            return [(name, b"", UNKNOWN, _not_recognised(name, remedy))]
        result: list[_Opened] = []
        for path in paths:
            file, content = path.relative_to(top).as_posix(), path.read_bytes()
            if is_note(path.name):
                continue
            if content.startswith(_ZIP):
                kind = _of_names(content)
                why = _not_recognised(file, "Zips inside a zip are not opened: add it on its own.")
                result.append((file, content, kind or UNKNOWN, Report() if kind else why))
            else:
                result.append((file, content, *_kind_of(file, content)))
        return result


def _kind_of(name: str, data: bytes) -> tuple[str, Report]:
    """The part that a file is by its content, and why none where it is not clear."""
    for part in FORMATS:
        if custom_format(part, name) is not None:
            return part, Report()
    problems = Problems(name)
    plain = gunzipped(data, problems)
    if plain is None:
        return UNKNOWN, problems.report()
    first = plain[:_HEAD].partition(b"\n")[0].decode("utf-8", "replace").rstrip("\r")
    kind = _of_judgments(first) if are_judgments(first) else _of_bytes(name, plain)
    if kind is None:
        text = decode(plain[:_HEAD], Problems(name))
        kind = UNKNOWN if text is None else _of_text(name, text)
    if kind != UNKNOWN:
        return kind, Report()
    remedy = "Judgments collected here are in review/NAME.judgments.csv of the study's folder."
    return UNKNOWN, _not_recognised(name, remedy if are_judgments(first) else "")


def _of_judgments(first: str) -> str:
    """Judgments of others, by people or programs; unknown of those collected on the page Review."""
    cells = {cell.strip().strip('"').lower() for cell in re.split(r"[,;\t]", first)}
    if {"task", "kind"} <= cells:
        return UNKNOWN
    return "judges" if cells & JUDGE_NAMES else "judgments"


def _not_recognised(file: str, remedy: str) -> Report:
    problems = Problems(file)
    message = f"{file} is not recognised as a part of a study."
    problems.error("not-recognised", message, remedy or "Select what it is, or leave it out.")
    return problems.report()


def _of_bytes(name: str, plain: bytes) -> str | None:
    """By the first bytes; None where it may be a table."""
    if any(plain.startswith(magic) for magic in _PICTURES) or plain[128:132] == b"DICM":
        return "images"
    if is_picture(name) and b"\0" in plain[:_HEAD]:
        return "images"
    if plain.startswith(_PICKLES):
        return "concept_vectors"
    if plain[:4] == b"PAR1":
        return _of_parquet(plain)
    if form_of(plain):
        return _vectors(plain)
    head = plain[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith((b"{", b"[")):
        return "graph" if b'"graphs"' in head[:4_096] else "run" if _JSON_RUN.match(head) else UNKNOWN
    if head.startswith(b"<") or ontology_of(plain) or report_unread(plain, Problems(name)):
        return "graph"
    return None


def _of_parquet(data: bytes) -> str:
    schema = parquet_schema(data, Problems("parquet"))
    if schema is None:
        return "embeddings"
    names = schema.names
    if all(tables.named(names, OF_JUDGMENTS[name]) is not None for name in ("query", "result", "value")):
        return "judges" if tables.named(names, JUDGE_NAMES) is not None else "judgments"
    if tables.named(names, CUI_NAMES) is None:
        return "embeddings"
    return (
        "concepts" if tables.named(names, VECTOR_NAMES) is None and len(names) <= _MANY else "concept_vectors"
    )


def _vectors(data: bytes) -> str:
    """Of images or of concepts, by their ids."""
    value, _ = parse_once(KINDS["embeddings"].read, data, file="vectors")
    if value is not None:
        return "concept_vectors" if _are_concepts(value.ids[:_ROWS]) else "embeddings"
    value, _ = parse_once(KINDS["concept_vectors"].read, data, file="vectors")
    return "embeddings" if value is None else "concept_vectors"


def _of_text(name: str, text: str) -> str:
    lines = [line for line in text.split("\n")[:_ROWS] if line.strip()]
    if len(lines) > 1 and len(text) >= _HEAD // 2:
        lines.pop()  # perhaps cut in the middle
    if lines and lines[0].count("|") >= 5:
        return _of_rrf([line.split("|") for line in lines])
    form = run_form("\n".join(lines), RUN)
    if form is not None and (form.header or form.name == "trec"):
        return "run"
    if len(lines) > 1 and re.fullmatch(r"\s*\d+\s+\d+\s*", lines[0]):
        return "concept_vectors"
    body = [line for line in lines if not line.startswith("#")]
    rows = [
        [cell.strip().strip('"') for cell in row.cells]
        for row in tables.read_rows("\n".join(body), Problems(name), delimiter=tables.guess_delimiter(text))
    ]
    return _of_rows(name, rows) if rows else UNKNOWN


def _of_rrf(rows: Sequence[Sequence[str]]) -> str:
    """A file of the UMLS, by the number of its columns."""
    width = len(rows[0])
    return "names" if width >= 18 else "graph" if width >= 16 else "concept_kinds"


def _of_rows(name: str, rows: Sequence[Sequence[str]]) -> str:
    header, width = [cell.lower() for cell in rows[0]], len(rows[0])
    below = [row for row in rows[1:] if len(row) == width] or [rows[0]]
    columns = list(zip(*below, strict=True))
    numeric = [all(number(cell) == number(cell) for cell in column) for column in columns]
    if sum(numeric[1:]) >= _MANY:
        return "concept_vectors" if _are_concepts(columns[0]) else "embeddings"
    concepts = [_are_concepts(column) for column in columns]
    if (named := _of_header(header, concepts)) is not None:
        return named
    if header[0] in tables.ID_NAMES and width > 1:
        one = width == 2 and (is_called_group(header[1]) or "group" in Path(name).name.lower())
        return "groups" if one else "concepts" if concepts[1] else "labels"
    if concepts[0] and width > 1:
        return "graph" if concepts[1] else "names"
    if width in (3, 4) and numeric[2]:
        return "run"
    if width > 1 and any(concepts[1:]):
        return "concepts"
    return "captions" if width == 2 and any(" " in cell for cell in columns[1]) else UNKNOWN


def _of_header(header: Sequence[str], concepts: Sequence[bool]) -> str | None:
    """By the names of the columns, those that the readers know; None where they tell nothing."""

    def has(*names: Iterable[str]) -> bool:
        return all(tables.named(header, one) is not None for one in names)

    if has(*(column.names for column in RUN.columns[:3])):
        return "run"
    if is_table(header):
        return "queries"
    if {"query", "candidate"} <= {*header}:
        return "pairs"
    if has(("label_type",), ("label",), CUI_NAMES):
        return "label_map"
    if has(("subject_id",), ("object_id",)) or ({"from", "to"} <= {*header}):
        return "mapping"
    if {"source", "target"} <= {*header} or has(*(column.names for column in EDGES.columns[:2])):
        return "graph"
    cui, called, *_ = (column.names for column in NAME_TABLE.columns)
    if has(cui) and concepts[tables.named(header, cui) or 0]:
        if has(called) and header[0] not in ("name", "file", "image"):
            return "names"
        if has(KIND_NAMES):
            return "concept_kinds"
    if has(CUI_NAMES) and tables.named(header[1:], CUI_NAMES) is not None:
        return "concepts"
    return "captions" if has(CAPTION_NAMES) and tables.named(header[1:], CAPTION_NAMES) is not None else None


def _are_concepts(cells: Iterable[str]) -> bool:
    """Whether most of these cells are identifiers of concepts, one or several."""
    values = [one.strip() for cell in cells for one in re.split("[;,|]", cell) if one.strip()]
    scheme = recognised(values)
    return 2 * sum(read_as(one, scheme) is not None for one in values) > len(values)


# What is said of a file once it is read.


def _holds(kind: str, value: Any) -> str:
    rows = int(getattr(value, "rows", 0))
    texts: dict[str, Callable[[], str]] = {
        "run": lambda: f"{pluralize(len(value.codes('query')[0]), 'query')}, {pluralize(rows, 'result')}",
        "embeddings": lambda: f"{pluralize(rows, 'vector')} of {count(value.vectors.shape[1])} numbers",
        "concept_vectors": lambda: f"{pluralize(rows, 'vector')} of {count(value.vectors.shape[1])} numbers",
        "concepts": lambda: pluralize(len(value.sets), "image"),
        "captions": lambda: pluralize(len(value.texts), "caption"),
        "graph": lambda: pluralize(rows, "link"),
        "names": lambda: pluralize(rows, "name"),
        "concept_kinds": lambda: pluralize(rows, "concept"),
        **dict.fromkeys(("judgments", "judges"), lambda: _holds_judgments(value)),
        "queries": lambda: pluralize(rows, "query"),
        "pairs": lambda: pluralize(rows, "pair"),
    }
    if kind in ("labels", "groups"):
        return f"{pluralize(rows, 'image')}: {listed(list(value.columns), limit=4)}"
    return texts.get(kind, lambda: pluralize(rows, "row"))()


def _holds_judgments(value: Any) -> str:
    words = f"{pluralize(value.rows, 'judgment')} of {pluralize(len(set(value.queries)), 'query')}"
    return f"{words} by {pluralize(len(value.raters), 'rater')}" if value.raters else words


def _holds_zip(data: bytes, kind: str) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
    except zipfile.BadZipFile:
        return ""
    if kind == "images":
        return pluralize(sum(map(is_picture, names)), "picture")
    systems = {match[1] for name in names if (match := re.search(r"(?:^|/)systems/([^/]+)/", name))}
    return f"{pluralize(len(names), 'file')}, {pluralize(len(systems), 'system')}"


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
    own = next((ending for magic, ending in _PICTURES.items() if data.startswith(magic)), ".dcm")
    return name if is_picture(name) or name.lower().endswith(own) else f"{name}{own}"
