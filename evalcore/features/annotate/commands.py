"""The commands that turn captions into concepts, and say how good these are."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import ALL, Whole, example, options, refuse_idle, with_level, with_seed
from evalcore.cli.output import TEXT_FILE, concept_name, emit, how_many, mention, progress_line, write_file
from evalcore.cli.study_request import on_study
from evalcore.features.annotate.dictionary import dictionary
from evalcore.features.annotate.quality import quality, standings
from evalcore.features.annotate.read import concept_lines, match_lines, query_lines, read_annotate_toml
from evalcore.features.annotate.run import annotate as found_by
from evalcore.features.annotate.run import annotation_of, captions_of, texts_of_queries
from evalcore.features.annotate.tables import SCORES, Over, concepts_table, quality_table, standings_table
from evalcore.features.annotate.values import AnnotateSettings
from evalcore.results.rows import Column, Table, also, decimals, percent, plain, titled, whole
from evalcore.study.concepts.concepts import read_concept_file
from evalcore.study.concepts.tool_output import ToolOutput, parse_tool_output
from evalcore.study.names.all_names import names_in, names_of_study
from evalcore.study.names.names import language_of
from evalcore.study.tables.lines import parse_file
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evalcore.cli.study_request import StudyRequest
    from evalcore.features.annotate.quality import Quality, Standings, Three
    from evalcore.features.annotate.values import AnnotateSettings, Annotation
    from evalcore.study.concepts.tool_output import ToolOutput
    from evalcore.values.concept_values import NameTable
    from evalcore.values.model import Study

# What both commands read: the names to look for, and the settings of ``annotate.toml``.

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


# ``annotate run``: the concepts that captions name.

_COMMAND_SHOWN = 15


@example("annotate run data --out found.csv")
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
        refuse_idle(False, *idle, because="the terms come from --from")
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

# ``annotate score``: how good concepts found in captions are, and what they do to the systems.

_SHOWN = 15


@example("annotate score data data/concepts.csv")
@on_study(*ALL, csv=True)
@click.argument("found", type=FILE)
@click.option(
    "--given", "against", type=FILE, metavar="FILE", help="Concepts to compare with in place of the study's."
)
@reading
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="M",
    help="A metric: of the systems. Default: CUI@10, and nnCUI@10 where there are neighbours.",
)
@with_level
@click.option(
    "--resamples",
    "n_resamples",
    type=Whole(1, 100_000),
    default=2_000,
    show_default=True,
    help="Resamples: of the bootstrap over images.",
)
@with_seed("resamples.")
def annotate_score(
    request: StudyRequest,
    found: str,
    against: str | None,
    name_files: Sequence[str],
    toml: str | None,
    languages: Sequence[str],
    sources: Sequence[str],
    metrics: Sequence[str],
    level: float,
    n_resamples: int,
    seed: int,
) -> None:
    """How good are the concepts found in captions?

    FOUND is a file by `annotate run` or any other tool, for the images of STUDY. Precision, recall and F1
    against the concepts given, over all pairs of image and concept, as means over images, and concept by
    concept (--csv); how many of the given concepts have a name at all; and the systems of STUDY under both.
    If the given concepts were found by a dictionary too, this only measures how similar two dictionaries are.
    """
    opened = request.study
    sets = _concepts_of(found)
    given = _concepts_of(against) if against is not None else _given(opened)
    if not any(some is not None for some in given.values()):
        raise InputError("The study has no concepts to compare with. Give some with --given FILE.")
    if not given.keys() & sets.keys():
        raise InputError("None of the images with concepts given is in the file. Compare the ids.")
    names = names_of(opened, name_files)
    settings = settings_of(opened, toml, languages=languages, sources=sources)
    known = dictionary(names, settings).names.concepts if len(names) else None
    groups = opened.groups
    of_image = None if groups is None else dict(zip(opened.image_ids, groups.of_image.tolist(), strict=True))
    good = quality(given, sets, named=known, groups=of_image, level=level, n_resamples=n_resamples, seed=seed)
    usual = ("CUI@10", *(("nnCUI@10",) if opened.knows_neighbours else ()))
    ranked: tuple[Standings, ...] = ()
    if opened.systems and against is None:
        ranked = standings(
            opened,
            sets,
            metrics=metrics or usual,
            settings=request.settings,
            level=level,
            seed=seed,
            progress=progress_line(),
        )
    rows = concepts_table(good.concepts, partial(concept_name, opened))
    emit(
        _document(opened, request, good, ranked, rows),
        _lines(good, ranked, rows),
        json=request.json,
        csv=request.csv,
        csv_rows=rows,
    )


def _given(study: Study) -> dict[str, frozenset[str] | None]:
    concepts = study.concepts
    return {
        image: concepts.of_image(i) if concepts.annotated[i] else None
        for i, image in enumerate(concepts.image_ids)
    }


def _concepts_of(path: str) -> Mapping[str, tuple[str, ...] | None]:
    sets, report = read_concept_file(Path(path))
    if report.total("error") or not sets:
        raise InputError(f"{path} has {how_many(report, 'error')}. Correct them.", report)
    mention(report)
    return {image: None if concepts is None else tuple(concepts) for image, concepts in sets.items()}


def _three(scores: Three) -> dict[str, Any]:
    return Table([Over("", scores)], SCORES).records()[0]


def _document(
    study: Study, request: StudyRequest, good: Quality, ranked: Sequence[Standings], rows: Table
) -> dict[str, Any]:
    held = good.coverage
    return {
        "study": study.name,
        "digest": study.content,
        "n_images": good.n_images,
        "left_out": good.left_out,
        "not_annotated": good.not_annotated,
        "n_groups": good.n_groups,
        "micro": _three(good.micro),
        "per_image": _three(good.per_image),
        "coverage": None
        if held is None
        else {
            "named": held.named,
            "concepts": held.concepts,
            "named_occurrences": held.named_occurrences,
            "occurrences": held.occurrences,
            "recall": held.recall,
        },
        "concepts": rows,
        "systems": [
            {
                "metric": one.metric,
                "n_queries": one.n_queries,
                "n_given": one.n_given,
                "n_found": one.n_found,
                "tau": one.tau,
                "swaps": [list(pair) for pair in one.swaps],
                "rows": standings_table(one).records(),
            }
            for one in ranked
        ],
        "settings": {
            **request.recorded(),
            "ci_level": good.level,
            "resamples": good.n_resamples,
            "seed": good.seed,
        },
    }


def _lines(good: Quality, ranked: Sequence[Standings], rows: Table) -> Iterator[str | Table]:
    yield (
        f"{good.n_images:,} images compared, {good.left_out:,} without given concepts left out; "
        f"{good.not_annotated:,} have no result and count as without concepts."
    )
    yield quality_table(good)
    drawn = f"{good.n_groups:,} groups of images" if good.n_groups else "images"
    yield (
        f"Intervals: {good.level:.0%}, bootstrap over {drawn}, {good.n_resamples:,} resamples, "
        f"seed {good.seed}."
    )
    held = good.coverage
    if held is not None:
        yield (
            f"{held.named:,} of {held.concepts:,} given concepts have a name to look for; they are "
            f"{held.named_occurrences:,} of {held.occurrences:,} occurrences, of which "
            f"{percent(held.recall, 1)} were found."
        )
    yield rows._replace(rows=rows.rows[:_SHOWN])
    for one in ranked:
        yield (
            f"{one.metric}: Kendall's tau {decimals(one.tau, 3)}, {len(one.swaps)} of {one.n_pairs} pairs of "
            f"systems in the other order, over {one.n_queries:,} queries with a value under both "
            f"({one.n_given:,} under the given, {one.n_found:,} under the found concepts)."
        )
        yield standings_table(one)
        if one.swaps:
            yield f"In the other order: {'; '.join(' and '.join(pair) for pair in one.swaps)}."
