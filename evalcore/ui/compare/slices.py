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
from evalcore.figures.compare import slice_forest, slice_map
from evalcore.figures.compare.forest import Row
from evalcore.figures.compare.slice_map import MapRow
from evalcore.figures.numbers import in_table, listed, p_value, signed, things
from evalcore.stats.correction import CLEAR
from evalcore.ui.compare import keys
from evalcore.ui.components import figure, select, table, tidy
from evalcore.ui.components.text import md_escape, plain
from evalcore.ui.frame import cache, state
from evalcore.ui.frame.choices import WHERE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.evaluate.slices.slicing import Slicing
    from evalcore.model import Comparison, Interval, Scores
    from evalcore.ui.compare.listing import Pair
    from evalcore.ui.frame.context import Choice, Context

NAMES = {slicing.CONCEPTS: "number of concepts", slicing.DIFFICULTY: "difficulty"}
_BETWEEN = "\n"
"""Parts the conditions that a mark carries."""


class Found(NamedTuple):
    """Slices in the order shown, A minus B in each of them, and every system's mean in all and in each."""

    slicing: Slicing
    overall: Comparison
    differences: tuple[Comparison, ...]
    means: Mapping[str, Interval]
    by_slice: tuple[Mapping[str, Interval], ...]


@st.fragment
def section(context: Context, of: Pair) -> None:
    """The difference of A and B slice by slice, and every system's mean in each."""
    state.go_on()
    st.header("Where do the two systems differ?", anchor=False)
    offered = slicing.offered(context.study)
    by = select.segments("Queries by", offered, keep=keys.BY, first=offered[0], shown=_way)
    found = _found(context, of, by)
    if not found.slicing.slices:
        st.info("No query has a value under every system, so there are no slices.", icon=":material/info:")
        return
    st.markdown(_sentence(found, by))
    shown = replace(found.overall, metric=context.choice.metric_shown)
    drawn = slice_forest(shown, _rows(found), by=_way(by), theme=context.theme)
    figure.show(
        context, drawn, key=f"forest-{context.study.digest}", file="differences-by-slice", clicked=_only
    )
    if remarks := slicing.remarks(found.slicing):
        st.caption(md_escape(" ".join(remarks)))
    _heat_map(context, found, by)
    _table(context, of, found)


def _way(by: str) -> str:
    return NAMES.get(by, by.removeprefix(LABEL))


def _found(context: Context, of: Pair, by: str) -> Found:
    study, choice = context.study, context.choice
    systems = tuple(dict.fromkeys((of.a, of.b, *choice.systems)))

    def work() -> Found:
        scores = cache.scores(study, choice, systems)
        parts = slicing.slice_queries(study, by, scores=scores, settings=choice.settings)
        return _slice_by_slice(scores, parts, choice, ranked=by not in NAMES)

    decides = (
        choice.metric, repr(choice.settings), choice.queries, choice.systems, choice.correction, systems, by,
    )  # fmt: skip
    with st.spinner("Comparing the systems slice by slice…"):
        return cache.remember(("slices", study.digest, *decides), work)


def _slice_by_slice(scores: Sequence[Scores], parts: Slicing, choice: Choice, *, ranked: bool) -> Found:
    """The first of the scores minus the second; ``ranked``: slices with the highest difference first."""
    a, b, settings = scores[0], scores[1], choice.settings
    differences = differences_by_slice(b, a, parts, settings=settings, correction=choice.correction)
    if ranked:
        order = sorted(range(len(differences)), key=lambda i: _highest_first(differences[i].difference))
        parts = replace(parts, slices=tuple(parts.slices[i] for i in order))
        differences = tuple(differences[i] for i in order)
    by_system = means_by_slice(scores, parts, settings=settings)
    columns = dict(zip((one.system for one in scores), by_system, strict=True))
    rows = tuple({name: column[i] for name, column in columns.items()} for i in range(len(parts.slices)))
    means = dict(zip(columns, evaluate.summarise_all(scores, settings=settings), strict=True))
    return Found(parts, evaluate.compare(b, a, settings=settings), differences, means, rows)


def _highest_first(difference: float) -> float:
    return float("inf") if isnan(difference) else -difference


def _sentence(found: Found, by: str) -> str:
    """Overall, the slices that differ clearly, and those that another system wins."""
    c, way = found.overall, md_escape(_way(by))
    if isnan(c.difference):
        return f"No query has a value for both {md_escape(c.system)} and {md_escape(c.baseline)}."
    clear = [
        f"**{md_escape(part.name, limit=40)}** ({signed(one.difference)})"
        for part, one in zip(found.slicing.slices, found.differences, strict=True)
        if one.p_corrected < CLEAR and one.n_pairs >= slicing.FEW
    ]
    pair = f"{md_escape(c.system)} minus {md_escape(c.baseline)}"
    sentence = (
        f"{pair} is **{signed(c.difference)}** over all {things(c.n_pairs, 'query', 'queries')}. By {way}, "
    )
    if clear:
        sentence += f"a difference is clear (corrected p < {CLEAR}) for {listed(clear, limit=8)}."
    else:
        sentence += "no single slice shows a clear difference after correction."
    return f"{sentence} {_winners(found)}"


def _winners(found: Found) -> str:
    overall = {name: mean.mean for name, mean in found.means.items() if not isnan(mean.mean)}
    if len(overall) < 2:
        return ""
    rows = [{name: row[name] for name in overall} for row in found.by_slice]
    best, others = other_winners(overall, rows)
    if not others:
        return (
            f"**{md_escape(best)}** has the highest average overall and in every slice large enough to tell."
        )
    named = [
        f"{md_escape(found.slicing.slices[i].name, limit=40)} (**{md_escape(name)}**)"
        for i, name in others.items()
    ]
    return (
        f"**{md_escape(best)}** has the highest average of all systems; another one has it for "
        f"{listed(named, limit=8)}."
    )


def _rows(found: Found) -> list[Row]:
    return [
        Row(part.name, one, _BETWEEN.join(part.where))
        for part, one in zip(found.slicing.slices, found.differences, strict=True)
    ]


def _only(carried: str) -> None:
    """Callback: only the queries of the slice that was clicked, on every page."""
    chosen = state.get(WHERE) or []
    state.set_value(WHERE, list(dict.fromkeys([*chosen, *carried.split(_BETWEEN)])))
    st.rerun("app")


def _heat_map(context: Context, found: Found, by: str) -> None:
    rows = [MapRow("All queries", max(one.n for one in found.means.values()), found.means)]
    rows += [
        MapRow(part.name, max(one.n for one in means.values()), means)
        for part, means in zip(found.slicing.slices, found.by_slice, strict=True)
    ]
    drawn = slice_map(
        rows, tuple(found.means), by=_way(by), metric=context.choice.metric_shown, theme=context.theme
    )
    figure.show(context, drawn, key="slice-map", file="systems-by-slice")


def _table(context: Context, of: Pair, found: Found) -> None:
    c, level = found.overall, f"{found.overall.level:.0%}".replace("%", " %")
    correction = found.differences[0].correction
    everyone = [("All queries", len(context.study.queries), c, found.means)]
    everyone += [
        (part.name, len(part.queries), one, means)
        for part, one, means in zip(found.slicing.slices, found.differences, found.by_slice, strict=True)
    ]
    saved = pd.DataFrame(
        [
            {
                "by": found.slicing.by, "slice": name, "metric": one.metric, "queries": n, "n": one.n_pairs,
                "a": of.a, "b": of.b, "mean_a": means[of.a].mean, "mean_b": means[of.b].mean,
                "difference": one.difference, "ci_low": one.low, "ci_high": one.high, "ci_level": one.level,
                "p": one.p, "p_corrected": one.p_corrected if place else float("nan"),
                "correction": one.correction if place else "none", "test": one.test,
                "sign_flips": one.n_resamples, "seed": one.seed,
            }
            for place, (name, n, one, means) in enumerate(everyone)
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
            f"{level} interval": [
                in_table(*ends, places=3) for ends in zip(saved["ci_low"], saved["ci_high"], strict=True)
            ],
            "p": [p_value(p) for p in saved["p"]],
            f"p ({correction})": [p_value(p) for p in saved["p_corrected"]],
        }
    )
    number = st.column_config.NumberColumn(format="%.3f")
    table.show(
        shown, key="slice-table", file=context.stem("slices"), placeholder="–",
        saved=tidy.scored(context, saved),
        note=f"p corrected over {things(len(found.differences), 'slice')}; {md_escape(c.test)}, seed {c.seed}"
        f"{context.chosen}.",
        alt=f"Table of {things(len(found.differences), 'slice')} with both means and their difference",
        columns={
            **dict.fromkeys(shown.columns[3:5], number),
            "Difference": st.column_config.NumberColumn(format="%+.3f"),
        },
    )  # fmt: skip
