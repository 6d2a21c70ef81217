from evalcore.study.tables.problems import SHOWN_VALUE, Problems, truncate
from evalcore.values.errors import SHOWN_PER_RULE, Report


def test_a_problem_names_file_line_and_way_out():
    found = Problems("run.trec")
    found.error("bad-row", "Six columns are needed.", "Correct the line.", line=7, value="a b")
    (problem,) = found.report().problems
    assert str(problem) == "run.trec:7: Six columns are needed. Correct the line."


def test_a_problem_of_the_whole_file_has_no_line():
    found = Problems("run.trec")
    found.warning("ties", "40 results are tied.", "", count=40)
    report = found.report()
    assert str(report.problems[0]) == "run.trec: 40 results are tied."
    assert report.total("warning") == 40 and report.total("error") == 0


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


def test_braces_in_a_value_stay_as_they_are():
    found = Problems("f")
    found.each("warning", "r", "Value {value}.", "", lines=[1], values=["{0}{value}"])
    assert found.report().problems[0].message == "Value {0}{value}."


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


def test_one_warning_stands_for_all_cases_and_none_for_none() -> None:
    found = Problems("f.csv")
    found.add_summary("no-image", ["a{n}", "b"], "{n} of 3 images, not {n}, have no file.", "Add them.")
    found.add_summary("ties", 1_200, "{n} results are tied.", "", lines=[4, 7])
    found.add_summary("no-image", [], "{n} of 3 images have no file.", "Add them.")
    found.add_summary("ties", 0, "{n} results are tied.", "")
    assert [(p.message, p.value, p.count, p.line) for p in found.report().problems] == [
        ("2 of 3 images, not {n}, have no file.", "a{n}", 2, None),
        ("1,200 results are tied.", "", 1_200, 4),
    ]


def test_reports_are_joined_in_their_order_and_their_counts_added() -> None:
    def one(file: str, *rules: str) -> Report:
        found = Problems(file)
        for rule in rules:
            found.warning(rule, "m", "r")
        return found.report()

    joined = Report.joined([one("a", "x", "y"), one("b", "x"), one("a", "x")])
    assert [(p.file, p.rule) for p in joined.problems] == [("a", "x"), ("a", "y"), ("b", "x"), ("a", "x")]
    assert joined.counts == {("warning", "a", "x"): 2, ("warning", "a", "y"): 1, ("warning", "b", "x"): 1}
    assert Report.joined([]) == Report()
