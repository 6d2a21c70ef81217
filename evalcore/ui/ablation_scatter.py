"""Every query under retrieval by IoU and under retrieval by nn-IoU, as in the paper's Figure 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from evalcore.evaluate.isolated import BY_IOU, BY_NN_IOU, outcomes
from evalcore.figures.compare import score_scatter, score_scatter_alt
from evalcore.figures.reading import how_to_read
from evalcore.ranking.metrics import parse_metric
from evalcore.stats.levels import difference
from evalcore.ui import ablation_grid, ablation_parts, charts, messages, state
from evalcore.ui.format import count, percent
from evalcore.ui.text import md_escape

if TYPE_CHECKING:
    from evalcore.model import Scores
    from evalcore.ui.ablation_grid import Grid
    from evalcore.ui.context import Context
    from evalcore.ui.measures import MeasureChoice
    from evalcore.ui.workers import Progress

    Both = tuple[tuple[Scores, ...], tuple[Scores, ...]]


def section(context: Context, grid: Grid, labels: list[MeasureChoice]) -> None:
    """Every query: precision under retrieval by IoU against nn-IoU at the setting in use."""
    study, choice, theme = context.study, context.choice, context.theme
    titles = {one.family: one.shown(plain=choice.plain) for one in labels}
    family = str(state.carry(state.LABELS, labels[0].family, state.one_of(*titles)))
    st.segmented_control(
        "Judged by", list(titles), required=True, key=state.seed(state.LABELS, family),
        format_func=lambda name: md_escape(titles[name]), on_change=state.take_widget, args=(state.LABELS,),
    )  # fmt: skip
    metrics = [parse_metric(one.label(choice.k)) for one in labels]

    def work(tell: Progress) -> Both:
        return outcomes(study, metrics, settings=choice.settings, progress=tell)

    found = ablation_grid.run(
        context, grid, (tuple(map(str, metrics)), choice.settings), work, settings=2,
        label="Retrieving by IoU and by nn-IoU",
    )  # fmt: skip
    if found is None:
        return
    by_iou, by_nn = (both[list(titles).index(family)] for both in found)
    st.markdown(_told(by_iou, by_nn))
    ids = [study.image_ids[q] for q in by_iou.queries]
    words = {"a": "IoU", "b": "nn-IoU", "metric": f"{titles[family]} (top {choice.k})"}
    good_at = float(np.nanmedian([*by_iou.values, *by_nn.values]))
    clicked = st.plotly_chart(
        score_scatter(ids, by_iou.values, by_nn.values, good_at=good_at, theme=theme, **words),
        theme=None, key="iou-against-nn-iou", config=charts.toolbar(context, "iou-nn-iou"), width=620,
        on_select="rerun", selection_mode="points",
        alt=score_scatter_alt(by_iou.values, by_nn.values, good_at=good_at, **words),
    )  # fmt: skip
    messages.how_to_read(how_to_read("score_scatter", context.reading))
    ablation_parts.open_clicked(clicked, a=BY_IOU, b=BY_NN_IOU)


def _told(by_iou: Scores, by_nn: Scores) -> str:
    """How many queries each of the two serves better."""
    gaps = difference(by_nn.values, by_iou.values)
    known = int(np.isfinite(gaps).sum())
    better, worse = int((gaps > 0).sum()), int((gaps < 0).sum())
    return (
        f"nn-IoU serves {count(better)} queries better ({percent(better, known)}), {count(worse)} worse "
        f"({percent(worse, known)}) and {count(known - better - worse)} equally well, of {count(known)} "
        "that carry the label."
    )
