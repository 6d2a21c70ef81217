"""The parts of the compare page: the estimate, the two clickable figures, the table of queries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from evalcore.figures.compare import delta_bars, score_scatter, win_tie_loss
from evalcore.report import verdicts
from evalcore.results.rows import Column, Table, only_saved, only_shown
from evalcore.ui.components import figure, messages, pair, table
from evalcore.ui.components.pair import Pair
from evalcore.ui.frame import cache
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.pages import QUERY, go
from evalcore.values.arrays import Floats, Ints, Offsets
from evalcore.values.markdown import plain
from evalcore.values.model import Study
from evalcore.values.writing import pluralize


def pickers(context: Context) -> Pair:
    """A, swap, B; and the values of both."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        a, b = pair.choose(context, width="stretch")
    return pair.values(context, a, b)


def estimate(context: Context, of: Pair) -> None:
    """The result in words, and how often each wins."""
    if of.a == of.b:
        st.info("A and B are the same system: select two different ones to compare.", icon=":material/info:")
        st.stop()
    comparison = cache.comparison(context.study, context.choice, of.a, of.b)
    messages.lead(verdicts.estimate(comparison, context.choice))
    messages.readers(context.study, (of.a, of.b))
    messages.few([comparison.n_independent])
    scored = cache.scores(context.study, context.choice, [of.a, of.b])
    messages.caveats(scored, context.choice.settings)
    messages.groups_proposed(context.study)
    comparison = replace(comparison, metric=context.choice.metric_shown)
    figure.show(context, win_tie_loss(comparison, theme=context.theme), key="wins")
    messages.go_to("measures", label="Would another measure say the same?")


def figures(context: Context, of: Pair) -> None:
    """Difference per query, and both values per query; a click opens the query."""
    ids = [context.study.image_ids[q] for q in of.queries]
    metric, theme = context.choice.metric_shown, figure.within(context).theme
    left, right = figure.side_by_side()
    with left:
        drawn = delta_bars(ids, of.deltas, a=of.a, b=of.b, metric=metric, theme=theme)
        figure.show(context, drawn, key="deltas", file="differences", opens=_open)
    with right:
        drawn = score_scatter(
            ids,
            of.values_a,
            of.values_b,
            a=of.a,
            b=of.b,
            metric=metric,
            good_at=of.good_at,
            theme=theme,
            poor_below=of.poor_below,
        )
        figure.show(context, drawn, key="scatter", opens=_open)


def _open(image: str) -> None:
    """Go to a query by its id."""
    go("query", {QUERY: image})


def queries(context: Context, of: Pair) -> None:
    """The queries behind the figures, filtered; a chosen row opens the query."""
    st.header("Queries", anchor=False)
    keep = pair.kept(context, of)
    chosen = pair.ordered(of, np.flatnonzero(keep), pair.BY_GAP)
    st.caption(
        f"{pluralize(len(chosen), 'query')}, largest difference first. Select a row to open it. "
        f"{pair.limits_in_words(context, of)}"
    )
    if not len(chosen):
        st.info("No query matches.", icon=":material/search_off:")
        return
    _table(context, of, chosen)


def _table(context: Context, of: Pair, chosen: Offsets) -> None:
    study, at = context.study, of.queries[chosen]
    a, b, gaps, sizes = of.values_a[chosen], of.values_b[chosen], of.deltas[chosen], study.concepts.sizes[at]
    captions = _captions(context, at[: table.ROWS_SHOWN], len(chosen))
    others = _of_others(context, of, at)
    columns = (
        Column("query", lambda i: study.image_ids[at[i]]).on_page("Query", cell=plain),
        Column("value_a", a.__getitem__).on_page(f"A {plain(of.a)} ↑", "%.3f"),
        Column("value_b", b.__getitem__).on_page(f"B {plain(of.b)} ↑", "%.3f"),
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


def _of_others(context: Context, of: Pair, queries: Ints) -> dict[str, Floats]:
    """The values of the other systems chosen, a column each; NaN without a value."""
    others = tuple(name for name in context.choice.systems if name not in (of.a, of.b))
    scores = cache.scores(context.study, context.choice, others)
    return {f"value of {score.system}": pair.at(score, queries) for score in scores}


def _captions(context: Context, images: Ints, n: int) -> list[str]:
    study = context.study
    texts = cache.share(("captions in a line", study.digest), lambda: _in_a_line(study))
    return [texts[q] for q in images] + [""] * (n - len(images))


def _in_a_line(study: Study) -> list[str]:
    """The beginning of every caption, "" where there is none."""
    return [plain(study.caption_of(i) or "", limit=120) for i in range(len(study.image_ids))]
