"""Retrieval by nn-IoU itself against alpha: over all queries, or where IoU and nn-IoU disagree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast

import numpy as np
import streamlit as st

from evalcore.evaluate.analysis import analyse
from evalcore.evaluate.per_query import FIXED_AT
from evalcore.evaluate.sweep import BY_IOU, BY_NN_IOU, SweepRow, outcomes
from evalcore.evaluate.targets import pool_of
from evalcore.figures.curves import alpha_lines, threshold_style
from evalcore.figures.frame import Drawn
from evalcore.figures.lines import Line
from evalcore.figures.two_systems import score_scatter
from evalcore.ranking.metrics import parse_metric
from evalcore.results.sweeps import sweep_table
from evalcore.stats.levels import difference
from evalcore.ui.components import figure, fold, messages, select
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.measures import MeasureChoice, choices
from evalcore.ui.frame.pages import QUERY, SYSTEM_A, SYSTEM_B, go
from evalcore.ui.robustness import grids
from evalcore.ui.robustness.grids import Grid
from evalcore.values.grouping import repeated_by
from evalcore.values.model import Scores
from evalcore.values.settings import View
from evalcore.values.writing import count, listed, md_escape, number, percent, pluralize, signed

# Every query under retrieval by IoU and under retrieval by nn-IoU, as in the paper's Figure 2.


def scatter_section(context: Context, grid: Grid, labels: Mapping[str, MeasureChoice]) -> None:
    """Every query: precision under retrieval by IoU against nn-IoU at the setting in use."""
    study, choice, theme = context.study, context.choice, context.theme
    titles = {one.family: one.shown(plain=choice.plain) for one in labels.values()}
    family = select.segments("Judged by", titles, keep=grids.LABELS)
    result = grids.run(
        context,
        grid,
        (tuple(labels), choice.settings),
        lambda progress: outcomes(
            study, [parse_metric(choice) for choice in labels], settings=choice.settings, progress=progress
        ),
        settings=2,
        label="Retrieving by IoU and by nn-IoU",
    )
    if result is None:
        return
    by_iou, by_nn = (both[list(titles).index(family)] for both in result)
    st.markdown(_sentence(by_iou, by_nn))
    ids = [study.image_ids[q] for q in by_iou.queries]
    good_at = FIXED_AT
    drawn = score_scatter(
        ids,
        by_iou.values,
        by_nn.values,
        a="IoU",
        b="nn-IoU",
        metric=f"{titles[family]} (top {choice.k})",
        good_at=good_at,
        theme=theme,
    )
    figure.show(
        context,
        drawn,
        key="iou-against-nn-iou",
        file="iou-nn-iou",
        width=620,
        opens=lambda image: go("queries", {QUERY: image, SYSTEM_A: BY_IOU, SYSTEM_B: BY_NN_IOU}),
    )


def _sentence(by_iou: Scores, by_nn: Scores) -> str:
    """How many queries each of the two serves better."""
    gaps = difference(by_nn.values, by_iou.values)
    known = int(np.isfinite(gaps).sum())
    if not known:
        return "No query carries the label."
    better, worse = int((gaps > 0).sum()), int((gaps < 0).sum())
    return (
        f"With nn-IoU, {pluralize(better, 'query')} improve ({percent(better, known)}), "
        f"{count(worse)} get worse ({percent(worse, known)}) and {count(known - better - worse)} do not "
        f"change, of {pluralize(known, 'that carries', 'that carry')} the label."
    )


ALL, SCORE_DIFFERS, LIST_DIFFERS = "all", "disagree", "topk_differs"
_SHOWN = {
    ALL: "All queries",
    SCORE_DIFFERS: "Where the score differs",
    LIST_DIFFERS: "Where the results differ",
}
WARNING = (
    "These queries were chosen because IoU and nn-IoU disagree on them. What one gains over the other here "
    "is larger than what it gains overall: look at “All queries” before claiming an improvement."
)
WIDTH = 320
LEAST = 0.001
"""A smaller gain is given in words in the plain reading."""
PANELS = 4
"""Label types shown at most."""


def section(context: Context, grid: Grid) -> None:
    """Which queries; one panel per label type; then every query under both measures."""
    labels = _labels(context)
    if not labels:
        messages.empty(
            "No labels",
            "Searching by nn-IoU is judged by labels such as modality and organ.",
            label="Add labels",
            key="labels",
        )
        return
    subset = _subset()
    rows = _rows(context, grid, tuple(labels), subset)
    if rows is not None:
        _finding(context, rows, labels, subset)
        _panels(context, grid, rows, labels)
    fold.section(
        "Query by query: IoU against nn-IoU",
        scatter_section,
        context,
        grid,
        labels,
        keep=grids.BY_QUERY,
        opened_by=(grids.LABELS,),
        icon=":material/scatter_plot:",
    )
    if rows is not None:
        grids.numbers(
            context,
            lambda: sweep_table(rows)._replace(facts={"subset": subset}),
            f"retrieval-{subset}",
            renamed={"n_scored": "n"},
        )


def _labels(context: Context) -> dict[str, MeasureChoice]:
    """{metric: precision by the label types}, that by the pair of the first two before them."""
    columns = context.study.label_columns
    again = {f"P({name})" for name in columns if repeated_by(name, columns)}
    by_label = [choice for choice in choices(context.study) if choice.family.startswith("P(")]
    shown = [choice for choice in by_label if choice.family not in again][:PANELS]
    return {str(parse_metric(choice.label(context.choice.k))): choice for choice in shown}


def _subset() -> str:
    chosen = select.segments(
        "Queries",
        _SHOWN,
        keep=grids.SUBSET,
        help="Compared at the α and maximum distance on the left: queries whose share of good results "
        "differs between IoU and nn-IoU, or whose first k results are not the same images.",
    )
    if chosen != ALL:
        st.warning(WARNING, icon=":material/balance:")
    return chosen


def _rows(context: Context, grid: Grid, metrics: tuple[str, ...], subset: str) -> tuple[SweepRow, ...] | None:
    study, choice = context.study, context.choice
    # Over all queries the setting in use plays no part.
    settings = grids.shared(choice.settings) if subset == ALL else choice.settings
    view = View(metrics=metrics, systems=(BY_NN_IOU,), settings=settings)
    return grids.run(
        context,
        grid,
        (metrics, subset, grid, settings),
        lambda progress: analyse(study, view).sweep(
            alphas=grid.alphas,
            thresholds=grid.thresholds,
            subset=cast("Literal['all']", subset),
            progress=progress,
        ),
        label="Retrieving by nn-IoU at every setting",
    )


def _finding(
    context: Context, rows: tuple[SweepRow, ...], labels: Mapping[str, MeasureChoice], subset: str
) -> None:
    """The gain of the setting in use over IoU for each label type, with the size of the subset."""
    settings, gains = context.choice.settings, []
    for metric, label in labels.items():
        at = {(r.alpha, r.threshold): r for r in rows if r.metric == metric}
        here, none = at[settings.alpha, settings.threshold], _without(at)
        if here.n_scored and none is not None:
            before, after = none.interval.mean, here.interval.mean
            gains.append(
                f"**{_gain(after - before, context)}** for {md_escape(label.title.lower())} "
                f"({number(before)} → {number(after)}, {_size(context, metric, here.n_scored)})"
            )
    if not gains:
        messages.lead(
            "No query carries these labels, so searching by nn-IoU cannot be judged."
            if subset == ALL
            else "IoU and nn-IoU serve every query equally well, so there is no subset to look at."
        )
        return
    where = "" if subset == ALL else " on the queries where the two disagree"
    messages.lead(
        f"What nn-IoU at the setting in use gains over IoU{where}, in the share of good results among the "
        f"top {context.choice.k}: {', '.join(gains)}."
    )


def _gain(gain: float, context: Context) -> str:
    """A gain that a clinician would not see in either score is said in words."""
    return "hardly anything" if context.choice.plain and abs(gain) < LEAST else signed(gain)


def _size(context: Context, metric: str, n: int) -> str:
    """ "n = 990", or "n = 144 of 990" where the subset leaves queries out."""
    study, labels = context.study, parse_metric(metric).labels
    every = len(pool_of(study, labels, study.queries, context.choice.settings).queries)
    return f"n = {count(n)}" if n == every else f"n = {count(n)} of {count(every)}"


def _without(at: dict[tuple[float, int], SweepRow]) -> SweepRow | None:
    """The row of plain IoU: alpha 0, at any threshold (it is always in the grid)."""
    return next((row for (alpha, threshold), row in at.items() if alpha == 0 or threshold == 0), None)


def _panels(
    context: Context, grid: Grid, rows: tuple[SweepRow, ...], labels: Mapping[str, MeasureChoice]
) -> None:
    """The panel of the first label type; those of the others folded."""
    first, *others = labels.items()
    figure.how_to_read(context, _panel(context, grid, rows, *first))
    if others:
        named = listed([md_escape(label.title.lower()) for _, label in others])

        def of_others() -> None:
            columns = min(len(others), 3)
            panels, within = st.grid(columns, min_column_width=WIDTH), figure.within(context, columns, WIDTH)
            for metric, label in others:
                with panels.container():
                    _panel(within, grid, rows, metric, label)

        fold.section(f"Judged by {named}", of_others, keep=grids.OTHERS, icon=":material/show_chart:")


def _panel(
    context: Context, grid: Grid, rows: tuple[SweepRow, ...], metric: str, label: MeasureChoice
) -> Drawn:
    """Precision by a label type against alpha, a line per maximum distance."""
    choice, theme = context.choice, context.theme
    lines = [
        Line(
            style.name,
            [row.interval for row in rows if (row.threshold, row.metric) == (threshold, metric)],
            style,
            bold=threshold == choice.settings.threshold,
        )
        for threshold, style in (
            (threshold, threshold_style(threshold, theme)) for threshold in grid.thresholds
        )
    ]
    drawn = alpha_lines(
        lines,
        grid.alphas,
        title=label.title if choice.plain else metric,
        metric=f"share of the top {choice.k}" if choice.plain else f"P@{choice.k}",
        theme=theme,
        current=choice.settings.alpha,
    )
    figure.show(context, drawn, key=f"labels-{metric}", file="alpha-labels", note=False)
    return drawn
