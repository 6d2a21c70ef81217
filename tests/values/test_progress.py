"""The progress of parts and stages, by hand arithmetic."""

from __future__ import annotations

import pytest

from evalcore.values.progress import part_of, silent, stages


class Calls(list):
    def __call__(self, done: float, doing: str) -> None:
        self.append((done, doing))


@pytest.mark.parametrize(
    ("before", "total", "share", "done", "whole"),
    [(0, 4, 1, 0.5, 0.125), (3, 4, 1, 1.0, 1.0), (1, 10, 9, 0.5, 0.55), (2, 8, 0.5, 1.0, 0.3125)],
)
def test_a_part_of_the_whole(before, total, share, done, whole):
    calls = Calls()
    part_of(calls, before, total, share=share)(done, "x")
    assert calls == [(whole, "x")]


def test_its_name_is_given_when_there_is_nothing_else_to_say():
    calls = Calls()
    part = part_of(calls, 0, 2, name="counting")
    part(0.0, "")
    part(0.5, "compiling")
    assert calls == [(0.0, "counting"), (0.25, "compiling")]


def test_nobody_looks():
    assert part_of(None, 1, 2) is None
    assert silent(0.5, "x") is None


def test_stages_take_their_share_and_join_without_a_gap():
    calls = Calls()
    for stage in stages(calls, 1, 0, 2, 5):
        stage(0.0, "")
        stage(1.0, "")
    assert [done for done, _ in calls] == [0, 1 / 8, 1 / 8, 1 / 8, 1 / 8, 3 / 8, 3 / 8, 1]


def test_stages_of_no_weight_stay_at_the_start():
    calls = Calls()
    for stage in stages(calls, 0, 0):
        stage(1.0, "")
    assert calls == [(0, ""), (0, "")]


def test_what_a_progress_raises_goes_through():
    def stop(_done: float, _doing: str) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        part_of(stop, 0, 2)(0.5, "")
