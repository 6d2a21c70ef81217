"""Diagnosing on the page Review: from the form to stored answers, blind, in turn, and after a washout."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from streamlit.testing.v1 import AppTest

from evalcore.features.review.diagnosis.storage import diagnoses_of
from evalcore.features.review.page import diagnosis
from evalcore.features.review.read import store
from evalcore.features.review.read.store import study_id
from evalcore.features.review.read.task_files import read_task
from evalcore.study import open_study
from tests.features.review.page.conftest import Hands
from tests.features.review.page.test_page import PAGE, judging, press
from tests.ui.conftest import said

Open = Callable[..., AppTest]
NAME = "Which_organ"
START = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


def make(open_app: Open, study: Path, design: str) -> None:
    app = open_app(PAGE, study=study, diagnosis="open")
    app.checkbox(key=f"allow-diagnosis-study-{study.name}").check().run()
    app.text_input(key="dx_title").set_value("Which organ")
    app.selectbox(key="dx_truth").set_value("labels:organ")
    app.selectbox(key="dx_design").set_value(design)
    app.number_input(key="dx_cases").set_value(3)
    press(app, "Make the study")
    assert not app.exception and "created" in said(app)


def test_from_the_form_to_stored_diagnoses(open_app: Open, study_folder: Path, hands: Hands) -> None:
    make(open_app, study_folder, "sequential")
    task = read_task(study_folder, NAME)
    assert task.diagnosis is not None and task.diagnosis.choices == ("chest", "head")
    app = judging(open_app, study_folder, review=task.name)
    (alone, beside) = hands.data["items"][:2]
    assert (
        "lists" not in alone
        and len(beside["lists"]) == 1
        and alone["query"] == beside["query"] | {"src": alone["query"]["src"]}
    )
    told = json.dumps(hands.data)
    assert alone["query"]["alt"] == "Case" and "alpha" not in told and "truth" not in told
    labels = {tile.get("label", "") for tile in beside["lists"][0]["tiles"]}
    assert labels <= {"", "chest", "head"} and labels != {""}, "of results that are no cases"
    first = hands.say(0.75, more={"answer": "head", "seconds": 4.5, "region": [0, 0, 2, 2]})
    app.run()
    assert first in hands.data["stored"]
    hands.say(1.0, item=beside["key"], more={"answer": "chest", "seconds": 2.0})
    app.run()
    kept = diagnoses_of(study_folder, open_study(study_folder), task)
    assert [(one.arm, one.session, one.order, one.answer, one.confidence, one.seconds) for one in kept] == [
        ("alone", 1, 1, "head", 0.75, 4.5),
        ("alpha", 1, 2, "chest", 1.0, 2.0),
    ]
    assert kept[0].case == kept[1].case and kept[0].region is None, "a region of the wrong size is not kept"
    assert kept[0].right is not kept[1].right, "each case is of the chest or the head"


def test_answers_out_of_turn_are_refused(open_app: Open, study_folder: Path, hands: Hands) -> None:
    make(open_app, study_folder, "sequential")
    app = judging(open_app, study_folder, review=NAME)
    alone, beside = hands.keys[:2]
    for words, key, more in (
        ("This case is answered alone first", beside, {"answer": "head"}),
        ("no choice of the task", alone, {"answer": "knee"}),
        ("no choice of the task", alone, {}),
    ):
        hands.say(1.0, item=key, more=more)
        app.run()
        assert words in hands.data["failed"]["words"]
        hands.outbox.clear()
    hands.say(1.0, item=alone, more={"answer": "head"})
    app.run()
    hands.say(None, item=alone, said="undone")
    app.run()
    assert "final once the results were shown" in hands.data["failed"]["words"]
    assert len(store.history(study_id(study_folder))) == 1


def test_the_next_session_opens_after_the_washout(
    open_app: Open, study_folder: Path, hands: Hands, monkeypatch
) -> None:
    clock = [START]
    monkeypatch.setattr(diagnosis, "now", lambda: clock[0])
    make(open_app, study_folder, "crossover")
    app = judging(open_app, study_folder, review=NAME)
    for n in range(3):
        clock[0] = START + timedelta(minutes=n)
        hands.say(0.5, more={"answer": "head"})
        app.run()
    assert hands.data["items"] == [] and (hands.data["done"], hands.data["n"]) == (3, 6)
    assert "Session 2 opens on 29 May 2026 at 09:32 UTC" in said(app)
    clock[0] = START + timedelta(days=28, minutes=2, seconds=-1)
    app.run()
    assert hands.data["items"] == []
    clock[0] += timedelta(seconds=1)
    app.run()
    assert len(hands.data["items"]) == 3
    assert {item["diagnosis"]["session"] for item in hands.data["items"]} == {"Session 2 of 2"}
