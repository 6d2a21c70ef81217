"""For which kinds of queries do two systems differ, and which systems win them?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isnan, nan
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from evalcore import evaluate
from evalcore.evaluate.common_pool import in_words
from evalcore.evaluate.comparison import at_the_floor
from evalcore.evaluate.pairs.every_pair import with_baseline_or_leader
from evalcore.evaluate.slices import slicing
from evalcore.evaluate.slices.differences import (
    Sliced,
    clear_winners,
    differences_by_slice,
    every_slice,
    highest_of,
    means_by_slice,
    rivals_by_slice,
)
from evalcore.evaluate.slices.slicing import Slice, Slicing
from evalcore.figures.compare import slice_forest, slice_map
from evalcore.figures.compare.forest import MapRow, Row
from evalcore.results.board import slice_boards
from evalcore.results.board_text import as_latex
from evalcore.results.rows import Column, Table, difference_of, only_shown, system_name
from evalcore.results.scores import Scoring
from evalcore.stats.correction import CLEAR
from evalcore.ui.components import download, figure, select, table
from evalcore.ui.components.pair import Pair
from evalcore.ui.frame import cache, pages, state
from evalcore.ui.frame.choices import MORE_FLIPS, only_where
from evalcore.ui.frame.context import Choice, Context
from evalcore.values.markdown import md_escape, plain
from evalcore.values.model import Comparison, Interval, Scores, Study
from evalcore.values.settings import Correction, Settings
from evalcore.values.writing import in_table, listed, p_value, pluralize, pluralize_all, signed

_BETWEEN = "\n"
"""Parts the conditions that a mark carries."""


class Part(NamedTuple):
    """Some of the queries, A minus B on them, and every system's mean."""

    slice: Slice
    difference: Comparison
    means: Mapping[str, Interval]


class Found(NamedTuple):
    """All queries, and the slices of them in the order shown; ``remarks``: on how they were sliced.

    ``leader``: the system with the highest average overall; ``winners``: {name of a slice: the system that is
    clearly better there}.
    """

    by: str
    whole: Part
    parts: tuple[Part, ...]
    remarks: tuple[str, ...]
    leader: str
    winners: Mapping[str, str]


@state.fragment()
def section(context: Context, of: Pair) -> None:
    """The difference of A and B slice by slice, and every system's mean in each."""
    st.header("Where do the two systems differ?", anchor=False)
    by = select.segments("Queries by", slicing.offered(context.study), keep=pages.BY, shown=slicing.way)
    found = _found(context, of, by)
    if not found.parts:
        st.info("No query has a value under every system, so there are no groups.", icon=":material/info:")
        return
    st.markdown(_sentence(found, context.choice))
    shown = replace(found.whole.difference, metric=context.choice.metric_shown)
    rows = [Row(one.slice.name, one.difference, _BETWEEN.join(one.slice.where)) for one in found.parts]
    drawn = slice_forest(shown, rows, by=slicing.way(by), theme=context.theme)
    figure.show(
        context,
        drawn,
        key=f"forest-{context.study.digest}",
        file="differences-by-slice",
        clicked=lambda carried: only_where(*carried.split(_BETWEEN)),
    )
    if found.remarks:
        st.caption(md_escape(" ".join(found.remarks)))
    _heat_map(context, found)
    _of_all(context, of, found)
    _table(context, of, found)


def _found(context: Context, of: Pair, by: str) -> Found:
    study, choice = context.study, context.choice
    systems = tuple(dict.fromkeys((of.a, of.b, *choice.systems)))

    def work() -> Found:
        scores = cache.scores(study, choice, systems)
        parts = slicing.slice_queries(study, by, scores=scores, settings=choice.settings)
        return _slice_by_slice(study, scores, parts, choice)

    key = cache.key_of("slices", study, choice, choice.correction, choice.flips, systems, by)
    return cache.remember(key, work, spinner="Comparing the systems slice by slice…")


def _slice_by_slice(study: Study, scores: Sequence[Scores], parts: Slicing, choice: Choice) -> Found:
    """The first of the scores minus the second; labels with the highest difference first."""
    a, b, settings = scores[0], scores[1], choice.settings
    systems = [one.system for one in scores]
    differences = differences_by_slice(
        b, a, parts, settings=settings, correction=choice.correction, n_resamples=choice.flips
    )
    by_system = means_by_slice(scores, parts, settings=settings)
    found = [
        Part(part, difference, dict(zip(systems, means, strict=True)))
        for part, difference, *means in zip(parts.slices, differences, *by_system, strict=True)
    ]
    if parts.by not in slicing.NAMES:
        found.sort(key=_highest_first)
    means = dict(zip(systems, evaluate.summarise_all(scores, settings=settings), strict=True))
    whole = cache.comparison(study, choice, a.system, b.system)
    every = Part(Slice("All queries", study.queries), whole, means)
    leader = highest_of({name: mean.mean for name, mean in means.items()})
    first = next(one for one in scores if one.system == leader)
    rivals = rivals_by_slice(
        first,
        [one for one in scores if one.system != leader],
        parts,
        settings=settings,
        correction=choice.correction,
        n_resamples=choice.flips,
    )
    winners = {parts.slices[place].name: name for place, name in clear_winners(rivals).items()}
    return Found(parts.by, every, tuple(found), tuple(slicing.remarks(parts)), leader, winners)


def _highest_first(one: Part) -> float:
    return float("inf") if isnan(one.difference.difference) else -one.difference.difference


def _sentence(found: Found, choice: Choice) -> str:
    """Overall, the slices that differ clearly, and those in which another system is clearly better."""
    c, named = found.whole.difference, md_escape(slicing.way(found.by))
    if isnan(c.difference):
        return f"No query has a value for both {md_escape(c.system)} and {md_escape(c.baseline)}."
    clear = [
        f"**{md_escape(one.slice.name, limit=40)}** ({signed(one.difference.difference)})"
        for one in found.parts
        if one.difference.p_corrected < CLEAR and one.difference.n_pairs >= slicing.FEW
    ]
    pair = f"{md_escape(c.system)} minus {md_escape(c.baseline)}"
    sentence = f"{pair} is **{signed(c.difference)}** over {pluralize_all(c.n_pairs, 'query')}. By {named}, "
    if clear:
        tested = "" if choice.plain else f" (corrected p < {CLEAR})"
        sentence += f"the difference is clear{tested} for {listed(clear, limit=8)}."
    else:
        sentence += "no single group shows a clear difference."
    return f"{sentence} {_winners(found)}"


def _winners(found: Found) -> str:
    if sum(not isnan(mean.mean) for mean in found.whole.means.values()) < 2:
        return ""
    start = f"**{md_escape(found.leader)}** has the highest average overall"
    if not found.winners:
        return f"{start}; in no group is another system clearly better."
    named = [
        f"**{md_escape(found.winners[one.slice.name])}** for {md_escape(one.slice.name, limit=40)}"
        for one in found.parts
        if one.slice.name in found.winners
    ]
    return f"{start}; clearly better is {listed(named, limit=8)}."


def _heat_map(context: Context, found: Found) -> None:
    rows = [
        MapRow(
            one.slice.name,
            max(mean.n for mean in one.means.values()),
            one.means,
            found.winners.get(one.slice.name, "") if place else found.leader,
        )
        for place, one in enumerate((found.whole, *found.parts))
    ]
    drawn = slice_map(
        rows,
        tuple(found.whole.means),
        by=slicing.way(found.by),
        metric=context.choice.metric_shown,
        theme=context.theme,
    )
    figure.show(context, drawn, key="slice-map", file="systems-by-slice")


def _of_all(context: Context, of: Pair, found: Found) -> None:
    """Files of every system in every slice, each compared with the baseline; made when they are asked for."""
    choice = context.choice
    systems = tuple(dict.fromkeys((of.a, of.b, *choice.systems)))
    saved = _Files(
        context.study,
        tuple(cache.scores(context.study, choice, systems)),
        found.by,
        choice.baseline,
        choice.settings,
        choice.correction,
        choice.flips,
        cache.WHICH[choice.queries],
        tuple(in_words(context.over)) if context.over else (),
    )
    stem = context.stem("all-systems-by-slice")
    with st.container(horizontal=True):
        download.csv(saved.csv, stem, label="CSV, all systems")
        download.file("LaTeX, all systems", saved.latex, f"{stem}.tex", "text/plain", key="slices-latex")


class _Files(NamedTuple):
    """Every system slice by slice, as files."""

    study: Study
    scores: tuple[Scores, ...]
    by: str
    baseline: str
    settings: Settings
    correction: Correction
    flips: int
    queries: str
    notes: tuple[str, ...]

    def _found(self) -> tuple[Scoring, Sliced]:
        how: dict[str, Any] = {
            "baseline": self.baseline,
            "settings": self.settings,
            "correction": self.correction,
            "n_resamples": self.flips,
        }
        intervals = evaluate.summarise_all(self.scores, settings=self.settings)
        pairs = with_baseline_or_leader(self.scores, **how)
        of = Scoring(
            self.study,
            self.scores,
            intervals,
            pairs,
            self.baseline or None,
            self.settings,
            self.queries,
            self.notes,
        )
        return of, every_slice(self.study, self.scores, [self.by], **how)

    def csv(self) -> pd.DataFrame:
        """One row per system and slice."""
        of, parts = self._found()
        return pd.DataFrame(of.saved(parts).saved())

    def latex(self) -> bytes:
        """Systems x slices."""
        (board,) = slice_boards(*self._found())
        return as_latex(board).encode()


def _table(context: Context, of: Pair, found: Found) -> None:
    """A minus B slice by slice, all queries first."""
    c, simple = found.whole.difference, context.choice.plain
    correction = found.parts[0].difference.correction

    def p_corrected(part: Part) -> float:
        return nan if part is found.whole else part.difference.p_corrected

    def clear(part: Part) -> str:
        return "yes" if p_corrected(part) < CLEAR and part.difference.n_pairs >= slicing.FEW else "–"

    def mean(letter: str, name: str) -> Column:
        title = f"{letter} {plain(name)} ↑"
        return Column(f"mean_{letter.lower()}", lambda part: part.means[name].mean).on_page(title, "%.3f")

    tests = ("test", "sign_flips", "seed")
    columns = (
        Column("slice", "slice.name").on_page("Queries", cell=system_name),
        Column("metric", "difference.metric"),
        Column("queries", lambda part: len(part.slice.queries)).on_page("Number"),
        Column("n", "difference.n_pairs").on_page("With a value"),
        mean("A", of.a),
        mean("B", of.b),
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
        Column("correction", lambda part: "none" if part is found.whole else correction),
        *(Column(name, f"difference.{'n_resamples' if name == 'sign_flips' else name}") for name in tests),
    )
    n = pluralize(len(found.parts), "slice")
    floor = "" if simple else at_the_floor([part.difference for part in found.parts], more=MORE_FLIPS)
    table.declared(
        context,
        Table((found.whole, *found.parts), columns, {"by": found.by, "a": of.a, "b": of.b}),
        key="slice-table",
        file="slices",
        about=table.scored,
        note=""
        if simple
        else f"p corrected over {n}; {md_escape(c.test)}, seed {c.seed}{context.chosen}. {floor}",
        alt=f"Table of {n} with both means and their difference",
    )
