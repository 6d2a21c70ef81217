"""The command on satisfaction: what it is asked for, and what it prints."""

from __future__ import annotations

from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from evalcore.cli.options import NN_IOU, Whole, choice_option, example, refuse_idle, whole_grid
from evalcore.cli.output import how_many, mention, write_paper
from evalcore.cli.study_request import on_study
from evalcore.features.satisfaction.agreement import (
    Evaluated,
    agreement,
    checked_depths,
    counts,
    dots,
    split,
    sweep_sentence,
    swept,
    too_narrow,
)
from evalcore.features.satisfaction.data import (
    DEPTHS,
    N_RESAMPLES,
    REASONS,
    STEPS,
    SUBSETS,
    VARIANCE_ROWS,
    Resample,
    cleanse,
)
from evalcore.features.satisfaction.figures import (
    BOTH_GAINS,
    of_gains,
    of_quarters,
    paired_agreement,
    satisfaction_dots,
    sweep_curves,
)
from evalcore.features.satisfaction.published import SOURCE, find, from_files, from_study
from evalcore.features.satisfaction.read import parse_satisfaction
from evalcore.features.satisfaction.tables import (
    ROWS,
    counts_table,
    differences_table,
    dots_table,
    starred,
    sweep_table,
    variance_table,
)
from evalcore.figures.printed import PAPER
from evalcore.ranking.grid import Reading
from evalcore.results.rows import Column, Table, decimals, plain, whole
from evalcore.stats.correlation import DependentTest
from evalcore.study.tables.files import content_of, parse_float
from evalcore.values.errors import InputError
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.study_request import StudyRequest
    from evalcore.features.satisfaction.agreement import Agreement, AgreementResult, Split, SweepRow
    from evalcore.features.satisfaction.data import Satisfaction
    from evalcore.values.errors import Report

# Where the ratings come from: two files, or a study and a file.

OF_STUDY = (
    "study",
    "by",
    "system",
    "width",
    "alpha",
    "threshold",
    "count_rule",
    "form",
    "direction",
    "unknown",
)


def given(
    request: StudyRequest,
    *,
    relevance: str | None,
    satisfaction: str | None,
    scale: str | None,
    by: str,
    system: str | None,
    width: int,
    rows: int,
) -> Satisfaction:
    """The ratings; InputError with every problem of the files, UsageError where options do not fit."""
    if not satisfaction:
        raise click.UsageError("Name the ratings: --satisfaction FILE, with --lists FILE or --study STUDY.")
    if request.folder:
        because = "the relevance of a study's images comes from the study"
        refuse_idle(False, "relevance", "scale", because=because)
        return _of_study(request, satisfaction, by, system, width, rows)
    if not relevance:
        raise click.UsageError("Name what was shown: --lists FILE, or --study STUDY.")
    refuse_idle(False, *OF_STUDY, because="it belongs to --study")
    return _of_files(relevance, satisfaction, scale)


def _of_files(relevance: str, satisfaction: str, scale: str | None) -> Satisfaction:
    names = (Path(relevance).name, Path(satisfaction).name)
    data = [content_of(Path(path), name) for path, name in zip((relevance, satisfaction), names, strict=True)]
    result, report = from_files(data[0], data[1], names=names, scale=scale_of(scale))
    return _clean(result, report)


def _of_study(
    request: StudyRequest, satisfaction: str, by: str, system: str | None, width: int, rows: int
) -> Satisfaction:
    name = Path(satisfaction).name
    ratings, report = parse_satisfaction(content_of(Path(satisfaction), name), file=name)
    if report.total("error"):
        return _clean(None, report)
    result, more = from_study(
        request.study, ratings, by=by, system=system, width=width, rows=rows, settings=request.settings
    )
    return _clean(result, report + more)


def _clean(data: Satisfaction | None, report: Report) -> Satisfaction:
    """What was read, when there are no errors; remarks are mentioned on standard error."""
    if report.total("error"):
        raise InputError(f"The files have {how_many(report, 'error')}. Correct them.", report)
    mention(report)
    if data is None:
        raise InputError("No query has both a list and a rating.")
    return data


def scale_of(text: str | None) -> tuple[float, float] | None:
    """``0:3`` as (0, 3).

    >>> scale_of("0:3"), scale_of(None)
    ((0.0, 3.0), None)
    """
    if text is None:
        return None
    ends = [parse_float(part) if part else None for part in text.split(":")]
    if len(ends) != 2 or any(end is None or not isfinite(end) for end in ends):
        raise click.BadParameter(f"{text!r} is no scale such as 0:3 or 0:100.", param_hint="--scale")
    return float(ends[0] or 0), float(ends[1] or 0)


# What ``satisfaction`` prints, for people and for programs.

NAMES = {
    "williams": "Williams' test",
    "steiger": "Steiger's test",
    "meng": "Meng's test",
    "hotelling": "Hotelling's test",
    "fisher": "Fisher's test for independent samples (for comparison only)",
}


def shown(one: Evaluated) -> Iterator[str | Table]:
    """For people: what counts, the table of the paper beside its values, the split by variance."""
    data, result = one.data, one.result
    yield (
        f"{whole(result.n_queries)} queries of {whole(result.n_users)} participants "
        f"({plain(data.what)}; relevance {data.scale[0]:g} to {data.scale[1]:g} as 0 to 1)"
    )
    gone = [f"{n:,} {REASONS[reason]}" for reason, n in one.clean.dropped.items() if n]
    yield f"Left out: {'; '.join(gone) or 'nothing'}."
    yield ""
    yield counts_table([counts(data, one.clean)])
    test = NAMES[result.differences[0].test]
    yield (
        f"\nSpearman's rho with satisfaction; {result.level:.0%} intervals: {result.n_resamples:,} "
        f"resamples of {'participants' if result.resample == 'users' else 'queries'}, "
        f"seed {result.seed}; p: {test}, Holm"
    )
    yield differences_table(result)
    if few := too_narrow(result):
        yield few
    yield "* p < .05 for no correlation, not corrected; takes queries as independent"
    yield f"Published: {SOURCE}, data sets 1 / 2, original -> context-aware, † significantly different"
    if one.halves is not None:
        yield from _halves(one.halves, result)
    if one.by_window:
        yield f"\nBy window, first {result.rows[-1].depth} rows; intervals pointwise"
        yield sweep_table(one.by_window)
        yield sweep_sentence(one.by_window)


def _halves(halves: Split, result: AgreementResult) -> Iterator[str | Table]:
    yield (
        f"\nOriginal gain, rows {result.rows[-1].depth}, by the standard "
        f"deviation of relevance in the first {halves.n_rows} rows: the {whole(halves.n)} queries up to "
        f"{decimals(halves.border[0], 3)} and from {decimals(halves.border[1], 3)} "
        f"({whole(halves.tied[0])} and {whole(halves.tied[1])} share these values; the id decides)"
    )
    originals = [row for row in halves.rows if row[1].gain == "original"]
    n = len(originals) // 2
    yield Table(
        list(zip(originals[:n], originals[n:], strict=True)),
        (
            Column("", lambda pair: pair[0][1].metric, "metric"),
            Column("", lambda pair: starred(pair[0][1]), "lowest variance"),
            Column("", lambda pair: starred(pair[1][1]), "highest variance"),
            Column("", _published_split, "published, data set 1"),
        ),
    )


def _published_split(pair: tuple[tuple[str, Agreement], tuple[str, Agreement]]) -> str:
    """What the paper reports of its two quarters, on data set 1."""
    lines = [find(one.metric, one.gain, one.depth, data_set=1, subset=subset) for subset, one in pair]
    return " / ".join("-" if one is None else f"{one.spearman:.3f}" for one in lines)


# Every table and figure of Shao et al. 2019 as files.


def write_tables_and_figures(folder: str, one: Evaluated, *, rows: int) -> None:
    """Tables 1 to 3, Figure 3 and the agreement of each measure; ``rows``: whose variance Figure 3 shows."""
    each, depth = dots(one.clean, rows=rows), one.result.rows[-1].depth
    below = f"first {pluralize(depth, 'row')} · {pluralize(one.result.n_queries, 'query')}"
    of_dots = partial(satisfaction_dots, each, rows=rows, theme=PAPER)
    figures = {"figure-3a": of_dots(against="mean"), "figure-3b": of_dots(against="beside")}
    figures["table-3"] = paired_agreement(
        of_gains(one.result, depth),
        names=BOTH_GAINS,
        title="Which measure rises with satisfaction?",
        subtitle=below,
        theme=PAPER,
    )
    if one.halves is not None:
        figures["table-2"] = paired_agreement(
            of_quarters(one.halves),
            names=SUBSETS,
            title="Better where relevance varies?",
            subtitle=f"{below}, {one.halves.n} in each quarter",
            theme=PAPER,
        )
    tables = {
        "table-1": counts_table([counts(one.data, one.clean)]),
        "table-2": variance_table(one.halves),
        "table-3": differences_table(one.result),
        "figure-3": dots_table(each),
    }
    if one.by_window:
        tables["windows"] = sweep_table(one.by_window)
        figures["windows"] = sweep_curves(one.by_window, depth=depth, theme=PAPER)
    write_paper(folder, tables, figures)


def windows_of(text: str) -> tuple[int, ...]:
    """``1:20`` as the windows from 1 to 20.

    >>> windows_of("1,5,10"), windows_of("2:4")
    ((1, 5, 10), (2, 3, 4))
    """
    windows = whole_grid(text)
    if min(windows) < 1:
        raise click.BadParameter("A window has one image or more.", param_hint="--windows")
    return windows


# ``satisfaction``: which measure agrees with satisfied users, and whether context-aware gain helps.

FILE = click.Path(dir_okay=False)
WITHOUT = "; ".join(f"{name}: {text}" for name, text in STEPS.items())


@example("satisfaction --lists lists.csv --satisfaction satisfaction.csv")
@on_study(*NN_IOU, argument=False, csv="those of the table.")
@click.option(
    "--lists",
    "relevance",
    type=FILE,
    metavar="FILE",
    help="What was shown: query,position,row,relevance[,column,worker].",
)
@click.option(
    "--satisfaction", type=FILE, metavar="FILE", help="Ratings: query,user,satisfaction[,task,session]."
)
@click.option(
    "--scale",
    metavar="LOW:HIGH",
    help="Lowest and highest possible relevance, as 0:3. Default: 0 and the highest in the file. -1 and "
    "-2 mean that an image could not be judged.",
)
@click.option(
    "--study",
    metavar="STUDY",
    help="Instead of --lists: ratings of what its systems return, images as queries; a column "
    "`system` may name the system.",
)
@click.option(
    "--relevance",
    "by",
    default="nn-iou",
    show_default=True,
    metavar="R",
    help="A relevance: with --study, how relevant an image is.",
)
@click.option("-s", "--system", metavar="S", help="A system: with --study, whose results were rated.")
@click.option(
    "--columns",
    "width",
    type=Whole(1),
    default=1,
    show_default=True,
    help="With --study: images in a row of the page.",
)
@click.option(
    "--rows",
    "depth",
    default=",".join(map(str, DEPTHS)),
    show_default=True,
    metavar="N,N",
    help="Rows of the page that count.",
)
@click.option(
    "--window",
    type=Whole(1),
    default=10,
    show_default=True,
    help="Context-aware gain: images that count together.",
)
@click.option(
    "--divide-by",
    type=click.Choice(["filled", "window"]),
    default="filled",
    show_default=True,
    help="Context-aware gain: divided by the images seen so far, or by the window.",
)
@click.option(
    "--stop-by",
    type=click.Choice(["relevance", "gain"]),
    default="relevance",
    show_default=True,
    help="ERR: what decides whether a user stops.",
)
@click.option(
    "--average",
    type=click.Choice(["rows", "images"]),
    default="rows",
    show_default=True,
    help="AVG: of the means of rows, or of all images.",
)
@click.option("--sums", is_flag=True, help="Do not divide RBP, DCG, CG and ERR by the number of images.")
@click.option(
    "--skip",
    "without",
    type=click.Choice(list(STEPS)),
    multiple=True,
    help=f"Skip a step of the cleansing. {WITHOUT}.",
)
@click.option(
    "--test",
    type=click.Choice(get_args(DependentTest)),
    default="williams",
    show_default=True,
    help="Context-aware against original; fisher wrongly assumes that they are independent.",
)
@click.option(
    "--resample",
    type=click.Choice(get_args(Resample)),
    default="users",
    show_default=True,
    help="What the bootstrap draws: whole participants, or queries.",
)
@click.option(
    "--resamples",
    "n_resamples",
    type=Whole(1, 100_000),
    default=N_RESAMPLES,
    show_default=True,
    help="Resamples: of the bootstrap.",
)
@click.option(
    "--variance-rows",
    type=Whole(1),
    default=VARIANCE_ROWS,
    show_default=True,
    help="First rows whose variance of relevance orders the queries.",
)
@click.option(
    "--sample-variance",
    is_flag=True,
    help="Divide the variance by which queries are ordered by N - 1 instead of N.",
)
@click.option("--windows", metavar="1:20", help="Also the agreement of RBP and DCG by window.")
@click.option(
    "--paper", metavar="FOLDER", help="Also every table as CSV and every figure as SVG, into this folder."
)
@choice_option("seed")
def satisfaction(
    request: StudyRequest,
    depth: str,
    window: int,
    divide_by: Any,
    stop_by: Any,
    average: Any,
    sums: bool,
    without: Sequence[Any],
    test: DependentTest,
    resample: Resample,
    n_resamples: int,
    variance_rows: int,
    sample_variance: bool,
    windows: str | None,
    paper: str | None,
    seed: int,
    **where: Any,
) -> None:
    """Which measure of a list agrees with satisfied users?

    And does context-aware gain help? Spearman's rho between satisfaction and RBP, DCG, CG, AVG, MAX and
    ERR, on the relevance as it is and on context-aware gain (Shao et al. 2019), over the first rows of a
    grid. Intervals: bootstrap. Differences: two-sided test of correlations over the same queries, p
    corrected by Holm. --csv writes the correlations.
    """
    depths = checked_depths(whole_grid(depth))
    reading = Reading(window=window, divide_by=divide_by, stop_by=stop_by, over=average, per_image=not sums)
    drawn: dict[str, Any] = {"resample": resample, "n_resamples": n_resamples, "seed": seed}
    data = given(request, rows=depths[-1], **where)
    clean = cleanse(data, depth=depths[-1], without=without)
    settings = {
        "depth": list(depths),
        "window": window,
        "divide_by": divide_by,
        "stop_by": stop_by,
        "average": average,
        "per_image": not sums,
        "without": list(without),
        "test": test,
        **drawn,
        "variance_rows": variance_rows,
        "sample_variance": sample_variance,
        **(request.recorded() if data.origin == "study" else {}),
    }
    result = agreement(clean, depths=depths, reading=reading, test=test, **drawn)
    halves = split(
        clean, reading=reading, rows=variance_rows, depth=depths[-1], sample=sample_variance, **drawn
    )
    by_window: tuple[SweepRow, ...] = ()
    if windows:
        settings["windows"] = list(windows_of(windows))
        by_window = swept(clean, windows=windows_of(windows), depth=depths[-1], reading=reading, **drawn)
    one = Evaluated(data, clean, result, halves, by_window)
    if paper:
        write_tables_and_figures(paper, one, rows=variance_rows)
    request.emit(_document(one, settings), shown(one), Table(result.rows, ROWS))


def _document(one: Evaluated, settings: dict[str, Any]) -> dict[str, Any]:
    data, clean, result = one.data, one.clean, one.result
    return {
        "n_queries": result.n_queries,
        "n_users": result.n_users,
        "dropped": dict(clean.dropped),
        "rows": Table(result.rows, ROWS),
        "differences": differences_table(result),
        "variance": variance_table(one.halves),
        "counts": counts_table([counts(data, clean)]),
        **({"windows": sweep_table(one.by_window)} if one.by_window else {}),
        "settings": {"source": data.what, "scale": list(data.scale), "ci_level": result.level, **settings},
        "digest": data.digest,
    }
