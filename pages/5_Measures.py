"""Measures: which yardstick should I trust? What they are, whether they agree, what they can tell apart."""

import streamlit as st

from evalcore.ui.frame import page
from evalcore.ui.measures import about as measures_page_about
from evalcore.ui.measures import agree as measures_page_agree
from evalcore.ui.measures import chosen as measures
from evalcore.ui.measures import systems as measures_page_systems
from evalcore.ui.measures import table_one as measures_page_table
from evalcore.ui.measures.keys import YARDSTICK_TAB

context = page.start("measures")
chosen = measures.chosen(context)
agree, places, power, search, about = st.tabs(
    [measures.AGREE, measures.SYSTEMS, measures.POWER, measures.SEARCH, measures.ABOUT],
    key=YARDSTICK_TAB, on_change="rerun", bind="query-params",
)  # fmt: skip
for tab, section in (
    (agree, measures_page_agree.section),
    (places, measures_page_systems.places),
    (power, measures_page_systems.power),
    (search, measures_page_table.section),
    (about, measures_page_about.section),
):
    if tab.open:
        with tab:
            section(context, chosen)
