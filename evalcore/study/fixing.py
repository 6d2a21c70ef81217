"""A corrected copy of a study: what can be put right without guessing is, and every change is listed.

Columns that are called nearly as they should be are renamed, ids are written as the concept file writes them,
and the rows that the readers leave out are left out. Everything else is copied byte for
byte; the study itself is never written into.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from evalcore.study.folder.layout import find_layout
from evalcore.study.parts.kind import TABLE, Layout, custom_format
from evalcore.study.parts.labels import LABELS
from evalcore.study.parts.queries import IDS, QUERIES, are_pairs, is_table
from evalcore.study.parts.registry import KINDS
from evalcore.study.saving import whole_folder
from evalcore.study.study import open_study
from evalcore.study.tables.files import decode, read_bytes, virtual_files
from evalcore.study.tables.ids import WAYS
from evalcore.study.tables.load import Form, form_of, header_of, nearly_named
from evalcore.study.tables.problems import Problems, guarded, kept_in_full, truncate
from evalcore.study.tables.schema import Schema
from evalcore.study.tables.tables import Row, guess_delimiter, undecoded_records
from evalcore.values.errors import InputError, Report
from evalcore.values.model import Study
from evalcore.values.settings import Unknown

HEAD = 100_000
"""Characters that say which form a table has."""
_FOLDERS = 2
"""The first of the ways ids differ that passes over folders."""
_OWN: Mapping[str, Schema] = {"labels": LABELS, "groups": LABELS, "candidates": IDS, "ids": IDS}
_ROWS_STAY = re.compile(r"unknown-|malformed-(?!row)|wrong-header|duplicate-column|no-")
"""Rules of errors about a file, about one concept of a row, or about ids that somebody may correct."""


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
    same. JSON, parquet and what a reader of the user reads stay as they are.

    Raises
    ------
    InputError
        There is no such folder.
    """
    layout = find_layout(Path(folder))
    tables = {table.path: table for table in _tables(layout)}
    with kept_in_full():
        for table in tables.values():
            width = table.form.width * (table.form.name == "trec")
            table.rows = [*undecoded_records(table.text, table.form.delimiter, table.lost, width=width)]
    study, _, _ = _opened(layout.root, "zero", tables)
    if study is not None and layout.files["concepts"]:
        for table in tables.values():
            table.respell(study)
    with kept_in_full():
        _, report, _ = _opened(layout.root, "error", tables)
    for table in tables.values():
        table.leave_out(report)
    changed = [table for table in tables.values() if table.changes]
    changes = [change for table in changed for change in table.changes]
    for path in (path for path, is_copied in _everything(layout.root) if changed and not is_copied):
        changes.append(Change(layout.name_of(path), "not copied: a link, or no file", 1))
    return Corrected(layout, {table.path: table.packed() for table in changed}, tuple(changes))


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
        for path in (path for path, is_copied in _everything(root) if is_copied):
            place = unfinished / path.relative_to(root)
            if path.is_dir():
                place.mkdir()
            elif path in corrected.files:
                place.write_bytes(corrected.files[path])
            else:
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
    renamed = {table.path: table for table in _tables(find_layout(Path(folder))) if table.changes}
    if renamed:
        _, more, _ = _opened(folder, unknown, renamed)
        new = {key: n for key, n in more.counts.items() if n > report.counts.get(key, 0)}
        known = set(report.problems)
        problems = (p for p in more.problems if p not in known and (p.severity, p.file, p.rule) in new)
        report = Report((*report.problems, *problems), {**report.counts, **new})
    return study, report, why


def _opened(
    folder: str | Path, unknown: Unknown, tables: Mapping[Path, _Table] | None = None
) -> tuple[Study | None, Report, str]:
    """The study with these tables in place of its own, its problems, and why there is none, if so."""
    try:
        with virtual_files({path: table.content() for path, table in (tables or {}).items()}):
            study = open_study(folder, unknown=unknown)
    except InputError as problem:
        return None, problem.report or Report(), str(problem)
    return study, study.report, ""


# The tables of a study: delimited text whose columns say what they are.


@dataclass(slots=True)
class _Table:
    """A table while it is corrected; ``rows``: None until they are read; ``lost``: what is wrong with those
    that are none."""

    kind: str
    path: Path
    file: str
    is_packed: bool
    text: str
    form: Form
    changes: list[Change]
    lost: Problems
    rows: list[Row] | None = None

    def content(self) -> bytes:
        """The file as it is so far, without what cannot be read at all."""
        rows = self.rows
        text = self.text if rows is None else "".join(_joined(row.cells, self.form) for row in rows)
        return text.encode("utf-8", "surrogateescape")

    def packed(self) -> bytes:
        return gzip.compress(self.content(), mtime=0) if self.is_packed else self.content()

    def respell(self, study: Study) -> None:
        """Write ids of images as the concept file does."""
        below = (self.rows or [])[bool(self.form.header) :]
        for column in KINDS[self.kind].ids if self.kind in KINDS else ():
            at = self.form.places.get(column, -1)
            body = [row for row in below if 0 <= at < len(row.cells)]
            new = _respelled(study, {row.cells[at] for row in body})
            changed = [row for row in body if new.get(row.cells[at], row.cells[at]) != row.cells[at]]
            if changed:
                what = f"{'ids' if column == 'id' else f'ids in {column}'} written as the concept file does"
                old = changed[0].cells[at]
                value = f"{truncate(old)} -> {truncate(new[old])}"
                self.changes.append(Change(self.file, what, len(changed), changed[0].line, value))
            for row in changed:
                row.cells[at] = new[row.cells[at]]

    def leave_out(self, report: Report) -> None:
        """Leave out the rows that the study has errors about, and list those that are not even rows."""
        line, row_at = 1, dict[int, Row]()
        for row in self.rows or ():
            row_at[line] = row
            line += _joined(row.cells, self.form).count("\n")
        bad: dict[str, list[tuple[int, str]]] = {}
        for problem in self.lost.report().of_severity("error"):
            bad.setdefault(problem.rule, []).append((problem.line or 1, problem.value))
        dropped = set[int]()
        for problem in report.of_severity("error") if self.kind != "ids" else ():
            at = row_at.get(problem.line or 0) if problem.file == self.file else None
            if at is not None and not _ROWS_STAY.match(problem.rule) and at.line not in dropped:
                dropped.add(at.line)
                bad.setdefault(problem.rule, []).append((at.line, problem.value))
        self.rows = [row for row in self.rows or () if row.line not in dropped]
        for rule, rows in bad.items():
            self.changes.append(Change(self.file, f"rows left out: {rule}", len(rows), *min(rows)))


def _tables(layout: Layout) -> Iterator[_Table]:
    """The tables of a study, each file once, those with nearly the right columns under the right ones."""
    parts = [(kind, path) for kind, paths in layout.files.items() for path in paths]
    parts += [part for files in layout.systems.values() for part in files.items()]
    first: dict[Path, str] = {}
    for kind, path in parts:
        first.setdefault(path, kind)
    for path, kind in first.items():
        by_name = kind not in ("graph", "names", "concept_kinds") or path.name.lower().endswith(TABLE)
        if by_name and path.is_file() and custom_format(kind, path.name) is None:
            file = layout.name_of(path)
            table = guarded(Problems(file), partial(_table, kind, path), None)
            if table is not None:
                yield table


def _table(kind: str, path: Path, problems: Problems) -> _Table | None:
    """A file as a table; None for one of another form."""
    file, data = problems.file, read_bytes(path, problems)
    schema = None if data[:4] == b"PAR1" else _schema_of(kind, data)
    text = "" if schema is None else decode(data, problems)
    if schema is None or text.lstrip()[:1] in ("{", "["):
        return None
    packed, changes = data.startswith(b"\x1f\x8b"), list[Change]()
    form = form_of(text[:HEAD], schema)
    if form is None:
        start = len(text) - len(text.lstrip())
        first = text[start : start + HEAD].partition("\n")[0]
        delimiter = guess_delimiter(text[start : start + HEAD], schema.delimiters)
        cells = [cell.strip().strip('"').strip() for cell in first.split(delimiter)]
        new = nearly_named(cells, schema)
        line = text.count("\n", 0, start) + 1
        changes = [
            Change(file, f"column renamed to {new[at]}", 1, line, truncate(cells[at])) for at in sorted(new)
        ]
        header = delimiter.join(new.get(at, cell) for at, cell in enumerate(cells))
        text = text[:start] + header + text[start + len(first) :]
        form = form_of(text[:HEAD], schema) if new else None
    kind = "own_queries" if schema is QUERIES else kind
    return None if form is None else _Table(kind, path, file, packed, text, form, changes, Problems(file))


def _schema_of(kind: str, data: bytes) -> Schema | None:
    """What a table must be; None for a file that is none, or whose columns do not say which it is."""
    schema = _OWN.get(kind) or next(iter(KINDS[kind].schemas), None)
    header = () if schema is None else header_of(data, schema)
    if kind == "queries":
        return QUERIES if is_table(header) else IDS
    unclear = kind == "graph" and {"source", "target"} <= {*header}
    return None if unclear or (kind == "pairs" and not are_pairs(header)) else schema


def _respelled(study: Study, ids: set[str]) -> dict[str, str]:
    """{id of a column: that of its image}, for those the study writes otherwise.

    Left out where two would become the same, and, where the folder differs, where the column has both.
    """
    pairs = zip(study.image_ids, study.concepts.only.tolist(), strict=True)
    images = [image for image, is_no_image in pairs if not is_no_image]
    known, result = set(study.image_ids), dict[str, str]()
    for way, (_, simplify) in enumerate(WAYS):
        times = Counter(map(simplify, images))
        simple = {simplify(image): image for image in images}
        for name in ids - known - result.keys():
            image = simple.get(simplify(name))
            if image is not None:
                is_clear = times[simplify(name)] == 1 and not (way >= _FOLDERS and image in ids)
                result[name] = image if is_clear else name
    uses = Counter(result.values())
    return {name: image for name, image in result.items() if uses[image] == 1}


def _joined(cells: Sequence[str], form: Form) -> str:
    """A row of a delimited file."""
    if form.delimiter not in (",", ";"):
        return f"{form.delimiter.join(cells)}\n"
    out = io.StringIO()
    csv.writer(out, delimiter=form.delimiter, lineterminator="\n").writerow(cells)
    return out.getvalue()


def _everything(root: Path) -> Iterator[tuple[Path, bool]]:
    """What is below a folder, and whether it is copied: no link, which may lead out, no pipe, no device."""
    for folder, folders, files in os.walk(root):
        for path in (Path(folder, name) for name in sorted((*folders, *files))):
            yield path, not path.is_symlink() and (path.is_dir() or path.is_file())
