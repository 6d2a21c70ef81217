"""The files of the challenge page: uploaded in one place, recognised, kept for the session, removable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.features.imageclef.editions import Edition, Task
from evalcore.features.imageclef.models import MODELS, Readiness, devices, readiness, remedy
from evalcore.features.imageclef.recognise import (
    ROLES,
    Content,
    content_of,
    files_of,
    run_of,
    task_of,
    with_roles,
)
from evalcore.features.imageclef.scoring import PER_RUN, Files, Source, values_from_models
from evalcore.study.pictures.image_files import image_bytes
from evalcore.study.workspace.home import models_folder
from evalcore.ui.components import download, select, table
from evalcore.ui.frame import jobs, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values import events
from evalcore.values.account import is_restricted
from evalcore.values.arrays import Floats, digest_of, position
from evalcore.values.errors import InputError
from evalcore.values.model import Study
from evalcore.values.writing import file_size, md_escape, pluralize

# Task, edition and what is looked at, as links call them; and what the page remembers beside that.

TASK = Key("task")
EDITION = Key("edition")
NLTK = Key("bleu")
AGAINST = Key("against")
RUN = Key("run")
IMAGES = Key("images")
MODELS_CHOSEN = Key("models")
DEVICE = Key("device")
DETAILS, PUBLISHED = Key("details"), Key("published_results")
"""What is closed at first."""

PROBLEMS, BEHIND, PER_IMAGE = "Problems", "Behind the score", "Images"
"""The tabs about one run, as links call them."""
NOT_DONE = "challenge_not_done"
MODELS_RUN = "models_run"
UPLOADS, CONTENTS, ROLES_CHOSEN = "challenge_files", "challenge_contents", "challenge_roles"

MAX_MB = 100
SHOWN, SCROLLED = 5, 300
"""Files listed before the list scrolls, and how high it is then, in pixels."""
MOST = 512 << 20
"""Bytes that all files can have together."""


def uploads() -> dict[str, Source]:
    """The files of this session by name, in the order they came."""
    kept: dict[str, Source] = st.session_state.setdefault(UPLOADS, {})
    return kept


def upload() -> None:
    """One place for all files, with any ending, because submissions may have none (DET, PRED)."""
    st.file_uploader(
        "Ground truth and runs, as you would submit them",
        accept_multiple_files=True,
        key=state.emptied("upload-files"),
        max_upload_size=MAX_MB,
        on_change=download.take,
        args=("upload-files", keep, NOT_DONE),
        help="A ground truth and any number of runs, plain or zipped; also a manually checked truth, "
        "published results, and values, concepts or embeddings that were computed elsewhere. What each file "
        "is for is recognised by its content and name, and can be changed.",
    )
    download.not_done(NOT_DONE)


def keep(name: str, data: bytes) -> None:
    """Keep a file in place of the one of its name; InputError where all become too large together."""
    kept = uploads()
    size = len(data) + sum(len(source.data) for source in kept.values() if source.name != name)
    if size > MOST:
        raise InputError(f"{name} does not fit: the files can have {file_size(MOST)} together. Remove some.")
    kept[name] = Source(name, data, digest_of(name, np.frombuffer(data, np.uint8)))
    _contents()[name] = content_of(data)
    events.record("uploaded", kind="challenge", file=name, bytes=len(data))


def _contents() -> dict[str, Content]:
    """What each file contains, recognised once."""
    contents: dict[str, Content] = st.session_state.setdefault(CONTENTS, {})
    return contents


def forget(name: str) -> None:
    """Remove a file, and what was chosen for it."""
    uploads().pop(name, None)
    _contents().pop(name, None)
    st.session_state.get(ROLES_CHOSEN, {}).pop(name, None)


def recognised_task() -> Task:
    """The task that the files are for."""
    return task_of(_contents().values())


def section(task: Task) -> Files | None:
    """Every file with what it is for; None before there is a truth and a run."""
    sources = list(uploads().values())
    roles = with_roles(_contents(), st.session_state.get(ROLES_CHOSEN, {}), task)
    with st.container(height=SCROLLED if len(sources) > SHOWN else "content", border=False, gap="xxsmall"):
        for source in sources:
            _listed(source, roles, sources, task)
    return files_of(sources, roles)


def _listed(source: Source, roles: Mapping[str, str], sources: Sequence[Source], task: Task) -> None:
    """A file, what it is for, and the button that removes it."""
    name, role = md_escape(source.name, limit=60), roles[source.name]
    runs = [other for other in sources if roles[other.name] == "run"]
    own = role in PER_RUN and runs
    whose = f" :gray[for {md_escape(run_of(source.name, runs), limit=40)}]" if own else ""
    what, rest = st.columns([1, 2], gap="small", vertical_alignment="center")
    widget = f"role-{source.mark}"
    state.bind_widget(widget, role)
    what.selectbox(
        f"What {name} is for",
        list(ROLES[task]),
        format_func=ROLES[task].__getitem__,
        key=widget,
        label_visibility="collapsed",
        on_change=_choose_role,
        args=(source.name, widget),
    )
    with rest:
        label = f"{name}{whose} :gray[{file_size(len(source.data))}]"
        download.removable(label, name, source.mark, partial(forget, source.name), NOT_DONE)


def _choose_role(name: str, widget: str) -> None:
    """Callback: the reader knows better."""
    st.session_state.setdefault(ROLES_CHOSEN, {})[name] = st.session_state[widget]


# Trained models on the challenge page: which can run here, what the others lack, and running them.

DEVICES = {"cpu": "Processor (CPU)", "cuda": "Graphics card (CUDA)", "mps": "Graphics card (Apple)"}


@dataclass(frozen=True, slots=True)
class ModelValues:
    """What models gave, {run: {metric: values}}, and the key of the job that computed it ("" for none)."""

    key: str = ""
    values: dict[str, dict[str, Floats]] = field(default_factory=dict)


def models_section(context: Context, edition: Edition, files: Files) -> ModelValues:
    """Choose and run models; what they gave, nothing before they ran."""
    states = [readiness(key) for key in MODELS]
    ready = [one.model.key for one in states if one.ready]
    title = f"Metrics from trained models: {len(ready)} of {pluralize(len(states), 'model')} can run here"
    with st.expander(title, icon=":material/neurology:"):
        _table(states)
        if not ready:
            return ModelValues()
        chosen, device = _choice(ready)
        key = f"models {digest_of([files.digest, edition.key, device, context.study.digest, *chosen])}"
        st.button(
            f"Run on the captions of {pluralize(len(files.runs), 'run')}",
            icon=":material/play_arrow:",
            type="primary",
            key="run-models",
            on_click=state.set_plain,
            args=(MODELS_RUN, key),
        )
        st.caption(
            "A large model takes seconds per caption without a graphics card. You can leave this page "
            "meanwhile: the models go on."
        )
    if not jobs.began(key) and state.get(MODELS_RUN) != key:
        return ModelValues()
    work = partial(
        values_from_models, files, chosen, edition=edition, device=device, pictures=_pictures(context.study)
    )
    values = jobs.run(key, work, label="Running the models")
    return ModelValues() if values is None else ModelValues(key, values)


def _pictures(study: Study) -> Callable[[str], bytes | None]:
    """A function from an image's id to its picture in the open study, None where it has none."""

    def picture(image: str) -> bytes | None:
        at = position(study.image_ids, image)
        known = at >= 0 and study.images is not None and study.images.entries[at] is not None
        return image_bytes(study.images, at) if known and study.images is not None else None

    return picture


def _table(states: Sequence[Readiness]) -> None:
    """Every model with its metric and what it lacks."""
    rows = {
        "Model": [md_escape(one.model.title) for one in states],
        "Metric": [md_escape(one.model.metric) for one in states],
        "Here": ["ready" if one.ready else "not yet" for one in states],
        "What to do": [_to_do(one) for one in states],
    }
    table.wrapped(
        pd.DataFrame(rows), alt="Models, the metric each gives, and what each lacks", cards="models"
    )
    install = "Administrators of this server add models."
    if not is_restricted():
        where = md_escape(str(models_folder()), limit=200)
        install = f"Put the weights into {where}: this program downloads nothing."
    st.caption(
        f"{install} Without a model, upload the values, concepts or embeddings that were computed elsewhere."
    )


def _to_do(state: Readiness) -> str:
    """What its reader can do so that a model runs here; on a server that is for administrators."""
    steps = remedy(state)
    if steps and is_restricted() and not state.model.apart:
        return "Ask an administrator of this server."
    return md_escape(steps, limit=400) or "–"


def _choice(ready: Sequence[str]) -> tuple[list[str], str]:
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    with left:
        called = {key: f"{MODELS[key].title} ({MODELS[key].metric})" for key in ready}
        chosen = select.some("Models to run", called, keep=MODELS_CHOSEN, first=ready)
    with right:
        device = select.one(
            "Run them on",
            {name: DEVICES[name] for name in devices()},
            keep=DEVICE,
            first="cpu",
            help="Graphics cards are listed where PyTorch finds one.",
        )
    return chosen, device
