"""The command that turns captions into concepts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import example, option, options, reject_unused
from evalcore.cli.output import TEXT_FILE, how_many, mention, progress_line, write_file
from evalcore.cli.study_request import on_study
from evalcore.features.annotate.captions import annotate, annotation_of, captions_of, texts_of_queries
from evalcore.features.annotate.read import concept_lines, match_lines, query_lines, read_annotate_toml
from evalcore.features.annotate.settings import FLAGGED, AnnotateSettings
from evalcore.features.annotate.tool_output import ToolOutput, parse_tool_output
from evalcore.results.rows import Column, Table, also, plain, titled, whole
from evalcore.study.names import language_of
from evalcore.study.naming import names_in, names_of_study
from evalcore.study.tables.files import parse_file
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evalcore.cli.study_request import StudyRequest
    from evalcore.features.annotate.captions import Annotation
    from evalcore.values.concept_values import NameTable
    from evalcore.values.model import Study

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
        "of queries, found in their texts; concepts it has stay.",
    ),
    option("--matches", kind=TEXT_FILE, metavar="FILE.csv", help="Write every term found, with its place."),
    option(
        *("--names", "name_files"),
        kind=FILE,
        usual=(),
        metavar="FILE",
        help="A file of concept names: in place of the study's, a cui,name table or MRCONSO.RRF. Repeatable.",
    ),
    option(
        *("--annotate", "toml"),
        kind=FILE,
        metavar="FILE.toml",
        help="Settings. Default: annotate.toml of the study, else the built-in ones.",
    ),
    option(
        *("--lang", "languages"),
        usual=(),
        metavar="L",
        help="Names in these languages, such as en or de; all for every language. Default: en.",
    ),
    option(
        *("--name-source", "sources"),
        usual=(),
        metavar="SAB",
        help="An ambiguous name is assigned to the first of these sources.",
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
    toml: str | None,
    **chosen: Any,
) -> None:
    """Find the concepts that the captions of STUDY name.

    A folder with captions.csv and names is enough. An image whose caption contains no known term is not
    annotated: the name may be missing, not the finding. One whose caption only denies known terms is
    annotated with nothing.
    """
    study = request.study
    if study.captions is None:
        raise InputError("The study has no captions. Put a captions.csv (ID,Caption) into the folder.")
    into_queries = out is not None and Path(out).name == QUERIES and study.own_queries is not None
    _spare_files_of(study, None if into_queries else out, matches)
    settings = _settings(study, toml, **chosen)
    captions = texts_of_queries(study) if into_queries else captions_of(study)
    if results is not None:
        reject_unused(False, "name_files", "languages", "sources", because="the terms come from --from")
        annotation = annotation_of(captions, _tool_output(results, captions), settings)
    else:
        annotation = annotate(
            captions, _names(study, name_files), settings=settings, progress=progress_line()
        )
    as_table = concept_lines
    if into_queries:
        name = next(part.file for part in study.parts if part.kind == "queries")
        as_table = partial(query_lines, (study.path or Path()) / name)
    for path, lines in ((out, as_table), (matches, match_lines)):
        if path is not None:
            write_file(path, lines(annotation))
    request.emit(_document(study, annotation), _lines(study, annotation))


def _spare_files_of(study: Study, *outputs: str | None) -> None:
    """Refuse to write over a file of the study."""
    own = {study.path / part.file for part in study.parts if study.path is not None}
    taken = next((output for output in outputs if output is not None and Path(output).resolve() in own), None)
    if taken is not None:
        raise InputError(f"{taken} is a file of the study and would be lost. Name another file.")


def _settings(
    study: Study, toml: str | None, *, languages: Sequence[str], sources: Sequence[str], **flagged: Any
) -> AnnotateSettings:
    """The settings of the file, with what options say in its place. InputError with what is wrong."""
    settings, path = AnnotateSettings(), Path(toml) if toml is not None else study.path
    if path is not None:
        settings, report = read_annotate_toml(path)
        if report.total("error"):
            raise InputError(f"The settings have {how_many(report, 'error')}. Correct them.", report)
    options = {name: value for name, value in flagged.items() if value is not None}
    if languages:
        known = tuple(language_of(language) for language in languages) if languages != ("all",) else ()
        if "" in known:
            raise click.BadParameter(
                "A language is written as in en or de; all for all.", param_hint="--lang"
            )
        options["languages"] = known
    if sources:
        options["sources"] = tuple(sources)
    return replace(settings, **options)


def _names(study: Study, files: Sequence[str]) -> NameTable:
    """The names in these files, else all of the study. InputError for a file that cannot be read."""
    if not files:
        return names_of_study(study)
    table, report = names_in([Path(file) for file in files], scheme=study.scheme)
    if report.total("error"):
        raise InputError("The names cannot be read.", report)
    return table


def _tool_output(path: str, captions: Mapping[str, str | None]) -> ToolOutput:
    """What a tool found in these captions, by its file. InputError with everything that is wrong with it."""
    output, report = parse_file(parse_tool_output, Path(path), ToolOutput("", {}), captions=captions)
    if report.total("error"):
        raise InputError(f"{path} has {how_many(report, 'error')}. Correct them.", report)
    mention(report)
    return output


def _document(study: Study, annotation: Annotation) -> dict[str, Any]:
    """All of it for programs."""
    names = annotation.names
    return {
        "study": study.name,
        "digest": study.content,
        "tool": annotation.tool,
        "settings": {name: getattr(annotation.settings, name) for name in annotation.settings.__slots__},
        "counts": annotation.totals,
        "names": {
            "names": names.n_names,
            "concepts": len(names.concepts),
            "ambiguous": len(names.ambiguous),
            "dropped": names.dropped,
        },
        "left_out": annotation.left_out,
        "found": Table(annotation.counts, _NAMES),
    }


def _lines(study: Study, annotation: Annotation) -> Iterator[str | Table]:
    """The same for people."""
    n, names = annotation.totals, annotation.names
    if names.n_names:
        dropped = "; ".join(f"{count:,} {why}" for why, count in names.dropped.items())
        yield (
            f"Looked for {names.n_names:,} names of {len(names.concepts):,} concepts"
            f"{f' (not for: {dropped})' if dropped else ''}. "
            f"{len(names.ambiguous):,} spellings mean several concepts and count for none."
        )
    yield (
        f"{plain(study.name)}: {n['with_concepts']:,} of {n['images']:,} images got concepts, "
        f"{n['with_nothing']:,} only denied terms, {n['not_annotated']:,} are not annotated "
        f"({n['images'] - n['captions']:,} have no caption)."
    )
    left_out = "; ".join(f"{count:,} {why}" for why, count in annotation.left_out.items())
    yield f"{n['matches']:,} terms found{f', left out: {left_out}' if left_out else ''}."
    if annotation.counts:
        yield Table(annotation.counts[:_LISTED], _NAMES)
