"""``review readers``: how far readers agree, how much they judged, and which measure agrees best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import Whole, all_but, example, with_flips, with_seed
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
BY_HELP = "A relevance: such as iou or cosine:NAME. Repeat for several; a usual few if none."


@example("review readers data --relevance iou --relevance nn-iou")
@on_study(*all_but("pool", "interval", "undefined", "where"), csv=True)
@click.option(
    "--task", metavar="NAME", help="Name of a task: only its judgments (review/NAME.toml); all if none."
)
@click.option("--relevance", "names", multiple=True, metavar="R", help=BY_HELP)
@click.option("--system", "systems", multiple=True, metavar="S", help="A system: for coverage; all if none.")
@click.option("--against", metavar="R", help="What to compare with: a measure, not the best.")
@click.option(
    "--measurement",
    "level",
    type=click.Choice(["nominal", "ordinal", "interval"]),
    help="Of measurement of the grades, for alpha; as the tasks' scales say if none (5: ordinal).",
)
@click.option(
    "--how",
    type=click.Choice(["median", "mean"]),
    default="median",
    show_default=True,
    help="What the grades of several readers come to.",
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
@with_seed("resamples and flips.")
@with_flips
def readers(
    asked: StudyRequest,
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
    opened = asked.study
    tasks, said = judged_in(opened, task)
    depth, scale = as_asked(tasks)
    chosen = tuple(dict.fromkeys([*names, *([differ] if differ and names else [])]))
    found = reader_results(
        opened,
        said,
        measures=chosen or None,
        systems=systems or None,
        reference=against,
        level=level or scale,
        how=how,
        k=k or depth,
        settings=asked.settings,
        seed=seed,
        n_flips=flips,
        progress=progress_line(),
    )
    _check(found, [one for one in (against, differ) if one])
    listed = differ_most(found, differ, n=DIFFER) if differ else ()
    rows = measures_table(found, best_first(found.measures))
    table = differing_table(opened, listed, differ or "", simulated=bool(found.simulated))
    asked.emit(
        {
            **asked.facts(),
            "task": task,
            "readers": list(found.readers),
            "simulated": list(found.simulated),
            "how": how,
            "k": found.k,
            "seed": seed,
            "grades": _agreement(found.between),
            "votes": _agreement(found.between_votes)
            | {
                "compared": found.n_votes,
                "no_preference": found.no_preference,
                "not_comparable": found.not_comparable,
            },
            "coverage": coverage_table(found.coverage),
            "measures": rows,
            "left_out": 0 if found.pairs is None else found.pairs.left_out,
            "without": dict(found.without),
            "elsewhere": found.elsewhere,
            "differ": table,
            "compared_with": differ and READERS,
        },
        _shown(opened, found, rows, table if differ else None),
        rows,
    )


def judged_in(study: Study, task: str | None) -> tuple[tuple[Task, ...], tuple[Judgment, ...]]:
    """The tasks of a study folder, or one of them, and what was said; UnknownName for no such task."""
    assert study.path is not None, "a command opens a folder"
    found = judgments_of(study.path, task)
    if task is None:
        return read_tasks(study.path)[0], found
    return (read_task(study.path, task),), found


def _check(found: ReaderResults, named: Sequence[str]) -> None:
    there = [one.measure for one in found.measures]
    for name in named:
        if there and name not in there:
            raise SettingError("measure", f"one of {', '.join(there)}; --relevance takes others", name)


def _agreement(found: ReaderAgreement) -> dict[str, Any]:
    """For JSON: what readers agree on among each other."""
    a = found.alpha
    return {
        "level": found.level,
        "readers": list(found.readers),
        "items": found.n_items,
        "shared": a.n,
        "queries": found.n_queries,
        "alpha": a.mean,
        "low": a.low,
        "high": a.high,
        "method": a.method,
        "n_resamples": a.n_resamples,
        "fleiss_kappa": found.fleiss,
        "judged_by_all": found.n_by_all,
        "weights": found.weights,
        "why_none": found.why_none,
        "pairs": [{"a": p.a, "b": p.b, "kappa": p.kappa, "n": p.n, "same": p.same} for p in found.pairs],
    }


def _shown(study: Study, found: ReaderResults, rows: Table, table: Table | None) -> Iterator[str | Table]:
    """For people."""
    n = len(found.readers)
    marked = ""
    if found.simulated:
        all_of = len(found.simulated) == n
        marked = " All simulated." if all_of else f" Simulated: {plain(', '.join(found.simulated))}."
    grades, votes = found.grades.n_values, found.votes.n_values
    yield (
        f"{plain(study.name)}: {n} reader{'' if n == 1 else 's'}, {grades:,} grades of "
        f"{len(found.grades.items):,} results, {votes:,} votes.{marked}"
    )
    for what, one in (("grades", found.between), ("votes", found.between_votes)):
        if one.n_items:
            yield _alpha_line(what, one)
    if not found.measures:
        yield found.between.why_none if not found.grades.items else "No graded result is of this study."
        return
    poor = [one.system for one in found.coverage if one.poor]
    yield f"\nJudged among the first {found.k}:"
    yield coverage_table(found.coverage)
    if poor:
        names = plain(", ".join(poor))
        yield (
            f"Less than 90% judged: {names}. Scores by judgments count what nobody judged as not relevant; "
            "nDCG(judged,only=judged) passes over it."
        )
    first = found.measures[0]
    with_ = next((m.against.reference for m in found.measures if m.against is not None), None)
    yield (
        f"\nMeasures against readers: {first.pooled.n:,} results of {first.pooled.n_groups:,} queries, "
        f"{first.within.n:,} with different grades, seed {found.seed}."
        + (f" p: against {plain(with_)}." if with_ else "")
    )
    if found.without:
        each = ", ".join(f"{plain(name)} {n:,}" for name, n in found.without.items())
        yield f"Left out under all, as some measures have no value: {each}."
    yield rows
    if narrow := too_narrow([first.within.n]):
        yield narrow
    if table is not None:
        yield ""
        yield table


def _alpha_line(what: str, one: ReaderAgreement) -> str:
    if one.why_none:
        return f"Agreement on {what}: none to report. {one.why_none}"
    ends = interval(one.alpha.low, one.alpha.high)
    text = f"Agreement on {what}: Krippendorff's alpha ({one.level}) {decimals(one.alpha.mean, 3)} {ends}"
    text += f", {one.alpha.n:,} judged by two or more"
    if one.fleiss == one.fleiss and one.level != "interval":
        text += f"; Fleiss' kappa {decimals(one.fleiss, 3)}, {one.n_by_all:,} judged by all"
    return f"{text}."
