"""For which kinds of queries do two systems differ, and which systems win them?"""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
import streamlit as st

from evalcore import evaluate
from evalcore.evaluate.slices import slicing
from evalcore.evaluate.slices.conditions import LABEL
from evalcore.evaluate.slices.differences import differences_by_slice, means_by_slice, other_winners
from evalcore.evaluate.slices.slicing import Slice
from evalcore.figures.compare import slice_forest, slice_map
from evalcore.figures.compare.forest import Row
from evalcore.figures.compare.slice_map import MapRow
from evalcore.figures.numbers import all_things, in_table, listed, p_value, signed, things
from evalcore.markdown import md_escape, plain
from evalcore.stats.correction import CLEAR
from evalcore.ui.compare import keys
from evalcore.ui.components import figure, select, table, tidy
from evalcore.ui.frame import cache, state
from evalcore.ui.frame.choices import only_where

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.evaluate.slices.slicing import Slicing
    from evalcore.model import Comparison, Interval, Scores, Study
    from evalcore.ui.compare.listing import Pair
    from evalcore.ui.frame.context import Choice, Context

NAMES = {slicing.CONCEPTS: "number of concepts", slicing.DIFFICULTY: "difficulty"}
_BETWEEN = "\n"
"""Parts the conditions that a mark carries."""


class Part(NamedTuple):
    """Some of the queries, A minus B on them, and every system's mean."""

    slice: Slice
    difference: Comparison
    means: Mapping[str, Interval]


class Found(NamedTuple):
    """All queries, and the slices of them in the order shown; ``remarks``: on how they were sliced."""

    by: str
    whole: Part
    parts: tuple[Part, ...]
    remarks: tuple[str, ...]


@state.fragment()
def section(context: Context, of: Pair) -> None:
    """The difference of A and B slice by slice, and every system's mean in each."""
    st.header("Where do the two systems differ?", anchor=False)
    by = select.segments("Queries by", slicing.offered(context.study), keep=keys.BY, shown=_way)
    found = _found(context, of, by)
    if not found.parts:
        st.info("No query has a value under every system, so there are no slices.", icon=":material/info:")
        return
    st.markdown(_sentence(found))
    shown = replace(found.whole.difference, metric=context.choice.metric_shown)
    rows = [Row(one.slice.name, one.difference, _BETWEEN.join(one.slice.where)) for one in found.parts]
    drawn = slice_forest(shown, rows, by=_way(by), theme=context.theme)
    figure.show(
        context, drawn, key=f"forest-{context.study.digest}", file="differences-by-slice",
        clicked=lambda carried: only_where(*carried.split(_BETWEEN)),
    )  # fmt: skip
    if found.remarks:
        st.caption(md_escape(" ".join(found.remarks)))
    _heat_map(context, found)
    _table(context, of, found)


def _way(by: str) -> str:
    return NAMES.get(by, by.removeprefix(LABEL))


def _found(context: Context, of: Pair, by: str) -> Found:
    study, choice = context.study, context.choice
    systems = tuple(dict.fromkeys((of.a, of.b, *choice.systems)))

    def work() -> Found:
        scores = cache.scores(study, choice, systems)
        parts = slicing.slice_queries(study, by, scores=scores, settings=choice.settings)
        return _slice_by_slice(study, scores, parts, choice)

    key = cache.key_of("slices", study, choice, choice.correction, systems, by)
    return cache.remember(key, work, spinner="Comparing the systems slice by slice…")


def _slice_by_slice(study: Study, scores: Sequence[Scores], parts: Slicing, choice: Choice) -> Found:
    """The first of the scores minus the second; labels with the highest difference first."""
    a, b, settings = scores[0], scores[1], choice.settings
    systems = [one.system for one in scores]
    differences = differences_by_slice(b, a, parts, settings=settings, correction=choice.correction)
    by_system = means_by_slice(scores, parts, settings=settings)
    found = [
        Part(part, difference, dict(zip(systems, means, strict=True)))
        for part, difference, *means in zip(parts.slices, differences, *by_system, strict=True)
    ]
    if parts.by not in NAMES:
        found.sort(key=_highest_first)
    means = dict(zip(systems, evaluate.summarise_all(scores, settings=settings), strict=True))
    every = Part(Slice("All queries", study.queries), evaluate.compare(b, a, settings=settings), means)
    return Found(parts.by, every, tuple(found), tuple(slicing.remarks(parts)))


def _highest_first(one: Part) -> float:
    return float("inf") if isnan(one.difference.difference) else -one.difference.difference


def _sentence(found: Found) -> str:
    """Overall, the slices that differ clearly, and those that another system wins."""
    c, way = found.whole.difference, md_escape(_way(found.by))
    if isnan(c.difference):
        return f"No query has a value for both {md_escape(c.system)} and {md_escape(c.baseline)}."
    clear = [
        f"**{md_escape(one.slice.name, limit=40)}** ({signed(one.difference.difference)})"
        for one in found.parts
        if one.difference.p_corrected < CLEAR and one.difference.n_pairs >= slicing.FEW
    ]
    pair = f"{md_escape(c.system)} minus {md_escape(c.baseline)}"
    sentence = f"{pair} is **{signed(c.difference)}** over {all_things(c.n_pairs, 'query')}. By {way}, "
    if clear:
        sentence += f"a difference is clear (corrected p < {CLEAR}) for {listed(clear, limit=8)}."
    else:
        sentence += "no single slice shows a clear difference after correction."
    return f"{sentence} {_winners(found)}"


def _winners(found: Found) -> str:
    overall = {name: mean.mean for name, mean in found.whole.means.items() if not isnan(mean.mean)}
    if len(overall) < 2:
        return ""
    rows = [{name: one.means[name] for name in overall} for one in found.parts]
    best, others = other_winners(overall, rows)
    if not others:
        return (
            f"**{md_escape(best)}** has the highest average overall and in every slice large enough to tell."
        )
    named = [
        f"{md_escape(found.parts[i].slice.name, limit=40)} (**{md_escape(name)}**)"
        for i, name in others.items()
    ]
    return (
        f"**{md_escape(best)}** has the highest average of all systems; another one has it for "
        f"{listed(named, limit=8)}."
    )


def _heat_map(context: Context, found: Found) -> None:
    rows = [
        MapRow(one.slice.name, max(mean.n for mean in one.means.values()), one.means)
        for one in (found.whole, *found.parts)
    ]
    drawn = slice_map(
        rows, tuple(found.whole.means), by=_way(found.by), metric=context.choice.metric_shown,
        theme=context.theme,
    )  # fmt: skip
    figure.show(context, drawn, key="slice-map", file="systems-by-slice")


def _table(context: Context, of: Pair, found: Found) -> None:
    rows = (found.whole, *found.parts)
    c, correction = found.whole.difference, found.parts[0].difference.correction
    saved = pd.DataFrame(
        [
            {
                "by": found.by, "slice": part.name, "metric": one.metric, "queries": len(part.queries),
                "n": one.n_pairs,
                "a": of.a, "b": of.b, "mean_a": means[of.a].mean, "mean_b": means[of.b].mean,
                "difference": one.difference, "ci_low": one.low, "ci_high": one.high, "ci_level": one.level,
                "p": one.p, "p_corrected": one.p_corrected if place else float("nan"),
                "correction": one.correction if place else "none", "test": one.test,
                "sign_flips": one.n_resamples, "seed": one.seed,
            }
            for place, (part, one, means) in enumerate(rows)
        ]
    )  # fmt: skip
    shown = pd.DataFrame(
        {
            "Queries": [plain(name, limit=60) for name in saved["slice"]],
            "Number": saved["queries"],
            "With a value": saved["n"],
            f"A {plain(of.a)} ↑": saved["mean_a"],
            f"B {plain(of.b)} ↑": saved["mean_b"],
            "Difference": saved["difference"],
            f"{c.level:.0%} interval": [in_table(one.low, one.high, places=3) for _, one, _ in rows],
            "p": [p_value(p) for p in saved["p"]],
            f"p ({correction})": [p_value(p) for p in saved["p_corrected"]],
        }
    )
    n = things(len(found.parts), "slice")
    table.show(
        shown, key="slice-table", file=context.stem("slices"), placeholder="–",
        saved=tidy.scored(context, saved),
        note=f"p corrected over {n}; {md_escape(c.test)}, seed {c.seed}{context.chosen}.",
        alt=f"Table of {n} with both means and their difference",
        columns=table.numbers("%.3f", *shown.columns[3:5]) | table.numbers("%+.3f", "Difference"),
    )  # fmt: skip
