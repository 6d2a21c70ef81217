"""The page Queries: which queries are hard, and on which one system is an outlier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.evaluate.per_query import (
    FEWEST,
    KINDS,
    LIMIT,
    PerQueryResult,
    against_rest,
    in_order,
    leading_first,
    named,
    outside,
)
from evalcore.figures.queries import COLUMNS, most_alone, query_map
from evalcore.figures.two_systems import delta_bars
from evalcore.report import verdicts
from evalcore.results.queries import queries_table
from evalcore.results.rows import Table, only_shown
from evalcore.stats.sums import mean_of
from evalcore.ui.components import cards, figure, fold, messages, pair, select, table
from evalcore.ui.components import places as side
from evalcore.ui.frame import cache, pages, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.pages import QUERY, go
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import Floats, Offsets
from evalcore.values.writing import arrow, count, listed, md_escape, plain, pluralize, signed

# What the page looks at: all values under the sidebar's measure, and how a query is opened from here.


def found(context: Context) -> PerQueryResult:
    """Every query under every chosen system; good and poor as chosen on the page."""
    study, choice = context.study, context.choice
    by, at = pair.good()

    def work() -> PerQueryResult:
        analysis = cache.analysis(study, choice)
        return analysis.queries(good_by=by, good_at=at, at_least=choice.smallest_difference)

    return cache.share(cache.key_of("per query", study, choice, by, at, choice.smallest_difference), work)


def open_query(context: Context, image: str, first: str = "") -> None:
    """Leave for a query, with the systems of this page side by side; ``first`` before the others."""
    systems = [name for name in (first, *context.choice.systems) if name]
    go("queries", {QUERY: image, **side.link(systems)})


def open_cell(context: Context, carried: Any) -> None:
    """The same for what a cell or a bar carries: [query, system], or the query alone."""
    image, system = carried if isinstance(carried, list) else (carried, "")
    open_query(context, str(image), str(system))


KIND_NAMES = {
    "all": "All",
    "hard": "Poor for all",
    "good": "Good for all",
    "departs": "Outlier",
    "undefined": "No value",
}
ORDER_NAMES = {
    "hardest": "Hardest first",
    "easiest": "Easiest first",
    "spread": "Systems differ most",
    "departs": "Outliers first",
    "id": "By ID",
}
ORDER_WIDTH, FIND_WIDTH = 220, 300
ROWS = 1_000
"""Rows of the table at most: more take the browser a second. The file contains all."""
LISTED, ONE_SYSTEM = Key("listed"), Key("one_system")
"""The folds of the page."""


@state.fragment()
def show(context: Context) -> None:
    """The whole page: what was found, the map of all queries, and what is behind it."""
    result = found(context)
    _headline(context, result)
    places = _controls(context, result)
    if len(places):
        _map(context, result, places)
        title = f"List of {pluralize(len(places), 'query')} with every score"
        fold.section(title, _listed, context, result, places, keep=LISTED)
    else:
        st.info("No query matches.", icon=":material/search_off:")
    title = "One system versus the rest: where it leads and where it trails"
    opened_by = (pages.AGAINST, pages.REST)
    fold.section(title, _versus_rest, context, result, keep=ONE_SYSTEM, opened_by=opened_by)
    fold.section("How this was compared", _method, context, result, keep=fold.HOW_COMPARED)


def _headline(context: Context, result: PerQueryResult) -> None:
    """What was found, in one sentence, and what changes how it is read."""
    messages.lead(verdicts.of_queries(result))
    messages.caveats(cache.scores(context.study, context.choice, result.of.systems), context.choice.settings)


def _controls(context: Context, result: PerQueryResult) -> Offsets:
    """Kind, order, what good means, words to find; the places of the queries that are listed, in order."""
    with st.container(horizontal=True, vertical_alignment="center"):
        asked = str(state.read_param(pages.KIND, KINDS[0], state.one_of(*KINDS)))
        kind = select.segments(
            "Show",
            [name for name in KINDS if name in (KINDS[0], asked) or result.count(name)],
            keep=pages.KIND,
            label_visibility="collapsed",
            width="content",
            shown=lambda name: f"{KIND_NAMES[name]} · {count(result.count(name))}",
        )
        order = select.one(
            "Order", ORDER_NAMES, keep=pages.QUERIES_ORDER, label_visibility="collapsed", width=ORDER_WIDTH
        )
        with st.popover("“Good” means", icon=":material/tune:"):
            pair.ask_limits()
            st.caption(pair.limits_in_words(result, whose="all systems"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sought = select.words(
            "Find",
            keep=pages.FIND,
            icon=":material/search:",
            placeholder="ID, caption, concept or label",
            label_visibility="collapsed",
            max_chars=200,
            width=FIND_WIDTH,
        )
        wanted = pair.found(context.study, sought)[result.of.queries]
        places = in_order(result.of, order, outliers=result.departures)  # type: ignore[arg-type]
        places = places[result.kind(kind)[places] & wanted[places]]  # type: ignore[arg-type]
        if len(places):
            first = context.study.image_ids[result.of.queries[places[0]]]
            if st.button(
                f"Open {md_escape(first, limit=40)}", key="open-first", icon=":material/image_search:"
            ):
                open_query(context, first)
    return places


def _method(context: Context, result: PerQueryResult) -> None:
    """What good, poor and outlier mean, how often each system is first, and what has no value."""
    st.markdown(pair.limits_in_words(result, whose="all systems"))
    if len(result.of.systems) >= FEWEST:
        st.markdown(_outlier_in_words(context))
    for line in (_won(result), _without(context, result)):
        if line:
            st.markdown(line)


def _outlier_in_words(context: Context) -> str:
    smallest, plain_words = context.choice.smallest_difference, context.choice.plain
    nearer = f", and at least {smallest:g} away" if smallest else ""
    if plain_words:
        return (
            "A system is an outlier where its score is far from the median of all systems, relative to the "
            f"spread of the other systems{nearer}. Some outliers are expected by chance."
        )
    return (
        "A system is an outlier where its modified z-score, 0.6745 (x − median) / MAD over the systems, "
        f"is beyond {LIMIT:g} in size{nearer} (Iglewicz & Hoaglin 1993; where the MAD is 0, "
        "(x − median) / (1.2533 MeanAD)): a description, not a test."
    )


def _won(result: PerQueryResult) -> str:
    """How often each system is best alone, and how often several are."""
    if len(result.of.systems) < 2:
        return ""
    each = listed([f"{md_escape(name)} {count(n)}" for name, n in verdicts.best_alone(result)], limit=10)
    n = result.level_at_the_top
    tied = (
        f"{pluralize(n, 'query has', 'queries have')} ties for first place."
        if n
        else "No ties for first place."
    )
    return f"Queries won: {each}. {tied}"


def _without(context: Context, result: PerQueryResult) -> str:
    """Queries without a value, with the reasons; those that count as 0 where the reader chose that."""
    reasons = result.of.undefined()
    if not reasons:
        return ""
    why = listed([f"{count(of)} {reason}" for reason, of in reasons.items()])
    if context.choice.settings.undefined == "zero":
        left = outside(result.of)
        rest = f" {pluralize(left, 'query')} outside the pool have no value." if left else ""
        return f"Queries without a value count as 0, as chosen on the left ({why}).{rest}"
    n = result.count("undefined")
    return f"{pluralize(n, 'query has', 'queries have')} no value, which is not 0: {why}."


def _order_in_words() -> str:
    """The chosen order as the figure says it."""
    name = ORDER_NAMES[str(state.get(pages.QUERIES_ORDER, "hardest"))]
    return name[0].lower() + name[1:]


def _map(context: Context, found: PerQueryResult, places: Offsets) -> None:
    """The queries listed, drawn; where they are too many, neighbours together until one column is chosen."""
    n, most = len(places), most_alone(len(found.of.systems))
    step = min(COLUMNS, most)
    first = int(state.read_param(pages.FIRST, 0, state.whole(0, 10_000_000)))
    start = min(max(first - 1, 0), n - 1) if first and n > most else None
    if start is not None:
        _walk(n, start, step)
    part = places if start is None else places[start : start + step]
    image_ids = context.study.image_ids
    drawn = query_map(
        [image_ids[q] for q in found.of.queries[part]],
        found.of.systems,
        found.of.values[part],
        hard=found.hard[part],
        departs=found.departures.departs[part],
        metric=context.choice.metric_shown,
        order=_order_in_words(),
        theme=context.theme,
        first=start or 0,
        of=n,
        lower_is_better=found.of.sign < 0,
    )
    if start is None and n > most:
        figure.show(context, drawn, key=f"columns-{n}", file="queries", clicked=_zoom)
    else:
        key = f"cells-{n}-{start}"
        figure.show(context, drawn, key=key, file="queries", opens=lambda one: open_cell(context, one))


def _zoom(carried: Any) -> None:
    """Callback: draw the queries of a column one by one."""
    state.set_value(pages.FIRST, int(carried) + 1)


def _walk(n: int, start: int, step: int) -> None:
    """On to the queries before and after those drawn, and back to all of them."""
    ways = (
        ("all", f"All {count(n)} queries", "zoom_out_map", 0, False),
        ("back", f"Previous {step}", "chevron_left", max(start - step, 0) + 1, start == 0),
        ("on", f"Next {step}", "chevron_right", start + step + 1, start + step >= n),
    )
    with st.container(horizontal=True):
        for name, label, icon, first, disabled in ways:
            st.button(
                label,
                key=f"queries-{name}",
                icon=f":material/{icon}:",
                on_click=state.set_value,
                args=(pages.FIRST, first),
                disabled=disabled,
            )


def _listed(context: Context, result: PerQueryResult, places: Offsets) -> None:
    """The queries in the order of the map, with every value; a chosen row opens the query."""
    shown = places[:ROWS]
    study, of = context.study, result.of
    concepts = only_shown("Concepts", lambda i: study.concepts.sizes[of.queries[i]])
    image = only_shown("Image", lambda i: plain(cards.describe(study, int(of.queries[i])), limit=120))
    rows = queries_table(result, shown, study, more=[concepts, image])
    st.caption(
        f"{pluralize(len(places), 'query')}, {_order_in_words()}"
        + (f"; the first {count(ROWS)} are in the table, the file contains all" if len(places) > ROWS else "")
        + ". Select a row to see what the systems returned for it."
    )
    departing = named(of.systems, result.departures.departs[shown])
    row = table.declared(
        context,
        rows,
        key="queries-table",
        choose=True,
        height=420,
        stem=context.stem("queries-by-system"),
        saved=_saved(context, result, places),
        placeholder="no value",
        alt=f"Table of {pluralize(len(shown), 'query')} with the value of every system",
        note=_note(context, "Mean over the systems, ties are listed by ID"),
        columns={
            **table.names(context, "Query"),
            "Outlier system": st.column_config.TextColumn(width=_wide_enough(departing)),
        },
    )
    if row is not None:
        open_query(context, study.image_ids[int(of.queries[shown[row]])])


def _wide_enough(lists: Sequence[Sequence[str]]) -> int:
    """Pixels for the longest list of names, which the browser would cut; three systems at most."""
    longest = max((len(", ".join(names)) for names in lists), default=0)
    return min(max(8 * longest + 24, 80), 360)


def _saved(
    context: Context,
    result: PerQueryResult,
    places: Offsets,
    differences: Floats | None = None,
    **facts: object,
) -> Table:
    """The file: every fact of every query listed, in full precision."""
    rows = queries_table(result, np.asarray(places), context.study, differences=differences)
    where = {"where": "; ".join(context.choice.chosen.where)} if context.choice.chosen.where else {}
    return rows._replace(facts={**facts, **where})


# One system against the rest: where it leads, and where it falls behind.

REST_NAMES = {"mean": "average of the others", "best": "best of the others"}
BRIEF = {"mean": "average of others", "best": "best of others"}
"""The same where space is short."""
ENDS = 10
"""Queries listed at each end."""
NAME_WIDTH = 260


def _versus_rest(context: Context, found: PerQueryResult) -> None:
    """The chosen system minus the others, sorted, and both ends of the order."""
    systems = found.of.systems
    if len(systems) < 2:
        st.info("Select at least two systems on the left.", icon=":material/info:")
        return
    best = verdicts.ranked_systems(cache.analysis(context.study, context.choice).means_of())[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        system = select.one("System", systems, keep=pages.AGAINST, first=best, width=NAME_WIDTH)
        rest = select.segments("Compare with", REST_NAMES, keep=pages.REST, width="content")
    differences = against_rest(found.of, system, rest)  # type: ignore[arg-type]
    order = leading_first(differences, found.of.sign)
    messages.lead(_sentence(differences[order], system, REST_NAMES[rest], found.of.sign), key="lead-first")
    ids = [context.study.image_ids[q] for q in found.of.queries]
    drawn = delta_bars(
        ids,
        differences,
        a=system,
        b=BRIEF[rest],
        metric=context.choice.metric_shown,
        theme=context.theme,
        lower_is_better=found.of.sign < 0,
    )
    figure.show(
        context,
        drawn,
        key="against",
        file="one-against-the-rest",
        opens=lambda one: open_cell(context, [one, system]),
    )
    if len(order):
        _ends(context, found, differences, order, system)
        table.beside(
            _note(context, f"{md_escape(system)} minus the {REST_NAMES[rest]}, query by query"),
            lambda: pd.DataFrame(
                _saved(context, found, order, differences, system=system, rest=rest).saved()
            ),
            context.stem("one-against-the-rest"),
        )


def _sentence(known: Floats, system: str, rest: str, sign: int) -> str:
    if not len(known):
        return "No query has a value under every system."
    leads, behind = int((sign * known > 0).sum()), int((sign * known < 0).sum())
    tied = len(known) - leads - behind
    return (
        f"**{md_escape(system)}** beats the {rest} on **{count(leads)}** of {pluralize(len(known), 'query')} "
        f"and trails on **{count(behind)}**{f', tied on {count(tied)}' if tied else ''}; the average "
        f"difference is {signed(mean_of(known))}."
    )


def _note(context: Context, what: str) -> str:
    """The line beside a file: what it contains, and at Expert under which measure."""
    return f"{what}{'' if context.choice.plain else f'. {md_escape(context.choice.metric)}'}{context.chosen}."


def _ends(context: Context, result: PerQueryResult, differences: Floats, order: Offsets, system: str) -> None:
    """The queries where it leads most, and those where it is farthest behind."""
    lead = result.of.sign * differences[order]
    leads = order[lead > 0][:ENDS]
    behind = order[lead < 0][::-1][:ENDS]
    left, right = figure.side_by_side()
    for column, name, title, places in (
        (left, "leads", "Where it leads most", leads),
        (right, "behind", "Where it trails most", behind),
    ):
        with column:
            st.markdown(f"**{title}**")
            if len(places):
                _end(context, result, differences, places, system, name)
            else:
                st.caption("On no query.")


def _end(
    context: Context, result: PerQueryResult, differences: Floats, places: Offsets, system: str, name: str
) -> None:
    study, of = context.study, result.of
    rows = pd.DataFrame(
        {
            "Query": [plain(study.image_ids[q]) for q in of.queries[places]],
            "Difference": differences[places],
            f"{plain(system)} {arrow(of.sign < 0)}": of.values[places, of.systems.index(system)],
            f"Mean of all {arrow(of.sign < 0)}": result.means[places],
            "Image": [plain(cards.describe(study, int(q)), limit=120) for q in of.queries[places]],
        }
    )
    row = table.bare(
        rows,
        key=f"against-{name}",
        choose=True,
        alt=f"{pluralize(len(rows), 'query')} with the difference of {plain(system)}",
        columns=table.numbers("%+.3f", "Difference") | table.numbers("%.3f", *rows.columns[2:4]),
    )
    if row is not None:
        open_query(context, study.image_ids[int(of.queries[places[row]])], system)
