"""Long work tells how far it is, can be stopped from there, and says when it waits for the compiler."""

from __future__ import annotations

import pytest

from evalcore.engine import ideal_gains, interface, rank, sets
from evalcore.evaluate import score
from evalcore.values.settings import Settings
from tests.engine.test_engine_habits import random_study
from tests.swept import sweep

METRICS = ["nnCUI@5", "mean(iou)@5"]


class Stopped(Exception):
    """What a page raises when its user has had enough."""


@pytest.fixture
def study(monkeypatch):
    monkeypatch.setattr(sets, "QUERIES_PER_BLOCK", 16)
    interface.forget()
    return random_study()


def ranked(study, tell):
    rank(
        study,
        "nn-iou",
        study.queries,
        candidates=study.candidates,
        depth=5,
        settings=Settings(),
        progress=tell,
    )


def idealised(study, tell):
    ideal_gains(
        study,
        "nn-iou",
        study.queries,
        candidates=study.candidates,
        depth=5,
        settings=Settings(),
        progress=tell,
    )


def scored(study, tell):
    score(study, metrics=METRICS, systems=["@iou", "@nn-iou"], progress=tell)


def swept(study, tell):
    sweep(
        study,
        alphas=(0, 0.5, 1),
        thresholds=(0, 1, 2),
        metrics=METRICS,
        systems=["@iou", "@nn-iou"],
        progress=tell,
    )


WORK = [ranked, idealised, scored, swept]


@pytest.mark.parametrize("work", WORK)
def test_the_share_done_only_grows_and_ends_at_one(study, work):
    calls = []
    work(study, lambda done, doing: calls.append((done, doing)))
    shares = [done for done, _ in calls]
    assert len(calls) > 10
    assert shares == sorted(shares) and 0 <= shares[0] < 0.2 and shares[-1] == pytest.approx(1)


def test_a_score_names_what_it_works_on(study):
    calls = set()
    scored(study, lambda _done, doing: calls.add(doing))
    assert {"the ideal ranking", "@iou", "@nn-iou", "done"} <= calls


@pytest.mark.parametrize("work", WORK)
def test_raising_stops_the_work_where_it_is(study, work):
    calls = []

    def tell(done, _doing):
        calls.append(done)
        if len(calls) == 3:
            raise Stopped

    with pytest.raises(Stopped):
        work(study, tell)
    assert len(calls) == 3
