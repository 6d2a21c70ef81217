"""The files of the challenge page: uploaded by the reader, kept for the session, removable."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.features.imageclef.captions import FROM_ELSEWHERE
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.models import MODELS, Readiness, devices, readiness, remedy
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
SOURCE = Key("source")
AGAINST = Key("against")
RUN = Key("run")
IMAGES = Key("images")
KIND = Key("kind_of_file")
OF_RUN = Key("of_run")
MODELS_CHOSEN = Key("models")
DEVICE = Key("device")
DETAILS, PUBLISHED = Key("details"), Key("published_results")
"""What is closed at first."""

PROBLEMS, BEHIND, PER_IMAGE = "Problems", "Behind the score", "Images"
"""The tabs about one run, as links call them."""
NOT_DONE = "challenge_not_done"
MODELS_RUN = "models_run"

MAX_MB = 100
SHOWN, SCROLLED = 7, 300
"""Files listed before the list scrolls, and how high it is then, in pixels."""
BESIDE: Mapping[str, str] = MappingProxyType(
    {
        "scores": "Scores of models",
        "run_concepts": "Concepts of a run's captions",
        "truth_concepts": "Concepts of the true captions",
        "caption_embeddings": "Embeddings of a run's captions",
        "image_embeddings": "Image embeddings",
    }
)
"""What can be computed elsewhere for captions, in words."""
EXPECTED = {
    "scores": f"Columns ID, then any of {', '.join(FROM_ELSEWHERE)}.",
    "run_concepts": "Rows such as image_1,C0040405;C0817096 (as imageclef extract writes them).",
    "truth_concepts": "Rows such as image_1,C0040405;C0817096 (as imageclef extract writes them).",
    "caption_embeddings": "npz with ids and vectors, or parquet: one vector per caption of the run.",
    "image_embeddings": "npz with ids and vectors or with one array per image id, or parquet.",
    "published": "Columns team, run, score, resources, source.",
}


def section(edition: Edition) -> Files | None:
    """Where files are uploaded, and what there is of them; None before there is a truth and a run."""
    task, kept = edition.task, uploads(edition.task)
    columns = [
        ("truth", f"Ground truth: {task}", "The ground truth of each image."),
        ("runs", "Runs, as you would submit them", "Any number of files; a run may also be zipped."),
    ]
    if edition.secondary == "manual":
        why = "For the secondary score. Without this file, the ground truth itself is used."
        columns.append(("manual", "Manually checked ground truth", why))
    elif edition.published or any(part == "published" for part, _ in kept):
        why = f"Used in place of the included results of 2017. {EXPECTED['published']}"
        columns.append(("published", "Published results to compare with", why))
    for place, (part, label, why) in zip(st.columns(len(columns), gap="medium"), columns, strict=True):
        with place:
            _uploader(task, part, label, help=why)
            _listed(task, [part])
    download.not_done(_wrong(task))
    if task == "captions" and kept:
        _beside(task)
    beside = {slot: next(iter(of.values())) for slot, of in kept.items() if slot[0] not in ("truth", "runs")}
    truth, runs = kept.get(("truth", "")), kept.get(("runs", ""))
    if not truth or not runs:
        return None
    return Files(next(iter(truth.values())), tuple(runs.values()), MappingProxyType(beside))


# Uploads of this session: of each part, and of each run where a file belongs to one, the files by name.

Uploads = dict[tuple[str, str], dict[str, Source]]
MOST = 512 << 20
"""Bytes that the files of one task can have together."""


def uploads(task: str) -> Uploads:
    """The files of a task, in the order they came: {(part, run it belongs to or ""): {name: file}}."""
    kept: Uploads = st.session_state.setdefault(f"challenge_files_{task}", {})
    return kept


def keep(task: str, part: str, name: str, data: bytes, *, run: str = "") -> None:
    """Keep a file in place of the one of its name, and of its part: only runs can be many.

    InputError where the files of the task would become too large together.
    """
    kept = uploads(task)
    listed = kept.get((part, run), {})
    others = [one for of in kept.values() for one in of.values()]
    replaced = [listed[name]] if name in listed else [] if part == "runs" else list(listed.values())
    size = len(data) + sum(len(one.data) for one in others) - sum(len(one.data) for one in replaced)
    if size > MOST:
        raise InputError(
            f"{name} does not fit: the files of this task can have {file_size(MOST)} together. Remove some."
        )
    source = Source(name, data, digest_of(task, part, run, name, np.frombuffer(data, np.uint8)))
    kept[part, run] = (listed if part == "runs" else {}) | {name: source}
    events.record("uploaded", kind=f"challenge {task} {part}", file=name, bytes=len(data))


def forget(task: str, part: str, name: str, *, run: str = "") -> None:
    """Remove a file; with a run goes what belongs to it."""
    kept = uploads(task)
    kept.get((part, run), {}).pop(name, None)
    for slot in [slot for slot, of in kept.items() if not of or (part == "runs" and slot[1] == name)]:
        del kept[slot]


def _uploader(task: str, part: str, label: str, *, run: str = "", help: str = "") -> None:
    """Where files of a part are uploaded; with any ending, because submissions may have none (DET, PRED)."""
    widget = f"upload-{part}"
    st.file_uploader(
        label,
        accept_multiple_files=part == "runs",
        key=state.emptied(widget),
        max_upload_size=MAX_MB,
        on_change=download.take,
        args=(widget, partial(keep, task, part, run=run), _wrong(task)),
        help=help or None,
    )


def _listed(task: str, parts: Collection[str]) -> None:
    """The files of some parts, each with a button that removes it; a long list scrolls."""
    listed = [
        (part, run, file)
        for (part, run), of in uploads(task).items()
        for file in of.values()
        if part in parts
    ]
    with st.container(height=SCROLLED if len(listed) > SHOWN else "content", border=False, gap="xxsmall"):
        for part, run, file in listed:
            name = md_escape(file.name, limit=60)
            whose = f" :gray[for {md_escape(run, limit=40)}]" if run else ""
            label = f"{name}{whose} :gray[{file_size(len(file.data))}]"
            gone = partial(forget, task, part, file.name, run=run)
            download.removable(label, name, file.mark, gone, _wrong(task))


def _beside(task: str) -> None:
    """Values, concepts and embeddings from elsewhere, each with the run it belongs to."""
    kept = uploads(task)
    n = sum(part in BESIDE for part, _ in kept)
    with st.expander(
        f"Computed elsewhere: metric values, concepts, embeddings ({n})", icon=":material/input:"
    ):
        left, right = st.columns(2, gap="medium")
        with left:
            part = select.one("What the file contains", BESIDE, keep=KIND)
        if part not in PER_RUN:
            _uploader(task, part, "File")
        elif runs := list(kept.get(("runs", ""), {})):
            with right:
                run = select.one("For the run", runs, keep=OF_RUN)
            _uploader(task, part, "File", run=run)
        else:
            st.caption("Upload a run first.")
        st.caption(EXPECTED[part])
        _listed(task, BESIDE)


def _wrong(task: str) -> str:
    """Where what could not be done with the files of a task is kept."""
    return f"{NOT_DONE}_{task}"


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
