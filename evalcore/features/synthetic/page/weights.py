"""Weights of one's own: the file, what is wrong with it, and a table of the features to write it with."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.features.synthetic.page import keys, upload, work
from evalcore.features.synthetic.page.choose import OWN
from evalcore.features.synthetic.read import uploaded
from evalcore.features.synthetic.weights import UNIFORM
from evalcore.ui.components import download, messages
from evalcore.ui.frame import state

if TYPE_CHECKING:
    from pathlib import Path

    from evalcore.features.synthetic.evaluation.evaluate import Evaluation
    from evalcore.features.synthetic.page.choose import Chosen
    from evalcore.features.synthetic.read.material import Material
    from evalcore.ui.frame.context import Context


def section(context: Context, of: Material, found: Evaluation, chosen: Chosen) -> None:
    """The form; and, where uploaded weights count, what could not be used of them."""
    study = context.entry.path
    with st.container(border=True):
        st.markdown("**Weights of your own**")
        st.caption(
            "A table feature,weight: a number of at least 0 for a feature, or for a whole channel by its "
            "name. Anything it does not name has weight 1."
        )
        if chosen.own is not None and (report := work.own_weights(of, chosen)[1]).problems:
            messages.problems(report, key="own-weights")
        file = state.emptied(keys.OWN_WEIGHTS)
        st.file_uploader("Weights", key=file, max_upload_size=10)
        with st.container(horizontal=True):
            st.button(
                "Use these weights", key="add-weights", icon=":material/upload:", on_click=upload.add,
                args=(keys.OWN_WEIGHTS, partial(uploaded.add_file, study, uploaded.WEIGHTS),
                      "now weights the features.", (keys.WEIGHTS, OWN)),
                disabled=state.get(file) is None,
            )  # fmt: skip
            if uploaded.weights(study) is not None:
                st.button("Remove weights", key="remove-weights", on_click=_remove, args=(study,))
            now = pd.DataFrame({"feature": found.names, "weight": found.weights})
            download.csv(now, context.stem("weights"), label="Weights now")


@upload.guarded
def _remove(study: Path) -> None:
    """Callback: forget them; every feature weighs the same again."""
    state.set_value(keys.WEIGHTS, UNIFORM)
    uploaded.remove_file(study, uploaded.WEIGHTS)
