"""``mrmc``: a reader study, analysed for other readers and cases; and the size of the next one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from evalcore.cli.options import Number, Whole, as_json, example, refuse_idle
from evalcore.cli.output import TEXT_FILE, complain, emit, write_file
from evalcore.cli.readers import judgments_in, of_files
from evalcore.cli.study_request import open_clean
from evalcore.evaluate.reader_study import NAMES, kinds_of, reading_in_words, readings_of
from evalcore.evaluate.readers import depth_of
from evalcore.results.mrmc import (
    cautions,
    components_table,
    differences_table,
    document,
    method,
    plans_table,
    readers_table,
    sentence,
    values_table,
)
from evalcore.results.rows import Table, plain
from evalcore.stats.mrmc.analysis import mrmc as analyse
from evalcore.stats.mrmc.moments import sums_of
from evalcore.stats.mrmc.readings import Measure
from evalcore.stats.mrmc.sizing import pilot_of, plans
from evalcore.study.reader_judgments import KINDS
from evalcore.study.reader_ratings import imrmc_lines, read_ratings
from evalcore.values.errors import InputError
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.stats.mrmc.analysis import ReaderStudy
    from evalcore.stats.mrmc.readings import Readings
    from evalcore.stats.mrmc.sizing import Plan


@example("mrmc readings.csv --measure auc")
@click.command()
@click.argument("ratings", metavar="RATINGS")
@click.option(
    "--measure",
    type=click.Choice(get_args(Measure)),
    help="Value of a reader with a system: auc, the area under the ROC curve, or the mean rating. Default: "
    "auc; mean for a STUDY.",
)
@click.option(
    "--level", type=Number(0, 1, min_open=True, max_open=True), default=0.95, help="Level of the intervals."
)
@click.option(
    "--moments",
    type=click.Choice(["imrmc", "unbiased"]),
    default="imrmc",
    help="Mean ratings: pairs of readers without a common case count as 0, as in iMRMC, or are left out.",
)
@click.option("--k", type=Whole(1), help="Results that count: with a STUDY, those averaged over.")
@of_files
@click.option(
    "--kind", type=click.Choice(KINDS), help="With a STUDY: which judgments. Default: the first there are."
)
@click.option(
    "--criterion",
    default="",
    metavar="NAME",
    help="A criterion of the forms ratings and material: with a STUDY, ratings by it. Default: the mean of "
    "all.",
)
@click.option("--width", type=Number(0, min_open=True), help="Plan: width of the interval to reach.")
@click.option("--power", type=Number(0, 1, min_open=True, max_open=True), help="Plan: power to reach.")
@click.option("--difference", type=Number(), help="Plan: the true difference, for the power.")
@click.option("--imrmc", type=TEXT_FILE, help="Write the ratings in iMRMC's input format: a file.")
@as_json
def mrmc(
    ratings: str,
    measure: Measure | None,
    level: float,
    moments: str,
    k: int | None,
    judgments: Sequence[str],
    simulated: bool,
    kind: str | None,
    criterion: str,
    width: float | None,
    power: float | None,
    difference: float | None,
    imrmc: str | None,
    json_wanted: bool,
) -> None:
    """Compare systems for other readers and cases.

    Multi-reader multi-case analysis. RATINGS: a table reader,system,case,truth,rating (truth 0 or 1, for auc
    only), or a file in iMRMC's input format; or a STUDY with judgments, by default the mean grade that a
    reader gives to the first results of a system for a query, readers and queries random; also satisfaction
    with lists, ratings by criteria, and preferences. p: Holm over all pairs of systems.
    """
    if difference is not None and power is None:
        raise click.UsageError("difference has no use here: it is for --power , such as power=0.8.")
    of_study = ratings == "sample" or Path(ratings).is_dir()
    because = "RATINGS is a file, and it is for a STUDY's judgments"
    refuse_idle(of_study, "k", "judgments", "simulated", "kind", "criterion", because=because)
    readings = (
        _of_judgments(
            ratings, measure, judgments, simulated=simulated, kind=kind or "", criterion=criterion, k=k
        )
        if of_study
        else read_ratings(Path(ratings), measure or "auc")
    )
    of_imrmc = measure == "mean" and not of_study
    refuse_idle(of_imrmc, "moments", because="it is for a file of ratings and --measure mean")
    if imrmc is not None:
        write_file(imrmc, imrmc_lines(readings), f"{readings.n_readings:,} readings")
    study = analyse(readings, level=level, as_imrmc=moments == "imrmc" and not of_study)
    planned = _plans(study, width, power, difference) if width is not None or power is not None else None
    remarks = cautions(study)
    if json_wanted:
        for text in remarks:
            complain(text)
    more = {} if planned is None else {"plans": plans_table([plan for _, of in planned for plan in of])}
    emit(document(study) | more, _shown(study, remarks, planned), json=json_wanted)


def _of_judgments(
    folder: str,
    measure: Measure | None,
    names: Sequence[str],
    *,
    simulated: bool,
    kind: str,
    criterion: str,
    k: int | None,
) -> Readings:
    if measure == "auc":
        raise click.UsageError("A STUDY has no truth for --measure auc: its judgments give means.")
    study = open_clean(folder, "zero")
    assert study.path is not None, "a command opens a folder"
    rows = judgments_in(study.path, names, simulated=simulated)
    readings = readings_of(study, rows, kind=kind, criterion=criterion, k=k)
    chosen = next(each for each in kinds_of(rows) if kind in ("", each))
    what = reading_in_words(chosen, criterion, k or depth_of(row for row in rows if row.kind == chosen))
    n_readers, n_queries = len(readings.readers), len(readings.cases)
    of = f"{pluralize(n_queries, 'query')}, {pluralize(n_readers, 'reader')}"
    complain(f"{NAMES[chosen].capitalize()}, {of}. {what}")
    if min(n_readers, n_queries) < 2:
        raise InputError(
            "With one reader, or one query, nothing can be concluded about others. Let more readers judge."
        )
    return readings


def _plans(
    study: ReaderStudy, width: float | None, power: float | None, difference: float | None
) -> list[tuple[str, Sequence[Plan]]]:
    """Plans for each pair of systems, from its components in these ratings."""
    readings = study.readings
    if len(readings.systems) < 2:
        raise InputError("A plan is for the difference of two systems, but there is one.")
    sums = sums_of(readings, as_imrmc=False)
    at = {name: i for i, name in enumerate(readings.systems)}
    return [
        (
            f"{row.a} minus {row.b}",
            plans(
                pilot_of(sums, readings.truth, at[row.a], at[row.b]),
                width=width,
                power=power,
                difference=float("nan") if difference is None else difference,
                level=study.level,
            ),
        )
        for row in study.differences
    ]


def _shown(
    study: ReaderStudy, remarks: Sequence[str], planned: list[tuple[str, Sequence[Plan]]] | None
) -> Iterator[str | Table]:
    yield plain(sentence(study))
    yield plain(method(study))
    yield ""
    yield values_table(study)
    if study.differences:
        yield ""
        yield differences_table(study)
    yield "\nBy reader:"
    yield readers_table(study)
    yield "\nVariance components:"
    yield components_table(study)
    yield from remarks
    for name, of in planned or ():
        yield f"\nCases needed for {plain(name)}, from these components:"
        yield plans_table(of) if of else "No number of readers listed reaches this with 20,000 cases."
