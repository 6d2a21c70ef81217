"""How measures agree with satisfaction: the columns that command, page and files draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcore.features.satisfaction.data import GAINS
from evalcore.features.satisfaction.published import find
from evalcore.results.rows import (
    Column,
    Table,
    also,
    decimals,
    interval,
    named,
    only_saved,
    only_shown,
    signed,
)
from evalcore.values.writing import fixed, p_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.satisfaction.agreement import Agreement, AgreementResult, Difference, Point, Split

ROWS = named("metric", "gain", "depth", "spearman", "ci_low", "ci_high")
"""Correlations, one a row."""


def rho(one: Agreement) -> str:
    """A correlation and its interval in a table."""
    return f"{decimals(one.spearman)} {interval(one.ci_low, one.ci_high)}"


def differences_table(found: AgreementResult) -> Table:
    """Context-aware minus original gain, beside the paper's own values: its Table 3."""

    def row(d: Difference, gain: str) -> Agreement:
        return found.row(d.metric, gain, d.depth)  # type: ignore[arg-type]

    def of_gain(gain: str, name: str, title: str) -> list[Column]:
        def end(which: str) -> Column:
            return only_saved(f"{name}_{which}", lambda d: getattr(row(d, gain), f"ci_{which}"))

        return [
            also(gain, lambda d: rho(row(d, gain))),
            only_saved(name, lambda d: row(d, gain).spearman).on_page(title, "%.3f"),
            end("low"),
            end("high"),
        ]

    def published(data_set: int, joint: str, star: str, nothing: str, write: Any = fixed) -> Column:
        def cell(d: Difference) -> str:
            known = [one for gain in GAINS if (one := find(d.metric, gain, d.depth, data_set=data_set))]
            if len(known) < 2:
                return nothing
            marked = star if known[-1].significant else ""
            return joint.join(write(one.spearman, 3) for one in known) + marked

        return only_shown(f"Published, data set {data_set}", cell)

    in_text = [published(data_set, " -> ", "*", "-", decimals) for data_set in (1, 2)]
    columns = (
        Column("depth", head="rows").on_page("Rows"),
        Column("metric", head="metric").on_page("Measure"),
        *of_gain("original", "original", "Original ρ"),
        *of_gain("context-aware", "context_aware", "Context-aware ρ"),
        Column("difference", None, "difference", signed).on_page("Difference"),
        *(only_saved(f"difference_{end}", end) for end in ("low", "high")),
        Column("r12", None, "r12", decimals),
        Column("p_corrected", None, "p", decimals).on_page("p (Holm)", cell=p_value),
        only_shown("r₁₂", "r12", "%.3f"),
        also("published", lambda d: " / ".join(one.of(d) for one in in_text)),
        *(published(data_set, " → ", " *", "") for data_set in (1, 2)),
        *named("test", "statistic", "p"),
    )
    facts = ("n_queries", "n_users", "resample", "n_resamples", "seed")
    return Table(found.differences, columns, {name: getattr(found, name) for name in facts})


def variance_table(halves: Split | None) -> Table:
    """The correlations among the queries whose relevance varies least, and most."""

    def of(column: Column) -> Column:
        return Column(column.name, lambda pair: column.of(pair[1]))

    columns = (
        Column("subset", lambda pair: pair[0]),
        *map(of, ROWS),
        Column("n_queries", lambda _: halves and halves.n),
        only_saved("variance_rows", lambda _: halves and halves.n_rows),
    )
    return Table([] if halves is None else halves.rows, columns)


def points_table(points: Sequence[Point]) -> Table:
    """Mean satisfaction by how much relevance varies."""
    columns = (
        Column("mean_relevance", lambda one: one.among or "all"),
        Column("standard_deviation", "spread"),
        Column("satisfaction"),
        Column("ci_low", "low"),
        Column("ci_high", "high"),
        Column("n_queries", "n"),
    )
    return Table(points, columns)
