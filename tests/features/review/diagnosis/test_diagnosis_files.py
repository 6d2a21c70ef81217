"""Diagnoses as a table and back, in the database, and in files and databases of before."""

from __future__ import annotations

import csv
import io
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from evalcore.features.review.diagnosis.conversion import diagnoses_from, judgment_from
from evalcore.features.review.diagnosis.reading import Diagnosis
from evalcore.features.review.diagnosis.setup import Setup
from evalcore.features.review.diagnosis.storage import diagnoses_of
from evalcore.features.review.judgments import Judgment, taken_back
from evalcore.features.review.read import database, store
from evalcore.features.review.read.diagnosis_files import COLUMNS, diagnosis_lines
from evalcore.features.review.read.store import import_judgments, study_id
from evalcore.features.review.read.task_files import read_tasks, save_task
from evalcore.features.review.tasks import Task
from evalcore.study import open_study
from evalcore.values.errors import InputError
from tests.ui.conftest import NODULE, write_study

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
TRUTHS = {"q1": "mass", "q2": "=SUM(1)"}


def diagnosis(n=0, **said):
    given = {"reader": "R1", "case": "q1", "arm": "alone", "session": 1, "order": 1, "answer": "mass"}
    return Diagnosis(**{"task": "dx", "confidence": 0.75, "at": NOW + timedelta(seconds=n), **given, **said})


EVERY = (
    diagnosis(0, truth="mass", seconds=334.125, region=(0.1, 0.2, 0.3, 1 / 3)),
    diagnosis(1, case="q2", arm="alpha", order=2, answer="=SUM(1)", truth="=SUM(1)", confidence=0.1 + 0.2),
    diagnosis(2, case="q3", session=2, answer="Knoten, links", concept=NODULE, simulated=True),
)
TASK = Task(
    name="dx",
    title="Dx",
    form="diagnosis",
    systems=("alpha",),
    queries=("q1", "q2", "q3"),
    reasons=(),
    diagnosis=Setup(arms=("alone", "alpha"), choices=("mass", "=SUM(1)", "Knoten, links"), truth="none"),
)


@pytest.fixture
def study(tmp_path):
    folder = write_study(tmp_path / "tiny", pictures=False)
    save_task(folder, TASK, in_place=True)
    return folder


def table(diagnoses=EVERY):
    return "".join(diagnosis_lines(diagnoses)).encode()


def test_the_table_has_the_columns_of_the_data_dictionary():
    first, second, third = csv.DictReader(io.StringIO(table().decode()))
    assert ",".join(first) == (
        "task,reader,case,arm,session,order,answer,concept,truth,right,confidence,seconds,"
        "region_left,region_top,region_width,region_height,at,simulated"
    )
    assert first["right"] == second["right"] == "true" and third["right"] == ""
    assert (first["seconds"], first["region_width"], first["at"]) == ("334.125", "0.3", NOW.isoformat())
    assert second["answer"] == "'=SUM(1)", "no spreadsheet computes it"


def test_a_table_comes_back_and_counts_once(study):
    done = import_judgments(study, table(), file="dx.csv")
    assert len(done.new) == 3 and not done.known
    assert diagnoses_from(store.history(study_id(study)), TASK, TRUTHS) == EVERY
    again = import_judgments(study, table(), file="dx.csv")
    assert not again.new and again.known == 3
    changed = table((diagnosis(0, answer="Knoten, links"),))
    with pytest.raises(InputError) as caught:
        import_judgments(study, changed, file="dx.csv")
    (problem,) = caught.value.report.problems
    assert problem.line == 2 and problem.rule == "changed-judgment"


def test_what_the_browser_stored_is_known_when_its_export_comes_back(study):
    at = NOW + timedelta(days=1)
    own = judgment_from(diagnosis(at=at), id="f" * 32, shown="ab")
    store.add(study_id(study), own)
    done = import_judgments(study, table((diagnosis(at=at),)), file="dx.csv")
    assert not done.new and done.known == 1


def test_the_last_answer_counts_and_none_that_was_taken_back(study):
    first, last = judgment_from(EVERY[0]), judgment_from(diagnosis(9, answer="Knoten, links"))
    gone = judgment_from(EVERY[1])
    cannot = Judgment(id="c", task="dx", reader="R1", kind="diagnosis", query="q3", said="cannot-say", at=NOW)
    undone = taken_back(gone, id="u", at=gone.at + timedelta(seconds=1))
    store.add(study_id(study), first, gone, cannot, undone, last, keep_times=True)
    (left,) = diagnoses_of(study, open_study(study), TASK)
    assert (left.answer, left.at) == ("Knoten, links", NOW + timedelta(seconds=9))


GOOD = dict(zip(COLUMNS, next(csv.reader([table().decode().splitlines()[1]])), strict=True))


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({"confidence": "2"}, "`confidence` must be a number from 0 to 1"),
        ({"confidence": ""}, "`confidence` must be a number"),
        ({"confidence": "nan"}, "`confidence` must be a number from 0 to 1"),
        ({"seconds": "-1"}, "`seconds` must be a number from 0 to 864,000"),
        ({"seconds": "fast"}, "`seconds` must be a number"),
        ({"region_left": "0.9"}, "a rectangle inside the picture"),
        ({"region_left": ""}, "a rectangle inside the picture"),
        ({"session": "0"}, "`session` must be a whole number from 1"),
        ({"order": "²"}, "`order` must be a whole number"),
        ({"answer": ""}, "`answer` must be"),
        ({"answer": "a\u202eb"}, "`answer` must be one line"),
        ({"arm": ""}, "`arm` must be alone"),
        ({"at": "yesterday"}, "`at` must be a time"),
        ({"at": "2026-05-01T09:30:00"}, "`at` must be a time in UTC"),
        ({"simulated": "maybe"}, "`simulated` must be true or false"),
        ({"case": ""}, "`case` must be one line"),
        ({"reader": "R" * 41}, "`reader` must be one line"),
    ],
)
def test_a_bad_row_is_named_by_its_line(study, changed, wanted):
    rows = [COLUMNS, list(GOOD.values()), list({**GOOD, "case": "q2", **changed}.values())]
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    with pytest.raises(InputError) as caught:
        import_judgments(study, out.getvalue().encode(), file="dx.csv")
    assert {problem.line for problem in caught.value.report.problems} == {3}
    assert wanted in " ".join(problem.message for problem in caught.value.report.problems)
    assert store.history(study_id(study)) == (), "all or nothing"


def test_a_database_of_before_is_read_and_written(study):
    """The tables as they were before diagnoses: without the column of details."""
    old = Judgment(id="1", task="t", reader="R1", kind="graded", query="q1", result="q2", value=0.5, at=NOW)
    store.add(study_id(study), old)
    database.forget()
    with closing(sqlite3.connect(database.file())) as connection:
        connection.execute("ALTER TABLE cuiscope_judgments DROP COLUMN details")
    with database.begun_without_writing(database.file()) as connection:
        (row,) = connection.execute(database.rows(connection)).mappings()
        assert database.judgment_of(row) == old, "also where nothing can be written"
    new = judgment_from(EVERY[0])
    store.add(study_id(study), new)
    assert store.history(study_id(study)) == (old, new)
    database.forget()


BASE = 'title = "D"\nform = "diagnosis"\nqueries = ["q1", "q2"]\n'


@pytest.mark.parametrize(
    ("text", "truths", "wanted"),
    [
        ("", "", "needs `arms`"),
        ('arms = ["alone", "alone"]\n', "", ":4|different lines"),
        ('arms = ["alpha"]\n', "", ":4|with 'alone' for the design sequential"),
        ('arms = ["alone"]\ndesign = "crossover"\n', "", ":4|at least two arms"),
        ('arms = ["alone"]\ndesign = "Latin"\n', "", ":5|sequential, crossover, split"),
        ('arms = ["alone"]\nwashout = -1\n', "", ":5|from 0 to 366"),
        ('arms = ["alone"]\nchoices = ["a"]\n', "", ":5|none, or at least two"),
        ('arms = ["alone"]\nchoices = ["a\\u202e", "b"]\n', "", ":5|different lines"),
        ('arms = ["alone"]\ntruth = "labels:"\n', "", ":5|labels:COLUMN"),
        ('arms = ["alone"]\nshow = ["system"]\n', "", ":5|caption, label"),
        ('arms = ["alone"]\nregion = 1\n', "", ":5|true or false"),
        ('arms = ["alone"]\nsystems = ["alpha"]\n', "", ":5|arms name the systems"),
        ('arms = ["alone"]\ntruth = "file"\n', None, "truth is missing"),
        ('arms = ["alone"]\n', "case,answer\nq1,a\n", ":1|one column truth"),
        ('arms = ["alone"]\n', "case,truth\nq1,a\nq1,b\n", ":3|line 2 already"),
        ('arms = ["alone"]\n', "case,truth\nq1,\n", ":2|The truth must be one line"),
    ],
)
def test_a_hostile_task_is_named_by_its_line(tmp_path, text, truths, wanted):
    (tmp_path / "review").mkdir()
    (tmp_path / "review" / "dx.toml").write_text(BASE + text)
    if truths is not None:
        (tmp_path / "review" / "dx.csv").write_text(truths or "case,truth\nq1,a\nq2,b\n")
    tasks, report = read_tasks(tmp_path)
    line, _, words = wanted.rpartition("|")
    said = [(one.line, one.message) for one in report.problems if one.severity == "error"]
    assert not tasks and any(words in message for _, message in said), said
    assert not line or int(line[1:]) in {at for at, _ in said}
