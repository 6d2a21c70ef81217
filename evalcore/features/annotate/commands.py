"""The command that turns captions into concepts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import example, options, reject_unused
from evalcore.cli.output import TEXT_FILE, how_many, mention, progress_line, write_file
from evalcore.cli.study_request import on_study
from evalcore.features.annotate.read import concept_lines, match_lines, query_lines, read_annotate_toml
from evalcore.features.annotate.run import annotate as found_by
from evalcore.features.annotate.run import annotation_of, captions_of, texts_of_queries
from evalcore.features.annotate.values import AnnotateSettings
from evalcore.results.rows import Column, Table, also, plain, titled, whole
from evalcore.study.concepts.tool_output import ToolOutput, parse_tool_output
from evalcore.study.names import language_of
from evalcore.study.naming import names_in, names_of_study
from evalcore.study.tables.files import parse_file
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evalcore.cli.study_request import StudyRequest
    from evalcore.features.annotate.values import AnnotateSettings, Annotation
    from evalcore.study.concepts.tool_output import ToolOutput
    from evalcore.values.concept_values import NameTable
    from evalcore.values.model import Study

# The names to look for, and the settings of ``annotate.toml``.

FILE = click.Path(dir_okay=False)


reading = options(
    click.option(
        "--names",
        "name_files",
        type=FILE,
        multiple=True,
        metavar="FILE",
        help="A file of concept names: in place of the study's, a cui,name table or MRCONSO.RRF. Repeatable.",
    ),
    click.option(
        "--annotate",
        "toml",
        type=FILE,
        metavar="FILE.toml",
        help="Settings. Default: annotate.toml of the study, else the built-in ones.",
    ),
    click.option(
        "--lang",
        "languages",
        multiple=True,
        metavar="L",
        help="Names in these languages, such as en or de; all for every language. Default: en.",
    ),
    click.option(
        "--name-source",
        "sources",
        multiple=True,
        metavar="SAB",
        help="An ambiguous name is assigned to the first of these sources.",
    ),
)
"""The options that say which names are looked for, and how."""


def settings_of(
    study: Study, toml: str | None, *, languages: Sequence[str], sources: Sequence[str], **chosen: Any
) -> AnnotateSettings:
    """The settings asked for: options, else the file, else as usual. InputError with what is wrong."""
    settings = AnnotateSettings()
    path = Path(toml) if toml is not None else study.path
    if path is not None:
        settings, report = read_annotate_toml(path)
        if report.total("error"):
            raise InputError(f"The settings have {how_many(report, 'error')}. Correct them.", report)
    if languages:
        known = tuple(language_of(language) for language in languages)
        if "" in known and tuple(languages) != ("all",):
            raise click.BadParameter(
                "A language is written as in en or de; all for all.", param_hint="--lang"
            )
        settings = replace(settings, languages=() if tuple(languages) == ("all",) else known)
    if sources:
        settings = replace(settings, sources=tuple(sources))
    return replace(settings, **{name: value for name, value in chosen.items() if value is not None})


def names_of(study: Study, files: Sequence[str]) -> NameTable:
    """The names in these files, else all of the study. InputError for a file without any."""
    if not files:
        return names_of_study(study)
    table, report = names_in([Path(file) for file in files], scheme=study.scheme)
    if report.total("error"):
        raise InputError("The names cannot be read.", report)
    return table


# ``annotate``: the concepts that captions name.

_COMMAND_SHOWN = 15


@example("annotate sample --out found.csv")
@on_study(runs=False)
@click.option(
    "--from",
    "given",
    type=FILE,
    metavar="FILE.json",
    help="What MedCAT or QuickUMLS found: JSON by image id, in place of the dictionary's terms.",
)
@click.option(
    "--out",
    type=TEXT_FILE,
    metavar="FILE.csv",
    help="Where to write: the concepts of each image, a concepts.csv. A file called queries.csv: those of "
    "queries, found in their texts; concepts it has stay.",
)
@click.option("--matches", type=TEXT_FILE, metavar="FILE.csv", help="Write every term found, with its place.")
@reading
@click.option("--negation/--no-negation", default=None, help="Whether to detect denied and uncertain terms.")
@click.option("--negated", type=click.Choice(["leave-out", "keep"]), help="Denied terms. Default: leave-out.")
@click.option("--uncertain", type=click.Choice(["keep", "leave-out"]), help="Uncertain terms. Default: keep.")
def annotate_run(
    request: StudyRequest,
    given: str | None,
    out: str | None,
    matches: str | None,
    name_files: Sequence[str],
    toml: str | None,
    languages: Sequence[str],
    sources: Sequence[str],
    **chosen: Any,
) -> None:
    """Find the concepts that the captions of STUDY name.

    A folder with captions.csv and names is enough. An image whose caption contains no known term is not
    annotated: the name may be missing, not the finding. One whose caption only denies known terms is
    annotated with nothing.
    """
    opened = request.study
    if opened.captions is None:
        raise InputError("The study has no captions. Put a captions.csv (ID,Caption) into the folder.")
    into_queries = out is not None and Path(out).name == QUERIES and opened.own_queries is not None
    _spare(opened, None if into_queries else out, matches)
    settings = settings_of(opened, toml, languages=languages, sources=sources, **chosen)
    captions = texts_of_queries(opened) if into_queries else captions_of(opened)
    if given is not None:
        idle = ("name_files", "languages", "sources")
        reject_unused(False, *idle, because="the terms come from --from")
        annotation = annotation_of(captions, output_of(given, captions), settings)
    else:
        names = names_of(opened, name_files)
        annotation = found_by(captions, names, settings=settings, progress=progress_line())
    table = partial(query_lines, _table_of_queries(opened)) if into_queries else concept_lines
    for path, lines_of in ((out, table), (matches, match_lines)):
        if path is not None:
            write_file(path, lines_of(annotation))
    request.emit(document(opened, annotation), lines(opened, annotation))


QUERIES = "queries.csv"
"""The name of a file to write that asks for the concepts of queries, not of images."""


def _table_of_queries(study: Study) -> Path:
    """Where the study keeps its queries."""
    name = next(part.file for part in study.parts if part.kind == "queries")
    return (study.path or Path()) / name


def output_of(path: str, captions: Mapping[str, str | None]) -> ToolOutput:
    """What a tool found in these captions, by its file. InputError with everything that is wrong with it."""
    output, report = parse_file(parse_tool_output, Path(path), ToolOutput("", {}), captions=captions)
    if report.total("error"):
        raise InputError(f"{path} has {how_many(report, 'error')}. Correct them.", report)
    mention(report)
    return output


def _spare(study: Study, *outputs: str | None) -> None:
    """Refuse to write over the concepts a study was given."""
    own = {study.path / part.file for part in study.parts if study.path is not None}
    taken = next((output for output in outputs if output is not None and Path(output).resolve() in own), None)
    if taken is not None:
        raise InputError(f"{taken} is a file of the study and would be lost. Name another file.")


def counts(annotation: Annotation) -> dict[str, int]:
    """How many images got what."""
    concepts = [caption.concepts for caption in annotation.captions]
    return {
        "images": len(annotation.captions),
        "captions": sum(caption.caption is not None for caption in annotation.captions),
        "with_concepts": sum(bool(concept) for concept in concepts),
        "with_nothing": sum(concept == () for concept in concepts),
        "not_annotated": sum(concept is None for concept in concepts),
        "matches": annotation.n_matches,
        "concepts": len({concept for one in concepts for concept in one or ()}),
    }


def document(study: Study, annotation: Annotation) -> dict[str, Any]:
    """All of it for programs."""
    names = annotation.names
    return {
        "study": study.name,
        "digest": study.content,
        "tool": annotation.tool,
        "settings": annotation.settings.as_dict(),
        "counts": counts(annotation),
        "names": {
            "names": names.n_names,
            "concepts": len(names.concepts),
            "ambiguous": len(names.ambiguous),
            "dropped": {one.why: one.count for one in names.dropped},
            "digest": names.digest,
        },
        "left_out": annotation.left_out,
        "found": Table(annotation.counts, _FOUND),
        "found_digest": annotation.digest,
    }


def lines(study: Study, annotation: Annotation) -> Iterator[str | Table]:
    """The same for people."""
    n, names = counts(annotation), annotation.names
    if names.n_names:
        dropped = "; ".join(f"{one.count:,} {one.why}" for one in names.dropped)
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
    left = "; ".join(f"{k:,} {why}" for why, k in annotation.left_out.items())
    yield f"{n['matches']:,} terms found{f', left out: {left}' if left else ''}."
    if annotation.counts:
        yield Table(annotation.counts[:_COMMAND_SHOWN], _FOUND)


_FOUND = (
    Column("name", head="name"),
    Column("concepts", lambda one: list(one.concepts), "concepts", lambda some: " ".join(some[:3])),
    Column("n", head="found", text=whole),
    *titled("kept", "images", text=whole),
    also("", lambda one: "ambiguous" if len(one.concepts) > 1 else ""),
)
