"""Jobs of several users of a server: in turn, so many at once, each its owner's, and a place in the queue."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from evalcore.ui.frame import jobs
from evalcore.ui.frame.jobs import Jobs, TooManyJobs
from evalcore.values import account
from evalcore.values.account import Account, Limits, acting, set_limits
from evalcore.values.errors import SettingError

ADA, EVE, IDA = (Account(f"{name}@example.org", name) for name in ("ada", "eve", "ida"))
SOON = 20


@pytest.fixture
def server() -> Iterator[None]:
    set_limits(Limits(jobs_per_user=1, jobs=2))
    account.serve(lambda: None)
    yield
    account.serve(None)
    set_limits(Limits())


class Desk:
    """Jobs that note their beginning and end when they are told to."""

    def __init__(self, register: Jobs) -> None:
        self.register, self.begun, self._ends, self._changed = register, [], {}, threading.Condition()

    def ask(self, user: Account, name: str, **how: bool) -> jobs.Job:
        self._ends[name] = threading.Event()

        def work(progress):
            with self._changed:
                self.begun.append((account.current(), name))
                self._changed.notify_all()
            while not self._ends[name].wait(0.01):
                progress(0.5, "")
            return f"{name} of {account.current().id}"

        with acting(user):
            return self.register.of(name, work, **how)

    def names(self, n: int) -> list[str]:
        """The names of the first n that began."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.begun) >= n, SOON)
            return [name for _, name in self.begun]

    def end(self, *names: str) -> None:
        for name in names:
            self._ends[name].set()


@pytest.fixture
def desk(server: None) -> Iterator[Desk]:
    one = Desk(Jobs())
    yield one
    one.end(*one._ends)


def test_users_take_turns_and_see_their_places(desk: Desk) -> None:
    first = [desk.ask(ADA, f"a{n}") for n in range(4)]
    second = [desk.ask(EVE, f"e{n}") for n in range(2)]
    third = desk.ask(IDA, "i0")
    assert sorted(desk.names(2)) == ["a0", "e0"], "one of each, though Ada asked for more and before"
    # Round by round: i0 (Ida's first), then a1 and e1 (their second), a2, a3.
    before = desk.register.before
    assert [before(job) for job in (third, first[1], second[1], first[2], first[3])] == [0, 1, 2, 3, 4]
    assert before(first[0]) == 0
    desk.end("a0")
    assert desk.names(3)[2] == "i0"
    desk.end("e0")
    assert desk.names(4)[3] == "a1"
    desk.end("i0")
    assert desk.names(5)[4] == "e1"
    desk.end("e1")
    desk.end("a1")
    assert desk.names(6)[5] == "a2" and before(first[3]) == 0
    assert all(job.wait(SOON) for job in (*first[:2], *second, third))


def test_nobody_sees_or_stops_the_job_of_another(desk: Desk) -> None:
    of_ada, of_eve = desk.ask(ADA, "same"), desk.ask(EVE, "same")
    assert of_ada is not of_eve
    desk.names(2)
    of_eve.cancel()
    with acting(EVE):
        assert of_eve.wait(SOON) and desk.register.known("same") is of_eve
        desk.register.forget("same")
        assert desk.register.known("same") is None
    assert of_ada.running
    desk.end("same")
    with acting(ADA):
        assert of_ada.wait(SOON) and desk.register.known("same").result() == "same of ada@example.org"
    with acting(EVE):
        assert desk.register.known("same") is None, "what the key says may be about Ada's files"


def test_a_result_made_of_content_is_everybodys_an_error_is_not(desk: Desk) -> None:
    shared = desk.ask(ADA, "content", shared=True)
    desk.end("content")
    assert shared.wait(SOON)
    assert desk.ask(EVE, "content", shared=True) is shared

    def fails(_progress):
        raise SettingError("alpha", "a number from 0 to 1", 2)

    with acting(ADA):
        assert desk.register.of("wrong", fails, shared=True).wait(SOON)
    with acting(EVE):
        assert desk.register.known("wrong") is None
    with acting(ADA):
        assert desk.register.known("wrong") is not None


def test_a_queue_is_not_endless(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MOST_WAITING", 3)
    for n in range(4):
        desk.ask(ADA, f"a{n}")
    before = set(threading.enumerate())
    with pytest.raises(TooManyJobs):
        desk.ask(ADA, "a4")
    assert desk.ask(ADA, "a3").running, "one that is there already"
    desk.ask(EVE, "e0")
    # Threads of tests before this one may end meanwhile.
    assert len(set(threading.enumerate()) - before) == 1, "who waits has no thread"
