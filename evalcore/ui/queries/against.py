"""One system against the rest: where it leads, and where it falls behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.evaluate.per_query.orders import leading_first
from evalcore.evaluate.per_query.rest import against_rest
from evalcore.figures.compare import delta_bars
from evalcore.figures.numbers import count, signed, things
from evalcore.report import verdicts
from evalcore.stats.sums import mean_of
from evalcore.ui.components import cards, figure, select, table
from evalcore.ui.frame import cache, state
from evalcore.ui.queries import keys
from evalcore.ui.queries.found import open_cell, open_query
from evalcore.ui.queries.sections import saved
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from evalcore.evaluate.per_query.found import Found
    from evalcore.ui.frame.context import Context
    from evalcore.values.arrays import Floats, Offsets

REST_NAMES = {"mean": "the mean of the others", "best": "the best of the others"}
BRIEF = {"mean": "mean of others", "best": "best of others"}
"""The same where space is short."""
ENDS = 10
"""Queries listed at each end."""
NAME_WIDTH = 260


@state.fragment()
def section(context: Context, found: Found) -> None:
    """The chosen system minus the others, sorted, and both ends of the order."""
    st.header("One system against the rest", anchor=False)
    systems = found.of.systems
    if len(systems) < 2:
        st.info("Select at least two systems on the left.", icon=":material/info:")
        return
    best = verdicts.ranked_systems(cache.intervals(context.study, context.choice))[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        system = select.one("System", systems, keep=keys.AGAINST, first=best, width=NAME_WIDTH)
        rest = select.segments("Minus", REST_NAMES, keep=keys.REST, width="content")
    differences = against_rest(found.of, system, rest)  # type: ignore[arg-type]
    order = leading_first(differences)
    st.markdown(_sentence(context, differences[order], system, REST_NAMES[rest]))
    ids = [context.study.image_ids[q] for q in found.of.queries]
    drawn = delta_bars(
        ids, differences, a=system, b=BRIEF[rest], metric=context.choice.metric_shown,
        theme=context.theme,
    )  # fmt: skip
    figure.show(
        context, drawn, key="against", file="one-against-the-rest",
        opens=lambda one: open_cell(context, [one, system]),
    )  # fmt: skip
    if len(order):
        _ends(context, found, differences, order, system)
        table.beside(
            f"{md_escape(system)} minus {REST_NAMES[rest]}, query by query; ties by id. "
            f"{md_escape(context.choice.metric)}{context.chosen}.",
            lambda: _saved(context, found, differences, order, system, rest),
            context.stem("one-against-the-rest"),
        )


def _sentence(context: Context, known: Floats, system: str, rest: str) -> str:
    if not len(known):
        return "No query has a value under every system."
    metric = md_escape(context.choice.metric_shown)
    measure = f"“{metric}”" if context.choice.plain else metric
    leads, behind = int((known > 0).sum()), int((known < 0).sum())
    return (
        f"**{md_escape(system)}** is ahead of {rest} on **{count(leads)}** of "
        f"{things(len(known), 'query')}, level on {count(len(known) - leads - behind)} and behind "
        f"on **{count(behind)}**; on average the difference is {signed(mean_of(known))} under "
        f"{measure}."
    )


def _ends(context: Context, found: Found, differences: Floats, order: Offsets, system: str) -> None:
    """The queries where it leads most, and those where it is farthest behind."""
    leads = order[differences[order] > 0][:ENDS]
    behind = order[differences[order] < 0][::-1][:ENDS]
    left, right = figure.side_by_side()
    for side, name, title, places in (
        (left, "leads", "Where it leads most", leads),
        (right, "behind", "Where it falls behind most", behind),
    ):
        with side:
            st.markdown(f"**{title}**")
            if len(places):
                _end(context, found, differences, places, system, name)
            else:
                st.caption("On no query.")


def _end(
    context: Context, found: Found, differences: Floats, places: Offsets, system: str, name: str
) -> None:  # fmt: skip
    study, of = context.study, found.of
    rows = pd.DataFrame(
        {
            "Query": [plain(study.image_ids[q]) for q in of.queries[places]],
            "Difference": differences[places],
            f"{plain(system)} ↑": of.values[places, of.systems.index(system)],
            "Mean of all ↑": found.means[places],
            "Image": [plain(cards.describe(study, int(q)), limit=120) for q in of.queries[places]],
        }
    )
    row = table.bare(
        rows, key=f"against-{name}", choose=True,
        alt=f"{things(len(rows), 'query')} with the difference of {plain(system)}",
        columns=table.numbers("%+.3f", "Difference") | table.numbers("%.3f", *rows.columns[2:4]),
    )  # fmt: skip
    if row is not None:
        open_query(context, study.image_ids[int(of.queries[places[row]])], system)


def _saved(
    context: Context, found: Found, differences: Floats, order: Offsets, system: str, rest: str
) -> pd.DataFrame:  # fmt: skip
    rows = saved(context, found, order)
    rows.insert(1, "system", system)
    rows.insert(2, "rest", rest)
    rows.insert(3, "difference", differences[order])
    return rows
