"""Table 1 of the nn-IoU paper for the chosen measures: each searches, labels say what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.figures.leaderboard import leaderboard_dots, leaderboard_dots_alt
from evalcore.ranking.metrics import parse_metric
from evalcore.ui import (
    charts,
    latex,
    measures_page,
    measures_page_judged,
    measures_page_work,
    messages,
    state,
    tables,
)
from evalcore.ui import measures_page_words as words
from evalcore.ui.format import count, interval, number, things
from evalcore.ui.text import md_escape

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.evaluate.table_one import TableCell, TableOne
    from evalcore.ui.context import Context

TIES = {"id": "in order of ids", "expected": "averaged over all orders"}
READ_PLAIN = (
    "Each mark is a measure used as a search engine: of the images it puts first, how many carry the same "
    "label as the query. If the lines of two measures overlap a lot, do not call one better."
)
READ_TECHNICAL = (
    "Mean precision over the queries that carry the label, bootstrap interval over queries. "
    "Overlap of intervals is no test; ≈ in the table is."
)
CIRCULAR = (
    "Labels and measures often come from the same list of findings, so this compares measures with each "
    "other; it does not say that they beat a system that looks at pictures."
)


def section(context: Context, measures: tuple[str, ...]) -> None:
    """The finding for one column, its figure, the table at one depth, and the whole table as files."""
    if context.study.labels is None:
        messages.empty(
            "No labels to count by", "With a label per image, such as its organ, a search can be checked.",
            page="data", label="Add labels", key="no-labels", params={state.TAB: "Open or upload"},
        )  # fmt: skip
        return
    asked, seed = measures_page_judged.carried_sample(context, measures)
    bar = st.container(horizontal=True, vertical_alignment="bottom")
    found = measures_page_work.table(
        context.study, measures, asked=asked, seed=seed, settings=context.choice.settings
    )
    if found is None:
        return
    with bar:
        column = _column(found, context)
        _ties(context)
        if not context.choice.plain:
            measures_page_judged.sample_controls(context, asked, seed)
    names = measures_page.labels(context, measures)
    messages.lead(words.search(found, column, names, target(found.metrics[column], plain=True)))
    _figure(context, found, column, names)
    messages.few([row[column].interval.n for row in found.cells])
    _table(context, found, column, names)
    st.caption(_method(context, found))
    _files(context, found, names)


def target(metric: str, *, plain: bool) -> str:
    """A column without its depth: "the same modality and organ", or "modality & organ"."""
    columns = [md_escape(name) for name in parse_metric(metric).labels]
    return f"the same {' and '.join(columns)}" if plain else " & ".join(columns)


def _column(found: TableOne, context: Context) -> int:
    """The column looked at closely."""
    at_ten = [metric for metric in found.metrics if metric.endswith("@10")]
    usual = next((metric for metric in at_ten if "&" in metric), found.metrics[0])
    picked = str(state.carry(state.COLUMN, usual, state.one_of(*found.metrics)))
    st.selectbox(
        "Counted as found", found.metrics, key=state.seed(state.COLUMN, picked),
        on_change=state.take_widget, args=(state.COLUMN,), width=380, format_func=_shown(context),
    )  # fmt: skip
    return found.metrics.index(picked)


def _ties(context: Context) -> None:
    """The sidebar's "Equal scores", at hand here: with set measures ties decide much of a list."""
    st.session_state[state.TIES_HERE] = context.choice.settings.ties
    st.segmented_control(
        "Equally close images", list(TIES), required=True, key=state.TIES_HERE, on_change=_take_ties,
        format_func=TIES.__getitem__,
        help="A measure often finds many images equally close. They can be taken in the order of their ids, "
        "or the result averaged over all orders, exactly.",
    )  # fmt: skip


def _take_ties() -> None:
    state.set_value(state.TIES, st.session_state[state.TIES_HERE])


def _shown(context: Context) -> Callable[[str], str]:
    if not context.choice.plain:
        return str
    return lambda m: f"{' and '.join(parse_metric(m).labels)}, first {parse_metric(m).cutoff} images"


def _figure(context: Context, found: TableOne, column: int, names: Sequence[str]) -> None:
    means = {name: row[column].interval for name, row in zip(names, found.cells, strict=True)}
    metric = _shown(context)(found.metrics[column])
    title = f"Same {metric}" if context.choice.plain else metric
    st.plotly_chart(
        leaderboard_dots(means, metric=title, systems=names, theme=context.theme, kind="measure"),
        theme=None, key="search", config=charts.toolbar(context, "search"),
        alt=leaderboard_dots_alt(means, metric=title, kind="measure"),
    )  # fmt: skip
    messages.how_to_read(READ_PLAIN if context.choice.plain else READ_TECHNICAL)


def _table(context: Context, found: TableOne, column: int, names: Sequence[str]) -> None:
    """All label types at the depth of the chosen column."""
    depth = parse_metric(found.metrics[column]).cutoff
    shown = [j for j, metric in enumerate(found.metrics) if parse_metric(metric).cutoff == depth]
    st.subheader(f"All labels, first {depth} images", anchor=False)
    rows = [
        {"Measure": md_escape(name), **{
            target(found.metrics[j], plain=False) + " ↑": _cell(row[j], technical=not context.choice.plain)
            for j in shown
        }}
        for name, row in zip(names, found.cells, strict=True)
    ]  # fmt: skip
    st.table(
        pd.DataFrame(rows), border="horizontal", hide_index=True,
        alt=f"Precision of {things(len(rows), 'measure')} over {things(len(shown), 'label target')}",
    )  # fmt: skip
    st.caption(
        "**Bold**: the highest of its column. ≈: not told apart from it. Grey: "
        + ("95 % interval, and the queries whose last counted place is shared by equal values."
           if not context.choice.plain else "where the average would plausibly lie with other queries.")
    )  # fmt: skip


def _cell(cell: TableCell, *, technical: bool) -> str:
    mean = number(cell.interval.mean)
    written = f"**{mean}**" if cell.best else f"{mean} ≈" if cell.as_good else mean
    # Word joiners keep both ends on one line of a narrow column.
    grey = interval(cell.interval.low, cell.interval.high, places=3).replace(" to ", "\u2060–\u2060")
    tied = f" ·\u00a0{count(cell.tied)}\u00a0tied" if technical else ""
    return f"{written} :gray[{grey}{tied}]"


def _method(context: Context, found: TableOne) -> str:
    told = measures_page_judged.sampled(found.n_asked, found.n_all, found.seed)
    if context.choice.plain:
        return f"{told}. {CIRCULAR}"
    ties = "by image id" if found.ties == "id" else "as the exact mean over all orders of equal values"
    return (
        f"{told}; each column over the queries and candidates that carry its labels. Equal values ordered "
        f"{ties} (“Equal scores” on the left). Best against the others: {md_escape(found.test)}, "
        f"{count(found.n_resamples)} resamples, {md_escape(found.correction)} over the column, "
        f"≈ where p ≥ 0.05; seed {found.seed}. {CIRCULAR} Study {context.study.digest}."
    )


def _files(context: Context, found: TableOne, names: Sequence[str]) -> None:
    digest = context.study.digest[:8]
    with st.container(horizontal=True):
        st.download_button(
            "CSV, all depths", tables.csv_safe(long_table(found)), f"table1-{digest}.csv", "text/csv",
            icon=":material/download:", on_click="ignore",
        )  # fmt: skip
        st.download_button(
            "LaTeX, all depths", latex.table_one(found, names), f"table1-{digest}.tex", "text/plain",
            icon=":material/download:", on_click="ignore",
        )  # fmt: skip


def long_table(found: TableOne) -> pd.DataFrame:
    """One row per measure and column, full precision."""
    return pd.DataFrame(
        [
            {
                "measure": name.removeprefix("@"), "metric": metric, "mean": cell.interval.mean,
                "low": cell.interval.low, "high": cell.interval.high, "queries": cell.interval.n,
                "undefined": cell.n_undefined, "tied at k": cell.tied, "best": cell.best,
                "as good": cell.as_good, "p (Holm)": cell.p_corrected, "ties": found.ties,
                "queries asked": found.n_asked, "queries of the study": found.n_all, "seed": found.seed,
            }
            for name, row in zip(found.systems, found.cells, strict=True)
            for metric, cell in zip(found.metrics, row, strict=True)
        ]
    )  # fmt: skip
