"""Diagnoses of a study folder: the same numbers on People, by the command, and in iMRMC's format."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

import evalcore as cs
from evalcore.cli import run
from evalcore.features.review.diagnosis.reading import ALONE, Diagnosis
from evalcore.features.review.diagnosis.setup import Setup
from evalcore.features.review.diagnosis.storage import judgment_from
from evalcore.features.review.diagnosis.tables import DICTIONARY
from evalcore.features.review.tasks import Task
from tests.ui.conftest import said, table_with
from tests.ui.people.test_readers import PEOPLE, Open, judge, titles

# q1 and q2 are chest, q3 is head. alpha shows the same organ first; beta never shows it.
SETUP = Setup(arms=(ALONE, "alpha", "beta"), choices=("chest", "head"), truth="labels:organ")
TASK = Task(
    name="dx",
    title="Organs",
    form="diagnosis",
    systems=("alpha", "beta"),
    queries=("q1", "q2", "q3"),
    depth=2,
    diagnosis=SETUP,
)
ANSWERS = {
    ALONE: ("chest head head", "head chest chest", "chest head chest"),
    "alpha": ("chest chest head", "chest chest head", "chest head head"),
    "beta": ("chest head chest", "head chest chest", "head chest head"),
}
"""By arm: of r1, r2 and r3 for q1, q2 and q3. 4 of 9 right alone, 8 with alpha, 4 with beta."""


@pytest.fixture
def folder(study_folder: Path) -> Path:
    given = [
        judgment_from(
            Diagnosis(
                task="dx",
                reader=f"r{i}",
                case=case,
                arm=arm,
                session=1,
                order=order,
                answer=answer,
                confidence=0.9 if i == 1 else 0.5,
                seconds=60.0 if arm == ALONE else 40.0 + i,
                at=datetime(2026, 5, 1, 9, order, i, tzinfo=UTC),
            ),
            id=f"{arm}-{i}-{case}",
        )
        for arm, rows in ANSWERS.items()
        for i, row in enumerate(rows, start=1)
        for order, (case, answer) in enumerate(zip(TASK.queries, row.split(), strict=True), start=1)
    ]
    return judge(study_folder, tuple(given), TASK)


def test_the_command_and_its_files(folder: Path, capsys, tmp_path: Path) -> None:
    out, every = tmp_path / "study.imrmc", tmp_path / "answers.csv"
    words = ["review", "readers", str(folder), "--task", "dx", "--set", "metric=P(organ)@2"]
    assert run([*words, "--set", f"imrmc={out}", "--set", f"readings={every}", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    right = {row["arm"]: row["value"] for row in found["values"] if row["outcome"] == "right"}
    assert right == {ALONE: pytest.approx(4 / 9), "alpha": pytest.approx(8 / 9), "beta": pytest.approx(4 / 9)}
    changes = {(row["a"], row["b"]): (row["gained"], row["lost"]) for row in found["changes"]}
    assert changes["alpha", ALONE] == (4, 0) and changes["beta", ALONE] == (2, 2)
    assert {(row["arm"], row["shown"], row["cases"]) for row in found["help"]} == {
        ("alpha", "first", 3),
        ("beta", "none", 3),
    }
    assert {row["measure"] for row in found["against"]} >= {"P(organ)@2"}
    own = {row["arm"]: row["value"] for row in found["values"] if row["outcome"] == "area"}
    # Each reader's two chests against one head: r1 and r2 place both higher, r3 one, and the other equal.
    assert found["area_of"] == "positive" and own["alpha"] == pytest.approx(5.5 / 6)
    # Confidence in chest, the first choice; in head it is below 0.
    begin, *lines = out.read_text().split("BEGIN DATA:\n")[1].splitlines()
    assert [begin, *lines[:2]] == ["truth,q1,truth,1", "truth,q2,truth,1", "truth,q3,truth,0"]
    assert {"r1,q1,alone,0.9", "r1,q2,alone,-0.9", "r3,q3,alpha,-0.5"} <= set(lines) and len(lines) == 29
    library = cs.diagnoses(cs.open_study(folder), "dx", measures=["P(organ)@2"])
    assert json.loads(json.dumps(library.as_dict()).replace("NaN", "null")) == {
        key: found[key] for key in library.as_dict()
    }
    assert library.differences.to_frame()["value"].tolist() == [row["value"] for row in found["differences"]]
    with every.open() as file:
        rows = list(csv.DictReader(file))
    assert [*rows[0]] == [*DICTIONARY, "P(organ)@2"] and len(rows) == 27
    assert [row["right"] for row in rows if (row["reader"], row["arm"]) == ("r1", ALONE)] == ["1", "0", "1"]
    assert run(words[:-2]) == 0
    assert "With alpha 89% right, alone 44%: 44 points more" in capsys.readouterr().out
    for more in (["--relevance", "iou"], ["--k", "3"]):
        assert run([*words, *more]) == 2
        assert "the task asks for diagnoses" in capsys.readouterr().err
    assert run(["review", "readers", "data", "--set", "metric=nnCUI@5"]) == 2
    assert "it is for --task with a task of diagnoses" in capsys.readouterr().err


def test_the_library_refuses_what_has_no_diagnoses(folder: Path) -> None:
    study = cs.open_study(folder)
    with pytest.raises(cs.UnknownName, match="No task called 'nope'"):
        cs.diagnoses(study, "nope")
    with pytest.raises(cs.SettingError, match="between 0 and 1"):
        cs.diagnoses(study, "dx", level=2.0)
    in_memory = cs.make_study(concepts={"a": ["C0000001"]}, runs={})
    with pytest.raises(cs.InputError, match="open the folder"):
        cs.diagnoses(in_memory, "dx")


def test_the_page_says_it_first(open_app: Open, folder: Path) -> None:
    opened = dict.fromkeys(("changes", "when_it_helps", "more_help", "arms"), "open")
    app = open_app(PEOPLE, study=folder, link=opened)
    assert not app.exception
    text = said(app).replace("\\", "")
    assert "With alpha 89% right, alone 44%: 44 points more" in text
    assert "With alpha, 4 of 9 answers turned from wrong to right and 0 from right to wrong." in text
    assert "Right answers with results and alone" in titles(app)
    assert table_with(app, "Shown")["Cases"].tolist() == [3, 3]
    assert table_with(app, "Median seconds")["Answers"].tolist() == [9, 9, 9]
    assert "Nothing has been judged" not in text
