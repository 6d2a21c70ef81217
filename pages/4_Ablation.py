"""Ablation: how much do the settings decide, and would another choice change the winner?"""

import streamlit as st

from evalcore.ui import ablation, ablation_grid, page, state

context = page.start("ablation")
grid = ablation_grid.form(context)
(systems,) = st.tabs(["Systems"], key=state.TAB, on_change="rerun", bind="query-params")
with systems:
    found = ablation.of_systems(context, grid)
    if found is not None:
        ablation.headline(context, found)
        ablation.lines(context, grid, found)
        ablation.maps(context, found)
        ablation.table(context, found)
