"""Data: what is loaded, and is it sound? And the ways to bring something else in."""

import streamlit as st

from evalcore.ui.data import cluster, upload
from evalcore.ui.data import sections as data
from evalcore.ui.frame import page, state

context = page.start_without("data")
upload.outcome()
if context is None:
    upload.section()
else:
    data.headline(context.study)
    read, covered, bring = st.tabs(
        ["What was read", "Coverage", "Open or upload"], key=state.TAB, on_change="rerun", bind="query-params"
    )
    if read.open:
        with read:
            data.validation(context)
            data.download(context.study)
    if covered.open:
        with covered:
            data.covered(context)
    if bring.open:
        with bring:
            upload.section()
            cluster.section()
