"""Long work on a page: it runs in the background, the page stays usable, leaving it cancels nothing."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, Future, wait
from threading import BoundedSemaphore, Event, Lock, Thread
from time import monotonic
from typing import Any, TypeVar, cast

import streamlit as st

from evalcore.ui.frame import state
from evalcore.values import plugins
from evalcore.values.arrays import digest_of
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import md_escape
from evalcore.values.progress import Progress, time_left
from evalcore.values.stores import Store

# Work in the background: one thread per key, with progress, cancel, and a bounded memory of results.
#
# Nothing here knows Streamlit, and nothing that runs in a worker's thread may call it: pages draw what a
# ``Job`` says (see `jobs`).

Work = Callable[[Progress], Any]
"""Called with a progress that raises in a job that was cancelled."""

AT_ONCE = 2
"""Jobs that compute at the same time; others wait their turn."""
ROOM = 128 << 20
"""Bytes of results that are remembered, those of the jobs asked for longest ago forgotten first."""
WAITING = "waiting for other work to finish"


class Job:
    """One piece of work: how far it is, and what came of it. Changed by its own thread only."""

    def __init__(self, work: Work, turn: BoundedSemaphore) -> None:
        self.done, self.doing, self.began = 0.0, "", monotonic()
        self._future: Future[Any] = Future()
        self._stop = Event()
        # A daemon: a program that is asked to stop does not wait for an hour of sweeping.
        Thread(target=self._run, args=(work, turn), daemon=True, name="cuiscope-job").start()

    @property
    def running(self) -> bool:
        return not self._future.done()

    @property
    def cancelled(self) -> bool:
        return self._stop.is_set()

    def cancel(self) -> None:
        """Ask the work to stop; it does when it next calls its progress."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Wait so long at most; whether it is finished."""
        return bool(wait([self._future], timeout=seconds).done)

    def result(self) -> Any:
        """What the work returned; raises what it raised, ``CancelledError`` when it was cancelled."""
        return self._future.result()

    def _progress(self, done: float, doing: str) -> None:
        if self._stop.is_set():
            raise CancelledError
        self.done, self.doing = min(max(done, 0.0), 1.0), doing

    def _run(self, work: Work, turn: BoundedSemaphore) -> None:
        try:
            while not turn.acquire(timeout=0.2):
                self._progress(0.0, WAITING)
            try:
                self._progress(0.0, "")
                self.began = monotonic()
                self._future.set_result(work(self._progress))
            finally:
                turn.release()
        except BaseException as error:
            # Kept, not swallowed: raised again in whoever asks for the result, as executors do.
            self._future.set_exception(error)


def _versioned(key: str) -> str:
    """The key of what the functions of users, as they are now, compute."""
    return f"{key}{plugins.versions() or ''}"


class Jobs:
    """All jobs of the process by key: sessions that ask for the same key share one."""

    def __init__(self, *, at_once: int = AT_ONCE, room: int = ROOM) -> None:
        self._running: dict[str, Job] = {}
        self._finished: Store[Job] = Store(room)
        self._lock, self._turn = Lock(), BoundedSemaphore(at_once)

    def of(self, key: str, work: Work) -> Job:
        """The job of this key, begun if there is none."""
        key = _versioned(key)
        with self._lock:
            job = self._known(key)
            if job is None:
                job = self._running[key] = Job(work, self._turn)
            return job

    def known(self, key: str) -> Job | None:
        """The job of this key if it was begun."""
        with self._lock:
            return self._known(_versioned(key))

    def _known(self, key: str) -> Job | None:
        for name in [name for name, job in self._running.items() if not job.running]:
            self._finished.keep(name, self._running.pop(name))
        return self._running.get(key) or self._finished.get(key)

    def forget(self, key: str) -> None:
        """The next who asks for this key begins anew; a job still running goes on unseen."""
        key = _versioned(key)
        with self._lock:
            self._running.pop(key, None)
            self._finished.forget(key)


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

    ``key``: says what is computed: the study's digest and every parameter. Whoever asks for the same key, in
    this session or another, gets the same job and, later, the same result. ``work``: computes the result in
    another thread; called with a progress, which raises when the job is cancelled. It must not touch
    Streamlit: neither ``st.anything`` nor `evalcore.ui.frame.cache`. ``label``: what is being computed,
    Markdown, in the reader's words. Two jobs on a page have different labels or keys.

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
            "Cancel",
            key=f"cancel-{digest_of(key)}",
            icon=":material/stop_circle:",
            on_click=job.cancel,
            disabled=job.cancelled,
        )


def _progress_text(job: Job, label: str) -> str:
    if job.cancelled:
        return f"{label}: stopping…"
    left = time_left(job.done, monotonic() - job.began)
    return f"{label}: {job.done:.0%}{left}" + (f", {md_escape(job.doing, limit=80)}" if job.doing else "")


def _again(key: str, message: str, button: str) -> None:
    with st.container(
        border=True, horizontal=True, vertical_alignment="center", key=f"ended-{digest_of(key)}"
    ):
        st.markdown(message, width="stretch")
        st.button(
            button, key=f"again-{digest_of(key)}", icon=":material/refresh:", on_click=forget, args=(key,)
        )
