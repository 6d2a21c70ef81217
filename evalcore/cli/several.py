"""``board``: the same systems over several studies."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from evalcore.cli.comparing import compared, lines
from evalcore.cli.options import all_but, as_csv, example, with_metrics, with_systems
from evalcore.cli.output import emit, few, progress_line
from evalcore.cli.study_request import StudyRequest, on_study
from evalcore.evaluate import score
from evalcore.evaluate.across_studies import AcrossStudies, across_studies, too_few_studies
from evalcore.evaluate.scoring import AllScores
from evalcore.evaluate.systems import name_of
from evalcore.results.across_studies import method, missing_lines, rows_table, sentence
from evalcore.results.board import FIRST, offered_measures
from evalcore.results.rows import Table, plain
from evalcore.study.study import in_words as names_in_words
from evalcore.study.study import readers
from evalcore.values.errors import CuiscopeError, InputError, UnknownName
from evalcore.values.model import Study
from evalcore.values.plugins import used_in
from evalcore.values.progress import part_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


@example('board data other --metric "P(organ)@5"')
@on_study(*all_but("interval"), argument=False)
@click.argument("studies", nargs=-1, required=True)
@with_metrics("the first three measures that the page Overview offers in all of them")
@with_systems
@click.option(
    "--baseline",
    metavar="S",
    help="Compare the others with this: a system of every study. Default: the highest mean over them.",
)
@as_csv("one per system and metric, with a column for each study.")
def board(
    request: StudyRequest,
    studies: Sequence[str],
    metrics: Sequence[str],
    systems: Sequence[str],
    baseline: str | None,
    csv_path: str | None,
) -> None:
    """Compare systems over several STUDIES.

    The mean of each system in each study, and over the studies, which all have the same weight. Intervals
    draw studies and queries within each, paired (2,000 resamples); with few studies they are weak evidence
    about other studies. Systems are matched by name. One that is missing in a study is listed and has no mean
    over the studies. Within a study, systems are compared as by `score`.
    """
    opened = _opened(request, studies)
    metrics = metrics or _offered(opened)
    scored, over = _scored(opened, metrics, systems)
    result = across_studies(scored, baseline=baseline, settings=request.settings)
    tables = [rows_table(part) for part in result]
    names = [row.system for row in result[0].rows]
    looks = {name: look for of_study in opened.values() for name, look in of_study.study.looks.items()}
    plugins = used_in([*metrics, *systems])
    cautions = [
        too_few_studies(len(opened)),
        *few([], request.settings, differences=[n for part in result for n in part.n_queries.values()]),
        plain(names_in_words(names, looks)),
        *([f"Plugins: {'; '.join(map(str, plugins))}."] if plugins else []),
    ]
    document = {
        "studies": [
            {
                "study": name,
                "folder": of_study.folder,
                "digest": of_study.study.content,
                "compared_over": over[name],
            }
            for name, of_study in opened.items()
        ],
        "settings": request.settings.as_dict() | ({"where": list(request.where)} if request.where else {}),
        "rows": [record for table in tables for record in table.records()],
        "level": result[0].level,
        "n_resamples": result[0].n_resamples,
        "seed": result[0].seed,
        "caution": too_few_studies(len(opened)),
        **({"plugins": [plugin.as_dict() for plugin in plugins]} if plugins else {}),
        **({"reads_captions": reading} if (reading := readers(names, looks)) else {}),
    }
    rows = Table([row for part in result for row in part.rows], tables[0].columns)
    emit(document, _shown(result, tables, over, cautions), json=request.json, csv=csv_path, csv_rows=rows)


def _opened(request: StudyRequest, folders: Sequence[str]) -> dict[str, StudyRequest]:
    """The studies by name; by folder too where several have the name."""
    each = [replace(request, folder=folder) for folder in folders]
    if len(each) < 2:
        raise InputError("A board takes at least two studies. For one: score STUDY.")
    places = [os.path.realpath(folder) for folder in folders]
    if len({*places}) < len(places):
        raise InputError("A study is given twice. Give each once: otherwise it would count twice.")
    names = []
    for of_study in each:
        try:
            names.append(of_study.study.name)
        except InputError as problem:
            raise InputError(f"{plain(of_study.folder)}: {problem}", problem.report) from problem
    return {
        name if names.count(name) == 1 else f"{name} ({of_study.folder})": of_study
        for name, of_study in zip(names, each, strict=True)
    }


def _offered(opened: Mapping[str, StudyRequest], k: int = 10) -> tuple[str, ...]:
    """The first measures that all of the studies can be looked at with; not by vectors, which differ."""
    first, *others = (offered_measures(of_study.study) for of_study in opened.values())
    common = {
        name: cut for name, cut in first.items() if "cosine:" not in name and all(name in of for of in others)
    }
    if not common:
        raise InputError("No measure is on offer in all of these studies. Name one with --metric.")
    return tuple(f"{name}@{k}" if cut else name for name, cut in common.items())[:FIRST]


def _scored(
    opened: Mapping[str, StudyRequest], metrics: Sequence[str], systems: Sequence[str]
) -> tuple[dict[str, AllScores], dict[str, list[str]]]:
    """Scores by study, and what is said of what its systems are compared over."""
    show = progress_line()
    there = {name: _there(of_study.study, systems) for name, of_study in opened.items()}
    for system in systems:
        if all(system not in of for of in there.values()):
            known = {name for of_study in opened.values() for name in of_study.study.systems}
            raise UnknownName("system in any of these studies", system, known)
    scored: dict[str, AllScores] = {}
    over: dict[str, list[str]] = {}
    for place, (name, opened_study) in enumerate(opened.items()):
        if not there[name]:
            raise InputError(f"{name} has none of the systems. Leave this study out, or name others.")
        try:
            of, limited = compared(opened_study, list(there[name].values()), None)
            scored[name] = score(
                limited,
                metrics,
                systems=list(there[name].values()),
                settings=opened_study.settings,
                progress=part_of(show, place, len(opened)),
            )
        except CuiscopeError as problem:
            raise InputError(f"{name}: {problem}", problem.report) from problem
        over[name] = lines(of.compared)
    return scored, over


def _there(study: Study, systems: Sequence[str]) -> dict[str, str]:
    """Those of the systems that a study has, by what they were called; all of its own where none is named."""
    result = {}
    for name in systems or study.systems:
        with suppress(UnknownName):
            result[name] = name_of(study, name)
    return result


def _shown(
    studies: Sequence[AcrossStudies],
    tables: Sequence[Table],
    over: Mapping[str, Sequence[str]],
    cautions: Sequence[str],
) -> Iterator[str | Table]:
    """For people."""
    for name, about in over.items():
        yield from (plain(f"{name}: {line}") for line in about)
    for part, table in zip(studies, tables, strict=True):
        yield plain(sentence(part))
        yield table
        yield plain(method(part))
        yield ""
    yield from map(plain, missing_lines(studies[0]))
    yield from filter(None, cautions)
