"""Background work: shared by key, shown, cancelled, bounded, its errors shown; and how a page draws it."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.ui.frame import jobs
from evalcore.ui.frame.jobs import WAITING, Jobs

SOON = 20


@pytest.fixture
def gate():
    """Work that waits at a gate: called, begun, open."""

    class Gate:
        def __init__(self) -> None:
            self.begun, self.opened, self.times = threading.Event(), threading.Event(), 0

        def work(self, tell):
            self.times += 1
            tell(0.25, "half of the half")
            self.begun.set()
            while not self.opened.wait(0.01):
                tell(0.25, "half of the half")
            return 42

    one = Gate()
    yield one
    one.opened.set()


def test_the_same_key_shares_one_job_and_its_result(gate):
    register = Jobs()
    first, second = register.of("k", gate.work), register.of("k", gate.work)
    assert first is second and first.running and not first.wait(0)
    gate.begun.wait(SOON)
    assert (first.done, first.doing) == (0.25, "half of the half")
    gate.opened.set()
    assert first.wait(SOON) and first.result() == 42 and gate.times == 1
    assert register.of("k", gate.work).result() == 42 and gate.times == 1


def test_cancelling_raises_in_the_work_and_forgetting_begins_anew(gate):
    register = Jobs()
    job = register.of("k", gate.work)
    gate.begun.wait(SOON)
    job.cancel()
    assert job.wait(SOON) and job.cancelled
    with pytest.raises(CancelledError):
        job.result()
    register.forget("k")
    gate.opened.set()
    again = register.of("k", gate.work)
    assert again.wait(SOON) and again.result() == 42 and gate.times == 2


def test_more_jobs_than_places_wait_their_turn_and_can_be_cancelled_there(gate):
    register = Jobs(at_once=1)
    register.of("first", gate.work)
    gate.begun.wait(SOON)
    second, third = register.of("second", lambda _: "done"), register.of("third", lambda _: "never")
    assert not second.wait(0.5) and second.doing == WAITING
    third.cancel()
    assert third.wait(SOON)
    gate.opened.set()
    assert second.wait(SOON) and second.result() == "done"


def test_finished_results_are_bounded_running_ones_stay(gate):
    register = Jobs(room=250_000, at_once=5)
    running = register.of("long", gate.work)
    for name in "abc":
        assert register.of(name, lambda _: bytes(100_000)).wait(SOON)
    assert register.known("a") is None
    assert register.known("b") is not None and register.known("c") is not None
    assert register.known("long") is running


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


def draw(mode: str) -> AppTest:
    return AppTest.from_string(PAGE.format(mode=mode, key=f"test-jobs-{mode}"), default_timeout=60).run()


def labelled(app: AppTest, label: str):
    (found,) = [button for button in app.button if button.label == label]
    return found


def test_a_page_shows_a_quick_result_at_once(monkeypatch):
    monkeypatch.setattr(jobs, "PATIENCE", SOON)
    app = draw("quick")
    assert not app.exception and app.markdown[-1].value == "result 7" and not app.button


def test_a_page_shows_bar_and_cancel_and_goes_on_meanwhile(monkeypatch):
    monkeypatch.setattr(jobs, "PATIENCE", 0.05)
    app = draw("long")
    assert app.markdown[-1].value == "result None"
    (bar,) = app.get("progress")
    assert bar.proto.text.startswith("Adding up: ")
    labelled(app, "Cancel").click()
    monkeypatch.setattr(jobs, "PATIENCE", SOON)
    app.run()
    assert "Adding up: stopped." in [m.value for m in app.markdown]
    monkeypatch.setattr(jobs, "PATIENCE", 0.05)
    labelled(app, "Start again").click().run()
    assert len(app.get("progress")) == 1
    labelled(app, "Cancel").click().run()


def test_errors_of_the_input_are_messages_and_bugs_are_not_hidden(monkeypatch):
    monkeypatch.setattr(jobs, "PATIENCE", SOON)
    app = draw("wrong")
    assert not app.exception and r"must be a number" in app.markdown[0].value
    assert r"\<b\>" in app.markdown[0].value
    assert labelled(app, "Try again")
    (raised,) = draw("bug").exception
    assert "ZeroDivisionError" in raised.message + raised.proto.type
    assert not jobs.began("test-jobs-bug")
