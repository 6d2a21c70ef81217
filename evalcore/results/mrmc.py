"""The results of a reader study: its columns and its sentences, and what JSON has besides."""

from __future__ import annotations

from functools import partial
from math import isnan
from typing import TYPE_CHECKING

from evalcore.results.rows import (
    Column,
    Table,
    also,
    decimals,
    ends,
    named,
    p_text,
    plain,
    signed,
    span,
    system_name,
    whole,
)
from evalcore.stats.levels import SAME
from evalcore.stats.mrmc.readings import IN_WORDS
from evalcore.values import writing
from evalcore.values.writing import listed, number, pluralize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.stats.mrmc.analysis import ReaderStudy
    from evalcore.stats.mrmc.sizing import Plan

NAMES, TITLES = {"auc": "AUC", "mean": "mean rating"}, {"auc": "AUC", "mean": "Mean"}
METHOD = "U-statistics (Gallas), readers and cases random"


def values_table(study: ReaderStudy) -> Table:
    """One row a system: its value and variance; its interval for people."""
    title = f"{study.level:.0%} interval"
    return Table(
        study.rows,
        (
            Column("system", head="system").on_page("System", cell=system_name),
            Column("value", "estimate.value", NAMES[study.measure], decimals).on_page(
                TITLES[study.measure], "%.3f"
            ),
            Column("variance", "estimate.variance", "variance", _small).on_page(
                "Variance", "%.3g", expert=True
            ),
            also("se", "estimate.se", decimals),
            span("estimate.", title),
        ),
    )


def _small(value: float) -> str:
    return f"{value:.4g}"


def differences_table(study: ReaderStudy) -> Table:
    """All pairs of systems: the first minus the second."""
    return Table(
        study.differences,
        (
            Column("a", head="system").on_page("System", cell=system_name),
            Column("b", head="minus").on_page("Minus", cell=system_name),
            Column("difference", "estimate.value", "difference", signed).on_page("Difference", "%+.3f"),
            Column("variance", "estimate.variance"),
            Column("se", "estimate.se", "se", decimals).on_page("Standard error", "%.3f", expert=True),
            Column("df", "estimate.df", "df", _df).on_page("Degrees of freedom", "%.1f", expert=True),
            Column("p", "estimate.p", "p", p_text),
            Column("p_corrected", None, "p (Holm)", p_text).on_page("p (Holm)"),
            Column("low", "estimate.low"),
            Column("high", "estimate.high"),
            ends(
                "estimate.",
                head=f"{study.level:.0%} interval",
                title=f"{study.level:.0%} interval",
                cell=partial(writing.span, sign=True),
            )[0],
        ),
    )


def _df(value: float) -> str:
    return "-" if isnan(value) else "normal" if value == float("inf") else f"{value:.1f}"


def readers_table(study: ReaderStudy) -> Table:
    """Each reader's value with each system, and that of all."""
    readers = (*study.readings.readers, "all")
    columns = [
        Column(
            row.system, (*row.per_reader, row.estimate.value).__getitem__, plain(row.system), decimals
        ).on_page(system_name(row.system), "%.3f")
        for row in study.rows
    ]
    named = Column("reader", lambda at: readers[at], "reader").on_page("Reader", cell=system_name)
    return Table(range(len(readers)), (named, *columns))


def components_table(study: ReaderStudy) -> Table:
    """What the variance is made of."""
    return Table(
        [row for row in study.moments if row.shared],
        (
            Column("a", head="system"),
            Column("b"),
            also("and", lambda row: "" if row.a == row.b else row.b),
            Column("shared", head="varies with"),
            Column("variance", head="component", text=_small),
            Column("weight", head="weight", text=_small),
        ),
    )


def plans_table(plans: Sequence[Plan]) -> Table:
    """Fewest cases by number of readers and design."""
    with_power = any(not isnan(plan.power) for plan in plans)
    power = Column("power", text=lambda value: decimals(value, 2))
    return Table(
        plans,
        (
            Column("readers", head="readers", text=whole).on_page("Readers"),
            Column("groups", head="groups", text=whole).on_page("Groups"),
            Column("", _design_of, "design").on_page("Design"),
            Column("cases", head="cases", text=whole).on_page("Cases"),
            Column("readings", head="readings", text=whole).on_page("Readings"),
            Column("width", head="interval width", text=decimals).on_page("Width of the interval", "%.3f"),
            power._replace(head="power").on_page("Power", "%.2f") if with_power else power,
        ),
    )


def _design_of(plan: Plan) -> str:
    return "fully crossed" if plan.groups == 1 else f"split plot, {plan.groups} groups"


def method(study: ReaderStudy) -> str:
    """Over what, by what, and what was missing."""
    readings = study.readings
    over = (
        f"{pluralize(len(readings.readers), 'reader')}, {pluralize(len(readings.cases), 'case')}"
        + ("" if readings.truth is None else f" ({int(readings.truth.sum()):,} positive)")
        + f", {pluralize(readings.n_readings, 'reading')}"
    )
    return f"{over}; {IN_WORDS[readings.design]}. {METHOD}."


def cautions(study: ReaderStudy) -> list[str]:
    """What has to be known to read the numbers: negative variances, and pairs of readers without a case."""
    result = []
    named = [(plain(row.system), row.estimate) for row in study.rows]
    named += [(f"{plain(row.a)} minus {plain(row.b)}", row.estimate) for row in study.differences]
    negative = [name for name, row in named if row.variance < 0]
    if negative:
        what = "The estimated variance is negative for"
        result.append(
            f"{what} {listed(negative, limit=6)}, so there is no interval and no p: there is less variation "
            "than the readings can show."
        )
    read = study.readings.read.any(axis=0).astype(float)
    if study.measure == "mean" and study.as_imrmc and (read @ read.T == 0).any():
        result.append(
            "Some readers have no case in common. As in iMRMC their products count as 0, which makes the "
            "variance of a mean too small; moments = unbiased leaves them out."
        )
    return result


def sentence(study: ReaderStudy) -> str:
    """Which system readers do best with, and whether that is clear."""
    best = max(study.rows, key=lambda row: row.estimate.value)
    name = NAMES[study.measure]
    tied = [row.system for row in study.rows if abs(row.estimate.value - best.estimate.value) <= SAME]
    if len(tied) > 1:
        return f"{listed(tied, limit=4)} are tied for the highest {name}: {number(best.estimate.value)}."
    first = f"{best.system} has the highest {name}: {number(best.estimate.value)}."
    clear = [row for row in study.differences if best.system in (row.a, row.b) and row.p_corrected < 0.05]
    others = [row for row in study.differences if best.system in (row.a, row.b)]
    if not others:
        return f"{best.system}: {name} {number(best.estimate.value)}."
    if len(clear) == len(others):
        return f"{first} It is clearly above every other system."
    behind = [row.b if row.a == best.system else row.a for row in others if row not in clear]
    return f"{first} It is not clearly above {listed(behind, limit=4)}."


_MOMENTS = named("a", "b", "shared", "moment", "coefficient")
FACTS = (
    Column(
        "components", lambda study: {"bdg": Table(study.moments, _MOMENTS), "bck": components_table(study)}
    ),
    Column("n_readers", lambda study: len(study.readings.readers)),
    Column("n_cases", lambda study: len(study.readings.cases)),
    Column("n_readings", "readings.n_readings"),
    Column("design", "readings.design"),
)
"""What JSON has of a reader study beside the tables of values and differences."""
