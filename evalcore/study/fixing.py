"""A corrected copy of a study: what can be put right without guessing is, and every change is listed.

Columns that are called nearly as they should be are renamed, ids are written as the concept file writes them,
and the rows that the readers leave out are left out, of duplicates all but one. Everything else is copied
byte for byte; the study itself is never written into.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.study.concepts.concepts import CUI_NAMES, IDS
from evalcore.study.concepts.labels import LABELS
from evalcore.study.concepts.texts import QUERIES, are_pairs, is_table
from evalcore.study.folder.layout import Layout, read_layout
from evalcore.study.parts.reading import custom_format
from evalcore.study.parts.registry import KINDS
from evalcore.study.saving import whole_folder
from evalcore.study.study import open_study
from evalcore.study.tables.files import decode, read_bytes, unpack, virtual_files
from evalcore.study.tables.ids import WAYS
from evalcore.study.tables.load import Form, form_of, header_of, load, nearly_named, records
from evalcore.study.tables.problems import Problems, truncate, try_call
from evalcore.study.tables.schema import Rows, Schema, check, first_of
from evalcore.study.tables.tables import Row, guess_delimiter, named
from evalcore.study.workspace.file_names import readable
from evalcore.values.concept_scheme import UMLS
from evalcore.values.errors import InputError, Problem, Report, Severity
from evalcore.values.model import Study
from evalcore.values.settings import Unknown

HEAD = 100_000
"""Characters that say which form a table has."""
OF_IMAGES: Mapping[str, tuple[str, ...]] = {
    "judgments": ("query", "result"),
    "judges": ("query", "result"),
    "pairs": ("query", "candidate"),
    "run": ("query", "candidate"),
    **dict.fromkeys(("labels", "groups", "captions", "candidates", "queries", "ids"), ("id",)),
}
"""The columns of each kind of table that name images."""
OF_CONCEPTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("label_map", "names", "concept_kinds"), ("cui",)),
    "graph": ("child", "parent"),
    "neighbours": ("cui", "neighbour"),
}
"""The columns of each kind of table that name one concept a row."""
_LOWER_CASE = re.compile(r"c[0-9]{7}")
_ONCE: Mapping[str, tuple[str, ...]] = {
    "pairs": ("query", "candidate"),
    "run": ("query", "candidate"),
    "candidates": ("id",),
    "queries": ("id",),
    "label_map": ("label_type", "label", "cui"),
}
"""What is listed once, where the schema of the table does not say so."""
_FOLDERS = 2
"""The first of the ways ids differ that passes over folders."""
_OWN: Mapping[str, Schema] = {"labels": LABELS, "groups": LABELS, "candidates": IDS, "ids": IDS}
_ENDINGS = tuple(f"{ending}{packed}" for ending in (".csv", ".tsv", ".txt") for packed in ("", ".gz"))


@dataclass(frozen=True, slots=True)
class Change:
    """What is otherwise in the copy: how many times, and the line and value of the first."""

    file: str
    what: str
    count: int
    line: int | None = None
    value: str = ""


@dataclass(frozen=True, slots=True)
class Corrected:
    """The files of a study that need correcting, by their paths, with their new content, and every change."""

    layout: Layout
    files: Mapping[Path, bytes]
    changes: tuple[Change, ...]


def correct(folder: str | Path) -> Corrected:
    """What a corrected copy of a study would have otherwise; nothing is written.

    Only unambiguous changes are made. Ids are changed where there is a concept file, where exactly one image
    has the same id apart from case, ending and folder, and where no other id of the column would become the
    same. Tables in parquet, and those that a reader of the user reads, stay as they are.

    Raises
    ------
    InputError
        There is no such folder.
    """
    layout, _ = read_layout(Path(folder))
    headers = dict(_headers(layout))
    spellings = _Spellings.of(layout, {path: plain for path, (plain, _) in headers.items()})
    files, changes = dict[Path, bytes](), list[Change]()
    for kind, path in _tables(layout):
        problems = Problems(layout.name_of(path))
        data = read_bytes(path, problems)
        plain, made = headers.get(path, (None if data is None else unpack(data, problems), ()))
        if data is None or plain is None:
            continue
        table = _Table(kind, layout, problems, plain, list(made))
        content, _ = try_call(partial(table.corrected, spellings))
        if content is not None and table.changes:
            files[path] = gzip.compress(content, mtime=0) if data.startswith(b"\x1f\x8b") else content
            changes += table.changes
    return Corrected(layout, files, (*changes, *(_not_copied(layout.root) if files else ())))


def write_corrected(corrected: Corrected, target: Path) -> Path:
    """Write the copy of a study with its corrected files, whole or not at all.

    Raises
    ------
    InputError
        The folder is there and not empty, is in the study or contains it; or it cannot be written.
    """
    root, real = corrected.layout.root, Path(os.path.realpath(target))
    if real.is_relative_to(root) or root.is_relative_to(real):
        raise InputError(
            f"{truncate(target)} is inside the study, or contains it. Name a folder beside it, such as "
            f"{truncate(root.name)}-corrected."
        )
    with whole_folder(target) as unfinished:
        unfinished.mkdir()
        for path in _paths(root):
            place = unfinished / path.relative_to(root)
            if path.is_symlink():
                if (inside := _leads_to(path, root)) is not None:
                    place.symlink_to(os.path.relpath(inside, Path(os.path.realpath(path.parent))))
            elif path.is_dir():
                place.mkdir()
            elif path in corrected.files:
                place.write_bytes(corrected.files[path])
            elif path.is_file():
                shutil.copyfile(path, place)
    return target


def study_and_problems(folder: str | Path, unknown: Unknown) -> tuple[Study | None, Report, str]:
    """A study, all of its problems, and why there is none, if so.

    Where a file cannot be used because a column has nearly the right name, its rows are looked at as if it
    had the right one, so that what else is wrong is said in the same round.
    """
    study, report, why = _opened(folder, unknown)
    if not report.total("error"):
        return study, report, why
    layout, _ = read_layout(Path(folder))
    if headers := {path: plain for path, (plain, _) in _headers(layout)}:
        with virtual_files(headers):
            _, more, _ = _opened(folder, unknown)
        of = {key: n for key, n in more.counts.items() if n > report.counts.get(key, 0)}
        known = set(report.problems)
        problems = (p for p in more.problems if p not in known and (p.severity, p.file, p.rule) in of)
        report = Report((*report.problems, *problems), {**report.counts, **of})
    return study, report, why


def _opened(folder: str | Path, unknown: Unknown) -> tuple[Study | None, Report, str]:
    try:
        study = open_study(folder, unknown=unknown)
    except InputError as problem:
        return None, problem.report or Report(), str(problem)
    return study, study.report, ""


# Which files are tables, and of which form.


def _tables(layout: Layout) -> Iterator[tuple[str, Path]]:
    """The kind and the path of each file that may be a table of texts, each file once."""
    parts = [(kind, path) for kind, paths in layout.files.items() for path in paths]
    for files in layout.systems.values():
        parts += [("run" if part.startswith("run") else part, path) for part, path in files.items()]
    first: dict[Path, str] = {}
    for kind, path in parts:
        first.setdefault(path, kind)
    for path, kind in first.items():
        may_be_table = kind in _OWN or bool(KINDS[kind].schemas)
        if kind in ("graph", "names", "concept_kinds"):
            may_be_table = path.name.lower().endswith(_ENDINGS)
        if may_be_table and path.is_file() and custom_format(kind, path.name) is None:
            yield kind, path


def _schema_of(kind: str, plain: bytes) -> Schema | None:
    """What a table must be; None for a file that is none, or whose columns do not say which it is."""
    if plain[:4] == b"PAR1":
        return None
    schema = _OWN.get(kind) or next(iter(KINDS[kind].schemas), None)
    header = () if schema is None else header_of(plain, schema)
    if kind == "queries" and not is_table(header):
        return IDS
    unclear = kind == "graph" and ({"source", "target"} <= {*header} or {"cui1", "cui2"} <= {*header})
    return None if unclear or (kind == "pairs" and not are_pairs(header)) else schema


def _headers(layout: Layout) -> Iterator[tuple[Path, tuple[bytes, list[Change]]]]:
    """The files that cannot be read because of the names of their columns, with better ones."""
    for kind, path in _tables(layout):
        problems = Problems(layout.name_of(path))
        data = read_bytes(path, problems)
        plain = None if data is None else unpack(data, problems)
        schema = None if plain is None else _schema_of(kind, plain)
        if plain is None or schema is None:
            continue
        start = len(plain) - len(plain.removeprefix(b"\xef\xbb\xbf").lstrip())
        head = plain[start : start + HEAD].decode("utf-8", "replace")
        if head[:1] in ("", "{", "[") or form_of(head, schema) is not None:
            continue
        first = re.split(r"[\r\n]", head)[0]
        if "\ufffd" in first:
            continue
        delimiter = guess_delimiter(head, schema.delimiters)
        cells = [cell.strip().strip('"').strip() for cell in first.split(delimiter)]
        if new := nearly_named(cells, schema):
            header = delimiter.join(new.get(at, cell) for at, cell in enumerate(cells))
            line = plain.count(b"\n", 0, start) + 1
            changes = [
                Change(problems.file, f"column renamed to {new[at]}", 1, line, truncate(cells[at]))
                for at in new
            ]
            yield path, (plain[:start] + header.encode() + plain[start + len(first.encode()) :], changes)


# How ids are written.


@dataclass(frozen=True, slots=True)
class _Spellings:
    """The ids that a study has, and for each way to simplify ids the image of each, "" for several.

    ``are_cuis``: whether its concepts are CUIs.
    """

    known: Collection[str]
    images: tuple[Mapping[str, str], ...]
    are_cuis: bool = False

    @staticmethod
    def of(layout: Layout, content: Mapping[Path, bytes]) -> _Spellings:
        """Those of a study, with these files in place of its own."""
        with virtual_files(content):
            study, _, _ = _opened(layout.root, "zero")
        if study is None or not layout.files["concepts"]:
            return _Spellings((), (), study is not None and study.scheme == UMLS)
        only = study.concepts.only
        images = [image for i, image in enumerate(study.image_ids) if only is None or not only[i]]
        ways = []
        for _, simplify in WAYS:
            simple: dict[str, str] = {}
            for image in images:
                key = simplify(image)
                simple[key] = "" if key in simple else image
            ways.append(simple)
        return _Spellings(frozenset(study.image_ids), tuple(ways), study.scheme == UMLS)

    def respelled(self, ids: Sequence[str]) -> dict[str, str]:
        """{id of a column: that of its image}, for those the study writes otherwise.

        None where two would become the same; nor, where the folder differs, one that the column has already.
        """
        result: dict[str, str] = {}
        there = set(ids)
        for name in ids if self.images else ():
            hits = ((way, of.get(WAYS[way][1](name))) for way, of in enumerate(self.images))
            way, image = next(((way, of) for way, of in hits if of is not None), (0, ""))
            if name not in self.known and image and not (way >= _FOLDERS and image in there):
                result[name] = image
        uses = Counter(result.values())
        return {name: image for name, image in result.items() if uses[image] == 1}


# One table.


@dataclass(slots=True)
class _Table:
    """A table while it is corrected."""

    kind: str
    layout: Layout
    problems: Problems
    plain: bytes
    changes: list[Change]
    cells: dict[str, dict[int, str | None]] = field(default_factory=dict)
    """By column and line, what is written in place of a cell; None to end the row before it."""

    def corrected(self, spellings: _Spellings) -> bytes:
        """The content of the corrected file; the changes are listed."""
        schema, file = _schema_of(self.kind, self.plain), self.problems.file
        rows = None if schema is None else load(self.plain, schema, self.problems)
        if schema is None or rows is None or not rows.rows:
            return self.plain
        own_queries = self.kind == "queries" and schema is QUERIES
        for name in () if own_queries else OF_IMAGES.get(self.kind, ()):
            new = spellings.respelled(rows.codes(name)[0])
            rows = self._respelled(rows, name, new, "written as the concept file does")
        for name in OF_CONCEPTS.get(self.kind, ()) if spellings.are_cuis else ():
            lower = filter(_LOWER_CASE.fullmatch, rows.codes(name)[0])
            rows = self._respelled(
                rows, name, {text: text.upper() for text in lower}, "written in upper case"
            )
        if self.kind != "ids":  # a row of each vector
            rows = check(rows, schema, self.problems)
            self.changes += _left_out(self.problems.report().problems, self.problems.report().counts)
            rows = self._once(rows, schema)
            rows = self._of_parser(rows)
        if not self.changes:
            return self.plain
        if rows.format == "json":
            return _as_json(rows)
        text = (decode(self.plain, Problems(file)) or "").removeprefix("\ufeff")
        write = self._objects if rows.format == "jsonl" else self._lines
        return "".join(write(text, schema, set(rows.lines.tolist()))).encode()

    def _respelled(self, rows: Rows, name: str, new: Mapping[str, str], how: str) -> Rows:
        """The rows with some ids of a column written otherwise."""
        ids, codes = rows.codes(name)
        if not new:
            return rows
        texts = [new.get(ids[code], ids[code]) for code in codes.tolist()]
        there = [i for i, code in enumerate(codes.tolist()) if ids[code] in new]
        self.cells[name] = {int(rows.lines[i]): texts[i] for i in there}
        first = ids[codes[there[0]]]
        self._add(
            f"ids of {name} {how}",
            len(there),
            int(rows.lines[there[0]]),
            f"{truncate(first)} -> {truncate(new[first])}",
        )
        return rows.with_column(name, texts)

    def _once(self, rows: Rows, schema: Schema) -> Rows:
        """The rows without repetitions; of the results of a query the better scored stay."""
        names = () if schema is QUERIES else _ONCE.get(self.kind, ())
        if not names or not rows.rows:
            return rows
        good = first_of(rows, names, best="score" if self.kind == "run" else "")
        if not good.all():
            at = int(np.argmin(good))
            value = " ".join(rows.texts(name)[at] for name in names)
            self._add("duplicates left out", int((~good).sum()), int(rows.lines[at]), truncate(value))
        return rows.where(good)

    def _of_parser(self, rows: Rows) -> Rows:
        """The rows that the reader of this kind of table uses, with their concepts as it reads them."""
        scheme = self.layout.toml.scheme
        of_concepts = self.kind in ("concepts", "queries", "label_map")
        if self.kind != "neighbours" and not of_concepts:
            return rows
        options = {"scheme": scheme} if of_concepts else {}
        value, report = KINDS[self.kind].parse(self.plain, file=self.problems.file, **options)
        there = set(rows.lines.tolist())
        errors = [p for p in report.of_severity("error") if p.line in there]
        of_cells = [p for p in errors if p.rule.startswith("malformed-") and p.rule != "malformed-row"]
        lines = {p.line for p in errors if p not in of_cells}
        self.changes += _left_out([p for p in errors if p.line in lines], {})
        if self.kind in ("concepts", "queries") and value is not None:
            self._concepts(rows, getattr(value, "sets", {}))
        return rows.where(np.array([line not in lines for line in rows.lines.tolist()], np.bool_))

    def _concepts(self, rows: Rows, sets: Mapping[str, Sequence[str] | None]) -> None:
        """Cells of concepts as they are read: upper case, each once, without what is none."""
        name = "cui" if self.kind == "concepts" else "concepts"
        if not rows.has(name):
            return
        is_last = not rows.header or named(rows.header, CUI_NAMES) == len(rows.header) - 1
        new: dict[int, str | None] = {}
        for image, cell, line in zip(rows.texts("id"), rows.texts(name), rows.lines.tolist(), strict=True):
            written = [text for value in cell.split(";") if (text := value.strip())]
            if image in sets and written != [*(sets[image] or ())]:
                of = sets[image]
                if of is not None or self.kind == "queries" or is_last:
                    new[line] = (None if self.kind == "concepts" else "") if of is None else ";".join(of)
        if new:
            self.cells[name] = new
            line = min(new)
            cell = rows.texts(name)[rows.lines.tolist().index(line)]
            what = "concepts written in upper case, each once, without malformed ones"
            self._add(what, len(new), line, truncate(cell))

    def _add(self, what: str, count: int, line: int, value: str) -> None:
        self.changes.append(Change(self.problems.file, what, count, line, value))

    def _lines(self, text: str, schema: Schema, kept: set[int]) -> Iterator[str]:
        """The rows of a delimited file on these lines, its header before them."""
        form = form_of(text[:HEAD], schema)
        assert form is not None, "it was read"
        rows = records(text, form, Problems(""))
        if form.header and (header := next(rows, None)) is not None:
            yield _joined(header.cells, form)
        for row in rows:
            if row.line in kept:
                yield _joined(self._cells(row, form), form)

    def _cells(self, row: Row, form: Form) -> list[str]:
        cells = list(row.cells)
        for name, new in self.cells.items():
            if row.line in new:
                cell, at = new[row.line], form.places[name]
                if cell is not None:
                    cells[at] = cell
                elif at == len(cells) - 1:
                    cells.pop()
        return cells

    def _objects(self, text: str, schema: Schema, kept: set[int]) -> Iterator[str]:
        """The objects of JSON on these lines."""
        for line, record in enumerate(text.split("\n"), start=1):
            if line not in kept:
                continue
            new = {name: of[line] for name, of in self.cells.items() if line in of}
            value: Any = json.loads(record) if new else None
            for column in schema.columns if new else ():
                if column.name in new:
                    value[next(key for key in column.names if key in value)] = new[column.name]
            yield f"{record if value is None else json.dumps(value, ensure_ascii=False)}\n"


def _left_out(problems: Iterable[Problem], counts: Mapping[tuple[Severity, str, str], int]) -> list[Change]:
    """The rows that errors keep out, those of each rule together."""
    by_rule: dict[str, list[Problem]] = {}
    for problem in problems:
        if problem.severity == "error":
            by_rule.setdefault(problem.rule, []).append(problem)
    return [
        Change(
            of[0].file,
            f"rows left out: {rule}",
            counts.get(("error", of[0].file, rule), len(of)),
            of[0].line,
            of[0].value,
        )
        for rule, of in by_rule.items()
    ]


def _joined(cells: Sequence[str], form: Form) -> str:
    """A row of a delimited file."""
    if form.delimiter not in (",", ";"):
        return f"{form.delimiter.join(cells)}\n"
    out = io.StringIO()
    csv.writer(out, delimiter=form.delimiter, lineterminator="\n").writerow(cells)
    return out.getvalue()


def _as_json(rows: Rows) -> bytes:
    """A run as ``{query: {candidate: score}}``."""
    names = rows.data.column_names
    nested: dict[str, dict[str, float]] = {}
    cells = zip(rows.texts(names[0]), rows.texts(names[1]), rows.numbers(names[2]).tolist(), strict=True)
    for first, second, value in cells:
        nested.setdefault(first, {})[second] = value
    return f"{json.dumps(nested, ensure_ascii=False, indent=1)}\n".encode()


# The folder.


def _paths(root: Path) -> Iterator[Path]:
    """Everything below a folder, folders before what is in them, no links followed."""
    for folder, folders, files in os.walk(root):
        folders.sort()
        yield from (Path(folder, name) for name in sorted([*folders, *files]))


def _leads_to(link: Path, root: Path) -> Path | None:
    """What a link in the folder of a study leads to; None where that is not in it, or nothing."""
    real = Path(os.path.realpath(link))
    return real if real.is_relative_to(root) and real.exists() else None


def _not_copied(root: Path) -> Iterator[Change]:
    """Links that lead out of the study, pipes and devices."""
    for path in _paths(root):
        name = readable(path.relative_to(root).as_posix())
        if path.is_symlink() and _leads_to(path, root) is None:
            yield Change(name, "not copied: a link that leads out of the study, or nowhere", 1)
        elif not path.is_symlink() and not path.is_dir() and not path.is_file():
            yield Change(name, "not copied: no file", 1)
