"""``readers``: how far readers agree, how much they judged, and which measure agrees best with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import Whole, all_but, choice_option, example
from evalcore.cli.output import complain, progress_line
from evalcore.cli.study_request import on_study
from evalcore.evaluate.against_readers import best_first
from evalcore.evaluate.readers import READERS, differ_most, rating_means, reader_results
from evalcore.evaluate.summary import too_narrow
from evalcore.results.readers import coverage_table, differing_table, means_table, measures_table
from evalcore.results.rows import Table, decimals, interval, plain
from evalcore.study.reader_judgments import FOLDER, files_of_readers, read_reader_judgments
from evalcore.values.errors import InputError, SettingError
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from evalcore.cli.study_request import StudyRequest
    from evalcore.evaluate.readers import ReaderAgreement, ReaderResults
    from evalcore.study.reader_judgments import ReaderJudgment
    from evalcore.values.model import Study

DIFFER = 8
BY_HELP = "A relevance: such as iou or cosine:NAME. Repeat for several; a common selection if none."


def of_files(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that name files of judgments."""
    named = click.option(
        "--judgments",
        multiple=True,
        metavar="NAME",
        help=f"A file of judgments: {FOLDER}/NAME.csv of the study. Repeat for several; all if none.",
    )
    simulated = click.option(
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
        complain("Simulated readers: a program made these judgments up.")
    return judgments


@example("readers sample --simulated --relevance iou --relevance nn-iou")
@on_study(*all_but("pool", "interval", "undefined", "where"), csv="those of the table.")
@of_files
@click.option("--relevance", "names", multiple=True, metavar="R", help=BY_HELP)
@click.option(
    "-s", "--system", "systems", multiple=True, metavar="S", help="A system: for coverage; all if none."
)
@click.option("--against", metavar="R", help="What to compare with: a measure, not the best.")
@click.option(
    "--measurement",
    "level",
    type=click.Choice(["nominal", "ordinal", "interval"]),
    help="Level of measurement of the grades, for alpha. Default: from their number (up to 10: ordinal).",
)
@click.option(
    "--how",
    type=click.Choice(["median", "mean"]),
    default="median",
    show_default=True,
    help="How the grades of several readers are combined.",
)
@click.option(
    "--k",
    type=Whole(1),
    show_default="as many as the readers saw, else 10",
    help="Results that count: of a list, for coverage and votes.",
)
@click.option(
    "--furthest", "differ", metavar="R", help="List where this measure and the readers differ most."
)
@choice_option("seed")
@choice_option("flips")
def readers(
    request: StudyRequest,
    judgments: Sequence[str],
    simulated: bool,
    names: Sequence[str],
    systems: Sequence[str],
    against: str | None,
    level: Any,
    how: Any,
    k: int | None,
    differ: str | None,
    seed: int,
    flips: int,
) -> None:
    """What readers say, and which measure agrees with them.

    tau: Kendall's tau-b of a measure and the readers' grades over the results of a query, mean over queries.
    AUC: results graded in the upper half of the scale against the others. votes: share of votes for the list
    with the higher nDCG@K. 95% intervals by bootstrap over queries; p by paired sign flips, Holm.
    """
    study = request.study
    assert study.path is not None, "a command opens a folder"
    rows = judgments_in(study.path, judgments, simulated=simulated)
    results = reader_results(
        study,
        rows,
        measures=tuple(dict.fromkeys([*names, *([differ] if differ and names else [])])) or None,
        systems=systems or None,
        reference=against,
        level=level,
        how=how,
        k=k,
        settings=request.settings,
        seed=seed,
        n_flips=flips,
        progress=progress_line(),
    )
    known = [measure.measure for measure in results.measures]
    for name in filter(None, (against, differ)):
        if known and name not in known:
            raise SettingError("measure", f"one of {', '.join(known)}; --relevance takes others", name)
    listed = differ_most(results, differ, n=DIFFER) if differ else ()
    measures = measures_table(results, best_first(results.measures))
    table = differing_table(study, listed, differ or "")
    means = means_table(rating_means(rows))
    votes = {
        "compared": results.n_votes,
        "no_preference": results.no_preference,
        "not_comparable": results.not_comparable,
    }
    request.emit(
        {
            **request.facts(),
            "judgments": list(judgments),
            "readers": list(results.readers),
            "simulated": list(results.readers) if simulated else [],
            "how": how,
            "k": results.k,
            "seed": seed,
            "grades": _agreement(results.between),
            "votes": _agreement(results.between_votes) | votes,
            "coverage": coverage_table(results.coverage),
            "measures": measures,
            "left_out": 0 if results.pairs is None else results.pairs.left_out,
            "without": dict(results.without),
            "elsewhere": results.elsewhere,
            "differ": table,
            "compared_with": differ and READERS,
            **({"ratings": means} if means.rows else {}),
        },
        [
            *_shown(study, results, measures, table if differ else None),
            *(("\nRatings by criterion:", means) if means.rows else ()),
        ],
        measures,
    )


def _agreement(agreement: ReaderAgreement) -> dict[str, Any]:
    """For JSON: how far readers agree with each other."""
    a = agreement.alpha
    return {
        "level": agreement.level,
        "readers": list(agreement.readers),
        "items": agreement.n_items,
        "shared": a.n,
        "queries": agreement.n_queries,
        "alpha": a.mean,
        "low": a.low,
        "high": a.high,
        "method": a.method,
        "n_resamples": a.n_resamples,
        "fleiss_kappa": agreement.fleiss,
        "judged_by_all": agreement.n_by_all,
        "weights": agreement.weights,
        "why_none": agreement.why_none,
        "pairs": [{"a": p.a, "b": p.b, "kappa": p.kappa, "n": p.n, "same": p.same} for p in agreement.pairs],
    }


def _shown(study: Study, results: ReaderResults, rows: Table, table: Table | None) -> Iterator[str | Table]:
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
    poor = [each.system for each in results.coverage if each.poor]
    yield f"\nJudged among the first {results.k}:"
    yield coverage_table(results.coverage)
    if poor:
        yield (
            f"Less than 90% judged: {plain(', '.join(poor))}. Scores by judgments count results without a "
            "judgment as not relevant; with only=judged they skip them."
        )
    first = results.measures[0]
    reference = next((m.against.reference for m in results.measures if m.against is not None), None)
    against = f" p: against {plain(reference)}." if reference else ""
    yield (
        f"\nMeasures against readers: {first.pooled.n:,} results of {first.pooled.n_groups:,} queries, "
        f"{first.within.n:,} with different grades, seed {results.seed}.{against}"
    )
    if results.without:
        each = ", ".join(f"{plain(name)} {n:,}" for name, n in results.without.items())
        yield f"Left out under all, as some measures have no value: {each}."
    yield rows
    if narrow := too_narrow([first.within.n]):
        yield narrow
    if table is not None:
        yield ""
        yield table


def _alpha_line(what: str, agreement: ReaderAgreement) -> str:
    if agreement.why_none:
        return f"Agreement on {what}: {agreement.why_none}"
    ends = interval(agreement.alpha.low, agreement.alpha.high)
    text = f"Agreement on {what}: Krippendorff's alpha ({agreement.level}) "
    text += f"{decimals(agreement.alpha.mean, 3)} {ends}, {agreement.alpha.n:,} judged by two or more"
    if agreement.fleiss == agreement.fleiss and agreement.level != "interval":
        text += f"; Fleiss' kappa {decimals(agreement.fleiss, 3)}, {agreement.n_by_all:,} judged by all"
    return f"{text}."
