"""How well each measure agrees with satisfaction: the figure, and the paper's Table 3 beside its values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.features.satisfaction.agreement import too_narrow
from evalcore.features.satisfaction.choices import GAINS
from evalcore.features.satisfaction.figures import Pair, paired_agreement
from evalcore.features.satisfaction.page import keys as keys
from evalcore.features.satisfaction.page import words as words
from evalcore.features.satisfaction.published import SOURCE, find
from evalcore.figures.numbers import fixed, p_equals, p_value, things
from evalcore.ui.components import figure, select, table
from evalcore.ui.frame import state

if TYPE_CHECKING:
    from evalcore.features.satisfaction.agreement import Found
    from evalcore.features.satisfaction.data import Satisfaction
    from evalcore.ui.frame.context import Context

NONE = "none"
DATA_SETS = {NONE: "Nothing", "1": "Data set 1 (1,248 queries)", "2": "Data set 2 (850 queries)"}
NAMES = ("original gain", "context-aware gain")


def gap(value: float) -> str:
    """A difference with as many places in every row."""
    return f"+{fixed(value, 3)}" if value > 0 else fixed(value, 3)


def section(context: Context, data: Satisfaction, found: Found, window: int, stem: str) -> None:
    """One depth drawn, all depths in the table."""
    st.header("Agreement with satisfaction", anchor=False)
    depths = sorted({one.depth for one in found.rows})
    with st.container(horizontal=True, vertical_alignment="bottom"):
        depth = depths[-1]
        if len(depths) > 1:
            offered = [str(one) for one in depths]
            depth = int(
                select.segments("Rows drawn", offered, keep=keys.DEPTH, first=offered[-1], width="content")
            )
        beside = select.one("Beside published values of", DATA_SETS, keep=keys.BESIDE, width=260)
    marked = "Simulated users · " if data.origin == "simulated" else ""
    drawn = paired_agreement(
        [_pair(found, metric, depth, beside) for metric in words.TITLES], names=NAMES,
        title="Which measure rises with satisfaction?",
        subtitle=f"{marked}first {things(depth, 'row')} · {things(found.n_queries, 'query')}, "
        f"{things(found.n_users, 'person', 'people')}",
        theme=context.theme,
    )  # fmt: skip
    figure.show(context, drawn, key="satisfaction-agreement", file=stem)
    if context.choice.plain:
        st.caption(
            "Original gain: each image counts as it is. Context-aware gain: an image counts less when a "
            "better one came before it, and neighbours count together."
        )
    st.caption(words.method(found, window))
    if few := too_narrow(found):
        st.caption(f":material/warning: {few}")
    _table(data, found, stem)


def shows_published(data_set: str) -> bool:
    """Whether the reader asked for the published values of this data set."""
    return bool(state.get(keys.BESIDE, NONE) == data_set)


def _pair(found: Found, metric: str, depth: int, beside: str) -> Pair:
    one = found.difference(metric, depth)
    said = [None if beside == NONE else find(metric, gain, depth, data_set=int(beside)) for gain in GAINS]
    known = [None if one is None else one.spearman for one in said]
    return Pair(
        metric, found.row(metric, "original", depth), found.row(metric, "context-aware", depth),
        gap(one.difference), p_equals(one.p_corrected), (known[0], known[1]),
    )  # fmt: skip


def _table(data: Satisfaction, found: Found, stem: str) -> None:
    """The paper's Table 3: all measures at all depths, with its own values."""
    rows = pd.DataFrame([_row(found, one.metric, one.depth) for one in found.differences])
    shown = pd.DataFrame(
        {
            "Rows": rows["depth"],
            "Measure": rows["metric"],
            "Original ρ": rows["original"],
            "Context-aware ρ": rows["context_aware"],
            "Difference": rows["difference"],
            "p (Holm)": [p_value(x) for x in rows["p_corrected"]],
            "r₁₂": rows["r12"],
            "Published, data set 1": [_published(one.metric, one.depth, 1) for one in found.differences],
            "Published, data set 2": [_published(one.metric, one.depth, 2) for one in found.differences],
        }
    )
    table.show(
        shown, key="satisfaction-table", file=stem, saved=rows.assign(source=data.what),
        alt=f"Spearman correlation with satisfaction in {things(len(rows), 'comparison')} of the two gains",
        height="content",
        note=f"Published: original → context-aware, * significant there ({SOURCE}). r₁₂: ρ between the two "
        "gains. The file has intervals, statistics and every digit.",
        columns=table.numbers("%.3f", "Original ρ", "Context-aware ρ", "r₁₂")
        | table.numbers("%+.3f", "Difference"),
    )  # fmt: skip


def _row(found: Found, metric: str, depth: int) -> dict[str, object]:
    """All numbers of one measure at one depth."""
    one = found.difference(metric, depth)
    original, aware = (found.row(metric, gain, depth) for gain in GAINS)
    return {
        "depth": depth, "metric": metric, "original": original.spearman, "original_low": original.ci_low,
        "original_high": original.ci_high, "context_aware": aware.spearman, "context_aware_low": aware.ci_low,
        "context_aware_high": aware.ci_high, "difference": one.difference, "difference_low": one.low,
        "difference_high": one.high, "r12": one.r12, "test": one.test, "statistic": one.statistic, "p": one.p,
        "p_corrected": one.p_corrected, "n_queries": found.n_queries, "n_users": found.n_users,
        "resample": found.resample, "n_resamples": found.n_resamples, "seed": found.seed,
    }  # fmt: skip


def _published(metric: str, depth: int, data_set: int) -> str:
    pair = [find(metric, gain, depth, data_set=data_set) for gain in GAINS]
    if pair[0] is None or pair[1] is None:
        return ""
    star = " *" if pair[1].significant else ""
    return f"{fixed(pair[0].spearman, 3)} → {fixed(pair[1].spearman, 3)}{star}"
