"""Verdicts on links and labels: stored under a reader's code, changed, withdrawn, counted, applied."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore import explain, open_study
from evalcore.cli import run
from evalcore.features.review.page import sections
from evalcore.features.review.page.votes import of_reader
from evalcore.features.review.read import store
from evalcore.features.review.read.store import study_id
from evalcore.features.review.verdicts import label_judgment, label_votes, link_votes
from tests.ui.conftest import CHEST, MASS, NODULE, said, table_with

Open = Callable[..., AppTest]
PAGE, REVIEW, CONCEPTS = "pages/3_Query.py", "pages/9_Review.py", "pages/6_Concepts.py"
PAIR = {"a": "alpha", "b": "beta", "q": "q1", "why": "q2"}
SAY = f"why-path-0-say-{{}}-{NODULE}-{MASS}"
NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
EFFECT = {"about": "What the graph does"}


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return app


def kinds_of_answers(app: AppTest) -> dict[str, str]:
    """{answer: how its button looks} under the first path."""
    return {
        answer: app.button(key=SAY.format(answer)).proto.type
        for answer in ("Makes sense", "Does not", "Cannot say")
    }


def history(folder: Path) -> list[tuple[str, str, float | None]]:
    return [(one.reader, one.said, one.value) for one in store.history(study_id(folder))]


def test_a_link_is_judged_changed_and_withdrawn_by_adding(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, **PAIR)
    assert SAY.format("Does not") not in {str(one.key) for one in app.button}, "nobody is known yet"
    app.text_input(key="reader_code").set_value("R1")
    next(one for one in app.button if one.label == "Start judging").click().run()
    assert app.query_params["reader"] in ("R1", ["R1"]) and "You judge as **R1**" in said(app)
    assert "No votes yet." in said(app)
    press(app, SAY.format("Makes sense"))
    assert "Makes sense: **1** · does not: **0**" in said(app)
    press(app, SAY.format("Does not"))
    assert "Makes sense: **0** · does not: **1**" in said(app)
    assert kinds_of_answers(app) == {
        "Makes sense": "secondary",
        "Does not": "primary",
        "Cannot say": "secondary",
    }
    press(app, f"why-path-0-back-{NODULE}-{MASS}")
    assert "No votes yet." in said(app)
    assert history(study_folder) == [("R1", "value", 1.0), ("R1", "value", 0.0), ("R1", "undone", None)]


def test_labels_are_right_wrong_or_missing(open_app: Open, study_folder: Path) -> None:
    app = press(open_app(PAGE, study=study_folder, reader="R1", **PAIR), "why-Result-judge")
    press(app, f"why-Result-Wrong-{MASS}")
    press(app, f"why-Result-Right-{CHEST}")
    app.text_input(key="why-Result-search").set_value("nodule").run()
    assert app.selectbox(key="why-Result-found").value == NODULE
    press(app, "why-Result-add")
    assert (
        "Judged wrong: **Mass** (1). **Mass** still counts in every score until left out on the page Review. "
        "Judged missing: **Nodule** (1)."
    ) in said(app)
    found = {of: one.verdict for of, one in label_votes(store.history(study_id(study_folder))).items()}
    assert found == {
        ("q2", MASS, ""): "wrong",
        ("q2", CHEST, ""): "right",
        ("q2", NODULE, "missing"): "right",
    }
    press(app, f"why-Result-found-{NODULE}")
    assert "Judged missing" not in said(app)


def test_votes_are_listed_saved_and_left_out(
    open_app: Open, study_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for reader in ("R1", "R2"):
        press(open_app(PAGE, study=study_folder, reader=reader, **PAIR), SAY.format("Does not"))
    app = open_app(PAGE, study=study_folder, reader="R3", **PAIR)
    press(press(app, SAY.format("Makes sense")), "why-Query-judge")
    press(app, f"why-Query-Wrong-{NODULE}")
    listed = table_with(open_app(REVIEW, study=study_folder, verdicts="open"), "Readers say")
    assert listed.values.tolist() == [
        ["Link", "Nodule", "Mass", "Does not make sense", "yes", 1, 2, 0],
        ["Label", "Nodule", "q1", "Wrong", "yes", 0, 1, 0],
    ]
    assert run(["review", "verdicts", str(study_folder), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["senseless"] == [[NODULE, MASS]]
    link, label = document["verdicts"]
    assert (link["right"], link["wrong"], link["readers"]) == (1, 2, ["R1", "R2", "R3"])
    assert (label["kind"], label["image"], label["concept"], label["verdict"]) == (
        "label",
        "q1",
        NODULE,
        "wrong",
    )
    out = tmp_path / "verdicts.csv"
    assert run(["review", "verdicts", str(study_folder), "--csv", str(out)]) == 0
    assert f"--without {NODULE}-{MASS}" in capsys.readouterr().out
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [row["verdict"] for row in rows] == ["wrong", "wrong"] and rows[0]["readers"] == "R1; R2; R3"
    page = open_app(CONCEPTS, study=study_folder, link={**EFFECT, "numbers": "open"}, reader="R1")
    assert "Readers say 1 link makes no sense." in said(page)
    before = {one.label: one.value for one in page.metric}
    press(page, "off-judged")
    assert page.query_params["off"] in (f"{NODULE}-{MASS}", [f"{NODULE}-{MASS}"])
    after = {one.label: one.value for one in page.metric}
    # q1 and q2 (nodule, mass): one image pair fewer than nodule-mass and chest-head bring together
    assert int(before["Image pairs changed"]) - int(after["Image pairs changed"]) == 1
    assert "Scores without the link left out" in [one.value for one in page.header]
    assert "Readers say" not in said(page), "they are left out already"


def test_the_study_is_that_of_the_other_judgments(open_app: Open, study_folder: Path) -> None:
    press(open_app(PAGE, study=study_folder, reader="R1", **PAIR), SAY.format("Cannot say"))
    (votes,) = link_votes(store.history(study_id(study_folder))).values()
    assert (votes.cannot_say, votes.verdict) == (1, "level")
    assert not (study_folder / "review").exists(), "no file of the study is changed"


def test_labels_judged_wrong_are_left_out_of_every_score_and_used_again(
    open_app: Open, study_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """q1 {CT, chest, nodule}, q2 {CT, chest, mass}: IoU 2/4; without the mass of q2 2/3."""
    press(
        press(open_app(PAGE, study=study_folder, reader="R1", **PAIR), "why-Result-judge"),
        f"why-Result-Wrong-{MASS}",
    )
    before = open_study(study_folder)
    app = open_app(REVIEW, study=study_folder, verdicts="open")
    assert "Readers judge 1 label wrong that still counts in every score." in said(app)
    assert app.button(key="leave-labels-out").disabled, "nothing changes before the folder is allowed"
    (allow,) = [one for one in app.checkbox if str(one.key).startswith("allow-wrong-labels")]
    allow.check().run()
    press(app, "leave-labels-out")
    assert "1 label is left out of every score now." in said(app)
    assert table_with(app, "Readers say")["Counts"].tolist() == ["left out"]
    left = open_study(study_folder)
    assert left.left_out == {"q2": (MASS,)} and left.digest != before.digest
    assert explain(left, "q1", "q2").values["iou"] == 2 / 3
    said_so = "1 label of 1 image is left out: readers judged it wrong."
    page = open_app("pages/2_Compare.py", study=study_folder, a="alpha", b="beta")
    assert said_so in said(page)
    why = open_app(PAGE, study=study_folder, reader="R1", **PAIR)
    assert {m.label: m.value for m in why.metric}["Same concepts \\(IoU\\)"] == "0.667"
    assert "Left out of every score: **Mass**." in said(why) and "still counts" not in said(why)
    assert run(["score", str(study_folder), "--metric", "mean(iou)@10"]) == 0
    assert said_so in capsys.readouterr().out
    assert run(["review", "verdicts", str(study_folder)]) == 0
    assert f"{said_so} To undo it: review verdicts" in capsys.readouterr().out
    press(app, f"label-on-q2-{MASS}")
    assert "1 label counts again." in said(app)
    assert open_study(study_folder).digest == before.digest and not open_study(study_folder).left_out


def test_a_label_is_left_out_only_where_more_readers_judge_it_wrong(
    open_app: Open, study_folder: Path
) -> None:
    for reader, answer in (("R1", "Wrong"), ("R2", "Right")):
        app = open_app(PAGE, study=study_folder, reader=reader, **PAIR)
        press(press(app, "why-Result-judge"), f"why-Result-{answer}-{MASS}")
    assert "still counts" not in said(app)
    assert "leave-labels-out" not in {str(one.key) for one in open_app(REVIEW, study=study_folder).button}


def test_what_a_reader_settled_is_no_vote_of_their_own() -> None:
    vote = label_judgment("q1", NODULE, "right", reader="R1", id="1", at=NOW)
    settled = replace(vote, id="2", value=0.0, adjudicated=True, at=NOW + timedelta(seconds=1))
    other = replace(vote, id="3", reader="R2")
    assert of_reader([vote, settled, other], "R1", "label") == {("q1", NODULE, ""): vote}
    assert of_reader([settled], "R1", "label") == {} == of_reader([vote], "R1", "link")


@pytest.mark.parametrize(("most", "words"), [(1, "and 1 more"), (2, "")])
def test_of_many_labels_left_out_the_first_have_a_way_back(
    open_app: Open, study_folder: Path, monkeypatch: pytest.MonkeyPatch, most: int, words: str
) -> None:
    monkeypatch.setattr(sections, "MOST", most)
    labels = [f"--label=q1={NODULE}", f"--label=q2={MASS}"]
    assert run(["review", "verdicts", "--leave-out", str(study_folder), *labels]) == 0
    app = open_app(REVIEW, study=study_folder)
    ways = [one.label for one in app.button if str(one.key).startswith("label-on-")]
    assert ways == ["Use again: Nodule of q1", "Use again: Mass of q2"][:most]
    assert [one.value for one in app.markdown if one.value.endswith(" more")] == ([words] if words else [])
