"""Background work: shared, shown, cancelled, bounded; of several users in turn; how a page draws it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import nullcontext

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.ui.frame import jobs
from evalcore.ui.frame.jobs import WAITING, Jobs, TooManyJobs
from evalcore.values import account
from evalcore.values.account import Account, Limits, acting_as
from evalcore.values.errors import SettingError
from tests.ui.conftest import button

ADA, EVE, IDA = (Account(f"{name}@example.org", name) for name in ("ada", "eve", "ida"))
SOON = 20


class Desk:
    """Jobs that note their beginning, and end when they are told to."""

    def __init__(self, register: Jobs) -> None:
        self.register, self.begun, self._ends, self._changed = register, [], {}, threading.Condition()

    def ask(self, name: str, user: Account | None = None, **how: bool) -> jobs.Job:
        self._ends.setdefault(name, threading.Event())

        def work(tell):
            tell(0.25, "half of the half")
            with self._changed:
                self.begun.append(name)
                self._changed.notify_all()
            while not self._ends[name].wait(0.01):
                tell(0.25, "half of the half")
            at_work = account.current()
            return f"{name} of {at_work.id if at_work else 'nobody'}"

        with acting_as(user) if user else nullcontext():
            return self.register.job(name, work, **how)

    def names(self, n: int) -> list[str]:
        """The names of the first n that began."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.begun) >= n, SOON)
            return list(self.begun)

    def end(self, *names: str) -> None:
        for name in names:
            self._ends[name].set()

    def end_all(self) -> None:
        self.end(*self._ends)


@pytest.fixture
def alone() -> Iterator[Desk]:
    """Of somebody who runs the program for themselves."""
    desk = Desk(Jobs())
    yield desk
    desk.end_all()


def test_the_same_key_shares_one_job_and_its_result(alone: Desk) -> None:
    first, second = alone.ask("k"), alone.ask("k")
    assert first is second and first.running and not first.wait(0)
    alone.names(1)
    assert (first.done, first.doing) == (0.25, "half of the half")
    alone.end("k")
    assert first.wait(SOON) and first.result() == "k of nobody"
    assert alone.ask("k").result() == "k of nobody" and alone.begun == ["k"]


def test_cancelling_raises_in_the_work_and_forgetting_begins_anew(alone: Desk) -> None:
    job = alone.ask("k")
    alone.names(1)
    job.cancel()
    assert job.wait(SOON) and job.cancelled
    with pytest.raises(CancelledError):
        job.result()
    alone.register.forget("k")
    alone.end("k")
    again = alone.ask("k")
    assert again.wait(SOON) and again.result() == "k of nobody" and alone.begun == ["k", "k"]


def test_more_jobs_than_places_wait_their_turn_and_can_be_cancelled_there(alone: Desk) -> None:
    alone.register = register = Jobs(at_once=1)
    alone.ask("first")
    alone.names(1)
    second, third = register.job("second", lambda _: "done"), register.job("third", lambda _: "never")
    assert not second.wait(0.1) and second.doing == WAITING
    third.cancel()
    assert third.wait(SOON)
    alone.end("first")
    assert second.wait(SOON) and second.result() == "done"


def test_finished_results_are_bounded_running_ones_stay(alone: Desk) -> None:
    alone.register = register = Jobs(room=250_000, at_once=5)
    running = alone.ask("long")
    for name in "abc":
        assert register.job(name, lambda _: bytes(100_000)).wait(SOON)
    assert register.known("a") is None
    assert register.known("b") is not None and register.known("c") is not None
    assert register.known("long") is running


# Of several users of a server: in turn, so many at once, each its owner's, and a place in the queue.


@pytest.fixture
def desk(alone: Desk) -> Iterator[Desk]:
    account.serve(lambda: None, Limits(jobs_per_user=1, jobs=2))
    yield alone
    alone.end_all()
    account.serve(None)


def test_users_take_turns_and_see_their_places(desk: Desk) -> None:
    first = [desk.ask(f"a{n}", ADA) for n in range(4)]
    second = [desk.ask(f"e{n}", EVE) for n in range(2)]
    third = desk.ask("i0", IDA)
    assert sorted(desk.names(2)) == ["a0", "e0"], "one of each, though Ada asked for more and before"
    # Round by round: i0 (Ida's first), then a1 and e1 (their second), a2, a3.
    before = desk.register.before
    assert [before(job) for job in (third, first[1], second[1], first[2], first[3])] == [0, 1, 2, 3, 4]
    assert before(first[0]) == 0
    turns = [(["a0"], "i0"), (["e0"], "a1"), (["i0"], "e1"), (["e1", "a1"], "a2")]
    for n, (ended, begun) in enumerate(turns, start=3):
        desk.end(*ended)
        assert desk.names(n)[n - 1] == begun
    assert before(first[3]) == 0
    assert all(job.wait(SOON) for job in (*first[:2], *second, third))


def test_nobody_sees_or_stops_the_job_of_another(desk: Desk) -> None:
    of_ada, of_eve = desk.ask("same", ADA), desk.ask("same", EVE)
    assert of_ada is not of_eve
    desk.names(2)
    of_eve.cancel()
    with acting_as(EVE):
        assert of_eve.wait(SOON) and desk.register.known("same") is of_eve
        desk.register.forget("same")
        assert desk.register.known("same") is None
    assert of_ada.running
    desk.end("same")
    with acting_as(ADA):
        assert of_ada.wait(SOON) and desk.register.known("same").result() == "same of ada@example.org"
    with acting_as(EVE):
        assert desk.register.known("same") is None, "what the key says may be about Ada's files"


def test_a_result_made_of_content_is_everybodys_an_error_is_not(desk: Desk) -> None:
    shared = desk.ask("content", ADA, shared=True)
    desk.end("content")
    assert shared.wait(SOON)
    assert desk.ask("content", EVE, shared=True) is shared

    def fails(_progress):
        raise SettingError("alpha", "a number from 0 to 1", 2)

    with acting_as(ADA):
        assert desk.register.job("wrong", fails, shared=True).wait(SOON)
    for user, known in ((EVE, False), (ADA, True)):
        with acting_as(user):
            assert (desk.register.known("wrong") is not None) == known


def test_a_queue_is_not_endless(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MOST_WAITING", 3)
    for n in range(4):
        desk.ask(f"a{n}", ADA)
    before = set(threading.enumerate())
    with pytest.raises(TooManyJobs):
        desk.ask("a4", ADA)
    assert desk.ask("a3", ADA).running, "one that is there already"
    desk.ask("e0", EVE)
    # Threads of tests before this one may end meanwhile.
    assert len(set(threading.enumerate()) - before) == 1, "who waits has no thread"


# How a page draws it.

PAGE = """
import streamlit as st
from evalcore.values.errors import SettingError
from evalcore.ui.frame import jobs

def work(tell):
    tell(0.5, "*half*")
    mode = {mode!r}
    if mode == "wrong":
        raise SettingError("alpha", "a number", "<b>")
    if mode == "bug":
        raise ZeroDivisionError("oops")
    if mode == "long":
        import time
        for _ in range(3000):
            time.sleep(0.01)
            tell(0.5, "*half*")
    return 7

found = jobs.run({key!r}, work, label="Adding up")
st.markdown(f"result {{found}}")
"""


def draw(monkeypatch: pytest.MonkeyPatch, mode: str, patience: float = SOON) -> AppTest:
    monkeypatch.setattr(jobs, "PATIENCE", patience)
    return AppTest.from_string(PAGE.format(mode=mode, key=f"test-jobs-{mode}"), default_timeout=60).run()


def test_a_page_shows_a_quick_result_at_once(monkeypatch):
    app = draw(monkeypatch, "quick")
    assert not app.exception and app.markdown[-1].value == "result 7" and not app.button


def test_a_page_shows_bar_and_cancel_and_goes_on_meanwhile(monkeypatch):
    app = draw(monkeypatch, "long", 0.05)
    assert app.markdown[-1].value == "result None"
    (bar,) = app.get("progress")
    assert bar.proto.text.startswith("Adding up: ")
    button(app, "Cancel").click()
    monkeypatch.setattr(jobs, "PATIENCE", SOON)
    app.run()
    assert "Adding up: stopped." in [m.value for m in app.markdown]
    monkeypatch.setattr(jobs, "PATIENCE", 0.05)
    button(app, "Start again").click().run()
    assert len(app.get("progress")) == 1
    button(app, "Cancel").click().run()


def test_errors_of_the_input_are_messages_and_bugs_are_not_hidden(monkeypatch):
    app = draw(monkeypatch, "wrong")
    assert not app.exception and r"must be a number" in app.markdown[0].value
    assert r"\<b\>" in app.markdown[0].value
    assert button(app, "Try again")
    (raised,) = draw(monkeypatch, "bug").exception
    assert "ZeroDivisionError" in raised.message + raised.proto.type
    assert not jobs.began("test-jobs-bug")
