"""Trained models on the challenge page: which can run here, what the others lack, and running them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from evalcore.challenge.editions import edition_of
from evalcore.challenge.models.scoring import devices, model_values
from evalcore.challenge.models.store import MODELS, models_folder, readiness, told
from evalcore.figures.numbers import things
from evalcore.model import digest_of, position
from evalcore.sources.pictures.images import image_bytes
from evalcore.ui.challenge import keys
from evalcore.ui.challenge.work import captions_of
from evalcore.ui.components.text import md_escape, plain
from evalcore.ui.frame import jobs, state

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.challenge.models.store import Readiness
    from evalcore.model import Floats, Study
    from evalcore.ui.challenge.work import Files
    from evalcore.ui.frame.context import Context
    from evalcore.ui.frame.workers import Progress

DEVICES = {"cpu": "Processor (CPU)", "cuda": "Graphics card (CUDA)", "mps": "Graphics card (Apple)"}


@dataclass(frozen=True, slots=True)
class Found:
    """What models gave, {run: {metric: values}}, and the key of the job that computed it ("" for none)."""

    key: str = ""
    values: dict[str, dict[str, Floats]] = field(default_factory=dict)


def section(context: Context, edition: str, files: Files) -> Found:
    """Choose and run models; what they gave, nothing before they ran."""
    states = [readiness(key) for key in MODELS]
    ready = [one.model.key for one in states if one.ready]
    title = f"Metrics that need a trained model: {len(ready)} of {things(len(states), 'model')} can run here"
    with st.expander(title, icon=":material/neurology:"):
        _table(states)
        if not ready:
            return Found()
        chosen, device = _choice(ready)
        key = f"models:{digest_of([files.digest, edition, device, context.study.digest, *chosen])}"
        st.button(
            f"Run on the captions of {things(len(files.runs), 'run')}", icon=":material/play_arrow:",
            type="primary", key="run-models", disabled=not chosen, on_click=state.set_plain,
            args=(keys.MODELS_RUN, key),
        )  # fmt: skip
        st.caption(
            "On a processor a large model takes seconds per caption. You can leave this page meanwhile."
        )
    if not chosen or not (jobs.began(key) or st.session_state.get(keys.MODELS_RUN) == key):
        return Found()
    work = partial(_work, files, edition, tuple(chosen), str(device), context.study)
    values = jobs.run(key, work, label="Running the models")
    return Found() if values is None else Found(key, values)


def _table(states: Sequence[Readiness]) -> None:
    """Every model with what it gives and what it lacks."""
    rows = {
        "Model": [plain(one.model.title) for one in states],
        "Gives": [one.model.metric for one in states],
        "Here": ["ready" if one.ready else "not yet" for one in states],
        "What to do": [md_escape(told(one), limit=400) or "–" for one in states],
    }
    st.table(pd.DataFrame(rows), border="horizontal", hide_index=True, alt="Models and what they lack")
    where = md_escape(str(models_folder()), limit=200)
    st.caption(
        f"Weights belong into {where}; nothing is downloaded by this program. Without them, bring the "
        "values, concepts or embeddings that were computed elsewhere."
    )


def _choice(ready: Sequence[str]) -> tuple[list[str], str]:
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    chosen = left.multiselect(
        "Models to run", list(ready), default=list(ready), key=keys.MODELS, persist_state="session",
        format_func=lambda key: f"{MODELS[key].title} ({MODELS[key].metric})",
    )  # fmt: skip
    found = devices()
    device = right.selectbox(
        "Run them on", found, key=keys.DEVICE, format_func=lambda name: DEVICES[name],
        persist_state="session", help="Graphics cards are offered where PyTorch finds one.",
    )  # fmt: skip
    return list(chosen), str(device or "cpu")


def _work(
    files: Files, edition: str, chosen: tuple[str, ...], device: str, study: Study, progress: Progress
) -> dict[str, dict[str, Any]]:
    """In the background: the chosen models over the captions of all runs."""
    truth, runs = captions_of(files, edition=edition)
    return model_values(
        chosen, truth, runs, edition=edition_of("captions", edition), device=device,
        pictures=_pictures(study, tuple(truth)), progress=progress,
    )  # fmt: skip


def _pictures(study: Study, images: Sequence[str]) -> Callable[[int], bytes | None]:
    """The open study's pictures by position in the ground truth."""

    def picture(i: int) -> bytes | None:
        at = position(study.image_ids, images[i])
        if at < 0 or study.images is None or study.images.entries[at] is None:
            return None
        return image_bytes(study.images, at)

    return picture
