"""The page Review: making a task, judging blind, taking back, going on another day."""

from __future__ import annotations

import json
import math

import pytest

from evalcore.features.review import database, store
from evalcore.features.review import page_desk as desk
from evalcore.features.review.files import read_task, save_task
from evalcore.features.review.items import items_for, lists_of, progress
from evalcore.features.review.page_desk import Delivery, Work, data_of, receive
from evalcore.features.review.records import FORMS, Task
from evalcore.features.review.store import study_id
from evalcore.study import open_study
from evalcore.study.reader_judgments import read_reader_judgments
from tests.features.review.made import NOW, STUDY
from tests.ui.conftest import HOSTILE, RUNS, button, page_text, plain, sent

PAGE = "pages/4_Readers.py"


def judging(open_app, study, reader="R1", **link):
    """The page of a reader who followed a link and gave a code."""
    app = open_app(PAGE, study=study, **{"review": "practice", "read": "yes", **link})
    app.text_input(key="reader_code").set_value(reader)
    return press(app, "Start")


def press(app, label):
    return button(app, label).click().run()


def everything(app):
    """All that the page sends to the browser, and its address."""
    return "\n".join([*sent(app._tree), json.dumps(dict(app.query_params))])


def test_every_study_with_runs_can_be_judged_at_once(open_app, study_folder, hands):
    app = open_app(PAGE, study=study_folder)
    assert "Practice" in [header.value for header in app.header] and "No answers yet." in page_text(app)
    app.button(key="judge-practice").click().run()
    assert dict(app.query_params) == {"review": "practice", "draw": "1", "read": "yes"}
    app.text_input(key="reader_code").set_value("R1")
    press(app, "Start")
    assert hands.data["n"] > 5
    assert app.query_params["reader"] == "R1", "a code that is nobody's name may stand in the address"


def test_a_reader_sees_no_system_anywhere(open_app, study_folder):
    link = {"systems": "beta", "baseline": "beta", "a": "alpha", "metric": "mean(cosine:beta)@5"}
    app = judging(open_app, study_folder, **link)
    assert app.get("bidi_component")
    for system in RUNS:
        assert system not in everything(app)
    assert app.sidebar.selectbox == [] and app.sidebar.multiselect == []


def test_a_task_whose_system_is_gone_names_it_to_its_organiser_alone(open_app, study_folder):
    task = Task(name="gone", title="Gone", form="graded", systems=("alpha", "gamma"), queries=2)
    save_task(study_folder, task, in_place=True)
    assert "called 'gamma'" in plain(open_app(PAGE, study=study_folder))
    app = open_app(PAGE, study=study_folder, review="gone", read="yes")
    assert "cannot be judged now" in page_text(app)
    assert "gamma" not in everything(app)


def test_an_answer_is_confirmed_only_when_it_is_stored_and_can_be_taken_back(open_app, study_folder, hands):
    app = judging(open_app, study_folder)
    first, n = hands.keys[0], hands.data["n"]
    name = hands.say(0.75, reasons=["organ", "made up"], comment="  seen \u202e it ")
    app.run()
    assert hands.data["stored"] == [name] and hands.data["done"] == 1 and hands.data["n"] == n
    assert first not in hands.keys and hands.data["before"]["item"]["key"] == first
    (stored,) = store.history(study_id(study_folder))
    assert (stored.value, stored.reasons, stored.comment) == (0.75, ("organ",), "seen  it")
    assert stored.task == "practice"
    hands.say(None, item=first, status="undone")
    app.run()
    assert hands.data["done"] == 0 and hands.keys[0] == first
    hands.say(None, status="cannot-say")
    app.run()
    assert hands.data["done"] == 1 and first not in hands.keys
    history = [judgment.status for judgment in store.history(study_id(study_folder))]
    assert history == ["value", "undone", "cannot-say"], "nothing is removed"


def test_hostile_texts_stay_texts(open_app, study_folder, hands):
    app = judging(open_app, study_folder, reader=HOSTILE[:40])
    assert "reader" not in app.query_params, "a name is not put into the address"
    assert hands.data["session"].endswith(f":{HOSTILE[:40]}")
    hands.say(1.0, comment=HOSTILE)
    hands.say(7.5, item=hands.keys[1])
    hands.outbox.append({"id": "../../x", "item": 3})
    app.run()
    assert [judgment.comment for judgment in store.history(study_id(study_folder))] == [HOSTILE]
    assert hands.data["failed"] is not None, "a value beyond the scale is refused, and said so"
    assert "](http" not in page_text(app) and "<script>" not in page_text(app)


def allowed(app, what="review"):
    """After a change to the folder was allowed."""
    (box,) = [box for box in app.checkbox if str(box.key).startswith(f"allow-{what}")]
    return box.check().run()


def test_a_task_of_two_lists_is_made_on_the_page(open_app, study_folder, hands):
    app = press(allowed(open_app(PAGE, study=study_folder)), "Make the task")
    assert "`title` must be one line" in plain(app)
    app.text_input(key="task_title").set_value("Two lists")
    app.selectbox(key="task_form").set_value("preference")
    app.number_input(key="task_draw").set_value(4)
    assert "created" in page_text(press(app, "Make the task"))
    task = read_task(study_folder, "Two_lists")
    assert task.systems == ("alpha", "beta") and task.queries == 4
    app = judging(open_app, study_folder, review="Two_lists")
    (item, *_) = hands.data["items"]
    assert [side["title"] for side in item["lists"]] == ["Left list", "Right list"]
    assert [step["value"] for step in item["steps"]] == [-1.0, -0.5, 0.0, 0.5, 1.0]
    hands.say(-1.0)
    app.run()
    (judgment,) = store.history(study_id(study_folder))
    left = [tile["alt"] for tile in item["lists"][0]["tiles"]]
    best = RUNS[judgment.systems[0]][judgment.query]
    assert judgment.kind == "preference" and judgment.value == -1.0 and len(left) == len(best)


def test_closing_a_task_adds_its_answers_and_ends_the_judging(open_app, study_folder):
    task = Task(name="lists", title="Lists", form="panel", systems=tuple(RUNS), queries=4, depth=2, seed=1)
    save_task(study_folder, task, in_place=True)
    for n, item in enumerate(items_for(task, lists_of(open_study(study_folder), task), "R1")):
        answer = item.judgments("lists", "R1", id=f"{n}", at=NOW, value=0.25 * (n % 4))
        store.add(study_id(study_folder), *answer)
    app = open_app(PAGE, study=study_folder, answers_lists="open")
    assert "**1 reader** gave" in page_text(app)
    assert not app.get("download_button"), "files name systems, so there are none before it is closed"
    press(allowed(app, "close"), "Close the task")
    assert "**Lists** is closed" in page_text(app)
    rows = read_reader_judgments(study_folder)
    assert {row.kind for row in rows} == {"panel"} and {row.system for row in rows} == {*RUNS}
    assert {button.proto.label for button in app.get("download_button")} == {"CSV", "JSON"}
    assert "judge-lists" not in [button.key for button in app.button]
    app = open_app(PAGE, study=study_folder, review="lists", read="yes")
    assert "is closed" in page_text(app)
    assert "reader_code" not in [box.key for box in app.text_input]


def test_a_reader_at_work_stops_when_the_task_is_closed(open_app, study_folder, hands, monkeypatch):
    """An answer draws the desk alone, so it is the desk that notices."""
    app = judging(open_app, study_folder)
    assert hands.data["items"]
    closed = iter([False])
    monkeypatch.setattr(desk, "is_closed", lambda *_: next(closed, True))
    app.run()
    assert "is closed: its answers are with the organiser" in page_text(app)


# Whatever a browser sends: it is stored as it was given or refused in words; nothing ends the session.

ID = "0a" * 16


@pytest.fixture
def work():
    task = Task(name="chest", title="Chest", form="graded", systems=("hog",), queries=("q1",))
    return Work(STUDY, task, "R1", items_for(task, {"q1": {"hog": ("a", "b")}}, "R1"))


def outbox(work: Work, **fields: object) -> dict[str, object]:
    """Of one answer, as it comes out of the browser: through JSON."""
    answer = {
        "id": ID,
        "item": work.items[0].key,
        "status": "value",
        "value": 1,
        "reasons": [],
        "comment": "",
    }
    return json.loads(json.dumps({"answers": [{**answer, **fields}]}))


def received(work: Work, content: object) -> Delivery:
    receive(work, content, delivery := Delivery())
    return delivery


def kept_answers() -> list[tuple[str, float | None]]:
    return [(judgment.status, judgment.value) for judgment in store.history(STUDY)]


def test_an_answer_that_could_not_be_stored_is_said_and_tried_again(work, monkeypatch):
    for address, stored, failed in (("nonsense", [], [ID]), ("", [ID], [])):
        monkeypatch.setenv(database.VARIABLE, address)
        delivery = received(work, outbox(work))
        assert (delivery.stored, delivery.failed) == (stored, failed)
        assert ("no address of a database" in (delivery.why or "")) is bool(failed)
    assert kept_answers() == [("value", 1.0)]


VALUES = (10**400, 10**19, "1", "x", None, True, [], {}, [1], math.inf, math.nan, 1e300, 2)
STATUSES = ("", "undone ", None, 10**400, ["undone"], "x" * 10**6)
ITEMS = (None, 7, 10**400, [], {}, "", "no such item", "x" * 10**5)


@pytest.mark.parametrize(
    ("field", "contents", "words"),
    [
        ("value", VALUES, "number from"),
        ("status", STATUSES, "`status` must be one of value, cannot-say, undone"),
        ("item", ITEMS, ""),
    ],
)
def test_what_an_answer_cannot_be_is_refused_in_words(work, field, contents, words):
    """And changes nothing of an answer that was given before: it is not taken for undone."""
    received(work, outbox(work))
    for content in contents:
        delivery = received(work, outbox(work, id="0b" * 16, **{field: content}))
        assert (delivery.stored, delivery.failed) == ([], ["0b" * 16]), content
        assert delivery.why and words in delivery.why and (field == "item" or len(delivery.why) < 400)
    assert kept_answers() == [("value", 1.0)]


def test_an_outbox_of_anything_is_nothing(work):
    for content in (None, 7, [], "x", {}, {"answers": 7}, {"answers": [7, None, [], {}]}):
        delivery = received(work, content)
        assert (delivery.stored, delivery.failed) == ([], [])


@pytest.mark.parametrize("form", [form for form in FORMS if form != "material"])
def test_nothing_that_is_sent_names_a_system(study_folder, form):
    """Before anything is answered, after it, and when an answer could not be stored."""
    study = open_study(study_folder)
    task = Task(name="t", title="T", form=form, systems=tuple(RUNS), queries=3, panel=True)
    work = Work(STUDY, task, "R1", items_for(task, lists_of(study, task), "R1"))
    assert work.items
    for n, status in enumerate(("value", "cannot-say", "other")):
        value = 0 if status == "value" else None
        delivery = received(work, outbox(work, status=status, value=value, id=f"{n:032x}"))
        so_far = progress(work.items, "t", "R1", store.history(STUDY))
        text = json.dumps(data_of(study, work, so_far, delivery))
        assert not [system for system in RUNS if system in text]
    assert so_far.answers, "the item that was answered last is sent too"
