"""Files of captions turned into concepts: the settings beside a study, and the tables written."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomlkit

from evalcore.features.annotate.settings import FLAGGED, AnnotateSettings
from evalcore.study.concepts.concepts import CUI_NAMES
from evalcore.study.concepts.texts import QUERY_IDS
from evalcore.study.folder.toml import Value, one_of, read_toml, read_values, texts
from evalcore.study.tables import tables
from evalcore.study.tables.files import parse_file
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.tables.writers import csv_lines
from evalcore.values.errors import Report
from evalcore.values.writing import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.features.annotate.captions import Annotation

TOML = "annotate.toml"
_WAY_OUT = "Correct the line, or remove it for the usual value."


def _name_and_concept(items: list[str]) -> bool:
    return all(part.strip() for item in items for part in item.rpartition("="))


_MODEL: dict[str, Value] = {
    **dict.fromkeys(("languages", "sources", "stop"), texts("a list of texts", all)),
    "meanings": texts('a list of texts such as "mass = C0577559"', _name_and_concept),
    **dict.fromkeys(("negated", "uncertain"), one_of(FLAGGED)),
}


def read_annotate_toml(path: Path) -> tuple[AnnotateSettings, Report]:
    """The settings of a file, or of the folder of a study: the usual ones where it has no such file."""
    file = path / TOML if path.is_dir() else path
    if path.is_dir() and not file.exists():
        return AnnotateSettings(), Report()
    return parse_file(parse_annotate_toml, file, AnnotateSettings())


def annotate_text(settings: AnnotateSettings) -> str:
    """The file of these settings; all are written, so that later usual values change nothing."""
    values = asdict(settings).items()
    return tomlkit.dumps({key: list(value) if isinstance(value, tuple) else value for key, value in values})


@reader(lambda _: AnnotateSettings())
def parse_annotate_toml(data: bytes, problems: Problems) -> AnnotateSettings:
    """Read such a file. An unknown key and a value that cannot be are errors, all of them listed; the
    settings returned then have the usual values in their places."""
    top, text = read_toml(data, problems, way_out=_WAY_OUT)
    values = read_values(top or {}, _MODEL, text, problems, remedy=_WAY_OUT)
    chosen: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in values.items()}
    return AnnotateSettings(**chosen)


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
