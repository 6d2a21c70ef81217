"""Long work on a page: it runs in the background, the page stays usable, leaving it cancels nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future, wait
from itertools import count
from threading import Event, Lock, RLock, Thread
from time import monotonic
from typing import Any, TypeVar, cast

import streamlit as st

from evalcore.study.workspace.home import without_home
from evalcore.ui.frame import state
from evalcore.values.account import Account, acting_as, current, current_limits, is_served
from evalcore.values.arrays import digest_of
from evalcore.values.errors import CuiscopeError
from evalcore.values.progress import Progress, time_left
from evalcore.values.stores import Store
from evalcore.values.writing import md_escape, pluralize

# Work in the background: one thread for each job at work, with progress, cancel, and a bounded memory of
# results.
#
# Nothing here knows Streamlit, and nothing that runs in a worker's thread may call it: pages draw what a
# ``Job`` says (see `run`).

Work = Callable[[Progress], Any]
"""Called with a progress that raises in a job that was cancelled."""

AT_ONCE = 2
"""Jobs that compute at the same time on one's own computer; others wait their turn. A server has limits."""
MOST_WAITING = 20
"""Jobs of one user of a server that may wait."""
ROOM = 128 << 20
"""Bytes of results that are remembered, those of the jobs asked for longest ago forgotten first."""
WAITING = "waiting for other work to finish"


class TooManyJobs(CuiscopeError):
    """A user of a server asks for more than may wait."""

    def __init__(self) -> None:
        super().__init__(f"{MOST_WAITING} computations of yours are waiting already. Try again later.")


class Job:
    """One piece of work: how far it is, and what came of it.

    ``key``: where a register keeps its result. ``owner``: whose work it is; None on one's own computer.
    ``whose``: their id.
    """

    def __init__(self, key: Hashable, work: Work, owner: Account | None) -> None:
        self.key, self.owner, self.whose = key, owner, _id_of(owner)
        self.done, self.doing, self.began = 0.0, WAITING, monotonic()
        self._work: Work | None = work
        self._future: Future[Any] = Future()
        self._stop, self._lock = Event(), Lock()

    @property
    def running(self) -> bool:
        """Whether it computes or waits."""
        return not self._future.done()

    @property
    def cancelled(self) -> bool:
        return self._stop.is_set()

    @property
    def succeeded(self) -> bool:
        future = self._future
        return future.done() and not future.cancelled() and future.exception() is None

    def cancel(self) -> None:
        """Ask the work to stop; it does when it next calls its progress, at once where it waits."""
        self._stop.set()
        with self._lock:
            if self._future.cancel():
                self._future.set_running_or_notify_cancel()
                self._work = None

    def wait(self, seconds: float) -> bool:
        """Wait so long at most; whether it is finished."""
        return bool(wait([self._future], timeout=seconds).done)

    def result(self) -> Any:
        """What the work returned; raises what it raised, ``CancelledError`` when it was cancelled."""
        return self._future.result()

    def run(self) -> None:
        """Do the work for whom it belongs to; nothing where it was cancelled before."""
        with self._lock:
            if self._work is None or not self._future.set_running_or_notify_cancel():
                return
            work, self._work = self._work, None  # what is remembered of a job is its result alone
        try:
            self._progress(0.0, "")
            self.began = monotonic()
            with acting_as(self.owner):
                self._future.set_result(work(self._progress))
        except BaseException as error:
            # Kept, not swallowed: raised again in whoever asks for the result, as executors do.
            self._future.set_exception(error)

    def _progress(self, done: float, doing: str) -> None:
        if self._stop.is_set():
            raise CancelledError
        self.done, self.doing = min(max(done, 0.0), 1.0), doing


def _id_of(owner: Account | None) -> str | None:
    return None if owner is None else owner.id


class Jobs:
    """All jobs of the process by key.

    On one's own computer sessions that ask for the same key share one job. On a server a job belongs to one
    user, who alone can cancel it; others get its result only where it is shared. Users take turns:
    the second job of one comes after the first of everybody else.
    """

    def __init__(self, *, at_once: int = AT_ONCE, room: int = ROOM) -> None:
        self._at_once = at_once
        self._unfinished: dict[Hashable, Job] = {}
        self._waiting: list[Job] = []
        self._at_work: list[Job] = []
        self._last: dict[str | None, int] = {}
        self._count = count()
        self._finished: Store[Job] = Store(room)
        self._lock = RLock()

    def job(self, key: str, work: Work, *, shared: bool = False) -> Job:
        """The job of this key, begun or in the queue if there is none.

        ``shared``: the key says all about the content that the result is made of, and the result nothing
        about whose it is: on a server everybody who asks for the same gets it.

        Raises
        ------
        TooManyJobs
            On a server, where ``MOST_WAITING`` jobs of who asks are waiting.
        """
        owner = current()
        whose = _id_of(owner)
        with self._lock:
            job = self._known(key, whose)
            if job is not None:
                return job
            if owner is not None and [queued.whose for queued in self._queue()].count(whose) >= MOST_WAITING:
                raise TooManyJobs
            job = Job((key, None if shared else whose), work, owner)
            self._unfinished[key, whose] = job
            self._waiting.append(job)
            self._begin_next()
            return job

    def known(self, key: str) -> Job | None:
        """The job of this key if it was begun, on a server by who asks, or is finished and shared."""
        whose = _id_of(current())
        with self._lock:
            return self._known(key, whose)

    def _known(self, key: str, whose: str | None) -> Job | None:
        for name in [name for name, job in self._unfinished.items() if not job.running]:
            job = self._unfinished.pop(name)
            # That one was stopped, or failed, is for its owner to know.
            self._finished.keep(job.key if job.succeeded else name, job)
        own, of_all = (key, whose), (key, None)
        return self._unfinished.get(own) or self._finished.get(own) or self._finished.get(of_all)

    def forget(self, key: str) -> None:
        """The next request for this key starts again; a job that still runs goes on unseen."""
        whose = _id_of(current())
        with self._lock:
            self._unfinished.pop((key, whose), None)
            self._finished.forget((key, whose))
            self._finished.forget((key, None))

    def before(self, job: Job) -> int:
        """How many others begin before a job that waits; 0 for the next, and for one that does not wait."""
        with self._lock:
            queue = self._queue()
            return queue.index(job) if job in queue else 0

    def _queue(self) -> list[Job]:
        """The jobs that wait, in the order in which they begin: one of each user in turn, whose last one
        began longest ago first; those of a user as they came."""
        ahead = Counter(job.whose for job in self._at_work)
        turns: list[tuple[int, int, Job]] = []
        for job in self._waiting:
            if job.running:
                turns.append((ahead[job.whose], self._last.get(job.whose, -1), job))
                ahead[job.whose] += 1
        return [job for *_, job in sorted(turns, key=lambda turn: turn[:2])]

    def _begin_next(self) -> None:
        limits = current_limits()
        at_once, each = (self._at_once,) * 2 if limits is None else (limits.jobs, limits.jobs_per_user)
        for job in self._queue():
            if len(self._at_work) >= at_once:
                break
            if [running.whose for running in self._at_work].count(job.whose) < each:
                self._waiting.remove(job)
                self._at_work.append(job)
                self._last[job.whose] = next(self._count)
                # A daemon: a program that is asked to stop does not wait for an hour of sweeping.
                Thread(target=self._run, args=(job,), daemon=True, name="cuiscope-job").start()
        self._waiting = [job for job in self._waiting if job.running]

    def _run(self, job: Job) -> None:
        try:
            job.run()
        finally:
            with self._lock:
                self._at_work.remove(job)
                self._begin_next()


T = TypeVar("T")

PATIENCE = 1.0
"""Seconds a page waits before it shows a bar: what is ready by then appears at once. Less is not quicker: the
page would be drawn once more, half a second later, and what is below the bar moves."""
POLL = 0.5
"""Seconds between two looks at how far it is."""


_jobs = Jobs()
"""Of all sessions."""


def run(key: str, work: Callable[[Progress], T], *, label: str, shared: bool = False) -> T | None:
    """The result of a long work, or None while it runs, after it was cancelled, and when it failed.

    ``key``: says what is computed: the study's digest and every parameter. Whoever asks for the same key, in
    this session or another, gets the same job and, later, the same result; on a server other users only
    where it is ``shared`` (see `Jobs.of`), and only the result. ``work``: computes the result in
    another thread; called with a progress, which raises when the job is cancelled. It must not touch
    Streamlit: neither ``st.anything`` nor `evalcore.ui.frame.cache`. ``label``: what is being computed,
    Markdown, in the reader's words. Two jobs on a page have different labels or keys.

    While it runs, a bar with a cancel button is shown here and updates itself; the page is drawn again
    when the result is there. An error of evalcore is shown as a message with a way to try again; any other
    is raised here, and the next drawing starts again.
    """
    try:
        job = _jobs.job(key, work, shared=shared)
    except TooManyJobs as error:
        _again(key, f"{label}: {error}", "Try again")
        return None
    if not job.wait(PATIENCE):
        _watch(key, label)
        return None
    try:
        return cast("T", job.result())
    except CancelledError:
        _again(key, f"{label}: stopped.", "Start again")
    except CuiscopeError as error:
        _again(key, f"{label}: {md_escape(without_home(str(error)), limit=600)}", "Try again")
    except BaseException:
        _jobs.forget(key)
        raise
    return None


def began(key: str) -> bool:
    """Whether a job of this key was begun and not forgotten: its result is there or on its way."""
    return _jobs.known(key) is not None


def forget(key: str) -> None:
    """The next run of this key starts again."""
    _jobs.forget(key)


@st.fragment(run_every=POLL)
def _watch(key: str, label: str) -> None:
    """How far the job is, looked up again and again until it is finished."""
    job = _jobs.known(key)
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
    if job.doing == WAITING and is_served():
        ahead = _jobs.before(job)
        others = f"{pluralize(ahead, 'computation')} before yours" if ahead else "yours is the next"
        return f"{label}: waiting in the queue, {others}"
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
