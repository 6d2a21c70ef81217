"""The page Review: making a task, judging blind, taking back, going on another day."""

from __future__ import annotations

import json

from evalcore.features.review import store
from evalcore.features.review.files import read_task, save_task
from evalcore.features.review.items import items_for, lists_of
from evalcore.features.review.records import Task
from evalcore.features.review.store import study_id
from evalcore.study import open_study
from evalcore.study.reader_judgments import read_reader_judgments
from tests.features.review.made import NOW
from tests.ui.conftest import HOSTILE, RUNS, page_text, sent

PAGE = "pages/4_Readers.py"


def judging(open_app, study, reader="R1", **link):
    """The page of a reader who followed a link and gave a code."""
    app = open_app(PAGE, study=study, **{"review": "practice", "read": "yes", **link})
    app.text_input(key="reader_code").set_value(reader)
    return press(app, "Start")


def press(app, label):
    (button,) = [button for button in app.button if button.label == label]
    return button.click().run()


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
    assert "called 'gamma'" in page_text(open_app(PAGE, study=study_folder)).replace("\\", "")
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


def allowed(app):
    (box,) = [box for box in app.checkbox if str(box.key).startswith("allow-review")]
    return box.check().run()


def test_a_task_of_two_lists_is_made_on_the_page(open_app, study_folder, hands):
    app = press(allowed(open_app(PAGE, study=study_folder)), "Make the task")
    assert "`title` must be one line" in page_text(app).replace("\\", "")
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
    (box,) = [box for box in app.checkbox if str(box.key).startswith("allow-close")]
    box.check().run()
    press(app, "Close the task")
    assert "**Lists** is closed" in page_text(app)
    rows = read_reader_judgments(study_folder)
    assert {row.kind for row in rows} == {"panel"} and {row.system for row in rows} == {*RUNS}
    assert {button.proto.label for button in app.get("download_button")} == {"CSV", "JSON"}
    assert "judge-lists" not in [button.key for button in app.button]
    app = open_app(PAGE, study=study_folder, review="lists", read="yes")
    assert "is closed" in page_text(app)
    assert "reader_code" not in [box.key for box in app.text_input]
