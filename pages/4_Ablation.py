"""Ablation: how much do the settings decide, and would another choice change the winner?"""

import streamlit as st

from evalcore.ui.ablation import cost as ablation_cost
from evalcore.ui.ablation import grid as ablation_grid
from evalcore.ui.ablation import interpretations as ablation_readings
from evalcore.ui.ablation import retrieval as ablation_labels
from evalcore.ui.ablation import systems as ablation
from evalcore.ui.frame import page, state

context = page.start("ablation")
grid = ablation_grid.form(context)
systems, readings, retrieval, time = st.tabs(
    ["Systems", "Readings of the paper", "Retrieval by nn-IoU", "Time"],
    key=state.TAB, on_change="rerun", bind="query-params",
)  # fmt: skip
if systems.open:
    with systems:
        ablation.section(context, grid)
if readings.open:
    with readings:
        ablation_readings.section(context, grid)
if retrieval.open:
    with retrieval:
        ablation_labels.section(context, grid)
if time.open:
    with time:
        ablation_cost.section(context)
