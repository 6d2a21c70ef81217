"""Two systems: the verdict, the queries behind it, and the difference in each group of queries."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import isnan, nan
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.evaluate import slices as slicing
from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.slices import Slice
from evalcore.figures.systems import GroupRow, slice_forest
from evalcore.figures.two_systems import delta_bars, score_scatter
from evalcore.report import verdicts
from evalcore.report.parts import slice_means
from evalcore.results.method import over_what, p_value_floor_note
from evalcore.results.paper import slice_boards
from evalcore.results.rows import Column, Table, difference_of, only_saved, only_shown, system_name
from evalcore.results.scores import saved_scores
from evalcore.results.writers import latex
from evalcore.stats.correction import CLEAR
from evalcore.ui.components import download, figure, fold, messages, pair, select, table
from evalcore.ui.frame import cache, pages, state
from evalcore.ui.frame.choices import MORE_FLIPS, only_where
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.pages import QUERY, go_to_queries
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import Ints, Offsets
from evalcore.values.model import Comparison, Interval
from evalcore.values.writing import (
    arrow,
    in_table,
    listed,
    md_escape,
    number,
    p_value,
    plain,
    pluralize,
    pluralize_all,
)

TITLES = {"two": "Two systems", "groups": "Groups of queries", "all": "All pairs"}
"""The tabs below the board, by their names in the address."""
EVERY_QUERY = Key("every_query")
EVERY_SYSTEM, GROUPS_TABLE = Key("every_system"), Key("groups_table")
"""The folds."""


def _pickers(context: Context) -> tuple[str, str] | None:
    """A, swap, B; None and a hint where they are the same."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="pickers"):
        a, b = pair.choose(context, width="stretch")
    if a != b:
        return a, b
    st.info("A and B are the same system. Select two different ones.", icon=":material/info:")
    return None


def section(context: Context) -> None:
    """The verdict on two systems, who is better how often, and the difference of each query."""
    chosen = _pickers(context)
    if chosen is None:
        return
    study, choice, (a, b) = context.study, context.choice, chosen
    analysis = cache.analysis(study, choice, systems=(*choice.systems, *chosen))
    comparison = replace(analysis.comparison(a, b), metric=choice.metric_shown)
    gap = analysis.gap()
    if gap is None or chosen != (gap.system, gap.baseline) or not verdicts.clear(gap):
        # Else it is the verdict above.
        ties = verdicts.about_ties(analysis, comparison, plain=choice.plain)
        messages.headline(
            " ".join(filter(None, (verdicts.estimate(comparison, choice.words), ties))), key="lead-part"
        )
    if others := [name for name in chosen if name not in choice.systems]:
        messages.readers(study, others)
        messages.unanswered(cache.scores(study, choice, others))
    bars = delta_bars(
        [study.image_ids[q] for q in study.queries],
        pair.values(context, a, b).deltas,
        a=a,
        b=b,
        metric=choice.metric_shown,
        theme=context.theme,
        lower_is_better=comparison.lower_is_better,
    )
    figure.show(context, bars, key="deltas", file="differences", opens=_open)
    title = "Every query: both scores, filters and table"
    fold.section(title, _every_query, context, comparison, param=EVERY_QUERY)


def _open(image: str) -> None:
    """Go to a query by its id."""
    go_to_queries({QUERY: image})


def _every_query(context: Context, comparison: Comparison) -> None:
    """Both values of each query, and the table of them, filtered; a dot or a row opens the query."""
    a, b = comparison.system, comparison.baseline
    st.markdown(
        f"For each query, the score of {md_escape(b)} is subtracted from that of {md_escape(a)}; the verdict "
        f"is the average over the {pluralize(comparison.n_pairs, 'query')} with a score for both. The range "
        "comes from drawing the queries again at random."
    )
    values = pair.values(context, a, b)
    drawn = score_scatter(
        [context.study.image_ids[q] for q in values.queries],
        values.values_a,
        values.values_b,
        a=a,
        b=b,
        metric=context.choice.metric_shown,
        good_at=values.good_at,
        theme=context.theme,
        lower_is_better=values.lower_is_better,
    )
    figure.show(context, drawn, key="scatter", opens=_open)
    chosen = pair.ordered(values, np.flatnonzero(pair.filtered(context, values)), pair.BY_GAP)
    st.caption(
        f"{pluralize(len(chosen), 'query')}, largest difference first. Select a row to open it. "
        f"{pair.describe_direction(values)}"
    )
    if len(chosen):
        _queries_table(context, values, chosen)
    else:
        st.info("No query matches.", icon=":material/search_off:")


def _queries_table(context: Context, values: pair.Pair, chosen: Offsets) -> None:
    study, at = context.study, values.queries[chosen]
    a, b, gaps, sizes = (
        values.values_a[chosen],
        values.values_b[chosen],
        values.deltas[chosen],
        study.concepts.sizes[at],
    )
    captions = _captions(context, at[: table.ROWS_SHOWN], len(chosen))
    others = tuple(name for name in context.choice.systems if name not in (values.a, values.b))
    beside = [(s.system, pair.at(s, at)) for s in cache.scores(study, context.choice, others)]
    up = arrow(values.lower_is_better)
    columns = (
        Column("query", lambda i: study.image_ids[at[i]]).on_page("Query", cell=plain),
        Column("value_a", a.__getitem__).on_page(f"A {plain(values.a)} {up}", "%.3f"),
        Column("value_b", b.__getitem__).on_page(f"B {plain(values.b)} {up}", "%.3f"),
        Column("difference", gaps.__getitem__).on_page("A − B", "%+.3f"),
        Column("concepts", sizes.__getitem__).on_page("Concepts"),
        only_shown("Caption", captions.__getitem__),
        *(only_saved(f"value of {name}", others_values.__getitem__) for name, others_values in beside),
    )
    row = table.results_table(
        context,
        Table(range(len(chosen)), columns, {"a": values.a, "b": values.b}),
        key="query-table",
        choose=True,
        height=420,
        file="queries",
        about=table.scored,
        alt=f"Table of {pluralize(len(chosen), 'query')} with both scores",
        columns={"Caption": st.column_config.TextColumn(width="large")},
    )
    if row is not None:
        _open(study.image_ids[int(at[row])])


def _captions(context: Context, images: Ints, n: int) -> list[str]:
    """The beginning of the caption of each of these images, "" where there is none, and "" up to ``n``."""
    study = context.study
    texts = cache.cached(
        ("captions in a line", study.digest),
        lambda: [plain(study.caption_of(i) or "", limit=120) for i in range(len(study.image_ids))],
    )
    return [texts[q] for q in images] + [""] * (n - len(images))


# For which groups of queries do the two differ, and which systems win them?


class Group(NamedTuple):
    """Some of the queries, A minus B on them, and the mean of each."""

    slice: Slice
    difference: Comparison
    mean_a: Interval
    mean_b: Interval

    @property
    def clear(self) -> bool:
        return self.difference.p_corrected < CLEAR and self.difference.n_pairs >= slicing.FEW


def groups(context: Context) -> None:
    """The difference of A and B group by group, and every system's mean in each."""
    chosen = _pickers(context)
    if chosen is not None:
        _groups(context, *chosen)


@state.fragment()
def _groups(context: Context, a: str, b: str) -> None:
    ways = slicing.offered(context.study)
    if not ways:
        st.info(
            "Five queries or more with the same label make a group. There are none.", icon=":material/info:"
        )
        return
    by = select.segments("Queries by", ways, param=pages.BY, label_visibility="collapsed")
    choice = context.choice
    analysis = cache.analysis(context.study, choice, systems=(a, b, *choice.systems))
    groups, whole = _by_group(analysis, a, b, by), analysis.comparison(a, b)
    messages.headline(_sentence(context, whole, groups, by), key="lead-part")
    rows = [GroupRow(group.slice.name, group.difference, group.slice.where) for group in groups]
    shown = replace(whole, metric=choice.metric_shown)
    figure.show(
        context,
        slice_forest(shown, rows, by=by, theme=context.theme, tested=not choice.plain),
        key=f"forest-{context.study.digest}",
        file="differences-by-slice",
        clicked=only_where,
    )
    if remarks := analysis.slicing(by).remarks:
        st.caption(md_escape(" ".join(remarks)))
    fold.section("Every system in every group", _every_system, context, analysis, by, param=EVERY_SYSTEM)
    means = analysis.means_of()
    every = Group(Slice("All queries", context.study.queries), whole, means[a], means[b])
    title = "Table, and how this was compared"
    fold.section(title, _groups_table, context, by, (every, *groups), param=GROUPS_TABLE)


def _by_group(analysis: Analysis, a: str, b: str, by: str) -> list[Group]:
    """The groups, those where A leads most first."""
    means = dict(zip(analysis.view.systems, analysis.slice_means(by), strict=True))
    slices, differences = analysis.slicing(by).slices, analysis.slice_comparisons(a, b, by)
    groups = [Group(*row) for row in zip(slices, differences, means[a], means[b], strict=True)]
    return sorted(groups, key=lambda group: (isnan(group.difference.lead), -group.difference.lead))


def _sentence(context: Context, c: Comparison, groups: list[Group], by: str) -> str:
    """The groups that differ clearly, and the difference overall."""
    named = md_escape(by)
    a, b = f"**{md_escape(c.system)}**", f"**{md_escape(c.baseline)}**"
    if isnan(c.difference):
        return f"No query has a value for both {a} and {b}."
    clear = [
        f"**{md_escape(group.slice.name, limit=40)}** ({number(group.difference.difference, sign=True)})"
        for group in groups
        if group.clear
    ]
    tested = "" if context.choice.plain else f" (corrected p < {CLEAR})"
    sentence = f"By {named}, no single group shows a clear difference{tested} between {a} and {b}."
    if clear:
        sentence = f"By {named}, {a} and {b} differ clearly{tested} for {listed(clear, limit=8)}."
    n = pluralize_all(c.n_pairs, "query")
    return f"{sentence} Overall the difference is {number(c.difference, sign=True)} over {n}."


def _every_system(context: Context, analysis: Analysis, by: str) -> None:
    """The average of every system in every group, the clearly best framed, and the files of it."""
    metric, shown = analysis.view.metrics[0], context.choice.metric_shown
    drawn = slice_means(analysis, metric, by, theme=context.theme, shown=shown)
    figure.show(context, drawn, key="slice-map", file="systems-by-slice")
    stem = context.stem("all-systems-by-slice")

    def rows() -> pd.DataFrame:
        return pd.DataFrame(saved_scores(analysis, analysis.sliced([by])).saved())

    def on_paper() -> bytes:
        return latex(next(slice_boards(analysis, analysis.sliced([by])))).encode()

    with st.container(horizontal=True):
        download.csv(rows, stem, label="CSV, all systems")
        name = f"{stem}.tex"
        download.file("LaTeX, all systems", on_paper, name, "text/plain", key="slices-latex", type="tertiary")


def _groups_table(context: Context, by: str, rows: tuple[Group, ...]) -> None:
    """A minus B group by group, all queries first."""
    whole, first = rows[0], rows[1].difference
    c, simple, up = whole.difference, context.choice.plain, arrow(whole.difference.lower_is_better)
    tests = ("test", "sign_flips", "seed")
    columns = (
        Column("slice", "slice.name").on_page("Queries", cell=system_name),
        Column("metric", "difference.metric"),
        Column("queries", lambda group: len(group.slice.queries)).on_page("Number"),
        Column("n", "difference.n_pairs").on_page("With a value"),
        Column("mean_a", "mean_a.mean").on_page(f"A {plain(c.system)} {up}", "%.3f"),
        Column("mean_b", "mean_b.mean").on_page(f"B {plain(c.baseline)} {up}", "%.3f"),
        *difference_of(
            "difference.",
            title="Difference",
            interval_title=f"{c.level:.0%} interval",
            cell=partial(in_table, places=3),
        ),
        Column("ci_level", "difference.level"),
        *(
            [only_shown("Clear", lambda group: "yes" if group is not whole and group.clear else "–")]
            if simple
            else []
        ),
        Column("p", "difference.p").on_page("p", cell=p_value, expert=True),
        Column("p_corrected", lambda group: nan if group is whole else group.difference.p_corrected).on_page(
            f"p ({first.correction})", cell=p_value, expert=True
        ),
        Column("correction", lambda group: "none" if group is whole else first.correction),
        *(Column(name, f"difference.{'n_resamples' if name == 'sign_flips' else name}") for name in tests),
    )
    differences = [group.difference for group in rows[1:]]
    method = (
        f"{md_escape(over_what(differences))}; {md_escape(c.test)}, seed {c.seed}{context.chosen}. "
        f"{p_value_floor_note(differences, more=MORE_FLIPS)}"
    )
    table.results_table(
        context,
        Table(rows, columns, {"by": by, "a": c.system, "b": c.baseline}),
        key="slice-table",
        file="slices",
        about=table.scored,
        note="" if simple else method,
        alt=f"Table of {pluralize(len(differences), 'group')} with both means and their difference",
    )
