"""Texts of documents and queries as BEIR, MTEB and ir_datasets keep them, beside their judgments.

BEIR and MTEB: ``corpus.jsonl`` and ``queries.jsonl`` with an object per line (``_id``, ``title``, ``text``),
and ``qrels/SPLIT.tsv``; on Hugging Face the same in the folders ``corpus`` and ``queries`` as parquet, with
the judgments in ``qrels`` or ``data``. ir_datasets, as its ``export`` writes them: ``docs.tsv`` and
``queries.tsv`` with an id and a text per line, or the same as JSON lines, and ``qrels``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from evalcore.study.tables import tables
from evalcore.study.tables.lines import decode, unpack
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems, reader, truncate
from evalcore.study.tables.schema import Column, Rule, Schema
from evalcore.values.writing import words

if TYPE_CHECKING:
    from collections.abc import Mapping


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
_TEXTS = ("title", "text", "body", "abstract", "contents", "query")
NO_ID = Rule("missing-id", "The line has no id; it is left out.", "Write the id under _id.")
CORPUS = Schema(
    (
        Column(words("_id, id, doc_id, docid, docno, query_id, query-id, corpus-id"), empty=NO_ID),
        *(Column((name,), required=False, empty=None) for name in _TEXTS),
    ),
    remedy='Write lines such as {"_id": "d1", "text": "..."}.',
    keys=("_id",),
    row_bytes=300,
)


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
def parse_corpus(data: bytes, problems: Problems) -> CorpusRows:
    """Read texts: an object per line, or an id, a TAB and the text; or a row of a parquet file.

    Several texts of one id, as a title and a text, are joined. Lines without an id, ids of an earlier line
    and lines that are no such object are errors and left out.
    """
    plain = unpack(data, problems)
    if plain is None:
        return CorpusRows({}, "jsonl", problems.file)
    if plain[:4] != b"PAR1" and plain.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"{":
        return CorpusRows(_of_lines(plain, problems), "tsv", problems.file)
    rows = read(plain, CORPUS, problems)
    columns = [rows.texts(name) for name in _TEXTS if rows.has(name)]
    texts = [". ".join(filter(None, cells)) for cells in zip(*columns, strict=True)] or [""] * rows.rows
    return CorpusRows(dict(zip(rows.texts("_id"), texts, strict=True)), rows.format, problems.file)


def _of_lines(plain: bytes, problems: Problems) -> dict[str, str]:
    """The texts of lines with an id, a TAB and a text, which may hold TABs too."""
    texts: dict[str, str] = {}
    first: dict[str, int] = {}
    for line, record in tables.filled_lines(
        decode(plain, problems) or "", problems, tables.BlankLineCounter()
    ):
        name, _, content = (part.strip() for part in record.partition("\t"))
        if not tables.is_decodable(record, line, problems):
            continue
        if not name:
            problems.error(*NO_ID, line=line, value=truncate(record))
        elif name in first:
            tables.report_duplicate_id(problems, line, name, first[name])
        else:
            first[name], texts[name] = line, content
    return texts
