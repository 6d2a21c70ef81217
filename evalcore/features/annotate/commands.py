"""The command that turns captions into concepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from evalcore.cli.options import example, option, options, reject_unused
from evalcore.cli.output import (
    TEXT_FILE,
    how_many,
    mention,
    progress_line,
    refuse_overwriting,
    write_file,
    write_table,
)
from evalcore.cli.study_request import StudyRequest, on_study
from evalcore.features.annotate.captions import (
    MATCHES,
    annotate,
    captions_of,
    concept_lines,
    describe,
    match_rows,
    query_lines,
    query_rows,
    texts_of_queries,
)
from evalcore.features.annotate.settings import FLAGGED, TOML, read_settings
from evalcore.features.annotate.terms import Dictionary, dictionary
from evalcore.features.annotate.tool_output import ToolOutput, parse_tool_output
from evalcore.results.rows import Column, Table, also, plain, titled, whole
from evalcore.study.naming import names_in, names_of_study
from evalcore.values.errors import InputError, Report

Value = TypeVar("Value")
FILE = click.Path(dir_okay=False)
QUERIES = "queries.csv"
"""The name of a file to write that means the concepts of queries, not of images."""
_LISTED = 15
"""Names that are listed, the most frequent."""
_NAMES = (
    Column("name", head="name"),
    Column("concepts", lambda row: list(row.concepts), "concepts", lambda some: " ".join(some[:3])),
    Column("n", head="found", text=whole),
    *titled("kept", "images", text=whole),
    also("", lambda row: "ambiguous" if len(row.concepts) > 1 else ""),
)


@example("annotate sample --out found.csv")
@on_study(runs=False)
@options(
    option(
        *("--from", "results"),
        kind=FILE,
        metavar="FILE.json",
        help="What MedCAT or QuickUMLS found: JSON by image id, in place of the dictionary's terms.",
    ),
    option(
        "--out",
        kind=TEXT_FILE,
        metavar="FILE.csv",
        help="Where to write: the concepts of each image, a concepts.csv. A file called queries.csv: those "
        "of queries, from their texts; concepts it has stay.",
    ),
    option("--matches", kind=TEXT_FILE, metavar="FILE.csv", help="Write every term found, with its place."),
    option(
        *("--names", "name_files"),
        kind=FILE,
        usual=(),
        metavar="FILE",
        help="A file of concept names: in place of the study's, a cui,name table or MRCONSO.RRF. Repeatable.",
    ),
    option("--negated", kind=FLAGGED, help="Denied terms. Default: leave-out."),
    option("--uncertain", kind=FLAGGED, help="Uncertain terms. Default: keep."),
)
def annotate_run(
    request: StudyRequest,
    results: str | None,
    out: str | None,
    matches: str | None,
    name_files: Sequence[str],
    **flagged: Any,
) -> None:
    """Find the concepts that the captions of STUDY name.

    A folder with captions.csv and names is enough. An image whose caption contains no term that
    counts is not annotated: the name may be missing, not the finding. One whose caption only denies known
    terms is annotated with nothing.
    """
    study, folder = request.study, request.study.path
    assert folder is not None, "a command opens a folder"
    if study.captions is None:
        raise InputError("The study has no captions. Put a captions.csv (ID,Caption) into the folder.")
    into_queries = out is not None and Path(out).name == QUERIES
    if into_queries and study.own_queries is None:
        message = (
            f"The study has no {QUERIES} with texts. Give the file for the concepts of images another name."
        )
        raise InputError(message)
    parts = (folder / part.file for part in study.parts if part.kind != "concepts")  # which may be renewed
    read_files = [*parts, results, *name_files]
    refuse_overwriting([None if into_queries else out, matches], read_files)
    settings = _good(read_settings(folder), f"{TOML} has {{}}.")
    settings = replace(settings, **{name: value for name, value in flagged.items() if value is not None})
    captions = texts_of_queries(study) if into_queries else captions_of(study)
    if results is not None:
        reject_unused(False, "name_files", because="the terms come from --from")
        read = parse_tool_output(Path(results), captions=captions)
        finder: ToolOutput | Dictionary = _good(read, f"{results} has {{}}.")
        mention(read[1])
    elif name_files:
        files = names_in([Path(file) for file in name_files], scheme=study.scheme)
        finder = dictionary(_good(files, "The names cannot be read: {}."), settings)
    else:
        finder = dictionary(names_of_study(study), settings)
    annotation = annotate(captions, finder, settings, progress=progress_line())
    as_table = concept_lines
    if into_queries:
        name = next(part.file for part in study.parts if part.kind == "queries")
        as_table = partial(query_lines, _good(query_rows(folder / name), f"{name} has {{}}."))
    if out is not None:
        write_file(out, as_table(annotation))
    if matches is not None:
        write_table(matches, MATCHES, match_rows(annotation))
    document = {
        "study": study.name,
        "digest": study.content,
        "tool": annotation.tool,
        "settings": asdict(settings),
        "counts": annotation.totals,
        "names": annotation.names._asdict(),
        "left_out": annotation.left_out,
        "found": Table(annotation.counts, _NAMES),
    }
    headline, *details = describe(annotation, "query" if into_queries else "image")
    frequent = [Table(annotation.counts[:_LISTED], _NAMES)] if annotation.counts else []
    request.emit(document, [f"{plain(study.name)}: {headline}.", *details, *frequent])


def _good(read: tuple[Value, Report], message: str) -> Value:
    """What was read; InputError with everything that is wrong with it, ``{}`` in the message its number."""
    value, report = read
    if report.total("error"):
        raise InputError(message.format(how_many(report, "error")), report)
    return value
