"""``readers`` and ``mrmc``: which measure agrees with readers, and how systems compare in a reader study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from evalcore.cli.options import (
    SHARE,
    Number,
    Whole,
    all_but,
    as_json,
    choice_option,
    example,
    file_option,
    option,
    reject_unused,
)
from evalcore.cli.output import (
    as_options,
    emit,
    print_message,
    progress_line,
    small_sample_warning,
    write_file,
)
from evalcore.cli.study_request import on_study, open_clean
from evalcore.evaluate.against_readers import best_first
from evalcore.evaluate.reader_study import (
    NAMES,
    kinds_of,
    reading_in_words,
    readings_of,
    refuse_too_few,
    systems_not_read,
)
from evalcore.evaluate.readers import READERS, depth_of, differ_most, rating_means, reader_results
from evalcore.results import mrmc as tables
from evalcore.results.readers import AGREEMENTS, differing_table, means_table, measures_table
from evalcore.results.rows import decimals, interval, plain, record
from evalcore.stats.mrmc.analysis import mrmc as analyse
from evalcore.stats.mrmc.moments import sums_of
from evalcore.stats.mrmc.readings import Measure
from evalcore.stats.mrmc.sizing import pilot_of, plans
from evalcore.study.reader_judgments import FOLDER, KINDS, files_of_readers, read_reader_judgments
from evalcore.study.reader_ratings import imrmc_lines, ratings_of
from evalcore.values.errors import InputError, SettingError
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evalcore.cli.output import Item
    from evalcore.cli.study_request import StudyRequest
    from evalcore.evaluate.readers import ReaderAgreement, ReaderResults
    from evalcore.stats.mrmc.analysis import ReaderStudy
    from evalcore.stats.mrmc.readings import Readings
    from evalcore.stats.mrmc.sizing import Plan
    from evalcore.study.reader_judgments import ReaderJudgment
    from evalcore.values.model import Study

DIFFER = 8
BY_HELP = "A relevance: such as iou or cosine:NAME. Repeat for several; a common selection if none."


def judgment_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that name files of judgments."""
    named = option(
        "--judgments",
        usual=(),
        metavar="NAME",
        help=f"A file of judgments: {FOLDER}/NAME.csv of the study. Repeat for several; all if none.",
    )
    simulated = option(
        "--simulated", is_flag=True, help="Simulated readers, which are kept apart: in place of people."
    )
    return named(simulated(command))


def judgments_in(folder: Path, names: Sequence[str], *, simulated: bool) -> tuple[ReaderJudgment, ...]:
    """The judgments that the options name; InputError where there are none, with what there is."""
    judgments = read_reader_judgments(folder, names, simulated=simulated)
    if not judgments:
        remedy = "Collect some with `review make`, and add them with `review export`."
        if not simulated and files_of_readers(folder, simulated=True):
            remedy += " There are simulated readers: --simulated."
        raise InputError(f"No readers yet: {FOLDER}/ of the study is empty. {remedy}")
    if simulated:
        print_message("Simulated readers: a program made these judgments up.")
    return judgments


@example("readers sample --simulated --relevance iou --relevance nn-iou")
@on_study(*all_but("pool", "interval", "undefined", "where"), csv="those of the table.")
@judgment_options
@option("--relevance", "names", usual=(), metavar="R", help=BY_HELP)
@option(
    "--k",
    kind=Whole(1),
    show_default="as many as the readers saw, else 10",
    help="Results that count: of a list, for votes.",
)
@option("--furthest", "differ", metavar="R", help="List where this measure and the readers differ most.")
@choice_option("seed")
@choice_option("flips")
def readers(
    request: StudyRequest,
    judgments: Sequence[str],
    simulated: bool,
    names: Sequence[str],
    k: int | None,
    differ: str | None,
    seed: int,
    flips: int,
) -> None:
    """What readers say, and which measure agrees with them.

    tau: Kendall's tau-b of a measure and the readers' grades over the results of a query, mean over queries.
    votes: share of votes for the list with the higher nDCG@K. 95% intervals by bootstrap over queries; p,
    against the best measure, by paired sign flips, Holm.
    """
    study = request.study
    assert study.path is not None, "a command opens a folder"
    rows = judgments_in(study.path, judgments, simulated=simulated)
    results = reader_results(
        study,
        rows,
        measures=tuple(dict.fromkeys([*names, *([differ] if differ and names else [])])) or None,
        k=k,
        settings=request.settings,
        seed=seed,
        n_flips=flips,
        progress=progress_line(),
    )
    known = [measure.measure for measure in results.measures]
    if known and differ and differ not in known:
        raise SettingError("furthest", f"one of {', '.join(known)}; --relevance takes others", differ)
    listed = differ_most(results, differ, n=DIFFER) if differ else ()
    measures = measures_table(results, best_first(results.measures))
    table = differing_table(study, listed, differ or "")
    means = means_table(rating_means(rows))
    ratings: list[Item] = ["\nRatings by criterion:", ("ratings", means)] if means.rows else []
    named = {"judgments": judgments, "simulated": results.readers if simulated else ()}
    request.emit(
        request.facts() | named | record(results, *AGREEMENTS) | {"compared_with": differ and READERS},
        [
            *_shown(study, results),
            ("measures", measures),
            *small_sample_warning([measure.within.n for measure in results.measures[:1]]),
            *([""] if table.rows else []),
            ("differ", table),
            *ratings,
        ],
        measures,
    )


def _shown(study: Study, results: ReaderResults) -> Iterator[str]:
    grades, votes = results.grades, results.votes
    yield (
        f"{plain(study.name)}: {pluralize(len(results.readers), 'reader')}, {grades.n_values:,} grades of "
        f"{len(grades.items):,} results, {votes.n_values:,} votes."
    )
    for what, agreement in (("grades", results.between), ("votes", results.between_votes)):
        if agreement.n_items:
            yield _alpha_line(what, agreement)
    if not results.measures:
        yield results.between.why_none if not results.grades.items else "No graded result is of this study."
        return
    first = results.measures[0]
    reference = next((m.against.reference for m in results.measures if m.against is not None), None)
    against = f" p: against {plain(reference)}." if reference else ""
    queries = () if results.pairs is None else results.pairs.queries
    yield (
        f"\nMeasures against readers: {len(queries):,} results of {len({*queries}):,} queries, "
        f"{first.within.n:,} with different grades, seed {results.seed}.{against}"
    )
    if results.without:
        each = ", ".join(f"{plain(name)} {n:,}" for name, n in results.without.items())
        yield f"Left out under all, as some measures have no value: {each}."


def _alpha_line(what: str, agreement: ReaderAgreement) -> str:
    if agreement.why_none:
        return f"Agreement on {what}: {agreement.why_none}"
    ends = interval(agreement.alpha.low, agreement.alpha.high)
    text = f"Agreement on {what}: Krippendorff's alpha ({agreement.level}) "
    text += f"{decimals(agreement.alpha.mean, 3)} {ends}, {agreement.alpha.n:,} judged by two or more"
    return f"{text}."


# ``mrmc``: a reader study, analysed for other readers and cases; and the size of the next one.


@example("mrmc sample --simulated")
@click.command()
@click.argument("ratings", metavar="RATINGS")
@option(
    "--measure",
    kind=click.Choice(get_args(Measure)),
    help="Value of a reader with a system: auc, the area under the ROC curve, or the mean rating. Default: "
    "auc; mean for a STUDY.",
)
@choice_option("level")
@option(
    "--moments",
    kind=("imrmc", "unbiased"),
    usual="imrmc",
    help="Mean ratings: pairs of readers without a common case count as 0, as in iMRMC, or are left out.",
)
@option("--k", kind=Whole(1), help="Results that count: with a STUDY, those averaged over.")
@judgment_options
@option("--kind", kind=KINDS, help="With a STUDY: which judgments. Default: the first there are.")
@option(
    "--criterion",
    metavar="NAME",
    help="A criterion of the form material: with a STUDY, ratings by it. Default: the mean of all.",
)
@option("--width", kind=Number(0, min_open=True), help="Plan: width of the interval to reach.")
@option("--power", kind=SHARE, help="Plan: power to reach.")
@option("--difference", kind=Number(), help="Plan: the true difference, for the power.")
@file_option("--imrmc", metavar="FILE", help="Write the ratings in iMRMC's input format: a file.")
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
    criterion: str | None,
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
        raise click.UsageError("--difference has no use here: it is for --power, such as --power 0.8.")
    of_study = ratings == "sample" or Path(ratings).is_dir()
    because = "RATINGS is a file, and it is for a STUDY's judgments"
    reject_unused(of_study, "k", "judgments", "simulated", "kind", "criterion", because=because)
    if of_study and measure == "auc":
        raise click.UsageError("A STUDY has no truth for --measure auc: its judgments give means.")
    readings = (
        _of_judgments(ratings, judgments, simulated=simulated, kind=kind, criterion=criterion, k=k)
        if of_study
        else ratings_of(Path(ratings), measure or "auc")
    )
    of_imrmc = measure == "mean" and not of_study
    reject_unused(of_imrmc, "moments", because="it is for a file of ratings and --measure mean")
    if imrmc is not None:
        write_file(imrmc, imrmc_lines(readings), f"{readings.n_readings:,} readings")
    study = analyse(readings, level=level, as_imrmc=moments == "imrmc" and not of_study)
    planned = _plans(study, width, power, difference) if width is not None or power is not None else None
    remarks = tables.cautions(study)
    if json_wanted:
        for text in remarks:
            print_message(as_options(text))
    every = [plan for _, needed in planned or () for plan in needed]
    more = {} if planned is None else {"plans": tables.plans_table(every)}
    emit(record(study, *tables.FACTS) | more, _shown_study(study, remarks, planned), json=json_wanted)


def _of_judgments(
    folder: str,
    names: Sequence[str],
    *,
    simulated: bool,
    kind: str | None,
    criterion: str | None,
    k: int | None,
) -> Readings:
    study = open_clean(folder, "zero")
    assert study.path is not None, "a command opens a folder"
    rows = judgments_in(study.path, names, simulated=simulated)
    readings = readings_of(study, rows, kind=kind or "", criterion=criterion or "", k=k)
    chosen = next(each for each in kinds_of(rows) if kind in (None, each))
    what = reading_in_words(chosen, criterion or "", k or depth_of(row for row in rows if row.kind == chosen))
    n_readers, n_queries = len(readings.readers), len(readings.cases)
    sample = f"{pluralize(n_queries, 'query')}, {pluralize(n_readers, 'reader')}"
    print_message(
        " ".join([f"{NAMES[chosen].capitalize()}, {sample}. {what}", *systems_not_read(study, readings)])
    )
    refuse_too_few(readings)
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
    true = float("nan") if difference is None else difference
    aims: dict[str, Any] = {"width": width, "power": power, "difference": true, "level": study.level}
    return [
        (f"{row.a} minus {row.b}", plans(pilot_of(sums, readings.truth, at[row.a], at[row.b]), **aims))
        for row in study.differences
    ]


def _shown_study(
    study: ReaderStudy, remarks: Sequence[str], planned: list[tuple[str, Sequence[Plan]]] | None
) -> Iterator[Item]:
    yield plain(tables.sentence(study))
    yield plain(tables.method(study))
    yield from ("", ("rows", tables.values_table(study)))
    yield from [""] if study.differences else []
    yield "differences", tables.differences_table(study)
    yield from ("\nBy reader:", tables.readers_table(study))
    yield from ("\nVariance components:", tables.components_table(study))
    yield from map(as_options, remarks)
    for name, needed in planned or ():
        yield f"\nCases needed for {plain(name)}, from these components:"
        none = "No number of readers listed reaches this with 20,000 cases."
        yield tables.plans_table(needed) if needed else none
