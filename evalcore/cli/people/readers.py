"""``readers``: how far readers agree, how much they judged, and which measure agrees best with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evalcore.cli.asked import on_study
from evalcore.cli.emit import Column, Table, also, emit
from evalcore.cli.options import ALL
from evalcore.cli.output import decimals, interval, plain, progress_line, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.agreement.between import ReaderAgreement
    from evalcore.agreement.coverage import Coverage
    from evalcore.cli.asked import Asked
    from evalcore.evaluate.measures.agreement import Disagreement
    from evalcore.evaluate.readers.results import ReaderResults
    from evalcore.model import Interval, Study
    from evalcore.review.judgments import Judgment
    from evalcore.review.tasks import Task

DIFFER = 8
BY_HELP = "A relevance, such as iou or cosine:NAME. Repeat for several; a usual few if none."


class _Row(NamedTuple):
    """One measure: every statistic as {name: value}, for JSON and CSV in this order."""

    facts: dict[str, Any]


@click.command()
@click.argument("study")
@click.option("--task", metavar="NAME", help="Only judgments of this task (review/NAME.toml); all if none.")
@click.option("--by", "names", multiple=True, metavar="R", help=BY_HELP)
@click.option("--system", "systems", multiple=True, metavar="S", help="For coverage; all systems if none.")
@click.option("--against", metavar="R", help="Compare the measures with this one, not with the best.")
@click.option(
    "--level", type=click.Choice(["nominal", "ordinal", "interval"]),
    help="Of measurement of the grades, for alpha; as the tasks' scales say if none (5: ordinal).",
)  # fmt: skip
@click.option("--how", type=click.Choice(["median", "mean"]), default="median", show_default=True,
              help="What the grades of several readers come to.")  # fmt: skip
@click.option("--k", type=click.IntRange(1), show_default="depth of the tasks, else 10",
              help="Results of a list that count for coverage and votes.")  # fmt: skip
@click.option("--differ", metavar="R", help="List where this measure and the readers differ most.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of draws.")
@on_study(*(name for name in ALL if name not in ("pool", "interval", "undefined", "where")), csv=True)
def readers(
    asked: Asked, task: str | None, names: Sequence[str], systems: Sequence[str], against: str | None,
    level: Any, how: Any, k: int | None, differ: str | None, seed: int,
) -> None:  # fmt: skip
    """What do the readers of STUDY say, do they agree, and which automatic measure agrees best with them?

    tau: Kendall's tau-b of a measure and the readers' grades over the results of a query, mean over queries.
    AUC: results graded from the middle of the scale on against the others. votes: share of votes for the list
    with the higher nDCG@K. 95 % intervals by bootstrap over queries; p by paired sign flips, Holm.
    """
    from evalcore.evaluate.readers.results import READERS, as_asked, differ_most, reader_results

    opened = asked.study
    tasks, said = judged_in(opened, task)
    depth, scale = as_asked(tasks)
    chosen = tuple(dict.fromkeys([*names, *([differ] if differ and names else [])]))
    found = reader_results(
        opened, said, measures=chosen or None, systems=systems or None, reference=against,
        level=level or scale, how=how, k=k or depth, settings=asked.settings, seed=seed,
        progress=progress_line(),
    )  # fmt: skip
    _check(found, [one for one in (against, differ) if one])
    listed = differ_most(found, differ, n=DIFFER) if differ else ()
    rows = Table(_rows(found), _COLUMNS)
    table = _differing(opened, listed)
    emit(
        {
            "study": opened.name, "digest": opened.content, "settings": asked.recorded(), "task": task,
            "readers": list(found.readers), "simulated": list(found.simulated), "how": how, "k": found.k,
            "seed": seed, "grades": _agreement(found.between), "votes": _agreement(found.between_votes)
            | {"compared": found.n_votes, "no_preference": found.no_preference,
               "not_comparable": found.not_comparable},
            "coverage": Table(found.coverage, _COVERAGE), "measures": rows,
            "left_out": 0 if found.pairs is None else found.pairs.left_out, "without": dict(found.without),
            "elsewhere": found.elsewhere,
            "differ": table, "compared_with": differ and READERS,
        },
        _shown(opened, found, rows, table if differ else None), json=asked.json, csv=asked.csv,
        csv_rows=rows,
    )  # fmt: skip


def judged_in(study: Study, task: str | None) -> tuple[tuple[Task, ...], tuple[Judgment, ...]]:
    """The tasks of a study folder, or one of them, and what was said; UnknownName for no such task."""
    from evalcore.sources.review.task_files import read_task, read_tasks
    from evalcore.sources.review.together import judgments_of

    assert study.path is not None, "a command opens a folder"
    found = judgments_of(study.path, task)
    if task is None:
        return read_tasks(study.path)[0], found
    return (read_task(study.path, task),), found


def _check(found: ReaderResults, named: Sequence[str]) -> None:
    from evalcore.errors import SettingError

    there = [one.measure for one in found.measures]
    for name in named:
        if there and name not in there:
            raise SettingError("measure", f"one of {', '.join(there)}; --by takes others", name)


def _agreement(found: ReaderAgreement) -> dict[str, Any]:
    """For JSON: what readers agree on among each other."""
    a = found.alpha
    return {
        "level": found.level, "readers": list(found.readers), "items": found.n_items, "shared": a.n,
        "queries": found.n_queries, "alpha": a.mean, "low": a.low, "high": a.high, "method": a.method,
        "n_resamples": a.n_resamples, "fleiss_kappa": found.fleiss, "judged_by_all": found.n_by_all,
        "weights": found.weights, "why_none": found.why_none,
        "pairs": [{"a": p.a, "b": p.b, "kappa": p.kappa, "n": p.n, "same": p.same} for p in found.pairs],
    }  # fmt: skip


def _rows(found: ReaderResults) -> list[_Row]:
    from evalcore.agreement.measures import best_first

    rows = []
    for one in best_first(found.measures):
        facts: dict[str, Any] = {"measure": one.measure}
        for name, value in (
            ("tau", one.within), ("rho", one.within_rho), ("pooled_tau", one.pooled),
            ("pooled_rho", one.pooled_rho), ("auc", one.auc), ("votes", one.votes),
        ):  # fmt: skip
            facts |= _ends(name, value)
        versus = one.against
        for name in ("reference", "difference", "low", "high", "p", "p_corrected"):
            key = name if name in ("reference", "difference", "p", "p_corrected") else f"difference_{name}"
            facts[key] = None if versus is None else getattr(versus, name)
        over = {"queries": one.within.n, "results": one.pooled.n}
        who = {"readers": len(found.readers), "simulated_readers": len(found.simulated)}
        rows.append(_Row(facts | over | who))
    return rows


def _ends(name: str, value: Interval | None) -> dict[str, Any]:
    if value is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: value.mean, f"{name}_low": value.low, f"{name}_high": value.high}


def _fact(name: str, head: str | None = None, text: Any = str) -> Column:
    return Column(name, lambda row: row.facts[name], head, text)


def _number(value: float | None) -> str:
    return "-" if value is None else decimals(value, 3)


def _p(value: float | None) -> str:
    return "" if value is None else decimals(value)


_STATISTICS = ("tau", "rho", "pooled_tau", "pooled_rho", "auc", "votes")
_COLUMNS = (
    _fact("measure", "measure", plain),
    _fact("tau", "tau", _number),
    also("95 % interval", lambda row: (row.facts["tau_low"], row.facts["tau_high"]), lambda e: interval(*e)),
    _fact("rho", "rho", _number),
    _fact("auc", "AUC", _number),
    _fact("votes", "votes", _number),
    _fact("p_corrected", "p (Holm)", _p),
    *(_fact(f"{name}_{end}") for name in _STATISTICS for end in ("low", "high")),
    *(_fact(name) for name in ("pooled_tau", "pooled_rho", "reference", "difference", "difference_low",
                               "difference_high", "p", "queries", "results", "readers", "simulated_readers")),
)  # fmt: skip


def _share(row: Coverage) -> float:
    return row.share


_COVERAGE = (
    Column("system", None, "system", plain),
    Column("k"),
    Column("share", _share, "judged", lambda share: "-" if share != share else f"{share:.0%}"),
    Column("judged"),
    Column("cannot_say", None, "cannot say", whole),
    Column("unjudged", None, "unjudged", whole),
    Column("n_queries", None, "queries", whole),
)


def _differing(study: Study, listed: Sequence[Disagreement]) -> Table:
    ids = study.image_ids
    columns = (
        Column("query", lambda one: ids[one.query], "query", plain),
        Column("result", lambda one: ids[one.candidate], "result", plain),
        Column("readers", lambda one: one.value_a, "readers", decimals),
        Column("value", lambda one: one.value_b, "measure", decimals),
        Column("place_readers", lambda one: one.place_a),
        Column("place_measure", lambda one: one.place_b),
    )
    return Table(listed, columns)


def _shown(study: Study, found: ReaderResults, rows: Table, table: Table | None) -> Iterator[str | Table]:
    """For people."""
    from evalcore.evaluate.summary import too_narrow

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
    yield Table(found.coverage, _COVERAGE)
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
