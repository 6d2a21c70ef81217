"""The parts of the challenge page that compare runs: the finding, the board, published results."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from evalcore.challenge.board import board, compared_by
from evalcore.challenge.published import TEST_SET, placed
from evalcore.errors import InputError
from evalcore.figures.leaderboard import leaderboard_dots
from evalcore.figures.numbers import count, number, p_value, signed_span, span, things
from evalcore.ui.challenge import keys
from evalcore.ui.challenge.work import published_of
from evalcore.ui.components import figure, messages
from evalcore.ui.components.text import md_escape, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.challenge.published import Published
    from evalcore.challenge.result import Result
    from evalcore.ui.challenge.work import Files
    from evalcore.ui.frame.context import Context

IMAGES = ("image", "images")
DECIMALS = (
    "Score ↑", "Secondary ↑", "nn-F1 ↑", "Precision ↑", "Recall ↑", "Micro F1 ↑", "Macro F1 ↑",
)  # fmt: skip
SCORE = "%.4f"
TITLES = {"head2025": "Relevance (2025)", "head2026": "Relevance (2026)"}
"""Metrics whose names on the command line say little."""
NOT_SAID, YOURS, MOST_PLACES = "–", "▶ Your run", 5
WIDTHS = {"Team": 225, "Run": 410, "Resources": 345}
"""Columns of the published results, in pixels."""


def finding(results: Sequence[Result[Any]]) -> None:
    """Whether the runs would be taken, and the best official score."""
    refused = [one for one in results if not one.accepted]
    taken = [one for one in results if one.accepted and not isnan(one.score)]
    said = []
    if taken:
        best = max(taken, key=lambda one: one.score)
        images = things(best.n_images, "image")
        said.append(f"**{md_escape(best.name)}** scores **{number(best.score, digits=4)}** over {images}.")
    elif any(one.accepted for one in results):
        metric = compared_by(results)
        means = {one.name: float(one.values[metric].mean()) for one in results if one.accepted}
        best_run = max(means, key=lambda name: means[name])
        said.append(
            "The official score needs values that are not here: see what is missing below. By "
            f"{TITLES.get(metric, metric)}, **{md_escape(best_run)}** leads with "
            f"**{number(means[best_run])}**."
        )
    if refused:
        names = ", ".join(f"**{md_escape(one.name)}**" for one in refused[:3])
        more = f" and {len(refused) - 3} more" if len(refused) > 3 else ""
        said.append(f"The official script would refuse {names}{more}; such scores are not official.")
    messages.lead(" ".join(said))


def compared(context: Context, results: Sequence[Result[Any]], remarks: Sequence[str]) -> str:
    """All runs: scores, intervals over images, and tests against one of them, whose name is returned."""
    for remark in remarks:
        st.warning(md_escape(remark, limit=500), icon=":material/rule:")
    names = [one.name for one in results]
    baseline = _baseline(names)
    made = board(results, baseline=baseline)
    metric, intervals, against = TITLES.get(made.metric, made.metric), made.intervals, made.compared
    others = {c.system: c for c in against}
    rows = [_row(one, intervals[one.name], others.get(one.name), metric) for one in results]
    st.dataframe(
        # The baseline's row has no difference, so the longest row names the columns.
        pd.DataFrame(rows, columns=max((list(row) for row in rows), key=len)),
        hide_index=True, key="challenge-board", placeholder="–",
        alt=f"Scores of {things(len(results), 'run')}",
        column_config={
            "Run": st.column_config.TextColumn(pinned=True),
            **{
                name: st.column_config.NumberColumn(format=SCORE)
                for name in DECIMALS
            },
            "Difference": st.column_config.NumberColumn(
                format="%+.4f", help=f"{metric} minus that of the baseline."
            ),
        },
    )  # fmt: skip
    drawn = leaderboard_dots(
        intervals, metric=metric, systems=names, theme=context.theme, unit=IMAGES, kind="run",
        baseline=baseline if len(names) > 1 else None,
    )  # fmt: skip
    figure.show(context, drawn, key="challenge-dots", file="challenge", note=False)
    messages.few([mean.n for mean in intervals.values()], of="images")
    told = (
        "Each mark is a run's mean over the images, its bar the 95 % interval (percentile bootstrap, seed 0)."
    )
    if against:
        most = max(one.n_resamples for one in against)
        resamples = f", {count(most)} resamples" if most else ""
        told += (
            " Difference and p compare with the baseline image by image, Holm's correction over all runs; "
            f"{against[0].test}{resamples}."
        )
    messages.how_to_read(told)
    return baseline


def _baseline(names: list[str]) -> str:
    """The run the others are compared with; the first unless the reader chooses another."""
    if len(names) < 2:
        return names[0]
    left, _ = st.columns([1, 2])
    chosen = left.selectbox("Compare with", names, key=keys.AGAINST, format_func=plain)
    return chosen if chosen in names else names[0]


def published(files: Files, task: str, edition: str, results: Sequence[Result[Any]]) -> None:
    """The runs among published results, each with its source; nothing where there are none."""
    try:
        rows, included = published_of(files, task, edition)
    except InputError as error:
        st.error(md_escape(str(error)), icon=":material/error:")
        return
    if not rows:
        return
    listed = placed(rows, {one.name: one.score for one in results})
    st.subheader("Beside published results")
    _places(listed, len(rows))
    table = pd.DataFrame(
        {
            "Score ↑": [row.score for row in listed],
            "Team": [plain(row.team) or NOT_SAID if row.published else YOURS for row in listed],
            "Run": [plain(row.run, limit=100) for row in listed],
            "Resources": [plain(row.resources) or NOT_SAID for row in listed],
        }
    )
    sources = {row.source for row in rows}
    if len(sources) > 1:
        table["Source"] = [plain(row.source, limit=120) for row in listed]
    st.dataframe(
        table, hide_index=True, key="published", alt="Published results and yours, best first",
        column_config={
            "Score ↑": st.column_config.NumberColumn(format=SCORE, width=80),
            **{name: st.column_config.TextColumn(width=width) for name, width in WIDTHS.items()},
        },
    )  # fmt: skip
    told = [f"Source: {md_escape(rows[0].source, limit=200)}."] if len(sources) == 1 else []
    if included:
        told.append(
            f"Published results were scored on {TEST_SET}; yours on the files above, so read them side by "
            "side only if that is the same test set."
        )
    st.caption(" ".join(told))


def _places(listed: Sequence[Published], n: int) -> None:
    """How many published results stand above each run; the best runs, when there are many."""
    above = 0
    said: list[str] = []
    for row in listed:
        if row.published:
            above += 1
        elif len(said) < MOST_PLACES:
            many = things(n, "published result")
            place = f"{count(above)} of {many} {'stands' if above == 1 else 'stand'} above it"
            place = place if above else f"above {'all ' if n > 1 else 'the '}{many}"
            said.append(f"**{md_escape(row.run, limit=60)}**: {place}")
    if said:
        st.markdown(". ".join(said) + ".")


def _row(one: Result[Any], mean: Any, against: Any, metric: str) -> dict[str, Any]:
    row: dict[str, Any] = {
        "Run": plain(one.name), "Official script": "accepts" if one.accepted else "refuses",
        "Score ↑": one.score, f"95 % interval ({metric})": span(mean.low, mean.high, places=4),
    }  # fmt: skip
    if against is not None:
        row |= {
            "Difference": against.difference,
            "Its interval": signed_span(against.low, against.high, places=4),
            "p (Holm)": p_value(against.p_corrected),
        }
    row |= {
        "Secondary ↑": one.secondary, "Images": one.n_images, "Ignored": one.n_ignored,
        "Problems": one.n_problems,
    }  # fmt: skip
    if one.detail is not None and not isnan(one.score):
        row |= {
            "nn-F1 ↑": one.metrics.get("nn-F1"), "Precision ↑": one.metric("precision"),
            "Recall ↑": one.metric("recall"), "Micro F1 ↑": one.metric("micro F1"),
            "Macro F1 ↑": one.metric("macro F1"),
        }  # fmt: skip
    return row
