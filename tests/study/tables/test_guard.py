"""What nobody thought of becomes a problem of its file; an interruption does not."""

from __future__ import annotations

import asyncio

import pytest

from evalcore.study.tables.problems import Problems, reader, try_call

WAY_OUT = "Check that it was saved or copied completely, or save it again in another form that is read."


@reader(lambda file: f"nothing of {file}")
def parse(data: object, problems: Problems) -> str:
    """A reader that fails as it is asked to."""
    if isinstance(data, BaseException):
        raise data
    return f"{data}"


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
        (MemoryError(), "there is not enough memory for it"),
        (RecursionError("maximum recursion depth exceeded"), "it is nested too deeply"),
        (AssertionError(), "AssertionError"),
        (ValueError("first line\nsecond \x1b[31m line"), "ValueError: first line"),
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates"), "UnicodeEncodeError: 'utf-8' codec"),
    ],
)
def test_whatever_a_reader_raises_is_one_error_of_its_file(raised: Exception, words: str) -> None:
    value, report = parse(raised, file="runs/a.trec")
    assert value == "nothing of runs/a.trec"
    problem = report.problems[0]
    assert (report.total("error"), problem.rule, problem.file) == (1, "unreadable-file", "runs/a.trec")
    assert str(problem).startswith(f"runs/a.trec: The file cannot be read: {words}")
    assert problem.remedy == WAY_OUT


@pytest.mark.parametrize(
    "raised", [KeyboardInterrupt(), SystemExit(2), GeneratorExit(), asyncio.CancelledError()]
)
def test_interruptions_pass_through(raised: BaseException) -> None:
    with pytest.raises(type(raised)):
        parse(raised, file="x")
    with pytest.raises(type(raised)):
        try_call(lambda: parse.__wrapped__(raised, Problems("x")))
