"""Whatever a browser sends: it is stored as it was given or refused in words; nothing ends the session."""

from __future__ import annotations

import json
import math

import pytest

from evalcore.features.review.items import Plan, plan_of
from evalcore.features.review.page.reading import BrowserState, take
from evalcore.features.review.read import database, store
from evalcore.features.review.tasks import Task

ENORMOUS = pytest.param(10**400, id="400 digits")
STUDY = "0123456789abcdef0123456789abcdef"
ID = "0a" * 16


@pytest.fixture
def plan() -> Plan:
    task = Task(name="chest", title="Chest", form="graded", systems=("hog",), queries=("q1",))
    return plan_of(task, {"q1": {"hog": ("a", "b")}}, reader="R1")


@pytest.fixture(autouse=True)
def _closed():
    yield
    database.forget()


def sent(plan: Plan, **said: object) -> dict[str, object]:
    """An outbox of one answer as it comes out of the browser: through JSON."""
    answer = {"id": ID, "item": plan.items[0].key, "said": "value", "value": 1, "reasons": [], "comment": ""}
    return json.loads(json.dumps({"answers": [{**answer, **said}]}))


def test_an_answer_is_stored_as_it_was_given(plan: Plan) -> None:
    heard = BrowserState()
    take(STUDY, plan, sent(plan), heard)
    assert (heard.stored, heard.failed) == ([ID], [])
    (one,) = store.history(STUDY)
    assert (one.said, one.value) == ("value", 1.0)


@pytest.mark.parametrize(
    "value", [ENORMOUS, 10**19, "1", "x", None, True, [], {}, [1], math.inf, math.nan, 1e300, 2]
)
def test_a_value_that_is_none_is_refused_in_words(plan: Plan, value: object) -> None:
    heard = BrowserState()
    take(STUDY, plan, sent(plan, value=value), heard)
    assert (heard.stored, heard.failed) == ([], [ID])
    assert "number from" in heard.why and len(heard.why) < 400
    assert store.history(STUDY) == ()


@pytest.mark.parametrize(
    "said",
    [
        "",
        "VALUE",
        "deleted",
        "undone ",
        None,
        0,
        ENORMOUS,
        True,
        [],
        ["undone"],
        {},
        pytest.param("x" * 10**6, id="long"),
    ],
)
def test_what_was_said_in_an_unknown_way_is_not_taken_for_undone(plan: Plan, said: object) -> None:
    heard = BrowserState()
    take(STUDY, plan, sent(plan), BrowserState())
    take(STUDY, plan, sent(plan, id="0b" * 16, said=said), heard)
    assert (heard.stored, heard.failed) == ([], ["0b" * 16])
    assert "must be one of value, cannot-say, undone. Reload the page" in heard.why and len(heard.why) < 400
    assert [(one.said, one.value) for one in store.history(STUDY)] == [("value", 1.0)]


@pytest.mark.parametrize("said", ["cannot-say", "undone"])
@pytest.mark.parametrize("value", [None, 1, ENORMOUS])
def test_without_a_value_none_is_looked_at(plan: Plan, said: str, value: object) -> None:
    heard = BrowserState()
    take(STUDY, plan, sent(plan, said=said, value=value), heard)
    assert heard.stored == [ID]
    (one,) = store.history(STUDY)
    assert (one.said, one.value) == (said, None)


@pytest.mark.parametrize(
    "item", [None, 7, ENORMOUS, [], {}, "", "no such item", pytest.param("x" * 10**5, id="long")]
)
def test_an_item_that_is_none_is_refused(plan: Plan, item: object) -> None:
    heard = BrowserState()
    take(STUDY, plan, sent(plan, item=item), heard)
    assert (heard.stored, heard.failed) == ([], [ID]) and heard.why


@pytest.mark.parametrize("name", [None, ENORMOUS, 10**31, [], {}, "", "x", "0A" * 16])
def test_what_has_no_id_is_passed_over(plan: Plan, name: object) -> None:
    heard = BrowserState()
    take(STUDY, plan, sent(plan, id=name), heard)
    assert (heard.stored, heard.failed) == ([], [])
    assert store.history(STUDY) == ()


@pytest.mark.parametrize("outbox", [None, 7, [], "x", {}, {"answers": 7}, {"answers": [7, None, [], {}]}])
def test_an_outbox_of_anything(plan: Plan, outbox: object) -> None:
    heard = BrowserState()
    take(STUDY, plan, outbox, heard)
    assert (heard.stored, heard.failed) == ([], [])


@pytest.mark.parametrize(
    "more", [{"reasons": 7}, {"reasons": [0, {}]}, {"comment": 10**400}, {"comment": []}]
)
def test_reasons_and_comments_of_anything(plan: Plan, more: dict[str, object]) -> None:
    heard = BrowserState()
    take(STUDY, plan, sent(plan, **more), heard)
    assert heard.stored == [ID]
    (one,) = store.history(STUDY)
    assert (one.reasons, one.comment) == ((), "")
