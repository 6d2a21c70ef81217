"""Every query under retrieval by IoU and under retrieval by nn-IoU, as in the paper's Figure 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from evalcore.evaluate.per_query.found import FIXED_AT
from evalcore.evaluate.sweep.isolated import BY_IOU, BY_NN_IOU, outcomes
from evalcore.figures.compare import score_scatter
from evalcore.figures.numbers import count, percent, things
from evalcore.ranking.metrics import parse_metric
from evalcore.stats.levels import difference
from evalcore.ui.ablation import grids, keys
from evalcore.ui.compare.keys import SYSTEM_A, SYSTEM_B
from evalcore.ui.components import figure, select
from evalcore.ui.frame.pages import go
from evalcore.ui.query.keys import QUERY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.ui.ablation.grids import Grid
    from evalcore.ui.frame.context import Context
    from evalcore.ui.frame.measures import MeasureChoice
    from evalcore.values.model import Scores


def section(context: Context, grid: Grid, labels: Mapping[str, MeasureChoice]) -> None:
    """Every query: precision under retrieval by IoU against nn-IoU at the setting in use."""
    study, choice, theme = context.study, context.choice, context.theme
    titles = {one.family: one.shown(plain=choice.plain) for one in labels.values()}
    family = select.segments("Judged by", titles, keep=keys.LABELS)
    found = grids.run(
        context, grid, (tuple(labels), choice.settings),
        lambda progress: outcomes(
            study, [parse_metric(one) for one in labels], settings=choice.settings, progress=progress
        ),
        settings=2, label="Retrieving by IoU and by nn-IoU",
    )  # fmt: skip
    if found is None:
        return
    by_iou, by_nn = (both[list(titles).index(family)] for both in found)
    st.markdown(_sentence(by_iou, by_nn))
    ids = [study.image_ids[q] for q in by_iou.queries]
    good_at = FIXED_AT
    drawn = score_scatter(
        ids, by_iou.values, by_nn.values, a="IoU", b="nn-IoU", metric=f"{titles[family]} (top {choice.k})",
        good_at=good_at, theme=theme,
    )  # fmt: skip
    figure.show(
        context, drawn, key="iou-against-nn-iou", file="iou-nn-iou", width=620,
        opens=lambda image: go("query", {QUERY: image, SYSTEM_A: BY_IOU, SYSTEM_B: BY_NN_IOU}),
    )  # fmt: skip


def _sentence(by_iou: Scores, by_nn: Scores) -> str:
    """How many queries each of the two serves better."""
    gaps = difference(by_nn.values, by_iou.values)
    known = int(np.isfinite(gaps).sum())
    if not known:
        return "No query carries the label."
    better, worse = int((gaps > 0).sum()), int((gaps < 0).sum())
    return (
        f"With nn-IoU, {things(better, 'query')} improve ({percent(better, known)}), "
        f"{count(worse)} get worse ({percent(worse, known)}) and {count(known - better - worse)} do not "
        f"change, of {things(known, 'that carries', 'that carry')} the label."
    )
