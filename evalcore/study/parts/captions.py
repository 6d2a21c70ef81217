"""Texts of images and of queries: ``captions.csv``, and folders of BEIR, MTEB and ir_datasets.

Captions: ``ID,Caption``, one row per image; cells with commas or line breaks stand in quotes. BEIR and MTEB:
``corpus.jsonl`` and ``queries.jsonl`` with an object per line (``_id``, ``title``, ``text``), and
``qrels/SPLIT.tsv``; on Hugging Face the same in the folders ``corpus`` and ``queries`` as parquet, with the
judgments in ``qrels`` or ``data``. ir_datasets, as its ``export`` writes them: ``docs.tsv`` and
``queries.tsv`` with an id and a text per line, or the same as JSON lines, and ``qrels``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from evalcore.study.parts.concepts import CAPTION_NAMES
from evalcore.study.parts.kind import Files, Opening, PartKind, tables_named
from evalcore.study.tables.files import decode, packed, reader, unpack
from evalcore.study.tables.frames import items
from evalcore.study.tables.load import read, table_reader
from evalcore.study.tables.problems import Problems, Rule
from evalcore.study.tables.schema import IMAGE, Column, Rows, Schema, check, no_rows, rows_of
from evalcore.study.tables.tables import records
from evalcore.values.arrays import digest_of
from evalcore.values.model import Captions, Study
from evalcore.values.writing import pluralize, words

CAPTIONS = Schema(
    (IMAGE, Column(CAPTION_NAMES, empty=None)),
    remedy='Put a caption that contains commas into double quotes: ID,"one, two".',
    header="any",
    widths=(2,),
    keys=("id",),
)
parse_captions = table_reader(CAPTIONS)


def texts_in(rows: Rows) -> dict[str, str]:
    """{id: text} of captions or documents; an empty cell is no text."""
    pairs = zip(rows.texts("id"), rows.texts("caption"), strict=True)
    return {image: text for image, text in pairs if text}


def bind_captions(rows: Rows, problems: Problems, opening: Opening) -> Captions | None:
    """Align captions with the images of a study; images without text and unknown ids are counted.

    Queries without a caption have the text that ``queries.csv`` gives them; where there is nothing but these,
    images without a caption are nothing to mention. None without any text, and, with an error, where no
    caption is about an image of the study and there are no texts of queries.
    """
    images, of_queries = opening.images, {} if opening.own is None else opening.own.texts
    captions = texts_in(rows)
    if not (captions or of_queries):
        return None
    texts = tuple({**of_queries, **captions}.get(image) for image in images.ids)
    if not images.report_unlisted(problems, captions, "caption") and not of_queries:
        return None
    without = [image for image, text in zip(images.ids, texts, strict=True) if text is None and rows.rows]
    message = f"{{n}} of {len(texts):,} images have no caption."
    problems.add_summary("no-caption", without, message, "They are shown by their concepts.")
    return Captions(texts, digest_of([t if t is not None else "\0" for t in texts]))


# Documents and queries beside judgments, as captions.

OF_CORPORA = (
    *(f"{name}{e}" for name in ("corpus", "docs", "collection", "queries") for e in packed(".jsonl", ".tsv")),
    *(f"{folder}/*.parquet" for folder in ("corpus", "queries")),
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
LINES = replace(
    CORPUS, columns=(Column(("id",), empty=NO_ID), Column(("caption",), empty=None)), keys=("id",)
)
"""Of lines of plain text."""


@reader(lambda file: no_rows(file, CAPTIONS))
def parse_corpus(data: bytes, problems: Problems) -> Rows:
    """Read texts: an object per line, or an id, a TAB and the text; or a row of a parquet file.

    Several texts of one id, as a title and a text, are joined. Lines without an id, ids of an earlier line
    and lines that are no such object are errors and left out.
    """
    plain = unpack(data, problems)
    if plain[:4] != b"PAR1" and plain.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"{":
        # lines with an id, a TAB and a text, which may hold TABs too
        kept = [*records(decode(plain, problems), "\t", problems)]
        texts = ["\t".join(row.cells[1:]) for row in kept]
        columns = [("id", [row.cells[0] for row in kept]), ("caption", texts)]
        rows = rows_of(columns, problems.file, "tsv", lines=[row.line for row in kept])
        return check(rows, LINES, problems)
    rows = read(plain, CORPUS, problems)
    parts = [rows.texts(name) for name in _TEXTS if rows.has(name)]
    joined = [". ".join(filter(None, cells)) for cells in zip(*parts, strict=True)] or [""] * rows.rows
    return rows_of([("id", rows.texts("_id")), ("caption", joined)], problems.file, rows.format)


def are_queries(file: str) -> bool:
    """Whether a file of texts holds queries, by its name."""
    path = PurePosixPath(file.lower())
    return path.name.startswith("queries") or path.parent.name == "queries"


# As parts of a study.


def _read(opening: Opening) -> Captions | None:
    """Captions from their own file, else from the shards or the corpus; the texts of queries with them."""
    own, rows = opening.own, opening.read("captions")
    if rows is None:
        rows = opening.concept_rows.captions
    if rows is None and opening.layout.files["corpus"]:
        rows = _texts_of_corpora(opening)
    if rows is None and own is not None:
        rows = no_rows(own.file, CAPTIONS)
    captions: Captions | None = opening.bind("captions", rows)
    return captions


def _texts_of_corpora(opening: Opening) -> Rows:
    """The texts of documents and queries; those of queries that nobody asks play no part."""
    known = set(opening.concepts.image_ids)
    parsed = [opening.read("corpus", path) for path in opening.layout.files["corpus"]]
    corpora = [rows for rows in parsed if rows is not None]
    texts = {name: text for rows in corpora for name, text in texts_in(rows).items() if name in known}
    file = next((rows.file for rows in corpora), "")
    return rows_of([("id", list(texts)), ("caption", list(texts.values()))], file)


def _write(study: Study) -> Files:
    """The texts of images; those of queries that are none are in the table of queries."""
    own, only, rows = study.own_queries, study.concepts.only, list[tuple[str, str | None]]()
    for i, image in enumerate(study.image_ids):
        text = study.caption_of(i)
        if not only[i] or own is None or own.text_of(i) != text:
            rows.append((image, text))
    if study.captions is not None:
        yield "captions.csv", (("ID", "Caption"), rows)


PARTS = (
    PartKind(
        "captions",
        "Captions",
        tables_named("captions", "*_captions"),
        parse=parse_captions,
        used=lambda rows: bool(texts_in(rows)),
        bind=bind_captions,
        study_field="captions",
        read=_read,
        of_object=lambda value, _problems: (("ID", "Caption"), items(value)),
        accepted="Give {image: caption}, or a DataFrame with the columns ID and Caption.",
        write=_write,
        kept_as="captions.csv",
        expected="Rows such as image_1,CT of the chest under the header ID,Caption.",
        adds="words beside the pictures, and concepts found in them",
        schemas=(CAPTIONS,),
        has_shape=lambda sample: (
            sample.width == 2 and not sample.has_ids and any(" " in cell for cell in sample.columns[1])
        ),
        contents=lambda rows: pluralize(len(texts_in(rows)), "caption"),
        ids=("id",),
    ),
    PartKind("corpus", "Texts of documents and queries", (OF_CORPORA,), many=True, parse=parse_corpus),
)
