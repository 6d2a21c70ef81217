"""Long work reports its progress and can be stopped from there."""

from functools import partial

import pytest

from evalcore import score
from evalcore.engine import ideal_gains, interface, sets
from evalcore.relevance.concept_table import forget
from evalcore.values.settings import Settings
from tests.engine.plain import ranked
from tests.measured import sweep
from tests.toy import TOY_EDGES, drawn_study, study_of

ASKED = {"metrics": ["nnCUI@5", "mean(iou)@5"], "systems": ["@iou", "@nn-iou"]}


class Stopped(Exception):
    """What a page raises when its user has had enough."""


@pytest.fixture
def study(monkeypatch):
    monkeypatch.setattr(sets, "QUERIES_PER_BLOCK", 16)
    interface.forget()
    return drawn_study(5, 300)


def idealised(study, progress):
    arguments = (study, "nn-iou", study.queries)
    ideal_gains(*arguments, candidates=study.candidates, depth=5, settings=[Settings()], progress=progress)


WORK = {
    "ranked": partial(ranked, relevance="nn-iou", depth=5),
    "idealised": idealised,
    "scored": partial(score, **ASKED),
    "swept": partial(sweep, alphas=(0, 0.5, 1), thresholds=(0, 1, 2), **ASKED),
}


@pytest.mark.parametrize("work", WORK)
def test_the_share_done_only_grows_and_ends_at_one(study, work):
    calls = []
    WORK[work](study, progress=lambda done, doing: calls.append((done, doing)))
    shares = [done for done, _ in calls]
    assert len(calls) > 10
    assert shares == sorted(shares) and 0 <= shares[0] < 0.2 and shares[-1] == pytest.approx(1)
    if work == "scored":
        assert {"the ideal ranking", "@iou", "@nn-iou", "done"} <= {doing for _, doing in calls}


@pytest.mark.parametrize("work", WORK)
def test_raising_stops_the_work_where_it_is(study, work):
    calls = []

    def tell(done, _doing):
        calls.append(done)
        if len(calls) == 3:
            raise Stopped

    with pytest.raises(Stopped):
        WORK[work](study, progress=tell)
    assert len(calls) == 3


def test_making_the_table_can_be_cancelled():
    study = study_of({"q": {"vein", "head"}, "c": {"vessel"}}, TOY_EDGES)
    calls = []

    def tell(done, doing):
        calls.append((done, doing))
        raise Stopped

    forget()
    for _ in range(2):  # nothing half made is kept
        with pytest.raises(Stopped):
            ranked(study, "matching:path", progress=tell)
    assert calls == [(0, "comparing the concepts with each other")] * 2
