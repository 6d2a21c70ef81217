"""The report of a reader study, its checklist and protocol, on judgments few enough to count."""

from __future__ import annotations

import csv
import hashlib
import html
import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from evalcore.cli import run
from evalcore.features.review.items import lists_of
from evalcore.features.review.judgments import Judgment
from evalcore.features.review.read.task_files import save_task
from evalcore.features.review.reader_study import What, outcome_of, what_of
from evalcore.features.review.statement.flow import (
    Flow,
    Missing,
    OfArm,
    OfReader,
    flow_of,
    missing_table,
    readers_table,
)
from evalcore.features.review.tasks import Form, Task
from evalcore.results.writers import printed
from evalcore.study import open_study
from evalcore.values.errors import InputError, SettingError
from tests.features.review.read.made import judgment
from tests.features.review.read.test_exchange import csv_of
from tests.features.review.readers.test_results import study
from tests.ui.conftest import HOSTILE, write_study

BOTH = ("bad", "good")


def task(form: Form = "graded", **more: object) -> Task:
    """Two queries, the first two results of both systems: good r1 r2, bad r3 r5."""
    given = {"name": "t", "title": "T", "systems": BOTH, "queries": ("q1", "q2"), "depth": 2}
    return Task(form=form, **{**given, **more})  # type: ignore[arg-type]


def said(n: int, reader: str, query: str, value: float | None, **more: object) -> Judgment:
    answer = {"said": "cannot-say" if value is None else "value", "value": value, "task": "t"}
    return judgment(str(n), n, reader=reader, query=query, **{"result": "", **answer, **more})


def readings(of: Task, judgments: list[Judgment], what: What | None = None) -> dict:
    return dict(outcome_of(study(), of, judgments, what).values)


def test_a_reading_of_whole_lists_is_the_satisfaction_with_one():
    every = [
        said(1, "ann", "q1", 0.75, kind="panel", systems=("good",)),
        said(2, "ann", "q1", 0.0, kind="panel", systems=("bad",)),
        said(3, "bob", "q1", None, kind="panel", systems=("good",)),
        said(4, "bob", "q1", 1.0, kind="panel", systems=("good",), adjudicated=True),
        said(5, "bob", "q2", 0.5, kind="panel", systems=("bad",), shown="another list"),
    ]
    of = task("panel")
    assert readings(of, every) == {("good", "ann", "q1"): 0.75, ("bad", "ann", "q1"): 0.0}
    outcome = outcome_of(study(), of, every)
    assert outcome.states["good", "bob", "q1"] == "cannot say" and outcome.changed == 1
    assert outcome.states["bad", "bob", "q2"] == "not answered"


def test_a_reading_by_criteria_takes_every_result_and_criterion():
    of = task("ratings", criteria=("clear", "close"))
    values = {("r1", "clear"): 1.0, ("r2", "clear"): 0.5, ("r1", "close"): 0.0, ("r2", "close"): 0.25}
    every = [
        said(n, "ann", "q1", value, kind="rating", result=result, criterion=criterion)
        for n, ((result, criterion), value) in enumerate(values.items())
    ]
    assert readings(of, every) == {("good", "ann", "q1"): pytest.approx(1.75 / 4)}
    assert readings(of, every, what_of(of, criterion="close")) == {("good", "ann", "q1"): 0.125}
    assert readings(of, every[:3]) == {}, "one of four is missing"
    with pytest.raises(SettingError, match="one of clear, close"):
        what_of(of, criterion="loud")
    with pytest.raises(SettingError, match="not judged by criteria"):
        what_of(task(), criterion="clear")


def test_a_reading_of_preferences_is_the_share_of_lists_that_are_liked_less():
    """With three systems: ann likes good much more than bad, sees no difference to same."""
    whole = study()
    runs = {**whole.runs, "same": replace(whole.runs["good"], system="same")}
    whole = replace(whole, runs=runs)
    of = task("preference", systems=(*BOTH, "same"), queries=("q1",))
    every = [
        said(1, "ann", "q1", -1.0, kind="preference", systems=("good", "bad")),
        said(2, "ann", "q1", 0.5, kind="preference", systems=("bad", "same")),
        said(3, "bob", "q1", 0.0, kind="preference", systems=("bad", "good")),
    ]
    found = outcome_of(whole, of, every)
    expected = {"good": (1 + 0.5) / 2, "same": (1 + 0.5) / 2, "bad": 0.0}
    of_bob = {("good", "bob", "q1"): 0.5}
    assert found.values == {(name, "ann", "q1"): value for name, value in expected.items()} | of_bob
    assert found.states["bad", "bob", "q1"] == "not answered", "bad was not compared with same"
    with pytest.raises(InputError, match="No reader has a complete reading yet"):
        outcome_of(whole, of, []).readings()


def test_the_flow_counts_answers_and_readings():
    """ann answers all 8 items and cannot say one; bob answers two, and takes one of them back."""
    of, n, every = task(), 0, []
    for query in ("q1", "q2"):
        for result in ("r1", "r2", "r3", "r5"):
            n += 1
            every.append(
                said(n, "ann", query, None if (query, result) == ("q2", "r5") else 0.5, result=result)
            )
    every += [said(20, "bob", "q1", 1.0, result="r1"), said(21, "bob", "q1", 1.0, result="r2")]
    every += [replace(every[-1], id="22", said="undone", value=None, simulated=True)]
    outcome = outcome_of(study(), of, every)
    flow = flow_of(outcome, every)
    ann, bob = flow.readers
    assert (ann.asked, ann.answered, ann.cannot_say, ann.missing, ann.simulated) == (8, 8, 1, 0, False)
    assert (bob.asked, bob.opened, bob.answered, bob.missing, bob.simulated) == (8, 2, 1, 7, True)
    assert [(one.arm, one.asked, one.analysed, one.cannot_say, one.missing) for one in flow.arms] == [
        ("bad", 4, 1, 1, 2),
        ("good", 4, 2, 0, 2),
    ]
    table = outcome.readings()
    np.testing.assert_array_equal(table.ratings[table.systems.index("good")], [[0.5, 0.5]])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study with a task that asks two systems about three queries."""
    path = write_study(tmp_path / "tiny")
    made = Task(
        name="chest", title=HOSTILE[:120], form="graded", systems=("alpha", "beta"), draw=3, depth=2, seed=4
    )
    save_task(path, made, in_place=True)
    return path


def answered(path: Path, **more: object) -> None:
    """Both readers grade everything, in a file of the study."""
    whole = open_study(path)
    of = Task(name="chest", title="T", form="graded", systems=("alpha", "beta"), draw=3, depth=2, seed=4)
    every = [
        judgment(f"{reader}{query}{result}", query=query, result=result, reader=reader, value=value, **more)
        for query, lists in lists_of(whole, of).items()
        for system, value in (("alpha", 0.75), ("beta", 0.25))
        for result in lists[system]
        for reader in ("=R1", "R2")
    ]
    (path / "review" / "chest.judgments.csv").write_bytes(
        csv_of(list({one.id: one for one in every}.values()))
    )


def export(path: Path, out: Path, *more: str) -> int:
    return run(["review", "export", str(path), "chest", "--out", str(out), *more])


def test_a_protocol_is_the_same_text_for_the_same_files(folder: Path, tmp_path: Path, capsys):
    one, two = tmp_path / "a.md", tmp_path / "b.txt"
    asked = ["--set", "claim=alpha is better", "--set", "planned=6"]
    assert export(folder, one, *asked, "--json") == 0 and export(folder, two, *asked) == 0
    assert one.read_bytes() == two.read_bytes() and str(tmp_path) not in one.read_text()
    facts = json.loads(capsys.readouterr().out.splitlines()[0])
    assert facts["sha256"] == hashlib.sha256(one.read_bytes()).hexdigest()
    for name in ("concepts.csv", "review/chest.toml", "systems/beta/run.trec"):
        assert f"| {name} | `{hashlib.sha256((folder / name).read_bytes()).hexdigest()}` |" in one.read_text()
    assert "Claim: alpha is better" in one.read_text() and "Readers planned: 6" in one.read_text()
    assert export(folder, tmp_path / "c.md", "--set", "pilot=nobody") == 2
    assert export(folder, tmp_path / "c.csv", "--set", "content=protocol") == 2
    assert export(folder, tmp_path / "c.html", "--set", "claim=x") == 2
    err = capsys.readouterr().err
    assert "'nobody'" in err and "ends in .md or .txt" in err and "it is for a protocol" in err
    answered(folder)
    assert export(folder, tmp_path / "c.md") == 2
    assert "2 readers answered the task chest already" in capsys.readouterr().err


def test_the_report_says_whether_the_files_are_those_registered(
    folder: Path, tmp_path: Path, capsys, monkeypatch
):
    monkeypatch.setattr("evalcore.report.document.why_not", lambda: "no browser")
    assert export(folder, folder / "review" / "chest.protocol.md") == 0
    answered(folder)
    out = tmp_path / "report.html"
    assert export(folder, out, "--json") == 0
    text = html.unescape(out.read_text())
    assert "the task and all" in text and "have the hashes registered" in text
    assert "<script>alert" not in out.read_text() and "default-src 'none'" in text
    assert "mean grade" in text and "=R1" in text and "To be stated by the authors" in text
    with (folder / "captions.csv").open("a") as file:
        file.write('q5,"more"\n')
    capsys.readouterr()
    assert export(folder, out, "--json") == 0
    assert json.loads(capsys.readouterr().out)["registered"] is False
    assert "changed: captions.csv." in html.unescape(out.read_text())
    (tmp_path / "other.md").write_text("# Something else\n")
    assert export(folder, out, "--set", f"protocol={tmp_path / 'other.md'}") == 2
    assert "not a protocol of the task chest" in capsys.readouterr().err


def test_the_checklist_is_filled_from_the_study(folder: Path, tmp_path: Path):
    answered(folder, simulated=True)
    out = tmp_path / "list.csv"
    assert export(folder, out, "--set", "content=checklist") == 0
    rows = {row["item"]: row for row in csv.DictReader(out.read_text().splitlines())}
    assert rows["Number, and codes"]["stated"] == "2 readers: =R1 and R2; 2 simulated by the program."
    assert rows["Ethical approval and consent"]["known"] == "no"
    assert {row["known"] for row in rows.values()} == {"yes", "no"}
    markdown = tmp_path / "list.md"
    assert export(folder, markdown, "--set", "content=checklist") == 0
    assert "- [x] **Number, and codes.** 2 readers" in markdown.read_text()
    assert "- [ ] **Funding.** To be stated by the authors." in markdown.read_text()


def test_of_many_readers_those_with_the_same_numbers_share_a_row():
    day = date(2026, 5, 1)
    readers = [OfReader(f"R{n}", 4, 4, 3 if n == 5 else 4, 0, 1, day, day, False) for n in range(1, 14)]
    missing = tuple(Missing(one.reader, "good", 1 + (one.reader == "R5"), 4) for one in readers)
    flow = Flow(tuple(readers), (OfArm("good", 52, 38, 0),), missing)
    _, rows, _ = printed(readers_table(flow))
    assert [(row[0], *row[2:6]) for row in rows] == [
        ("Each of 12: R1 to R4, R6 to R13", "4", "4", "0", "0"),
        ("R5", "4", "3", "0", "1"),
    ]
    assert printed(missing_table(flow))[1] == [
        ["Each of 12: R1 to R4, R6 to R13", "1 of 4"],
        ["R5", "2 of 4"],
    ]
    few = replace(flow, readers=flow.readers[:12], missing=missing[:12])
    assert [len(printed(table(few))[1]) for table in (readers_table, missing_table)] == [12, 12]
