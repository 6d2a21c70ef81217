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
    whole,
)
from evalcore.stats.correction import CLEAR
from evalcore.values.writing import fixed, p_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.satisfaction.agreement import (
        Agreement,
        AgreementResult,
        Counts,
        Difference,
        Dot,
        Split,
        SweepRow,
    )

ROWS = named("metric", "gain", "depth", "spearman", "ci_low", "ci_high", "p")
"""Correlations, one a row."""


def rho(row: SweepRow) -> str:
    """A correlation and its interval in a table."""
    return f"{decimals(row.spearman)} {interval(row.ci_low, row.ci_high)}"


def starred(row: Agreement) -> str:
    """A correlation, * where its p is below .05, and its interval in a table."""
    star = "*" if row.p < CLEAR else ""
    return f"{decimals(row.spearman)}{star} {interval(row.ci_low, row.ci_high)}"


def differences_table(result: AgreementResult) -> Table:
    """Context-aware minus original gain, beside the paper's own values: its Table 3."""

    def row(d: Difference, gain: str) -> Agreement:
        return result.row(d.metric, gain, d.depth)  # type: ignore[arg-type]

    def of_gain(gain: str, name: str, title: str) -> list[Column]:
        def end(which: str) -> Column:
            return only_saved(f"{name}_{which}", lambda d: getattr(row(d, gain), f"ci_{which}"))

        return [
            also(gain, lambda d: starred(row(d, gain))),
            only_saved(name, lambda d: row(d, gain).spearman).on_page(title, "%.3f"),
            end("low"),
            end("high"),
            only_saved(f"{name}_p", lambda d: row(d, gain).p).on_page(f"{title} p", cell=p_value),
        ]

    def published(data_set: int, joint: str, dagger: str, nothing: str, write: Any = fixed) -> Column:
        def cell(d: Difference) -> str:
            known = [one for gain in GAINS if (one := find(d.metric, gain, d.depth, data_set=data_set))]
            if len(known) < 2:
                return nothing
            marked = dagger if known[-1].significant else ""
            return joint.join(write(one.spearman, 3) for one in known) + marked

        return only_shown(f"Published, data set {data_set}", cell)

    in_text = [published(data_set, " -> ", "†", "-", decimals) for data_set in (1, 2)]
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
        *(published(data_set, " → ", " †", "") for data_set in (1, 2)),
        *named("test", "statistic", "p"),
    )
    facts = ("n_queries", "n_users", "resample", "n_resamples", "seed")
    return Table(result.differences, columns, {name: getattr(result, name) for name in facts})


def counts_table(sets: Sequence[Counts]) -> Table:
    """Sessions, participants, queries, images and judgments: the paper's Table 1."""

    def unknown(number: int | None) -> str:
        return "-" if number is None else whole(number)

    def of_workers(name: str) -> Any:
        return lambda one: None if one.workers is None else getattr(one.workers, name)

    columns = (
        Column("data_set", None, "data set").on_page("Data set"),
        Column("n_sessions", None, "sessions", unknown).on_page("Sessions"),
        Column("n_users", None, "participants", whole).on_page("Participants"),
        Column("n_queries", None, "queries", whole).on_page("Queries"),
        Column("n_images", None, "images", whole).on_page("Images"),
        Column("n_judgments", None, "judgments", whole).on_page("Judgments"),
        Column("kept", None, "queries that count", whole).on_page("Queries that count"),
        Column("n_workers", of_workers("n"), "workers", unknown).on_page("Workers"),
        Column("alpha", of_workers("alpha"), "alpha", decimals).on_page(
            "Agreement (α)", help="Krippendorff’s α of the workers over the images that two or more judged."
        ),
        *(Column(name, of_workers(name)) for name in ("invalid", "shared", "level")),
    )
    return Table(sets, columns)


def sweep_table(rows: Sequence[SweepRow]) -> Table:
    """Agreement by discount and window."""
    columns = (
        Column("discount", None, "discount").on_page("Discount"),
        Column("window", None, "window").on_page("Window"),
        also("context-aware", rho),
        Column("spearman").on_page("Context-aware ρ", "%.3f"),
        Column("ci_low"),
        Column("ci_high"),
        Column("original", None, "original", decimals).on_page("Original ρ"),
    )
    return Table(rows, columns)


def dots_table(dots: Sequence[Dot]) -> Table:
    """Every query of Figure 3."""
    columns = (
        Column("query"),
        Column("mean"),
        Column("standard_deviation", "spread"),
        Column("standard_deviation_beside_better", "beside"),
        Column("satisfaction"),
    )
    return Table(dots, columns)


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
