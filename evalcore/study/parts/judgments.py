"""Judgments that others made: TREC qrels, or tables ``[reader|judge,]query,result,value``.

A file in ``judgments/`` holds what people say; one in ``judges/``, or with a column ``judge``, what programs
say. Either becomes the relevance ``qrels:NAME``, NAME being the file without its ending.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from evalcore.study.parts.kind import Files, Opening, PartKind, Table, plain_name
from evalcore.study.parts.runs import RUN
from evalcore.study.tables.files import packed, reader
from evalcore.study.tables.frames import items
from evalcore.study.tables.ids import explain_id_mismatch
from evalcore.study.tables.load import load
from evalcore.study.tables.problems import Problems, Rule, truncate
from evalcore.study.tables.schema import Column, Rows, Sample, Schema, check, no_rows
from evalcore.study.tables.tables import named
from evalcore.study.workspace.file_names import without_ending
from evalcore.values.arrays import Ints, digest_of, indptr_of, readonly, rows_of
from evalcore.values.concept_values import NAME_RULE, is_name
from evalcore.values.model import Qrels, Study
from evalcore.values.writing import pluralize, words

ENDINGS = (*packed(".qrels", ".csv", ".tsv", ".txt", ".jsonl", ".trec"), ".parquet")
FOLDER, OF_PROGRAMS, SPLITS = "judgments", "judges", "qrels"
"""Folders of what people, and what programs say, and of the splits of BEIR and MTEB."""
ELSEWHERE = (
    *(f"{SPLITS}/*{ending}" for ending in ENDINGS),
    *packed("*.qrels"),
    *("qrels", "qrels.txt", "qrels.tsv", "qrels.csv", "qrels.jsonl", "qrels.trec"),
)
"""Other names of judgments of people: as BEIR, MTEB and ir_datasets have them."""
MOST_GRADE = 1_000_000
"""Of a grade, and of one below 0 without its sign."""
JUDGMENTS = Schema(
    (
        Column(words("query, query_id, query-id, qid, topic, topic_id"), coded=True),
        Column(
            words(
                """
                result, corpus-id, corpus_id, doc, doc_id, docid, docno, document, candidate, image, image_id
                """
            ),
            coded=True,
        ),
        Column(
            words("value, grade, relevance, rel, score, judgment, label"),
            number=Rule(
                "not-a-number",
                f"The grade '{{value}}' is not a number up to {MOST_GRADE:,}; the row is left out.",
                "Write a number such as 2.",
            ),
            limit=MOST_GRADE,
        ),
        Column(words("reader, rater, annotator, assessor"), required=False, coded=True),
        Column(words("judge, model"), required=False, coded=True),
        *(Column((name,), required=False, empty=None, coded=True) for name in ("system", "criterion")),
    ),
    remedy="Write TREC lines (query 0 result grade), or a table with the columns query, result and value.",
    what="a table of judgments",
    spaces=("query", "", "result", "value"),
    keys=("reader", "judge", "query", "result"),
    duplicate=Rule(
        "duplicate-judgment",
        "'{value}' is judged on line {first} already.",
        "Keep one; this row is left out. Give several readers a column reader.",
    ),
    row_bytes=250,
)
TEMPLATE = (
    b"reader,query,result,value\nanna,image_1,image_7,2\nben,image_1,image_7,1\nanna,image_1,image_9,0\n"
)
_PART = re.compile(r"-\d{5}-of-\d{5}\Z")


@reader(lambda file: no_rows(file, JUDGMENTS))
def parse_judgments(data: bytes, problems: Problems) -> Rows:
    """Read qrels of TREC (query, an unused column, result, grade; blanks or TABs between) or a table.

    A table has a header; or is JSON lines, or a parquet file, whose lines are rows counted from 1.

    Rows about whole lists, or by a criterion, are passed over: `study.reader_judgments` reads them.

    Grades are numbers up to `MOST_GRADE`; one below 0 says that the result was in the pool and not judged.
    Errors, left out: rows with another number of columns, grades that are no such numbers, and a result that
    the same rater (or a file without raters) judges a second time for a query. Nothing, with an error, for
    another form of file.
    """
    rows = load(data, JUDGMENTS, problems)
    others = np.zeros(rows.rows, np.bool_)
    for name in filter(rows.has, ("system", "criterion")):
        others |= np.array([bool(text.strip()) for text in rows.texts(name)], np.bool_)
    rows = check(rows.where(~others), JUDGMENTS, problems)
    if not rows.rows and not problems.n_errors and not others.any():
        problems.error("no-rows", "There is no judgment in the file.", JUDGMENTS.remedy)
    return rows


def raters_of(rows: Rows) -> tuple[tuple[str, ...], Ints]:
    """The raters of a table, ascending, and the place of each row's among them, -1 without any."""
    column = next((name for name in ("reader", "judge") if rows.has(name)), None)
    if column is None or not rows.rows:
        return (), np.full(rows.rows, -1, np.int32)
    names, codes = rows.codes(column)
    there = sorted(np.unique(codes).tolist(), key=names.__getitem__)
    place = np.full(len(names), -1, np.int32)
    place[there] = np.arange(len(there), dtype=np.int32)
    return tuple(names[code] for code in there), place[codes]


def name_of_judgments(file: str) -> str:
    """What a file of judgments is called: its name without the ending, and without the number of its part.

    >>> name_of_judgments("judgments/dl-2019.qrels"), name_of_judgments("panel.csv.gz")
    ('dl-2019', 'panel')
    >>> name_of_judgments("data/test-00000-of-00001.parquet")
    'test'
    """
    return _PART.sub("", without_ending(PurePosixPath(file).name, ENDINGS))


def bind_judgments(
    rows: Rows, problems: Problems, opening: Opening, *, by_program: bool, name: str = "judgments"
) -> Qrels | None:
    """The judgments of a file over the images of a study.

    Several readers of a pair: the mean of their grades from 0 on. A result is relevant from grade 1 on, as
    trec_eval counts it; where no grade is above 1 from 0.5 on, which is the same for whole grades and more
    than half of several readers. Judgments of images that the study does not have are left out, in a warning.
    None where none is left; refused where a relevance cannot have the ``name``. ``by_program``: where the
    file lies says that a program judged; the file may say so itself.
    """
    if not is_name(name):
        message = f"{truncate(name)!r} cannot be the name of judgments: it must be {NAME_RULE}."
        problems.refuse("bad-name", message, "Rename the file.", value=name)
    if not rows.rows:
        return None
    images, places = opening.images, dict[str, Ints]()
    for column, what in (("query", "queries"), ("result", "results")):
        ids, codes = rows.codes(column)
        of_ids = images.positions(ids)
        places[column] = of_ids[codes]
        missing = [name for name, image in zip(ids, of_ids.tolist(), strict=True) if image < 0]
        message = f"{{n}} {what} that are judged are not in the study; their judgments are left out."
        only = "Recall, AP and nDCG then count only the others as relevant." if what == "results" else ""
        remedy = explain_id_mismatch(missing, images.ids) or only
        lines = rows.lines[places[column] < 0][:1].tolist()
        problems.add_summary("judged-not-in-study", missing, message, remedy, lines=lines)
    query, result = places["query"], places["result"]
    known = (query >= 0) & (result >= 0)
    if not known.any():
        return None
    n = len(images.ids)
    pairs, at = np.unique(query[known].astype(np.int64) * n + result[known], return_inverse=True)
    raters, rater = raters_of(rows)
    values = rows.numbers("value")[known]
    good = values >= 0
    rated = np.flatnonzero(good) if raters else np.empty(0, np.int64)
    rated = rated[np.lexsort((at[rated], rater[known][rated]))]
    counts = np.bincount(at[good], minlength=len(pairs))
    total = np.bincount(at[good], weights=values[good], minlength=len(pairs))
    grades = np.where(counts > 0, total / np.maximum(counts, 1), -1.0)
    queries, results = np.divmod(pairs, n)
    indptr = indptr_of(np.bincount(queries, minlength=n))
    top = float(max(grades.max(), values.max()))
    of_program = by_program or rows.has("judge")
    return Qrels(
        name,
        readonly(indptr),
        readonly(results.astype(np.int32)),
        readonly(grades),
        max(top, 1.0),
        raters,
        readonly(rater[known][rated]),
        readonly(at[rated]),
        readonly(values[rated]),
        of_program,
        f"{'program' if of_program else 'people'}:{digest_of(indptr, results, grades)}",
    )


# As parts of a study.


def _read(opening: Opening) -> Mapping[str, Qrels]:
    """The judgments that others made, by name."""
    files = sorted(opening.judged.items())
    bound = {name: opening.bind(kind, rows, name=name) for name, (kind, rows) in files}
    return {name: qrels for name, qrels in bound.items() if qrels is not None}


def _of_object(value: Any, _problems: Problems) -> Table:
    """The table of {query: {result: grade}}."""
    rows = [(query, result, grade) for query, results in items(value) for result, grade in items(results)]
    return ("query", "result", "value"), rows


def _write(study: Study, *, by_program: bool) -> Files:
    """A row per judgment of each rater, or per pair where no raters are named."""
    ids, folder = study.image_ids, OF_PROGRAMS if by_program else FOLDER
    for qrels in (qrels for qrels in study.qrels.values() if qrels.by_program == by_program):
        queries, results = rows_of(qrels.indptr).tolist(), qrels.candidates.tolist()
        values = qrels.values.tolist()
        pairs = [(ids[query], ids[result]) for query, result in zip(queries, results, strict=True)]
        header: tuple[str, ...] = ("query", "result", "value")
        rows: list[Sequence[Any]] = []
        if not qrels.raters:
            rows += [(*pair, value) for pair, value in zip(pairs, values, strict=True)]
        else:
            header = ("judge" if by_program else "reader", *header)
            of_raters = (column.tolist() for column in (qrels.rater, qrels.pair, qrels.grade))
            rows += [(qrels.raters[at], *pairs[i], value) for at, i, value in zip(*of_raters, strict=True)]
            unjudged = (pair for pair, value in zip(pairs, values, strict=True) if value < 0)
            rows += [(qrels.raters[0], *pair, -1) for pair in unjudged]
        yield f"{folder}/{qrels.name}.csv", (header, rows)


def _kind(name: str, title: str, folder: str, *elsewhere: str, **more: Any) -> PartKind:
    """Judgments of others, by people or by programs."""
    by_program = folder == OF_PROGRAMS

    def place(file: str, _data: bytes, rows: Rows) -> str:
        stem = plain_name(re.sub(r"(?<=.)\.[A-Za-z]{1,4}\Z", "", name_of_judgments(file))) or "judgments"
        ending = {"trec": "qrels", "jsonl": "jsonl", "parquet": "parquet"}.get(rows.format, "csv")
        return f"{folder}/{stem}.{ending}"

    def has_content(sample: Sample) -> bool:
        """Whether a table may be judgments of these; those of the desk have more columns."""
        judges = named(sample.header, JUDGMENTS.columns[4].names) is not None
        others = {"task", "kind"} <= {*sample.header} or sample.named(RUN) > 0
        return judges == by_program and not others

    return PartKind(
        name,
        title,
        ((*(f"{folder}/*{ending}" for ending in ENDINGS), *elsewhere),),
        many=True,
        parse=parse_judgments,
        bind=partial(bind_judgments, by_program=by_program),
        of_object=_of_object,
        accepted="Give {query: {result: grade}}, or a DataFrame with the columns query, result and value.",
        write=lambda study: _write(study, by_program=by_program),
        kept_as=place,
        schemas=(JUDGMENTS,),
        has_content=has_content,
        contents=_contents,
        ids=("query", "result"),
        **more,
    )


def _contents(rows: Rows) -> str:
    queries, raters = rows.codes("query")[0], raters_of(rows)[0]
    text = f"{pluralize(rows.rows, 'judgment')} of {pluralize(len(queries), 'query')}"
    return f"{text} by {pluralize(len(raters), 'rater')}" if raters else text


PARTS = (
    _kind(
        "judgments",
        "Judgments",
        FOLDER,
        *ELSEWHERE,
        study_field="qrels",
        read=_read,
        expected="TREC qrels, or rows query,result,value (reader,query,result,value of several readers).",
        adds="scores by what people said is relevant",
    ),
    _kind(
        "judges",
        "Judgments of a program",
        OF_PROGRAMS,
        expected="The same of a language model or classifier: rows judge,query,result,value.",
    ),
)
