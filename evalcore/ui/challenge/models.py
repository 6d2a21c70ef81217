"""Trained models on the challenge page: which can run here, what the others lack, and running them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from evalcore.challenge.from_files import captions_of
from evalcore.challenge.models.scoring import devices, model_values
from evalcore.challenge.models.store import MODELS, models_folder, readiness, remedy
from evalcore.figures.numbers import things
from evalcore.model import digest_of, position
from evalcore.sources.pictures.images import image_bytes
from evalcore.ui.challenge import keys
from evalcore.ui.components import select, table
from evalcore.ui.components.text import md_escape
from evalcore.ui.frame import jobs, state

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.challenge.editions import Edition
    from evalcore.challenge.from_files import Files
    from evalcore.challenge.models.store import Readiness
    from evalcore.model import Floats, Study
    from evalcore.ui.frame.context import Context
    from evalcore.ui.frame.workers import Progress

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
    work = partial(_work, files, edition, tuple(chosen), device, context.study)
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
    table.wrapped(pd.DataFrame(rows), alt="Models, the metric each gives, and what each lacks")
    where = md_escape(str(models_folder()), limit=200)
    st.caption(
        f"Put the weights into {where}: this program downloads nothing. Without a model, upload the values, "
        "concepts or embeddings that were computed elsewhere."
    )


def _choice(ready: Sequence[str]) -> tuple[list[str], str]:
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    with left:
        chosen = select.some(
            "Models to run", ready, keep=keys.MODELS, first=ready,
            shown=lambda key: f"{MODELS[key].title} ({MODELS[key].metric})",
        )  # fmt: skip
    with right:
        device = select.one(
            "Run them on", devices(), keep=keys.DEVICE, first="cpu", shown=DEVICES.__getitem__,
            help="Graphics cards are listed where PyTorch finds one.",
        )  # fmt: skip
    return chosen, device


def _work(
    files: Files, edition: Edition, chosen: tuple[str, ...], device: str, study: Study, progress: Progress
) -> dict[str, dict[str, Any]]:
    """In the background: the chosen models over the captions of all runs."""
    truth, runs = captions_of(files, edition=edition)
    return model_values(
        chosen, truth, runs, edition=edition, pictures=_pictures(study, tuple(truth)), device=device,
        progress=progress,
    )  # fmt: skip


def _pictures(study: Study, images: Sequence[str]) -> Callable[[int], bytes | None]:
    """The open study's pictures by position in the ground truth."""

    def picture(i: int) -> bytes | None:
        at = position(study.image_ids, images[i])
        if at < 0 or study.images is None or study.images.entries[at] is None:
            return None
        return image_bytes(study.images, at)

    return picture
