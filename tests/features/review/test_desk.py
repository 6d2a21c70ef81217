"""Whatever a browser sends: it is stored as it was given or refused in words; nothing ends the session."""

from __future__ import annotations

import json
import math

import pytest

from evalcore.features.review import database, store
from evalcore.features.review.items import items_for, lists_of, progress
from evalcore.features.review.page_desk import Delivery, Work, data_of, receive
from evalcore.features.review.records import FORMS, Task
from evalcore.study import open_study
from tests.features.review.made import STUDY
from tests.ui.conftest import RUNS, write_study

ID = "0a" * 16


@pytest.fixture
def work():
    task = Task(name="chest", title="Chest", form="graded", systems=("hog",), queries=("q1",))
    return Work(STUDY, task, "R1", items_for(task, {"q1": {"hog": ("a", "b")}}, "R1"))


def sent(work: Work, **fields: object) -> dict[str, object]:
    """An outbox of one answer as it comes out of the browser: through JSON."""
    answer = {"id": ID, "item": work.items[0].key, "said": "value", "value": 1, "reasons": [], "comment": ""}
    return json.loads(json.dumps({"answers": [{**answer, **fields}]}))


def test_an_answer_that_could_not_be_stored_is_said_and_tried_again(work, monkeypatch):
    for address, stored, failed in (("nonsense", [], [ID]), ("", [ID], [])):
        monkeypatch.setenv(database.VARIABLE, address)
        receive(work, sent(work), delivery := Delivery())
        assert (delivery.stored, delivery.failed) == (stored, failed)
        assert ("no address of a database" in (delivery.why or "")) is bool(failed)
    assert [(judgment.status, judgment.value) for judgment in store.history(STUDY)] == [("value", 1.0)]


VALUES = (10**400, 10**19, "1", "x", None, True, [], {}, [1], math.inf, math.nan, 1e300, 2)
STATUSES = ("", "undone ", None, 10**400, ["undone"], "x" * 10**6)
ITEMS = (None, 7, 10**400, [], {}, "", "no such item", "x" * 10**5)


@pytest.mark.parametrize(
    ("field", "contents", "words"),
    [
        ("value", VALUES, "number from"),
        ("said", STATUSES, "`status` must be one of value, cannot-say, undone"),
        ("item", ITEMS, ""),
    ],
)
def test_what_an_answer_cannot_be_is_refused_in_words(work, field, contents, words):
    """And changes nothing of an answer that was given before: it is not taken for undone."""
    receive(work, sent(work), Delivery())
    for content in contents:
        delivery, refused = Delivery(), "0b" * 16
        receive(work, sent(work, id=refused, **{field: content}), delivery)
        assert (delivery.stored, delivery.failed) == ([], [refused]), content
        assert delivery.why and words in delivery.why
        assert field == "item" or len(delivery.why) < 400
    assert [(judgment.status, judgment.value) for judgment in store.history(STUDY)] == [("value", 1.0)]


def test_an_outbox_of_anything_is_nothing(work):
    delivery = Delivery()
    for outbox in (None, 7, [], "x", {}, {"answers": 7}, {"answers": [7, None, [], {}]}):
        receive(work, outbox, delivery)
    assert (delivery.stored, delivery.failed) == ([], [])


@pytest.mark.parametrize("form", [form for form in FORMS if form != "material"])
def test_nothing_that_is_sent_names_a_system(tmp_path, form):
    """Before anything is answered, after it, and when an answer could not be stored."""
    study = open_study(write_study(tmp_path / "study"))
    task = Task(name="t", title="T", form=form, systems=tuple(RUNS), queries=3, panel=True)
    work = Work(STUDY, task, "R1", items_for(task, lists_of(study, task), "R1"))
    assert work.items
    for status in ("value", "cannot-say", "other"):
        delivery = Delivery()
        value = 0 if status == "value" else None
        receive(work, sent(work, said=status, value=value, id=f"{len(status):032x}"), delivery)
        so_far = progress(work.items, "t", "R1", store.history(STUDY))
        text = json.dumps(data_of(study, work, so_far, delivery))
        assert not [system for system in RUNS if system in text]
    assert so_far.answers, "the item that was answered last is sent too"
