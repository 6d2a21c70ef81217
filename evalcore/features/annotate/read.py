"""Captions turned into concepts, as tables: of images, of queries, and of every term found."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from evalcore.study.concepts.concepts import CUI_NAMES
from evalcore.study.concepts.texts import QUERY_IDS
from evalcore.study.tables import tables
from evalcore.study.tables.writers import csv_lines
from evalcore.values.writing import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.features.annotate.captions import Annotation


def concept_lines(annotation: Annotation) -> Iterator[str]:
    """``ID,CUIs`` for every image: ``ID,`` is annotated with nothing, ``ID`` alone not annotated."""
    rows = (
        (image,) if concepts is None else (image, ";".join(concepts))
        for image, concepts in annotation.concepts.items()
    )
    return csv_lines(("ID", "CUIs"), rows)


def query_lines(file: Path, annotation: Annotation) -> Iterator[str]:
    """A table of queries with the concepts found in its texts; cells with concepts, and all others, stay."""
    text = file.read_text(encoding="utf-8-sig")
    header, *rows = csv.reader(io.StringIO(text), delimiter=tables.guess_delimiter(text))
    named = [cell.strip().lower() for cell in header]
    query = next((named.index(name) for name in QUERY_IDS if name in named), 0)
    place = next((at for at, name in enumerate(named) if name in CUI_NAMES), len(header))
    for row in rows:
        if place == len(row):
            row.append("")
        if len(row) > max(place, query) and not row[place].strip():
            row[place] = ";".join(annotation.concepts.get(row[query].strip()) or ())
    return csv_lines([*header, "concepts"] if place == len(header) else header, rows)


def match_lines(annotation: Annotation) -> Iterator[str]:
    """Every term found, a row each, those left out too.

    ``concept``: several, joined by ``;``, where the name is ambiguous.
    """
    columns = words("image, concept, name, matched text, start, end, negated, uncertain, kept, why")
    rows = (
        (
            *(image, ";".join(term.concepts), term.name, (text or "")[term.start : term.end]),
            *(term.start, term.end, int(term.negated is not None), int(term.uncertain is not None)),
            *(int(not term.why), term.why),
        )
        for image, text, terms, _ in annotation.captions
        for term in terms
    )
    return csv_lines(columns, rows)
