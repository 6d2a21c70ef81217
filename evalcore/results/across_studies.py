"""What a comparison over several studies found: its columns and its sentences."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from evalcore.ranking.metrics import lower_is_better
from evalcore.results.rows import Column, Table, decimals, ends, signed, system_name
from evalcore.values.writing import arrow, extreme, listed, number, pluralize, signed_span
from evalcore.values.writing import signed as written
from evalcore.values.writing import span as written_span

if TYPE_CHECKING:
    from evalcore.evaluate.across_studies import AcrossRow, AcrossStudies


def rows_table(result: AcrossStudies) -> Table:
    """One row for each system: its mean in every study, over all, and minus the reference."""

    def higher(row: AcrossRow) -> int | None:
        return None if isnan(row.difference) else row.higher

    n_studies = len(result.studies)

    def of_all(n: int | None) -> str:
        return "" if n is None else f"{n} of {n_studies}"

    return Table(
        result.rows,
        (
            Column("system", head="system").on_page("System", cell=system_name),
            Column("metric"),
            *(_of_study(study) for study in result.studies),
            Column("mean", head="over studies", text=decimals).on_page(
                f"Over studies {arrow(lower_is_better(result.metric))}", "%.3f"
            ),
            *ends(title="95% interval", cell=lambda low, high: written_span(low, high, places=3)),
            Column("reference"),
            Column("difference", None, f"minus {result.reference}", signed).on_page("Difference", "%+.3f"),
            *ends("difference_", name="difference_ci", title="Interval of the difference", cell=signed_span),
            Column("higher", higher, "higher in", of_all).on_page("Higher in", cell=of_all),
            Column("missing", lambda row: list(row.missing)).in_file(""),
            Column("", lambda row: "; ".join(row.missing), saved="missing"),
        ),
    )


def _of_study(study: str) -> Column:
    def mean(row: AcrossRow) -> float:
        return row.means[study]

    return Column(f"mean:{study}", mean, study, decimals).on_page(system_name(study), "%.3f")


def sentence(result: AcrossStudies) -> str:
    """Who leads, or how far the leader is from the baseline."""
    whole = [row for row in result.rows if not row.missing]
    if not whole:
        return f"No system is in all of {listed(list(result.studies))}, so there is no mean over them."
    over = pluralize(len(result.studies), "study", "studies")
    first, *others = whole
    best = extreme(lower_is_better(result.metric))
    text = f"{first.system} has the {best} mean over {over}: {number(first.mean)} under {result.metric}."
    if not others:
        return f"{text} No other system is in every study."
    follower = others[0] if first.system == result.reference else first
    apart = (
        f"{written(follower.difference)} ({signed_span(follower.difference_low, follower.difference_high)})"
    )
    of = f"{follower.higher} of {over}"
    if follower is first:
        return f"{text} That is {apart} from {result.reference}, and higher in {of}."
    return f"{text} {follower.system} follows at {apart}, higher in {of}."


def missing_lines(result: AcrossStudies) -> list[str]:
    """Which systems are not in every study, and so have no mean over them; a line for each set of studies."""
    by_studies: dict[tuple[str, ...], list[str]] = {}
    for row in result.rows:
        if row.missing:
            by_studies.setdefault(row.missing, []).append(row.system)
    return [
        f"Missing in {listed(list(studies))}, so without a mean over studies: {', '.join(systems)}."
        for studies, systems in by_studies.items()
    ]


def method(result: AcrossStudies) -> str:
    """How means and intervals came about."""
    queries = listed([f"{n:,} in {study}" for study, n in result.n_queries.items()], limit=8)
    against = "the baseline" if result.chosen else f"the {extreme(lower_is_better(result.metric))} mean"
    return (
        f"Each study has the same weight; queries: {queries}. Intervals: {result.level:.0%}, "
        f"{result.n_resamples:,} "
        f"draws of studies and of queries within each, paired, seed {result.seed}; each on its own, not "
        f"corrected. Differences are from {result.reference}, {against}."
    )
