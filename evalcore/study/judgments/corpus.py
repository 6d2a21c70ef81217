"""Texts of documents and queries as BEIR, MTEB and ir_datasets keep them, beside their judgments.

BEIR and MTEB: ``corpus.jsonl`` and ``queries.jsonl`` with an object per line (``_id``, ``title``, ``text``),
and ``qrels/SPLIT.tsv``; on Hugging Face the same in the folders ``corpus`` and ``queries`` as parquet, with
the judgments in ``qrels`` or ``data``. ir_datasets, as its ``export`` writes them: ``docs.tsv`` and
``queries.tsv`` with an id and a text per line, or the same as JSON lines, and ``qrels``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from evalcore.study.tables import tables
from evalcore.study.tables.limits import fits
from evalcore.study.tables.lines import broken, decode, report_undecodable, unpack
from evalcore.study.tables.parquet import named_texts
from evalcore.study.tables.problems import Problems, is_whole, reader, shown
from evalcore.values.writing import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from evalcore.values.errors import Report

FOLDERS = ("corpus", "queries")
"""Folders of such files as parquet."""
NAMES = (
    *(
        f"{name}{ending}{packed}"
        for name in ("corpus", "docs", "collection", "queries")
        for ending in (".jsonl", ".tsv")
        for packed in ("", ".gz")
    ),
    *(f"{folder}/*.parquet" for folder in FOLDERS),
)
"""Files of texts by their names in such a folder."""
ID_KEYS = tuple(words("_id, id, doc_id, docid, docno, query_id, query-id, corpus-id"))
_TEXT_KEYS = ("title", "text", "body", "abstract", "contents", "query")
_ROW_BYTES = 300
_REMEDY = 'Write lines such as {"_id": "d1", "text": "..."}.'


@dataclass(frozen=True, slots=True, eq=False)
class CorpusRows:
    """{id: text} in file order; ``are_queries`` as the file is called."""

    texts: Mapping[str, str]
    format: str
    file: str

    @property
    def rows(self) -> int:
        return len(self.texts)

    @property
    def are_queries(self) -> bool:
        path = PurePosixPath(self.file.lower())
        return path.name.startswith("queries") or path.parent.name == "queries"


@reader(lambda file: CorpusRows({}, "jsonl", file))
def parse_corpus(data: bytes, *, file: str) -> tuple[CorpusRows, Report]:
    """Read texts: an object per line, or an id, a TAB and the text; or a row of a parquet file.

    Lines without an id, ids of an earlier line and lines that are no such object are errors and left out.
    """
    problems = Problems(file)
    plain = unpack(data, problems)
    if plain is not None and plain[:4] == b"PAR1":
        return CorpusRows(_kept(_rows_of(plain, problems), problems), "parquet", file), problems.report()
    fitting = plain is not None and fits(problems, plain.count(b"\n"), _ROW_BYTES)
    text = decode(plain, problems) if plain is not None and fitting else None
    text = "" if text is None else text.removeprefix("\ufeff")
    form = "jsonl" if text.lstrip()[:1] == "{" else "tsv"
    rows = (_objects if form == "jsonl" else _tabbed)(text, problems)
    return CorpusRows(_kept(rows, problems), form, file), problems.report()


def _kept(rows: Iterable[tuple[int, str, str]], problems: Problems) -> dict[str, str]:
    """The texts by id, the first of each."""
    texts: dict[str, str] = {}
    first: dict[str, int] = {}
    for line, name, content in rows:
        if name in first:
            tables.report_duplicate_id(problems, line, name, first[name])
        else:
            first[name], texts[name] = line, content
    return texts


def _rows_of(data: bytes, problems: Problems) -> Iterator[tuple[int, str, str]]:
    """Rows of a parquet file, counted from 1."""
    known = {"id": set(ID_KEYS)} | {key: {key} for key in _TEXT_KEYS}
    table = named_texts(data, known, problems, _ROW_BYTES) or {}
    if "id" not in table:
        if not problems.n_errors:
            problems.error("wrong-header", "A column of ids is needed.", "Call it _id.")
        return
    columns = [table[key] for key in _TEXT_KEYS if key in table]
    for line, name in enumerate(table["id"], start=1):
        name, parts = (name or "").strip(), [(column[line - 1] or "").strip() for column in columns]
        if broken(name) or any(map(broken, parts)):
            report_undecodable(problems, line, name)
        elif name:
            yield line, name, ". ".join(filter(None, parts))
        else:
            problems.error("missing-id", "The row has no id; it is left out.", "Fill the cell.", line=line)


def objects_of(text: str, problems: Problems, remedy: str = _REMEDY) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of JSON lines with their line; any other line is an error and left out."""
    blank, check = tables.Blanks(), broken(text)
    for line, record in tables.filled_lines(text, problems, blank):
        if check and broken(record):
            report_undecodable(problems, line, record)
            continue
        try:
            value = json.loads(record)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield line, value
        else:
            message = "The line is not a JSON object; it is left out."
            problems.error("bad-json", message, remedy, line=line, value=record)


def id_in(value: dict[str, Any], keys: tuple[str, ...]) -> str:
    """The id that an object has under one of these names; "" for none, or one that cannot be an id."""
    of = next((value[key] for key in keys if key in value), "")
    name = str(of).strip() if isinstance(of, (str, int)) and not isinstance(of, bool) else ""
    return name if is_whole(name) else ""


def _objects(text: str, problems: Problems) -> Iterator[tuple[int, str, str]]:
    for line, value in objects_of(text, problems):
        name = id_in(value, ID_KEYS)
        if not name:
            problems.error("missing-id", "The line has no id; it is left out.", _REMEDY, line=line)
            continue
        texts = [value[key] for key in _TEXT_KEYS if isinstance(value.get(key), str)]
        if not all(map(is_whole, texts)):
            message = "The text contains half of a character; the line is left out."
            problems.error("undecodable", message, "Write the whole character.", line=line, value=name)
            continue
        parts = [part.strip() for part in texts]
        yield line, name, ". ".join(filter(None, parts))


def _tabbed(text: str, problems: Problems) -> Iterator[tuple[int, str, str]]:
    check = broken(text)
    for line, record in tables.filled_lines(text, problems, tables.Blanks()):
        name, _, content = (part.strip() for part in record.partition("\t"))
        if check and broken(record):
            report_undecodable(problems, line, record)
        elif name:
            yield line, name, content
        else:
            problems.error(
                "missing-id", "The line has no id; it is left out.", _REMEDY, line=line, value=shown(record)
            )
