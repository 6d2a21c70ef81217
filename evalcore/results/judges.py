"""Scores by people's judgments with those of a judge, as a table and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.results.rows import Column, Table, decimals, ends, signed, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.judges import JudgedScore


def judged_table(rows: Sequence[JudgedScore]) -> Table:
    """A row per system and metric: by people alone, with the judge, and behind the best."""
    percents = f"{rows[0].level:.0%}" if rows else "95%"
    return Table(
        rows,
        (
            Column("system", head="system").on_page("System"),
            Column("metric", head="metric").on_page("Measure", expert=True),
            Column("judge", head=None),
            Column("mean", "powered.mean", "mean", decimals).on_page("Score"),
            *ends("powered.", title=f"{percents} interval"),
            Column("people_mean", "people.mean", "people alone", decimals).on_page("People alone"),
            *ends("people.", name="people_ci", title=f"{percents} interval, people alone"),
            Column("lead", "lead.mean", "to the best", lambda value: "-" if value is None else signed(value)),
            Column("lead_low", "lead.low"),
            Column("lead_high", "lead.high"),
            Column("tuning", "powered.tuning", "trust", decimals).on_page(
                "Trust in the judge", expert=True, help="0 not at all, 1 fully: the power tuning of PPI++."
            ),
            Column("n_people", "powered.n", "by people", whole).on_page("Queries judged by people"),
            Column("n_groups", "powered.groups"),
            Column("n_judge", "powered.n_more", "by the judge", whole).on_page("By the judge alone"),
            Column("ci_level", "level"),
        ),
    )


def judged_sentence(rows: Sequence[JudgedScore]) -> str:
    """What the judge is worth: how much narrower the intervals are than those of people alone."""
    if rows and not any(row.powered.n_more for row in rows):
        return "There is no query that only the judge judged: nothing to fill in."
    widths = [
        (row.powered.high - row.powered.low) / (row.people.high - row.people.low)
        for row in rows
        if row.people.high > row.people.low
    ]
    if not widths:
        return "People judged too few queries for an interval."
    narrower = 1 - sum(widths) / len(widths)
    if narrower < 0.01:
        return (
            "The judge does not help: on the queries that people judged, its scores do not follow theirs "
            "closely enough. Use the scores by people alone."
        )
    text = f"With the judge the ranges are {narrower:.0%} narrower, on average, than by people alone."
    groups = min((row.powered.groups for row in rows if row.powered.groups < row.powered.n), default=None)
    if groups is not None:
        text += f" They allow for queries that belong together: people judged some of {groups:,} groups."
    return text
