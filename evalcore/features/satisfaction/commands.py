"""``satisfaction``: which measure agrees with satisfied users, and whether context-aware gain helps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from evalcore.cli.options import (
    NumberGrid,
    as_csv,
    as_json,
    choice_option,
    example,
    field_options,
    option,
    options,
)
from evalcore.cli.output import Item, emit, how_many, mention, write_paper
from evalcore.features.satisfaction.agreement import LEVEL, Choices, Evaluation, too_narrow
from evalcore.features.satisfaction.data import STEPS, Satisfaction, Scale, cleanse, parse_scale, read_study
from evalcore.features.satisfaction.parts import PARTS
from evalcore.figures.printed import PAPER
from evalcore.report.parts import Section
from evalcore.results.rows import plain
from evalcore.study.tables.files import content_of
from evalcore.values.errors import InputError

FILE = click.Path(dir_okay=False)


def _read(lists: str, satisfaction: str, scale: Scale | None) -> Satisfaction:
    """The ratings; InputError with every problem of the files. Remarks go to standard error."""
    names = (Path(lists).name, Path(satisfaction).name)
    contents = [content_of(Path(path), name) for path, name in zip((lists, satisfaction), names, strict=True)]
    data, report = read_study(*contents, names=names, scale=scale)
    if report.total("error"):
        raise InputError(f"The files have {how_many(report, 'error')}. Correct them.", report)
    mention(report)
    if data is None:
        raise InputError("No query has both a list and a rating.")
    return data


def _shown(evaluation: Evaluation, sections: Mapping[str, Section]) -> Iterator[Item]:
    """For people: the parts of the paper that are short enough, each with its answer and method."""
    data = evaluation.data
    yield f"{plain(data.what)}; relevance {data.scale[0]:g} to {data.scale[1]:g} as 0 to 1."
    for file, section in sections.items():
        if PARTS[file].key and section.table is not None:
            yield f"\n{plain(section.answer).replace('**', '')}"
            yield section.table
            yield from filter(None, [section.method])
    yield "* p < .05 for no correlation, not corrected."
    yield from filter(None, [too_narrow(evaluation)])


@example("satisfaction --lists lists.csv --satisfaction satisfaction.csv", own_files=True)
@click.command()
@options(
    option(
        "--lists",
        kind=FILE,
        required=True,
        metavar="FILE",
        help="What was shown: query,position,row,relevance[,worker], or query,row,column,relevance[,worker].",
    ),
    option(
        *("--satisfaction", "ratings"),
        kind=FILE,
        required=True,
        metavar="FILE",
        help="Ratings: query,user,satisfaction[,task,session].",
    ),
    option(
        "--scale",
        metavar="LOW:HIGH",
        help="Lowest and highest possible relevance, as 0:3. Default: 0 and the highest in the file. -1 and "
        "-2 mean that an image could not be judged.",
    ),
    option(
        "--rows",
        kind=NumberGrid(),
        usual=",".join(map(str, Choices().depths)),
        metavar="N,N",
        help="Rows of the page that count.",
    ),
    *field_options(Choices, "window", "divide_by", "stop_by", "average", "sums"),
    option(
        *("--skip", "without"),
        kind=tuple(STEPS),
        usual=(),
        help=f"Skip a step of the cleansing. {'; '.join(f'{name}: {text}' for name, text in STEPS.items())}.",
    ),
    *field_options(Choices, "test", "variance_rows", "n_resamples"),
    option(
        "--windows", kind=NumberGrid(), metavar="1:20", help="Also the agreement of RBP and DCG by window."
    ),
    option(
        "--paper",
        metavar="FOLDER",
        help="Also every table (CSV) and figure (SVG) of the paper, into this folder.",
    ),
    choice_option("seed"),
    as_csv("the correlations."),
    as_json,
)
def satisfaction(
    lists: str,
    ratings: str,
    scale: str | None,
    rows: tuple[int, ...],
    without: Sequence[Any],
    windows: tuple[int, ...] | None,
    paper: str | None,
    csv_path: str | None,
    json_wanted: bool,
    **more: Any,
) -> None:
    """Which measure of a list agrees with satisfied users?

    And does context-aware gain help? Spearman's rho between satisfaction and RBP, DCG, CG, AVG, MAX and
    ERR, on the relevance as it is and on context-aware gain (Shao et al. 2019), over the first rows of a
    page. Intervals: bootstrap. Differences: two-sided test of correlations over the same queries, p
    corrected by Holm.
    """
    choices = Choices(depths=rows, windows=windows or (), **more)
    data = _read(lists, ratings, parse_scale(scale) if scale is not None else None)
    evaluation = Evaluation(data, cleanse(data, depth=choices.depths[-1], without=without), choices)
    parts = {file: part for file, part in PARTS.items() if file != "windows" or windows}
    sections = {file: part.section(evaluation) for file, part in parts.items()}
    tables = {file: section.table for file, section in sections.items() if section.table is not None}
    if paper:
        drawn = [named for section in sections.values() for named in section.figures(PAPER)]
        write_paper(paper, tables, {named.name: named.drawn for named in drawn})
    document = {
        "n_queries": evaluation.clean.n_queries,
        "n_users": evaluation.clean.n_users,
        "dropped": dict(evaluation.clean.left_out),
        **{PARTS[file].key: table for file, table in tables.items() if PARTS[file].key},
        "settings": {"source": data.what, "scale": data.scale, "ci_level": LEVEL, "without": without}
        | asdict(choices),
        "digest": data.digest,
    }
    shown = _shown(evaluation, sections)
    emit(document, shown, json=json_wanted, csv=csv_path, csv_rows=tables["table-3"])
