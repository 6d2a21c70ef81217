from evalcore.study.tables.problems import SHOWN_VALUE, Problems, truncate
from evalcore.values.errors import SHOWN_PER_RULE


def test_a_problem_names_file_line_and_way_out():
    found = Problems("run.trec")
    found.error("bad-row", "Six columns are needed.", "Correct the line.", line=7, value="a b")
    (problem,) = found.report().problems
    assert str(problem) == "run.trec:7: Six columns are needed. Correct the line."


def test_the_list_is_capped_and_the_count_is_not():
    found = Problems("run.trec")
    lines = range(1, 5_001)
    found.each(
        "error", "nan-score", "The score is {value}.", "Write a number.", lines=lines, values=["nan"] * 5_000
    )
    found.error("nan-score", "The score is nan.", "Write a number.", line=6_000)
    report = found.report()
    assert len(report.problems) == SHOWN_PER_RULE
    assert report.total("error") == found.n_errors == 5_001
    assert report.problems[0].message == "The score is nan."


def test_quoted_values_are_one_short_printable_line():
    assert truncate("a\nb\x00") == "a�b�"
    assert len(truncate("x" * 500)) == SHOWN_VALUE
    assert (truncate("x" * 80), truncate("x" * 81)) == ("x" * 80, "x" * 79 + "…")


def test_what_no_terminal_could_write_is_replaced():
    found = Problems("caf\udce9/run.trec")
    found.error("rule", "The folder caf\udce9 is odd.", "Rename caf\udce9.", value="a\ud800\x1b[31m\nb")
    problem = found.report().problems[0]
    assert str(problem) == "caf�/run.trec: The folder caf� is odd. Rename caf�."
    assert problem.value == "a��[31m�b"


def test_values_that_python_cannot_write_are_named_by_their_kind():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert truncate(deep) == "a very large list"
    assert truncate(1 << 40_000) == "a very large int"


def test_keys_of_its_json_stay_as_they_were():
    found = Problems("run.trec")
    found.error("bad-row", "Six columns are needed.", "Correct the line.", line=7, value="a b")
    (problem,) = found.report().problems
    assert problem.as_dict() == {
        "severity": "error",
        "file": "run.trec",
        "line": 7,
        "value": "a b",
        "rule": "bad-row",
        "message": "Six columns are needed.",
        "way_out": "Correct the line.",
        "count": 1,
    }
