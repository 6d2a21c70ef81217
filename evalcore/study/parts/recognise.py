"""Which part of a study is a file? Its content says; its name decides only between parts that look the same.

Uploads, ``check`` of a file and the files of a folder that nothing is read from are told the same by it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from evalcore.study.graphs.obo import is_obo, report_unread
from evalcore.study.graphs.rrf import MRCONSO, MRREL, MRSTY, is_rrf
from evalcore.study.parts.reading import FORMATS, custom_format
from evalcore.study.parts.registry import KINDS, PartKind
from evalcore.study.parts.sample import Sample, are_concepts
from evalcore.study.pictures.image_files import is_picture
from evalcore.study.tables import tables
from evalcore.study.tables.files import decode, unpack
from evalcore.study.tables.load import form_of
from evalcore.study.tables.parquet import parquet_schema
from evalcore.study.tables.problems import Problems
from evalcore.study.vectors.files import form_of as form_of_vectors

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

    ``data``: its content, gzipped or not, or the first `HEAD` bytes of it. Damaged files are what they begin
    as; nothing is raised.
    """
    for part in FORMATS:
        if custom_format(part, name) is not None:
            return part
    plain = unpack(data, Problems(name))
    if plain is None:
        return UNKNOWN
    kind = _of_bytes(name, plain)
    if kind is None:
        text = decode(plain[:HEAD], Problems(name))
        kind = UNKNOWN if text is None else _of_text(name, text.removeprefix("\ufeff"))
    return kind


def _of_bytes(name: str, plain: bytes) -> str | None:
    """By the first bytes; None where it may be a table."""
    if any(plain.startswith(magic) for magic in PICTURES) or plain[128:132] == b"DICM":
        return "images"
    if is_picture(name) and b"\0" in plain[:HEAD]:
        return "images"
    if form_of_vectors(plain) == "pickle":
        return "concept_vectors"
    if plain[:4] == b"PAR1":
        return _of_parquet(name, plain)
    if form_of_vectors(plain):
        return kind_of_vectors(plain)
    head = plain[:HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith((b"{", b"[")):
        if b'"graphs"' in head[:4_096]:
            return "graph"
        return "run" if _JSON_RUN.match(head) else _of_json(name, head)
    if form := next((form for form in _UMLS if is_rrf(head, form)), ""):
        return _UMLS[form]
    if head.startswith(b"<") or is_obo(plain) or report_unread(plain, Problems(name)):
        return "graph"
    return None


def _of_json(name: str, head: bytes) -> str:
    """By the keys of the first object of JSON lines."""
    try:
        value = json.loads(head.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return UNKNOWN
    keys = tuple(str(key).lower() for key in value) if isinstance(value, dict) else ()
    return _of_header(Sample(name, keys, tuple(("",) for _ in keys)))


def _of_parquet(name: str, data: bytes) -> str:
    schema = parquet_schema(data, Problems(name))
    if schema is None:
        return "embeddings"
    header = tuple(column.lower() for column in schema.names)
    sample = Sample(name, header, tuple(("C0000000",) for _ in header))
    kind = _of_header(sample) if len(header) <= _MANY else UNKNOWN
    return kind if kind in ("judgments", "judges", "concepts") else _of_wide_parquet(header)


def _of_wide_parquet(header: Sequence[str]) -> str:
    concepts = KINDS["concepts"].schemas[0].columns[1]
    return "embeddings" if tables.named(header, concepts.names) is None else "concept_vectors"


def kind_of_vectors(data: bytes) -> str:
    """Vectors of images or of concepts, by their ids."""
    value, _ = KINDS["embeddings"].read(data, file="vectors")
    if value is not None:
        return "concept_vectors" if are_concepts(value.ids[:_ROWS]) else "embeddings"
    value, _ = KINDS["concept_vectors"].read(data, file="vectors")
    return "embeddings" if value is None else "concept_vectors"


def _of_text(name: str, text: str) -> str:
    lines = [line for line in text.split("\n")[:_ROWS] if line.strip()]
    if len(lines) > 1 and len(text) >= HEAD // 2:
        lines.pop()  # perhaps cut in the middle
    if len(lines) > 1 and re.fullmatch(r"\s*\d+\s+\d+\s*", lines[0]):
        return "concept_vectors"
    top = "\n".join(lines)
    for kind in KINDS.values():
        forms = (form_of(top, schema) for schema in kind.schemas if schema.spaces)
        if any(form is not None and form.name == "trec" for form in forms):
            return kind.name
    body = "\n".join(line for line in lines if not line.startswith("#"))
    read = tables.read_rows(body, Problems(name), delimiter=tables.guess_delimiter(text))
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

    def named(kind: PartKind) -> int:
        return max((sample.named(schema) for schema in kind.schemas), default=0)

    best = max(KINDS.values(), key=lambda kind: named(kind) if kind.has_content(sample) else 0)
    return best.name if best.has_content(sample) and named(best) else UNKNOWN
