"""For which kinds of queries do two systems differ, and which systems win them?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import isnan, nan
from typing import NamedTuple

import pandas as pd
import streamlit as st

from evalcore.evaluate import slices as slicing
from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.comparison import at_the_floor, over_what
from evalcore.evaluate.slices import Slice, Sliced, Slicing, clear_winners
from evalcore.figures.maps import MapRow, slice_map
from evalcore.figures.systems import GroupRow, slice_forest
from evalcore.results.board import slice_boards
from evalcore.results.paper import as_latex
from evalcore.results.rows import Column, Table, difference_of, only_shown, system_name
from evalcore.results.scores import Scoring, scoring_of
from evalcore.stats.correction import CLEAR
from evalcore.stats.levels import best_first
from evalcore.ui.components import download, figure, fold, messages, select, table
from evalcore.ui.frame import cache, pages, state
from evalcore.ui.frame.choices import MORE_FLIPS, only_where
from evalcore.ui.frame.context import Choice, Context
from evalcore.ui.frame.state import Key
from evalcore.ui.results.two_systems import pickers
from evalcore.values.model import Comparison, Interval
from evalcore.values.writing import (
    arrow,
    extreme,
    in_table,
    listed,
    md_escape,
    p_value,
    plain,
    pluralize,
    pluralize_all,
    signed,
)

_BETWEEN = "\n"
"""Parts the conditions that a mark carries."""
EVERY_SYSTEM, GROUPS_TABLE = Key("every_system"), Key("groups_table")
KEYS = (pages.BY, EVERY_SYSTEM, GROUPS_TABLE)
"""What a link asks of this part: how queries are grouped, and its folds."""


class Part(NamedTuple):
    """Some of the queries, A minus B on them, and every system's mean."""

    slice: Slice
    difference: Comparison
    means: Mapping[str, Interval]


class SliceResults(NamedTuple):
    """All queries, and the groups of them in the order shown; ``slicing``: how they were grouped."""

    analysis: Analysis
    slicing: Slicing
    whole: Part
    parts: tuple[Part, ...]


def section(context: Context) -> None:
    """The difference of A and B group by group, and every system's mean in each."""
    chosen = pickers(context)
    if chosen is not None:
        _groups(context, *chosen)


@state.fragment()
def _groups(context: Context, a: str, b: str) -> None:
    by = select.segments(
        "Queries by",
        slicing.offered(context.study),
        keep=pages.BY,
        shown=slicing.way,
        label_visibility="collapsed",
    )
    result = _found(context, a, b, by)
    if not result.parts:
        st.info("No query has a value under every system, so there are no groups.", icon=":material/info:")
        return
    messages.lead(_sentence(result, context.choice), key="lead-part")
    shown = replace(result.whole.difference, metric=context.choice.metric_shown)
    rows = [
        GroupRow(part.slice.name, part.difference, _BETWEEN.join(part.slice.where)) for part in result.parts
    ]
    drawn = slice_forest(shown, rows, by=slicing.way(by), theme=context.theme)
    figure.show(
        context,
        drawn,
        key=f"forest-{context.study.digest}",
        file="differences-by-slice",
        clicked=lambda carried: only_where(*carried.split(_BETWEEN)),
    )
    if remarks := slicing.remarks(result.slicing):
        st.caption(md_escape(" ".join(remarks)))
    fold.section("Every system in every group", _every_system, context, result, keep=EVERY_SYSTEM)
    fold.section("Table, and how this was compared", _table, context, result, keep=GROUPS_TABLE)


def _found(context: Context, a: str, b: str, by: str) -> SliceResults:
    study, choice = context.study, context.choice
    analysis = cache.analysis(study, choice, systems=(a, b, *choice.systems))
    systems, slicing_ = analysis.view.systems, analysis.slicing(by)
    differences = analysis.slice_comparisons(a, b, by)
    result = [
        Part(part, difference, dict(zip(systems, means, strict=True)))
        for part, difference, *means in zip(
            slicing_.slices, differences, *analysis.slice_means(by), strict=True
        )
    ]
    if by not in slicing.NAMES:
        result.sort(key=_best_first)
    whole = Part(Slice("All queries", study.queries), analysis.comparison(a, b), analysis.means_of())
    return SliceResults(analysis, slicing_, whole, tuple(result))


def _best_first(part: Part) -> float:
    return float("inf") if isnan(part.difference.lead) else -part.difference.lead


def _sentence(result: SliceResults, choice: Choice) -> str:
    """The groups that differ clearly, and the difference overall."""
    c, named = result.whole.difference, md_escape(slicing.way(result.slicing.by))
    a, b = f"**{md_escape(c.system)}**", f"**{md_escape(c.baseline)}**"
    if isnan(c.difference):
        return f"No query has a value for both {a} and {b}."
    clear = [
        f"**{md_escape(part.slice.name, limit=40)}** ({signed(part.difference.difference)})"
        for part in result.parts
        if part.difference.p_corrected < CLEAR and part.difference.n_pairs >= slicing.FEW
    ]
    tested = "" if choice.plain else f" (corrected p < {CLEAR})"
    sentence = f"By {named}, no single group shows a clear difference{tested} between {a} and {b}."
    if clear:
        sentence = f"By {named}, {a} and {b} differ clearly{tested} for {listed(clear, limit=8)}."
    n = pluralize_all(c.n_pairs, "query")
    return f"{sentence} Overall the difference is {signed(c.difference)} over {n}."


def _every_system(context: Context, result: SliceResults) -> None:
    """The average of every system in every group, which is clearly better where, and the files of it."""
    systems = tuple(result.whole.means)
    leader, winners = _winners(result)
    st.markdown(_winners_in_words(result, leader, winners))
    rows = [
        MapRow(
            one.slice.name,
            max(mean.n for mean in one.means.values()),
            one.means,
            winners.get(one.slice.name, "") if place else leader,
        )
        for place, one in enumerate((result.whole, *result.parts))
    ]
    by, metric = slicing.way(result.slicing.by), context.choice.metric_shown
    drawn = slice_map(rows, systems, by=by, metric=metric, theme=context.theme)
    figure.show(context, drawn, key="slice-map", file="systems-by-slice")

    def files() -> tuple[Scoring, Sliced]:
        """Made when they are asked for."""
        return scoring_of(result.analysis), result.analysis.sliced([result.slicing.by])

    stem = context.stem("all-systems-by-slice")
    with st.container(horizontal=True):
        download.csv(lambda: _as_frame(*files()), stem, label="CSV, all systems")
        download.file(
            "LaTeX, all systems",
            lambda: as_latex(slice_boards(*files())[0]).encode(),
            f"{stem}.tex",
            "text/plain",
            key="slices-latex",
        )


def _as_frame(of: Scoring, parts: Sliced) -> pd.DataFrame:
    """One row per system and group."""
    return pd.DataFrame(of.saved(parts).saved())


def _winners(result: SliceResults) -> tuple[str, dict[str, str]]:
    """The system with the best average overall, and {group: the system that is clearly better there}."""
    analysis, by = result.analysis, result.slicing.by
    systems, means = list(result.whole.means), [mean.merit for mean in result.whole.means.values()]
    leader = systems[best_first(systems, means)[0]]
    others = (name for name in systems if name != leader)
    rivals = {name: analysis.slice_comparisons(name, leader, by) for name in others}
    slices = result.slicing.slices
    return leader, {slices[place].name: name for place, name in clear_winners(rivals).items()}


def _winners_in_words(result: SliceResults, leader: str, winners: Mapping[str, str]) -> str:
    if sum(not isnan(mean.mean) for mean in result.whole.means.values()) < 2:
        return ""
    start = (
        f"**{md_escape(leader)}** has the {extreme(result.whole.difference.lower_is_better)} average overall"
    )
    named = [
        f"**{md_escape(winners[part.slice.name])}** for {md_escape(part.slice.name, limit=40)}"
        for part in result.parts
        if part.slice.name in winners
    ]
    if not named:
        return f"{start}; in no group is another system clearly better."
    return f"{start}; clearly better is {listed(named, limit=8)}."


def _table(context: Context, result: SliceResults) -> None:
    """A minus B group by group, all queries first."""
    c, simple = result.whole.difference, context.choice.plain
    correction = result.parts[0].difference.correction

    def p_corrected(part: Part) -> float:
        return nan if part is result.whole else part.difference.p_corrected

    def clear(part: Part) -> str:
        return "yes" if p_corrected(part) < CLEAR and part.difference.n_pairs >= slicing.FEW else "–"

    def mean(letter: str, name: str) -> Column:
        title = f"{letter} {plain(name)} {arrow(c.lower_is_better)}"
        return Column(f"mean_{letter.lower()}", lambda part: part.means[name].mean).on_page(title, "%.3f")

    tests = ("test", "sign_flips", "seed")
    columns = (
        Column("slice", "slice.name").on_page("Queries", cell=system_name),
        Column("metric", "difference.metric"),
        Column("queries", lambda part: len(part.slice.queries)).on_page("Number"),
        Column("n", "difference.n_pairs").on_page("With a value"),
        mean("A", c.system),
        mean("B", c.baseline),
        *difference_of(
            "difference.",
            title="Difference",
            interval_title=f"{c.level:.0%} interval",
            cell=partial(in_table, places=3),
        ),
        Column("ci_level", "difference.level"),
        *([only_shown("Clear", clear)] if simple else []),
        Column("p", "difference.p").on_page("p", cell=p_value, expert=True),
        Column("p_corrected", p_corrected).on_page(f"p ({correction})", cell=p_value, expert=True),
        Column("correction", lambda part: "none" if part is result.whole else correction),
        *(Column(name, f"difference.{'n_resamples' if name == 'sign_flips' else name}") for name in tests),
    )
    n = pluralize(len(result.parts), "group")
    floor = "" if simple else at_the_floor([part.difference for part in result.parts], more=MORE_FLIPS)
    table.declared(
        context,
        Table(
            (result.whole, *result.parts), columns, {"by": result.slicing.by, "a": c.system, "b": c.baseline}
        ),
        key="slice-table",
        file="slices",
        about=table.scored,
        note=""
        if simple
        else f"{md_escape(over_what([part.difference for part in result.parts]))}; {md_escape(c.test)}, "
        f"seed {c.seed}{context.chosen}. {floor}",
        alt=f"Table of {n} with both means and their difference",
    )
