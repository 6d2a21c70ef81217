"""``review readers``: how far readers agree, how much they judged, and which measure agrees best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import Whole, all_but, choice_option, example
from evalcore.cli.output import progress_line
from evalcore.cli.study_request import on_study
from evalcore.evaluate.summary import too_narrow
from evalcore.features.review.agreement.measures import best_first
from evalcore.features.review.read.task_files import read_task, read_tasks
from evalcore.features.review.read.together import judgments_of
from evalcore.features.review.readers import READERS, as_asked, differ_most, reader_results
from evalcore.features.review.tables import coverage_table, differing_table, measures_table
from evalcore.results.rows import Table, decimals, interval, plain
from evalcore.values.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.study_request import StudyRequest
    from evalcore.features.review.agreement.between import ReaderAgreement
    from evalcore.features.review.judgments import Judgment
    from evalcore.features.review.readers import ReaderResults
    from evalcore.features.review.tasks import Task
    from evalcore.values.model import Study

DIFFER = 8
BY_HELP = "A relevance: such as iou or cosine:NAME. Repeat for several; a common selection if none."


@example("review readers sample --relevance iou --relevance nn-iou")
@on_study(*all_but("pool", "interval", "undefined", "where"), csv=True)
@click.option(
    "--task", metavar="NAME", help="Name of a task: only its judgments (review/NAME.toml); all if none."
)
@click.option("--relevance", "names", multiple=True, metavar="R", help=BY_HELP)
@click.option(
    "-s", "--system", "systems", multiple=True, metavar="S", help="A system: for coverage; all if none."
)
@click.option("--against", metavar="R", help="What to compare with: a measure, not the best.")
@click.option(
    "--measurement",
    "level",
    type=click.Choice(["nominal", "ordinal", "interval"]),
    help="Level of measurement of the grades, for alpha. Default: from the tasks' scales (5: ordinal).",
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
    show_default="depth of the tasks, else 10",
    help="Results that count: of a list, for coverage and votes.",
)
@click.option(
    "--furthest", "differ", metavar="R", help="List where this measure and the readers differ most."
)
@choice_option("seed")
@choice_option("flips")
def readers(
    request: StudyRequest,
    task: str | None,
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
    AUC: results graded from the middle of the scale on against the others. votes: share of votes for the list
    with the higher nDCG@K. 95% intervals by bootstrap over queries; p by paired sign flips, Holm.
    """
    opened = request.study
    tasks, said = judged_in(opened, task)
    depth, scale = as_asked(tasks)
    chosen = tuple(dict.fromkeys([*names, *([differ] if differ and names else [])]))
    results = reader_results(
        opened,
        said,
        measures=chosen or None,
        systems=systems or None,
        reference=against,
        level=level or scale,
        how=how,
        k=k or depth,
        settings=request.settings,
        seed=seed,
        n_flips=flips,
        progress=progress_line(),
    )
    _check(results, [one for one in (against, differ) if one])
    listed = differ_most(results, differ, n=DIFFER) if differ else ()
    rows = measures_table(results, best_first(results.measures))
    table = differing_table(opened, listed, differ or "", simulated=bool(results.simulated))
    request.emit(
        {
            **request.facts(),
            "task": task,
            "readers": list(results.readers),
            "simulated": list(results.simulated),
            "how": how,
            "k": results.k,
            "seed": seed,
            "grades": _agreement(results.between),
            "votes": _agreement(results.between_votes)
            | {
                "compared": results.n_votes,
                "no_preference": results.no_preference,
                "not_comparable": results.not_comparable,
            },
            "coverage": coverage_table(results.coverage),
            "measures": rows,
            "left_out": 0 if results.pairs is None else results.pairs.left_out,
            "without": dict(results.without),
            "elsewhere": results.elsewhere,
            "differ": table,
            "compared_with": differ and READERS,
        },
        _shown(opened, results, rows, table if differ else None),
        rows,
    )


def judged_in(study: Study, task: str | None) -> tuple[tuple[Task, ...], tuple[Judgment, ...]]:
    """The tasks of a study folder, or one of them, and what was said; UnknownName for no such task."""
    assert study.path is not None, "a command opens a folder"
    judgments = judgments_of(study.path, task)
    if task is None:
        return read_tasks(study.path)[0], judgments
    return (read_task(study.path, task),), judgments


def _check(results: ReaderResults, named: Sequence[str]) -> None:
    there = [measure.measure for measure in results.measures]
    for name in named:
        if there and name not in there:
            raise SettingError("measure", f"one of {', '.join(there)}; --relevance takes others", name)


def _agreement(agreement: ReaderAgreement) -> dict[str, Any]:
    """For JSON: what readers agree on among each other."""
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
    """For people."""
    n = len(results.readers)
    marked = ""
    if results.simulated:
        all_of = len(results.simulated) == n
        marked = " All simulated." if all_of else f" Simulated: {plain(', '.join(results.simulated))}."
    grades, votes = results.grades.n_values, results.votes.n_values
    yield (
        f"{plain(study.name)}: {n} reader{'' if n == 1 else 's'}, {grades:,} grades of "
        f"{len(results.grades.items):,} results, {votes:,} votes.{marked}"
    )
    for what, one in (("grades", results.between), ("votes", results.between_votes)):
        if one.n_items:
            yield _alpha_line(what, one)
    if not results.measures:
        yield results.between.why_none if not results.grades.items else "No graded result is of this study."
        return
    poor = [one.system for one in results.coverage if one.poor]
    yield f"\nJudged among the first {results.k}:"
    yield coverage_table(results.coverage)
    if poor:
        names = plain(", ".join(poor))
        yield (
            f"Less than 90% judged: {names}. Scores by judgments count results without a judgment as not "
            "relevant; nDCG(judged,only=judged) skips them."
        )
    first = results.measures[0]
    with_ = next((m.against.reference for m in results.measures if m.against is not None), None)
    yield (
        f"\nMeasures against readers: {first.pooled.n:,} results of {first.pooled.n_groups:,} queries, "
        f"{first.within.n:,} with different grades, seed {results.seed}."
        + (f" p: against {plain(with_)}." if with_ else "")
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
        return f"Agreement on {what}: none to report. {agreement.why_none}"
    ends = interval(agreement.alpha.low, agreement.alpha.high)
    text = f"Agreement on {what}: Krippendorff's alpha ({agreement.level}) "
    text += f"{decimals(agreement.alpha.mean, 3)} {ends}, {agreement.alpha.n:,} judged by two or more"
    if agreement.fleiss == agreement.fleiss and agreement.level != "interval":
        text += f"; Fleiss' kappa {decimals(agreement.fleiss, 3)}, {agreement.n_by_all:,} judged by all"
    return f"{text}."
