from evalcore.study.tables.problems import Problems
from evalcore.values.errors import SHOWN_PER_RULE


def test_the_list_is_capped_and_the_count_is_not():
    result = Problems("run.trec")
    lines = range(1, 5_001)
    result.each(
        "error", "nan-score", "The score is {value}.", "Write a number.", lines=lines, values=["nan"] * 5_000
    )
    result.error("nan-score", "The score is nan.", "Write a number.", line=6_000)
    report = result.report()
    assert len(report.problems) == SHOWN_PER_RULE
    assert report.total("error") == result.n_errors == 5_001
    assert report.problems[0].message == "The score is nan."


def test_what_no_terminal_could_write_is_replaced():
    result = Problems("caf\udce9/run.trec")
    result.error("rule", "The folder caf\udce9 is odd.", "Rename caf\udce9.", value="a\ud800\x1b[31m\nb")
    problem = result.report().problems[0]
    assert str(problem) == "caf�/run.trec: The folder caf� is odd. Rename caf�."
    assert problem.value == "a��[31m�b"
