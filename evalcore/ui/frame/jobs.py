"""Long work on a page: it runs in the background, the page stays usable, leaving it cancels nothing."""

from __future__ import annotations

from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, TypeVar, cast

import streamlit as st

from evalcore.ui.frame import state
from evalcore.ui.frame.workers import Job, Jobs
from evalcore.values.arrays import digest_of
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import md_escape
from evalcore.values.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

PATIENCE = 0.4
"""Seconds a page waits before it shows a bar: what is ready by then appears at once."""
POLL = 0.5
"""Seconds between two looks at how far it is."""


@st.cache_resource
def _jobs() -> Jobs:
    """One register for all sessions."""
    return Jobs()


def run(key: str, work: Callable[[Progress], T], *, label: str) -> T | None:
    """The result of a long work, or None while it runs, after it was cancelled, and when it failed.

    Parameters
    ----------
    key
        Says what is computed: the study's digest and every parameter. Whoever asks for the same key, in
        this session or another, gets the same job and, later, the same result.
    work
        Computes the result in another thread; called with a progress, which raises when the job
        is cancelled. It must not touch Streamlit: neither ``st.anything`` nor `evalcore.ui.frame.cache`.
    label
        What is being computed, Markdown, in the reader's words. Two jobs on a page have different labels
        or keys.

    While it runs, a bar with a cancel button stands here and looks after itself; the page is drawn again
    when the result is there. An error of evalcore is shown as a message with a way to try again; any other
    is raised here, and the next drawing begins anew.
    """
    job = _jobs().of(key, work)
    if not job.wait(PATIENCE):
        _watch(key, label)
        return None
    try:
        return cast("T", job.result())
    except CancelledError:
        _again(key, f"{label}: stopped.", "Start again")
    except CuiscopeError as error:
        _again(key, f"{label}: {md_escape(str(error), limit=600)}", "Try again")
    except BaseException:
        _jobs().forget(key)
        raise
    return None


def began(key: str) -> bool:
    """Whether a job of this key was begun and not forgotten: its result is there or on its way."""
    return _jobs().known(key) is not None


def forget(key: str) -> None:
    """The next run of this key begins anew."""
    _jobs().forget(key)


@st.fragment(run_every=POLL)
def _watch(key: str, label: str) -> None:
    """How far the job is, looked up again and again until it is finished."""
    job = _jobs().known(key)
    if job is None or not job.running:
        state.show_again()
        st.rerun()
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"job-{digest_of(key)}"):
        st.progress(job.done, text=_progress_text(job, label), width="stretch")
        st.button(
            "Cancel", key=f"cancel-{digest_of(key)}", icon=":material/stop_circle:", on_click=job.cancel,
            disabled=job.cancelled,
        )  # fmt: skip


def _progress_text(job: Job, label: str) -> str:
    if job.cancelled:
        return f"{label}: stopping…"
    return f"{label}: {job.done:.0%}" + (f", {md_escape(job.doing, limit=80)}" if job.doing else "")


def _again(key: str, message: str, button: str) -> None:
    with st.container(
        border=True, horizontal=True, vertical_alignment="center", key=f"ended-{digest_of(key)}"
    ):
        st.markdown(message, width="stretch")
        st.button(
            button, key=f"again-{digest_of(key)}", icon=":material/refresh:", on_click=forget, args=(key,)
        )  # fmt: skip
