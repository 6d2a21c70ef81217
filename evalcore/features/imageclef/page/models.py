"""Trained models on the challenge page: which can run here, what the others lack, and running them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.features.imageclef.from_files import model_values_of
from evalcore.features.imageclef.models.scoring import devices
from evalcore.features.imageclef.models.store import MODELS, models_folder, readiness, remedy
from evalcore.features.imageclef.page import keys
from evalcore.figures.numbers import things
from evalcore.ui.components import select, table
from evalcore.ui.frame import jobs, state
from evalcore.values.arrays import digest_of
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.imageclef.editions import Edition
    from evalcore.features.imageclef.from_files import Files
    from evalcore.features.imageclef.models.store import Readiness
    from evalcore.ui.frame.context import Context
    from evalcore.values.arrays import Floats

DEVICES = {"cpu": "Processor (CPU)", "cuda": "Graphics card (CUDA)", "mps": "Graphics card (Apple)"}


@dataclass(frozen=True, slots=True)
class Found:
    """What models gave, {run: {metric: values}}, and the key of the job that computed it ("" for none)."""

    key: str = ""
    values: dict[str, dict[str, Floats]] = field(default_factory=dict)


def section(context: Context, edition: Edition, files: Files) -> Found:
    """Choose and run models; what they gave, nothing before they ran."""
    states = [readiness(key) for key in MODELS]
    ready = [one.model.key for one in states if one.ready]
    title = f"Metrics from trained models: {len(ready)} of {things(len(states), 'model')} can run here"
    with st.expander(title, icon=":material/neurology:"):
        _table(states)
        if not ready:
            return Found()
        chosen, device = _choice(ready)
        key = f"models {digest_of([files.digest, edition.key, device, context.study.digest, *chosen])}"
        st.button(
            f"Run on the captions of {things(len(files.runs), 'run')}", icon=":material/play_arrow:",
            type="primary", key="run-models", on_click=state.set_plain, args=(keys.MODELS_RUN, key),
        )  # fmt: skip
        st.caption(
            "A large model takes seconds per caption without a graphics card. You can leave this page "
            "meanwhile: the models go on."
        )
    if not jobs.began(key) and state.get(keys.MODELS_RUN) != key:
        return Found()
    work = partial(model_values_of, files, chosen, edition=edition, device=device, study=context.study)
    values = jobs.run(key, work, label="Running the models")
    return Found() if values is None else Found(key, values)


def _table(states: Sequence[Readiness]) -> None:
    """Every model with its metric and what it lacks."""
    rows = {
        "Model": [md_escape(one.model.title) for one in states],
        "Metric": [md_escape(one.model.metric) for one in states],
        "Here": ["ready" if one.ready else "not yet" for one in states],
        "What to do": [md_escape(remedy(one), limit=400) or "–" for one in states],
    }
    table.wrapped(
        pd.DataFrame(rows), alt="Models, the metric each gives, and what each lacks", cards="models"
    )
    where = md_escape(str(models_folder()), limit=200)
    st.caption(
        f"Put the weights into {where}: this program downloads nothing. Without a model, upload the values, "
        "concepts or embeddings that were computed elsewhere."
    )


def _choice(ready: Sequence[str]) -> tuple[list[str], str]:
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    with left:
        called = {key: f"{MODELS[key].title} ({MODELS[key].metric})" for key in ready}
        chosen = select.some("Models to run", called, keep=keys.MODELS, first=ready)
    with right:
        device = select.one(
            "Run them on", {name: DEVICES[name] for name in devices()}, keep=keys.DEVICE, first="cpu",
            help="Graphics cards are listed where PyTorch finds one.",
        )  # fmt: skip
    return chosen, device
