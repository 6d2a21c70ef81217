"""What belongs to captions turned into concepts: the settings beside a study, and the tables written."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from evalcore.features.annotate.values import AnnotateSettings
from evalcore.study.concepts.concepts import CUI_NAMES
from evalcore.study.concepts.texts import QUERY_IDS
from evalcore.study.folder.toml import line_that_sets, read_toml, report_unknown_key, toml_text
from evalcore.study.tables import tables
from evalcore.study.tables.files import parse_file
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.tables.writers import csv_lines, write_lines
from evalcore.values.errors import Report, SettingError
from evalcore.values.writing import words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evalcore.features.annotate.values import Annotation

# ``annotate.toml``, beside a study: how its captions are turned into concepts.
#
# languages = ["en"] sources = ["MESH", "UBERON"] # whose name it is, where several concepts have the same
# ambiguous = "drop" # or preferred min_length = 3 stop = ["image", "figure"] # in place of the usual list
# negation = true negated = "leave-out" # or keep uncertain = "keep" # or leave-out window = 5 # words
# between trigger and term; 0: the whole sentence leave_out_sections = ["history"] meanings = ["mass =
# C0577559"] # of a name that several concepts have without_terms = "not-annotated" # or nothing
#
# Everything may be left out, and is then as usual (see `AnnotateSettings`).

TOML = "annotate.toml"
WAY_OUT = "Correct the line, or remove it for the usual value."
_KEYS = tuple(AnnotateSettings().as_dict())


def read_annotate_toml(path: Path) -> tuple[AnnotateSettings, Report]:
    """The settings of a file, or of the folder of a study: the usual ones where it has no such file."""
    file = path / TOML if path.is_dir() else path
    if path.is_dir() and not file.exists():
        return AnnotateSettings(), Report()
    return parse_file(parse_annotate_toml, file, AnnotateSettings())


def write_annotate_toml(path: Path, settings: AnnotateSettings) -> None:
    """Write them to a file, or into the folder of a study; whole or not at all."""
    write_lines(path / TOML if path.is_dir() else path, annotate_text(settings).splitlines(keepends=True))


def annotate_text(settings: AnnotateSettings) -> str:
    """The file of these settings; all are written, so that later usual values change nothing."""
    return toml_text(settings.as_dict())


@reader(lambda _: AnnotateSettings())
def parse_annotate_toml(data: bytes, problems: Problems) -> AnnotateSettings:
    """Read such a file. A key nobody knows and a value that cannot be are errors, all of them listed; the
    settings returned are then the usual ones in their places."""
    top, text = read_toml(data, problems, way_out=WAY_OUT)
    chosen: dict[str, Any] = {}
    for key, value in (top or {}).items():
        if key not in _KEYS:
            report_unknown_key(problems, text, key, _KEYS, f"No setting is called {key!r}.")
            continue
        try:
            AnnotateSettings.from_dict({key: value})
        except SettingError as wrong:
            problems.error("wrong-value", str(wrong), WAY_OUT, line=line_that_sets(text, key), value=value)
        else:
            chosen[key] = value
    return AnnotateSettings.from_dict(chosen)


# Concepts found in captions as files: a ``concepts.csv``, and where every one of them comes from.

COLUMNS = words(
    """
    image, concept, name, matched text, start, end, negated, uncertain, section, kept, why, assertion
    """
)


def concept_lines(annotation: Annotation) -> Iterator[str]:
    """``ID,CUIs`` for every image: ``ID,`` is annotated with nothing, ``ID`` alone not annotated."""
    rows = (
        (caption.image,) if caption.concepts is None else (caption.image, ";".join(caption.concepts))
        for caption in annotation.captions
    )
    return csv_lines(("ID", "CUIs"), rows)


def query_lines(file: Path, annotation: Annotation) -> Iterator[str]:
    """A table of queries with the concepts found in its texts; cells with concepts, and all others, stay."""
    text = file.read_text(encoding="utf-8-sig")
    header, *rows = csv.reader(io.StringIO(text), delimiter=tables.guess_delimiter(text))
    named = [cell.strip().lower() for cell in header]
    concepts = {caption.image: ";".join(caption.concepts or ()) for caption in annotation.captions}
    query = next((named.index(name) for name in QUERY_IDS if name in named), 0)
    place = next((at for at, name in enumerate(named) if name in CUI_NAMES), len(header))
    filled = []
    for row in rows:
        cells = [*row, ""] if place == len(row) else row
        if len(cells) > max(place, query) and not cells[place].strip():
            cells = [*cells[:place], concepts.get(cells[query].strip(), ""), *cells[place + 1 :]]
        filled.append(cells)
    return csv_lines([*header, "concepts"] if place == len(header) else header, filled)


def match_lines(annotation: Annotation) -> Iterator[str]:
    """Every term found, a row each, those left out too.

    ``concept``: several, joined by ``;``, where the name is ambiguous.
    """
    return csv_lines(
        COLUMNS,
        (
            (
                caption.image,
                ";".join(match.concepts),
                match.name,
                match.text,
                match.start,
                match.end,
                int(match.negated is not None),
                int(match.uncertain is not None),
                match.section,
                int(match.kept),
                match.why,
                match.assertion,
            )
            for caption in annotation.captions
            for match in caption.matches
        ),
    )
