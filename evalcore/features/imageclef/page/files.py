"""The files of the challenge page: uploaded by the reader, kept in the workspace, removable."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.features.imageclef.from_files import from_kept
from evalcore.features.imageclef.page import keys
from evalcore.features.imageclef.read import challenge_files as workspace
from evalcore.features.imageclef.read.challenge_files import OF_A_RUN, PARTS
from evalcore.figures.numbers import count
from evalcore.study.workspace.home import home
from evalcore.ui.components import kept_file, select
from evalcore.ui.frame import cache, state
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.imageclef.editions import Edition
    from evalcore.features.imageclef.from_files import Files
    from evalcore.features.imageclef.read.challenge_files import Kept

MAX_MB = 100
SHOWN, SCROLLED = 7, 300
"""Files listed before the list scrolls, and how high it is then, in pixels."""
BESIDE = ("scores", "run_concepts", "truth_concepts", "caption_embeddings", "image_embeddings")
"""What can be computed elsewhere for captions."""
EXPECTED = {
    "scores": "Columns ID, then any of BERTScore, BERTScore recall, BLEURT, AlignScore, similarity, UMLS F1.",
    "run_concepts": "Rows such as image_1,C0040405;C0817096 (as imageclef extract writes them).",
    "truth_concepts": "Rows such as image_1,C0040405;C0817096 (as imageclef extract writes them).",
    "caption_embeddings": "npz with ids and vectors, or parquet: one vector per caption of the run.",
    "image_embeddings": "npz with ids and vectors or with one array per image id, or parquet.",
    "published": "Columns team, run, score, resources, source.",
}


def section(edition: Edition) -> Files | None:
    """Where files are uploaded, and what is kept of them; None before there is a truth and a run."""
    cache.remember(("challenge swept", os.fsencode(home())), workspace.sweep)
    task, kept = edition.task, workspace.kept(edition.task)
    columns = [
        ("truth", f"Ground truth: {task}", "The ground truth of each image."),
        ("runs", "Runs, as you would submit them", "Any number of files; a run may also be zipped."),
    ]
    if edition.secondary == "manual":
        why = "For the secondary score. Without this file, the ground truth itself is used."
        columns.append(("manual", "Manually checked ground truth", why))
    elif edition.published or any(file.part == "published" for file in kept):
        why = f"Used in place of the included results of 2017. {EXPECTED['published']}"
        columns.append(("published", "Published results to compare with", why))
    for place, (part, label, why) in zip(st.columns(len(columns), gap="medium"), columns, strict=True):
        with place:
            _uploader(task, part, label, help=why)
            _listed(task, [file for file in kept if file.part == part])
    kept_file.not_done(_wrong(task))
    if kept:
        st.button(
            "Remove all files", icon=":material/delete:", type="tertiary", key="forget-all",
            on_click=kept_file.change, args=(_wrong(task), partial(workspace.forget_all, task)),
        )  # fmt: skip
    if task == "captions" and kept:
        _beside(task, kept)
    return from_kept(kept)


def _uploader(task: str, part: str, label: str, *, run: str = "", help: str = "") -> None:
    """Where files of a part are uploaded; with any ending, because submissions may have none (DET, PRED)."""
    widget = f"upload-{part}"
    st.file_uploader(
        label, accept_multiple_files=part == "runs", key=state.emptied(widget), max_upload_size=MAX_MB,
        on_change=kept_file.take, args=(widget, partial(workspace.keep, task, part, run=run), _wrong(task)),
        help=help or None,
    )  # fmt: skip


def _listed(task: str, files: Sequence[Kept]) -> None:
    """The kept files, each with a button that removes it; a long list scrolls."""
    with st.container(height=SCROLLED if len(files) > SHOWN else "content", border=False, gap="xxsmall"):
        for file in files:
            name = md_escape(file.name, limit=60)
            whose = f" :gray[for {md_escape(file.run, limit=40)}]" if file.run else ""
            label = f"{name}{whose} :gray[{_size(file.size)}]"
            kept_file.removable(label, name, file.mark, partial(workspace.forget, task, file), _wrong(task))


def _beside(task: str, kept: Sequence[Kept]) -> None:
    """Values, concepts and embeddings from elsewhere, each with the run it belongs to."""
    listed = [file for file in kept if file.part in BESIDE]
    runs = [file.name for file in kept if file.part == "runs"]
    title = f"Computed elsewhere: metric values, concepts, embeddings ({len(listed)})"
    with st.expander(title, icon=":material/input:"):
        left, right = st.columns(2, gap="medium")
        with left:
            offered = {name: PARTS[name].capitalize() for name in BESIDE}
            part = select.one("What the file contains", offered, keep=keys.KIND)
        if part not in OF_A_RUN:
            _uploader(task, part, "File")
        elif runs:
            with right:
                run = select.one("For the run", runs, keep=keys.OF_RUN)
            _uploader(task, part, "File", run=run)
        else:
            st.caption("Upload a run first.")
        st.caption(EXPECTED[part])
        _listed(task, listed)


def _wrong(task: str) -> str:
    """Where what could not be done with the files of a task is kept."""
    return f"{keys.NOT_DONE}_{task}"


def _size(n: int) -> str:
    """Bytes in words: 812 bytes, 44 kB, 12 MB."""
    if n < 1000:
        return f"{count(n)} bytes"
    return f"{count(n // 1000)} kB" if n < 1_000_000 else f"{count(n // 1_000_000)} MB"
