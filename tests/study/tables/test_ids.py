import pytest

from evalcore.study.tables.ids import explain_id_mismatch, positions, report_unknown
from evalcore.study.tables.problems import Problems

KNOWN = ("ROCO_1", "ROCO_2", "ROCO_3")


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        (["ROCO_1.jpg", "ROCO_2.PNG"], "a file ending such as .jpg both match"),
        (["roco_1", "Roco_2"], "upper and lower case both match"),
        (["images/ROCO_1", "x\\ROCO_2"], "the folder before the name both match"),
        (["images/ROCO_1.jpg"], "the folder and a file ending such as .jpg it matches"),
        (["images/roco_1.jpg", "ROCO_3.jpg"], "folder, file ending and upper or lower case both match"),
    ],
)
def test_ids_that_all_miss_alike_are_explained(missing, words):
    assert explain_id_mismatch(missing, KNOWN) == f"Apart from {words}."


def test_the_ending_may_stand_on_the_other_side():
    assert (
        explain_id_mismatch(["a"], ["a.jpg", "b.jpg"]) == "Apart from a file ending such as .jpg it matches."
    )


def test_one_stranger_is_enough_for_no_hint():
    assert explain_id_mismatch(["ROCO_1.jpg", "other"], KNOWN) == ""
    assert explain_id_mismatch([], KNOWN) == ""


def test_positions_are_image_indices_and_minus_one():
    assert positions(["ROCO_3", "x", "ROCO_1"], KNOWN).tolist() == [2, -1, 0]


@pytest.mark.parametrize(
    ("unknown", "severity", "word"),
    [("error", "error", "left out"), ("zero", "warning", "0"), ("drop", "warning", "removed")],
)
def test_unknown_ids_are_errors_unless_asked_to_live_with_them(unknown, severity, word):
    found = Problems("run.trec")
    report_unknown(found, ["x", "y"], [4, 9], KNOWN, unknown=unknown)
    report = found.report()
    assert report.total(severity) == 2
    assert report.problems[0].line == 4
    assert word in report.problems[0].message


def test_ids_that_miss_alike_are_one_problem_at_the_first_line():
    found = Problems("run.trec")
    report_unknown(found, ["ROCO_1.jpg", "ROCO_2.jpg"], [4, 9], KNOWN, unknown="error")
    (problem,) = found.report().problems
    assert (problem.severity, problem.line, problem.count, problem.value) == ("error", 4, 2, "ROCO_1.jpg")
