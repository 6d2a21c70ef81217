"""Judgments that others made: TREC qrels, or tables ``[reader|judge,]query,result,value``.

A file in ``judgments/`` holds what people say; one in ``judges/``, or with a column ``judge``, what programs
say. Either becomes the relevance ``qrels:NAME``, NAME being the file without its ending.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import numpy as np

from evalcore.study.judgments.corpus import id_in, objects_of
from evalcore.study.tables import tables
from evalcore.study.tables.ids import hint, positions
from evalcore.study.tables.limits import fits
from evalcore.study.tables.lines import broken, decode, parsed, report_undecodable, unpack
from evalcore.study.tables.parquet import named_texts
from evalcore.study.tables.problems import Problems, reader, shown
from evalcore.values.arrays import digest_of, frozen, starts_of
from evalcore.values.concept_values import NAME_RULE, is_name
from evalcore.values.errors import Report
from evalcore.values.model import MIDDLE, Judged, Qrels
from evalcore.values.writing import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from evalcore.values.arrays import Floats, Ints

ENDINGS = (
    *(
        f"{ending}{packed}"
        for ending in (".qrels", ".csv", ".tsv", ".txt", ".jsonl", ".trec")
        for packed in ("", ".gz")
    ),
    ".parquet",
)
FOLDER, OF_PROGRAMS, SPLITS = "judgments", "judges", "qrels"
"""Folders of what people, and what programs say, and of the splits of BEIR and MTEB."""
ELSEWHERE = (
    *(f"{SPLITS}/*{ending}" for ending in ENDINGS),
    "*.qrels",
    "*.qrels.gz",
    *("qrels", "qrels.txt", "qrels.tsv", "qrels.csv", "qrels.jsonl", "qrels.trec"),
)
"""Other names of judgments of people: as BEIR, MTEB and ir_datasets have them."""
HEADER_NAMES: Mapping[str, frozenset[str]] = {
    "query": frozenset(words("query, query_id, query-id, qid, topic, topic_id")),
    "result": frozenset(
        words("result, corpus-id, corpus_id, doc, doc_id, docid, docno, document, candidate, image, image_id")
    ),
    "value": frozenset(words("value, grade, relevance, rel, score, judgment, label")),
    "reader": frozenset(words("reader, rater, annotator, assessor")),
    "judge": frozenset(words("judge, model")),
}
"""Header names, lower case, of each column."""
TEMPLATE = (
    b"reader,query,result,value\nanna,image_1,image_7,2\nben,image_1,image_7,1\nanna,image_1,image_9,0\n"
)
_TREC = re.compile(r"\S+\s+\S+\s+\S+\s+\S+\s*\Z")
_PART = re.compile(r"-(\d{5}|\*)-of-(\d{5})\Z")
_ROW_BYTES = 250
_REMEDY = "Write TREC lines (query 0 result grade), or a table with the columns query, result and value."

_OBJECT = 'Write lines such as {"query-id": "q1", "corpus-id": "d1", "score": 1}.'
MOST_GRADE = 1_000_000
"""Of a grade, and of one below 0 without its sign."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgmentRows:
    """Rows in file order: ids, grades, and the number of the rater of each in ``raters`` (-1 for none)."""

    queries: tuple[str, ...]
    results: tuple[str, ...]
    values: Floats
    rater: Ints
    raters: tuple[str, ...]
    lines: tuple[int, ...]
    format: str
    file: str
    by_program: bool = False

    @property
    def rows(self) -> int:
        return len(self.queries)


def no_rows(file: str) -> JudgmentRows:
    """Of a file that cannot be read."""
    nothing = np.empty(0, np.int32)
    return JudgmentRows((), (), np.empty(0), nothing, (), (), "qrels", file)


def name_of_judgments(file: str) -> str:
    """What a file of judgments is called: its name without the ending, and without the number of its part.

    >>> name_of_judgments("judgments/dl-2019.qrels"), name_of_judgments("panel.csv.gz")
    ('dl-2019', 'panel')
    >>> name_of_judgments("data/test-00000-of-00001.parquet")
    'test'
    """
    return _PART.sub("", _without_ending(file)[0])


def _without_ending(file: str) -> tuple[str, str]:
    name = PurePosixPath(file).name
    ending = max((e for e in ENDINGS if name.lower().endswith(e)), key=len, default="")
    return name[: len(name) - len(ending)], name[len(name) - len(ending) :]


def _part(file: str) -> tuple[str, str, str] | None:
    """Number of a shard, its file with the number as "*", and how many there are; None for one alone."""
    stem, ending = _without_ending(file)
    part = _PART.search(stem)
    if part is None or part[2] == "00001":
        return None
    folder = file[: len(file) - len(stem) - len(ending)]
    return part[1], f"{folder}{stem[: part.start()]}-*-of-{part[2]}{ending}", part[2]


def stored_stem(file: str) -> str:
    """A file's name without its ending; with the number of its shard only where it is one of several."""
    return name_of_judgments(file) if _part(file) is None else _without_ending(file)[0]


def shards_of(paths: Iterable[Path]) -> tuple[tuple[Path, ...], ...]:
    """Files in their order, the shards of one split (test-00000-of-00002.parquet) together by name."""
    result: dict[str, list[Path]] = {}
    for path in paths:
        part = _part(str(path))
        result.setdefault(str(path) if part is None else part[1], []).append(path)
    return tuple(tuple(sorted(of, key=lambda path: path.name)) for of in result.values())


def joined_shards(shards: Sequence[JudgmentRows]) -> tuple[JudgmentRows | None, Report]:
    """The judgments of one split as of one file, whose lines count on through its shards.

    A file that is no shard is returned as it is; others come as `shards_of` orders them. None, with an error,
    where a shard is missing or all together take more memory than a file may. A result that the same rater
    judged in an earlier shard is left out of a later one, with an error.
    """
    parts = [_part(rows.file) for rows in shards]
    if parts[0] is None:
        return shards[0], Report()
    file, total = parts[0][1], int(parts[0][2])
    problems = Problems(file)
    there = {of[0] for of in parts if of is not None}
    missing = [file.replace("*", f"{i:05}") for i in range(total) if f"{i:05}" not in there]
    if missing:
        message = f"Of {total:,} shards {len(missing):,} are missing, first {shown(missing[0])}."
        remedy = "Add them; until then the judgments of the other shards are left out."
        problems.error("missing-shard", message, remedy, value=missing[0])
        return None, problems.report()
    if not fits(problems, sum(rows.rows for rows in shards), _ROW_BYTES):
        return None, problems.report()
    by_program = any(rows.by_program for rows in shards)
    return _once(_of_shards(shards), shards[0].format, by_program, file, problems), problems.report()


def _of_shards(shards: Sequence[JudgmentRows]) -> Iterator[_Row]:
    before = 0
    for rows in shards:
        raters = (*rows.raters, "")  # -1 is the last
        for i, line in enumerate(rows.lines):
            grade = repr(float(rows.values[i]))
            yield before + line, raters[rows.rater[i]], rows.queries[i], rows.results[i], grade
        before += max(rows.lines, default=0)


@reader(no_rows)
def parse_judgments(data: bytes, *, file: str) -> tuple[JudgmentRows, Report]:
    """Read qrels of TREC (query, an unused column, result, grade; blanks or TABs between) or a table.

    A table has a header; or is JSON lines, or a parquet file, whose lines are rows counted from 1.

    Grades are numbers up to `MOST_GRADE`; one below 0 says that the result was in the pool and not judged.
    Errors, left out: rows with another number of columns, grades that are no such numbers, and a result that
    the same rater (or a file without raters) judges a second time for a query. Nothing, with an error, for
    another form of file.
    """
    problems = Problems(file)
    plain = unpack(data, problems)
    if plain is not None and plain[:4] == b"PAR1":
        table = named_texts(plain, HEADER_NAMES, problems, _ROW_BYTES)
        if table is None or not {"query", "result", "value"} <= table.keys():
            if table is not None and not problems.n_errors:
                problems.error("wrong-header", "The columns query, result and value are needed.", _REMEDY)
            return no_rows(file), problems.report()
        read = _of_parquet(table, problems)
        return _once(read, "parquet", "judge" in table, file, problems), problems.report()
    if plain is None or not fits(problems, plain.count(b"\n"), _ROW_BYTES):
        return no_rows(file), problems.report()
    text = decode(plain, problems)
    if text is None:
        return no_rows(file), problems.report()
    text = text.removeprefix("\ufeff")
    top = [line for line in text[:20_000].split("\n")[:50] if line.strip()]
    if not top:
        problems.error("no-rows", "There is nothing in the file.", _REMEDY)
        return no_rows(file), problems.report()
    if top[0].lstrip().startswith("{"):
        return _once(_of_objects(text, problems), "jsonl", False, file, problems), problems.report()
    delimiter = tables.guess_delimiter("\n".join(top))
    header = [cell.strip().strip('"').lower() for cell in top[0].split(delimiter)]
    places = {
        name: at for name, known in HEADER_NAMES.items() if (at := tables.named(header, known)) is not None
    }
    if {"query", "result", "value"} <= places.keys():
        rows = _of_table(text, delimiter, places, problems)
        form, by_program = "csv", "judge" in places
    elif all(_TREC.match(line) for line in top[:1]):
        rows, form, by_program = _of_lines(text, problems), "qrels", False
    else:
        message = "The file is neither TREC qrels nor a table of judgments."
        problems.error("unknown-format", message, _REMEDY, line=1, value=top[0])
        return no_rows(file), problems.report()
    return _once(rows, form, by_program, file, problems), problems.report()


_Row = tuple[int, str, str, str, str]
"""Line, rater, query, result, grade."""


def _of_lines(text: str, problems: Problems) -> Iterator[_Row]:
    blank, check = tables.Blanks(), broken(text)
    for line, record in tables.filled_lines(text, problems, blank):
        cells = record.split()
        if not cells:
            blank.lines(line)
            continue
        blank.row()
        if check and broken(record):
            report_undecodable(problems, line, record)
        elif len(cells) != 4:
            tables.report_columns(problems, tables.Row(line, cells), "Qrels have 4 columns", _REMEDY)
        else:
            yield line, "", cells[0], cells[2], cells[3]
    blank.report(problems)


def _of_objects(text: str, problems: Problems) -> Iterator[_Row]:
    """Objects of JSON lines, such as {"query-id": "q", "corpus-id": "d", "score": 1}."""
    for line, value in objects_of(text, problems, _OBJECT):
        cells = [id_in(value, tuple(HEADER_NAMES[name])) for name in ("query", "result")]
        grade = next((value[key] for key in HEADER_NAMES["value"] if key in value), "")
        if all(cells) and isinstance(grade, (int, float, str)) and str(grade).strip():
            yield line, "", cells[0], cells[1], str(grade).strip()
        else:
            message = "The line has no query, result or grade; it is left out."
            problems.error("empty-cell", message, _OBJECT, line=line, value=str(value))


def _of_parquet(table: Mapping[str, list[str | None]], problems: Problems) -> Iterator[_Row]:
    who = table.get("reader", table.get("judge"))
    columns = ["query", "result", "value", *(["reader" if "reader" in table else "judge"] if who else [])]
    for at in range(len(table["query"])):
        cells = [(table[name][at] or "").strip() for name in columns]
        if broken(text := "".join(cells)):
            report_undecodable(problems, at + 1, text)
        elif all(cells):
            yield at + 1, cells[3] if who else "", cells[0], cells[1], cells[2]
        else:
            empty = columns[cells.index("")]
            message = f"The row has no {empty}; it is left out."
            problems.error("empty-cell", message, "Fill the cell.", line=at + 1, value=",".join(cells))


def _of_table(text: str, delimiter: str, places: Mapping[str, int], problems: Problems) -> Iterator[_Row]:
    rows = tables.read_rows(text, problems, delimiter=delimiter)
    who = places.get("reader", places.get("judge"))
    for row in tables.full_rows(rows[1:], problems, len(rows[0].cells) if rows else 0):
        rater = row.cells[who] if who is not None else ""
        cells = [row.cells[places[name]] for name in ("query", "result", "value")]
        empty = next((n for n, cell in zip(("query", "result", "value"), cells, strict=True) if not cell), "")
        if not empty and who is not None and not rater:
            empty = "reader" if "reader" in places else "judge"
        if empty:
            message = f"The row has no {empty}; it is left out."
            problems.error("empty-cell", message, "Fill the cell.", line=row.line, value=",".join(row.cells))
        else:
            yield row.line, rater, cells[0], cells[1], cells[2]


def _once(rows: Iterator[_Row], form: str, by_program: bool, file: str, problems: Problems) -> JudgmentRows:
    """The rows with a grade, each rater's first of a pair."""
    first: dict[tuple[str, str, str], int] = {}
    kept: list[tuple[int, str, str, str, float]] = []
    for line, rater, query, result, grade in rows:
        value = parsed(grade)
        if value is None or not abs(value) <= MOST_GRADE:
            message = (
                f"The grade {tables.quoted(grade)} is not a number up to {MOST_GRADE:,}; the row is left out."
            )
            problems.error("not-a-number", message, "Write a number such as 2.", line=line, value=grade)
        elif (pair := (rater, query, result)) in first:
            whose = f" by {shown(rater)}" if rater else ""
            what = f"{shown(result)!r} is judged for query {shown(query)!r}{whose}"
            message = f"{what} on line {first[pair]} already."
            remedy = "Keep one; this row is left out. Give several readers a column reader."
            problems.error("duplicate-judgment", message, remedy, line=line, value=f"{query} {result}")
        else:
            first[pair] = line
            kept.append((line, rater, query, result, value))
    raters = tuple(sorted({rater for _, rater, *_ in kept} - {""}))
    number = {rater: i for i, rater in enumerate(raters)}
    if not kept and not problems.n_errors:
        problems.error("no-rows", "There is no judgment in the file.", _REMEDY)
    return JudgmentRows(
        queries=tuple(row[2] for row in kept),
        results=tuple(row[3] for row in kept),
        values=frozen(np.array([row[4] for row in kept], float)),
        rater=frozen(np.array([number.get(row[1], -1) for row in kept], np.int32)),
        raters=raters,
        lines=tuple(row[0] for row in kept),
        format=form,
        file=file,
        by_program=by_program,
    )


@reader(lambda _: None)
def bind_judgments(
    rows: JudgmentRows, *, image_ids: Sequence[str], by_program: bool = False, name: str | None = None
) -> tuple[Qrels | None, Report]:
    """The judgments of a file over the images of a study.

    Several readers of a pair: the mean of their grades from 0 on. A result is relevant from grade 1 on, as
    trec_eval counts it; where no grade is above 1 from 0.5 on, which is the same for whole grades and more
    than half of several readers. Judgments of images that the study does not have are left out, in a warning.
    None where none is left, or where a relevance cannot have the ``name``, by default that of the file.
    """
    problems = Problems(rows.file)
    name = name_of_judgments(rows.file) if name is None else name
    if not is_name(name):
        message = f"{shown(name)!r} cannot be the name of judgments: it must be {NAME_RULE}."
        problems.error("bad-name", message, "Rename the file.", value=name)
        return None, problems.report()
    if not rows.rows:
        return None, problems.report()
    query, result = positions(rows.queries, image_ids), positions(rows.results, image_ids)
    _report_unknown(rows, query, result, image_ids, problems)
    known = (query >= 0) & (result >= 0)
    if not known.any():
        return None, problems.report()
    n = len(image_ids)
    pairs, at = np.unique(query[known].astype(np.int64) * n + result[known], return_inverse=True)
    values, of = rows.values[known], rows.rater[known]
    by_reader = np.full((len(rows.raters), len(pairs)), np.nan)
    if rows.raters:
        by_reader[of, at] = np.where(values < 0, np.nan, values)
    good = values >= 0
    given = np.bincount(at[good], minlength=len(pairs))
    total = np.bincount(at[good], weights=values[good], minlength=len(pairs))
    grades = np.where(given > 0, total / np.maximum(given, 1), -1.0)
    queries, results = np.divmod(pairs, n)
    indptr = starts_of(np.bincount(queries, minlength=n))
    top = float(max(grades.max(), values.max()))
    judged = Judged(
        frozen(indptr),
        frozen(results.astype(np.int32)),
        frozen(grades),
        "mean",
        max(len(rows.raters), 1),
        0,
        digest_of(indptr, results, grades),
        MIDDLE if top <= 1 else 1.0,
        max(top, 1.0),
    )
    of_program = by_program or rows.by_program
    return Qrels(name, judged, rows.raters, frozen(by_reader), of_program, rows.file), problems.report()


def _report_unknown(
    rows: JudgmentRows, query: Ints, result: Ints, image_ids: Sequence[str], problems: Problems
) -> None:
    for ids, place, what in ((rows.queries, query, "queries"), (rows.results, result, "results")):
        missing = np.flatnonzero(place < 0)
        names = list(dict.fromkeys(ids[i] for i in missing.tolist()))
        message = f"{{n}} {what} that are judged are not in the study; their judgments are left out."
        remedy = hint(names, image_ids) or (
            "Recall, AP and nDCG then count only the others as relevant." if what == "results" else ""
        )
        lines = [rows.lines[int(missing[0])]] if len(missing) else []
        problems.counted("judged-not-in-study", names, message, remedy, lines=lines)
