"""``satisfaction``: which measure agrees with satisfied users, and whether context-aware gain helps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from evalcore.cli.options import Grid, Whole, as_csv, as_json, choice_option, example
from evalcore.cli.output import emit, how_many, mention, write_paper
from evalcore.features.satisfaction.agreement import LEVEL, Choices, Evaluation, too_narrow
from evalcore.features.satisfaction.data import STEPS, cleanse, read_study
from evalcore.features.satisfaction.parts import differences_table, parts_of
from evalcore.figures.printed import PAPER
from evalcore.ranking.graded import DivideBy
from evalcore.ranking.grid import Over, StopBy
from evalcore.results.rows import plain
from evalcore.stats.correlation import DependentTest
from evalcore.study.tables.files import content_of, parse_float
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from evalcore.cli.output import Item
    from evalcore.features.satisfaction.data import Satisfaction, Scale

USUAL = Choices()
FILE = click.Path(dir_okay=False)


def parse_scale(text: str | None) -> Scale | None:
    """``0:3`` as (0, 3).

    >>> parse_scale("0:3"), parse_scale(None)
    ((0.0, 3.0), None)
    """
    if text is None:
        return None
    low, high, *more = [parse_float(part) if part else None for part in f"{text}:".split(":")]
    if len(more) != 1 or low is None or high is None or not isfinite(high - low):
        raise click.BadParameter(f"{text!r} is no scale such as 0:3 or 0:100.", param_hint="--scale")
    return low, high


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


def _shown(evaluation: Evaluation) -> Iterator[Item]:
    """For people: the parts of the paper that are short enough, each with its answer and method."""
    data = evaluation.data
    yield f"{plain(data.what)}; relevance {data.scale[0]:g} to {data.scale[1]:g} as 0 to 1."
    for part in parts_of(evaluation):
        if part.key:
            yield f"\n{plain(part.answer(evaluation)).replace('**', '')}"
            yield part.table(evaluation)
            if method := part.method(evaluation):
                yield method
    yield "* p < .05 for no correlation, not corrected."
    if few := too_narrow(evaluation):
        yield few


@example("satisfaction --lists lists.csv --satisfaction satisfaction.csv", own_files=True)
@click.command()
@click.option(
    "--lists",
    type=FILE,
    required=True,
    metavar="FILE",
    help="What was shown: query,position,row,relevance[,worker], or query,row,column,relevance[,worker].",
)
@click.option(
    "--satisfaction",
    "ratings",
    type=FILE,
    required=True,
    metavar="FILE",
    help="Ratings: query,user,satisfaction[,task,session].",
)
@click.option(
    "--scale",
    metavar="LOW:HIGH",
    help="Lowest and highest possible relevance, as 0:3. Default: 0 and the highest in the file. -1 and "
    "-2 mean that an image could not be judged.",
)
@click.option(
    "--rows",
    type=Grid(),
    default=",".join(map(str, USUAL.depths)),
    show_default=True,
    metavar="N,N",
    help="Rows of the page that count.",
)
@click.option(
    "--window",
    type=Whole(1),
    default=USUAL.window,
    show_default=True,
    help="Context-aware gain: images that count together.",
)
@click.option(
    "--divide-by",
    type=click.Choice(get_args(DivideBy)),
    default=USUAL.divide_by,
    show_default=True,
    help="Context-aware gain: divided by the images seen so far, or by the window.",
)
@click.option(
    "--stop-by",
    type=click.Choice(get_args(StopBy)),
    default=USUAL.stop_by,
    show_default=True,
    help="ERR: what decides whether a user stops.",
)
@click.option(
    "--average",
    type=click.Choice(get_args(Over)),
    default=USUAL.average,
    show_default=True,
    help="AVG: of the means of rows, or of all images.",
)
@click.option("--sums", is_flag=True, help="Do not divide RBP, DCG, CG and ERR by the number of images.")
@click.option(
    "--skip",
    "without",
    type=click.Choice(list(STEPS)),
    multiple=True,
    help=f"Skip a step of the cleansing. {'; '.join(f'{name}: {text}' for name, text in STEPS.items())}.",
)
@click.option(
    "--test",
    type=click.Choice(get_args(DependentTest)),
    default=USUAL.test,
    show_default=True,
    help="Context-aware against original; fisher wrongly assumes that they are independent.",
)
@click.option(
    "--resamples",
    "n_resamples",
    type=Whole(1, 100_000),
    default=USUAL.n_resamples,
    show_default=True,
    help="Resamples: of the bootstrap.",
)
@click.option(
    "--variance-rows",
    type=Whole(1),
    default=USUAL.variance_rows,
    show_default=True,
    help="First rows whose variance of relevance orders the queries.",
)
@click.option("--windows", type=Grid(), metavar="1:20", help="Also the agreement of RBP and DCG by window.")
@click.option(
    "--paper",
    metavar="FOLDER",
    help="Also every table (CSV) and figure (SVG) of the paper, into this folder.",
)
@choice_option("seed")
@as_csv("the correlations.")
@as_json
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
    data = _read(lists, ratings, parse_scale(scale))
    evaluation = Evaluation(data, cleanse(data, depth=choices.depths[-1], without=without), choices)
    if paper:
        parts = parts_of(evaluation)
        tables = {part.file: part.table(evaluation) for part in parts}
        figures = {name: figure for part in parts for name, figure in part.figures(evaluation, PAPER).items()}
        write_paper(paper, tables, figures)
    document = {
        "n_queries": evaluation.clean.n_queries,
        "n_users": evaluation.clean.n_users,
        "dropped": dict(evaluation.clean.left_out),
        **{part.key: part.table(evaluation) for part in parts_of(evaluation) if part.key},
        "settings": {"source": data.what, "scale": data.scale, "ci_level": LEVEL, "without": without}
        | asdict(choices),
        "digest": data.digest,
    }
    emit(document, _shown(evaluation), json=json_wanted, csv=csv_path, csv_rows=differences_table(evaluation))
