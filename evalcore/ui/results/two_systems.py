"""Two systems: the verdict, who is better how often, and the queries behind it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from evalcore.figures.two_systems import delta_bars, score_scatter
from evalcore.report import verdicts
from evalcore.results.rows import Column, Table, only_saved, only_shown
from evalcore.ui.components import figure, fold, messages, pair, table
from evalcore.ui.frame import cache, pages
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.pages import QUERY, go
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import Floats, Ints, Offsets
from evalcore.values.model import Comparison
from evalcore.values.writing import arrow, md_escape, plain, pluralize

EVERY_QUERY = Key("every_query")
INSIDE = (pages.SHOW, pages.GOOD_BY, pages.GOOD_AT)
KEYS = (EVERY_QUERY, *INSIDE)
"""What a link asks of this part: its folds, and what is chosen in them."""


def pickers(context: Context) -> tuple[str, str] | None:
    """A, swap, B; None and a hint where they are the same."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="pickers"):
        a, b = pair.choose(context, width="stretch")
    if a != b:
        return a, b
    st.info("A and B are the same system. Select two different ones.", icon=":material/info:")
    return None


def section(context: Context) -> None:
    """The verdict on two systems, who is better how often, and the difference of each query."""
    chosen = pickers(context)
    if chosen is None:
        return
    study, choice = context.study, context.choice
    analysis = cache.analysis(study, choice, systems=(*choice.systems, *chosen))
    comparison = replace(analysis.comparison(*chosen), metric=choice.metric_shown)
    gap = analysis.gap()
    if choice.plain or gap is None or chosen != (gap.system, gap.baseline):  # else it is the verdict above
        ties = verdicts.about_ties(analysis, comparison, plain=choice.plain)
        messages.lead(" ".join(filter(None, (verdicts.estimate(comparison, choice), ties))), key="lead-part")
    if others := [name for name in chosen if name not in choice.systems]:
        messages.readers(study, others)
        messages.caveats(cache.scores(study, choice, others), choice.settings)
    a, b = chosen
    bars = delta_bars(
        [study.image_ids[q] for q in study.queries],
        pair.differences(context, a, b),
        a=a,
        b=b,
        metric=choice.metric_shown,
        theme=context.theme,
        lower_is_better=comparison.lower_is_better,
    )
    figure.show(context, bars, key="deltas", file="differences", opens=_open)
    title = "Every query: both scores, filters and table"
    fold.section(title, _every_query, context, comparison, keep=EVERY_QUERY, opened_by=INSIDE)


def _open(image: str) -> None:
    """Go to a query by its id."""
    go("queries", {QUERY: image})


def _every_query(context: Context, comparison: Comparison) -> None:
    """Both values of each query, and the table of them, filtered; a dot or a row opens the query."""
    a, b = comparison.system, comparison.baseline
    st.markdown(
        f"For each query, the score of {md_escape(b)} is subtracted from that of {md_escape(a)}; the verdict "
        f"is the average over the {pluralize(comparison.n_pairs, 'query')} with a score for both. The range "
        "comes from drawing the queries again at random."
    )
    of = pair.values(context, a, b)
    drawn = score_scatter(
        [context.study.image_ids[q] for q in of.queries],
        of.values_a,
        of.values_b,
        a=a,
        b=b,
        metric=context.choice.metric_shown,
        good_at=of.good_at,
        theme=context.theme,
        poor_below=of.poor_below,
        lower_is_better=of.lower_is_better,
    )
    figure.show(context, drawn, key="scatter", opens=_open)
    keep = pair.kept(context, of)
    chosen = pair.ordered(of, np.flatnonzero(keep), pair.BY_GAP)
    st.caption(
        f"{pluralize(len(chosen), 'query')}, largest difference first. Select a row to open it. "
        f"{pair.limits_in_words(of)}"
    )
    if not len(chosen):
        st.info("No query matches.", icon=":material/search_off:")
        return
    _table(context, of, chosen)


def _table(context: Context, of: pair.Pair, chosen: Offsets) -> None:
    study, at = context.study, of.queries[chosen]
    a, b, gaps, sizes = of.values_a[chosen], of.values_b[chosen], of.deltas[chosen], study.concepts.sizes[at]
    captions = _captions(context, at[: table.ROWS_SHOWN], len(chosen))
    others, up = _of_others(context, of, at), arrow(of.lower_is_better)
    columns = (
        Column("query", lambda i: study.image_ids[at[i]]).on_page("Query", cell=plain),
        Column("value_a", a.__getitem__).on_page(f"A {plain(of.a)} {up}", "%.3f"),
        Column("value_b", b.__getitem__).on_page(f"B {plain(of.b)} {up}", "%.3f"),
        Column("difference", gaps.__getitem__).on_page("A − B", "%+.3f"),
        Column("concepts", sizes.__getitem__).on_page("Concepts"),
        only_shown("Caption", captions.__getitem__),
        *(only_saved(name, values.__getitem__) for name, values in others.items()),
    )
    row = table.declared(
        context,
        Table(range(len(chosen)), columns, {"a": of.a, "b": of.b}),
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


def _of_others(context: Context, of: pair.Pair, queries: Ints) -> dict[str, Floats]:
    """The values of the other systems chosen, a column each; NaN without a value."""
    others = tuple(name for name in context.choice.systems if name not in (of.a, of.b))
    scores = cache.scores(context.study, context.choice, others)
    return {f"value of {score.system}": pair.at(score, queries) for score in scores}


def _captions(context: Context, images: Ints, n: int) -> list[str]:
    """The beginning of the caption of each of these images, "" where there is none, and "" up to ``n``."""
    study = context.study
    texts = cache.share(
        ("captions in a line", study.digest),
        lambda: [plain(study.caption_of(i) or "", limit=120) for i in range(len(study.image_ids))],
    )
    return [texts[q] for q in images] + [""] * (n - len(images))
