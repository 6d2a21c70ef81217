"""The files of the challenge page: brought by the reader, kept in the workspace, removable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.errors import CuiscopeError
from evalcore.figures.numbers import count
from evalcore.sources.challenge import challenge_files
from evalcore.sources.challenge.challenge_files import OF_A_RUN, PARTS
from evalcore.ui.challenge import keys
from evalcore.ui.components.text import md_escape, plain
from evalcore.ui.frame import state

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.sources.challenge.challenge_files import Kept

MAX_MB = 100
SHOWN, SCROLLED = 7, 300
"""Files listed before the list scrolls, and how high it is then, in pixels."""
BESIDE = {
    "captions": ("scores", "run_concepts", "truth_concepts", "caption_embeddings", "image_embeddings"),
    "concepts": (),
}
EXPECTED = {
    "scores": "Columns ID, then any of BERTScore, BERTScore recall, BLEURT, AlignScore, similarity, UMLS F1.",
    "run_concepts": "Rows such as image_1,C0040405;C0817096 (as imageclef extract writes them).",
    "truth_concepts": "Rows such as image_1,C0040405;C0817096 (as imageclef extract writes them).",
    "caption_embeddings": "npz with ids and vectors, or parquet: one vector per caption of the run.",
    "image_embeddings": "npz with ids and vectors or with one array per image id, or parquet.",
    "published": "Columns team, run, score, resources, source.",
}


def uploader(task: str, part: str, label: str, *, run: str = "", help: str | None = None) -> None:
    """Where files of a part are brought in; any ending, because submissions may have none (DET, PRED)."""
    version = st.session_state.get(f"{keys.UPLOADS}:{part}", 0)
    key = f"{_KEYS.get(part, part)}-{version}"
    st.file_uploader(
        label, accept_multiple_files=part == "runs", key=key, max_upload_size=MAX_MB,
        on_change=_take, args=(task, part, key, run), help=help,
    )  # fmt: skip


def kept_list(task: str, files: Sequence[Kept]) -> None:
    """The kept files, each with a button that removes it; a long list scrolls."""
    with st.container(height=SCROLLED if len(files) > SHOWN else "content", border=False):
        _rows(task, files)


def _rows(task: str, files: Sequence[Kept]) -> None:
    for file in files:
        whose = f" :gray[for {md_escape(file.run, limit=40)}]" if file.run else ""
        st.button(
            f"{md_escape(file.name, limit=60)}{whose} :gray[{_size(file.size)}]", icon=":material/close:",
            icon_position="right", type="tertiary", key=f"forget-{file.mark}",
            on_click=remove, args=(challenge_files.forget, task, file),
            help=f"Remove {md_escape(file.name, limit=60)}",
        )  # fmt: skip


def beside(task: str, files: Sequence[Kept]) -> None:
    """Values, concepts and embeddings from elsewhere, each with the run it belongs to."""
    parts = BESIDE[task]
    kept = [file for file in files if file.part in parts]
    runs = [file.name for file in files if file.part == "runs"]
    title = f"From elsewhere: values, concepts, embeddings ({len(kept)})"
    with st.expander(title, icon=":material/input:"):
        left, right = st.columns(2, gap="medium", vertical_alignment="bottom")
        part = left.selectbox(
            "What the file is", parts, key=keys.BESIDE, persist_state="session",
            format_func=lambda name: PARTS[name].capitalize(),
        )  # fmt: skip
        run = ""
        if part in OF_A_RUN and runs:
            run = right.selectbox(
                "The run it belongs to", runs, key=keys.BESIDE_RUN, persist_state="session",
                format_func=lambda name: plain(name, limit=60),
            )  # fmt: skip
        if part in OF_A_RUN and not runs:
            st.caption("Add a run first.")
        else:
            uploader(task, str(part), "File", run=str(run))
        st.caption(EXPECTED[str(part)])
        kept_list(task, kept)


def told() -> None:
    """What went wrong with the last file, once."""
    wrong = st.session_state.pop(keys.UPLOAD_WRONG, None)
    if wrong:
        st.error(md_escape(wrong), icon=":material/error:")


_KEYS = {"truth": keys.TRUTH, "runs": keys.RUNS, "manual": keys.MANUAL}


def remove(how: Callable[..., None], *what: object) -> None:
    """Callback: remove files; when they cannot be removed, that is told."""
    try:
        how(*what)
    except CuiscopeError as error:
        st.session_state[keys.UPLOAD_WRONG] = str(error)


def _take(task: str, part: str, key: str, run: str) -> None:
    """Callback: keep what was chosen, and empty the widget."""
    given = st.session_state.get(key)
    for one in given if isinstance(given, list) else [given] if given else []:
        try:
            challenge_files.keep(task, part, one.name, one.getvalue(), run=run)
        except CuiscopeError as error:
            st.session_state[keys.UPLOAD_WRONG] = str(error)
    # Another key makes another widget, an empty one; those of the other parts keep what they are taking in.
    counter = f"{keys.UPLOADS}:{part}"
    state.set_plain(counter, st.session_state.get(counter, 0) + 1)


def _size(n: int) -> str:
    """Bytes in words: 812 bytes, 44 kB, 12 MB."""
    if n < 1000:
        return f"{count(n)} bytes"
    return f"{count(n // 1000)} kB" if n < 1_000_000 else f"{count(n // 1_000_000)} MB"
