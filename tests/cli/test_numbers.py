"""Numbers given to options: what none is, nan, infinities and huge ones are refused in words, at once."""

from __future__ import annotations

import click
import pytest

from evalcore.cli import main, run
from evalcore.cli.options import Number, Whole
from evalcore.cli.program import iter_commands
from tests.studies import HERE

STUDY = HERE / "tiny"
NEVER = ("nan", "-nan", "inf", "-inf", "Infinity", "1e400", "x", "1e", "0x1", "", "9" * 400, "9" * 5000)


NUMERIC = (click.types.FloatParamType, click.types.IntParamType)
EVERY = {
    f"{words} {param.opts[0]}": (words, command, param)
    for words, command in iter_commands(main)
    for param in command.params
    if isinstance(param.type, NUMERIC)
}
ALL_RUN = {
    "score": ["--metric", "CUI@2", "--metric", "nDCG(iou)@2", "--baseline", "alpha"],
    "queries": ["--metric", "CUI@2"],
    "explain": ["q1", "q2"],
    "compare": ["alpha", "beta", "--metric", "CUI@2"],
    "rank": ["--system", "@iou"],
    "qrels": ["--relevance", "iou", "--out"],
    "measures": [],
    "discrimination": [],
}
"""Commands that are run on a small study with what comes after it."""


def test_no_option_takes_numbers_of_another_type():
    assert len(EVERY) > 80
    assert {
        name for name, (*_, option) in EVERY.items() if not isinstance(option.type, (Number, Whole))
    } == set()


def test_what_is_no_number_is_refused_with_the_rule():
    for _, command, param in EVERY.values():
        for text in NEVER:
            with pytest.raises(click.BadParameter) as problem:
                param.type.convert(text, param, click.Context(command))
            message = problem.value.message
            assert 10 < len(message) < 6000
            if isinstance(param.type, Number) and text in ("nan", "inf", "-inf", "1e400"):
                assert "is not a finite number. Give one, such as" in message


@pytest.mark.parametrize("name", [name for name, (words, *_) in EVERY.items() if words in ALL_RUN])
@pytest.mark.parametrize("text", ["-1", "0", "5e-324", "1000000000"])
def test_no_number_makes_a_traceback(name, text, tmp_path, capsys):
    words, _, param = EVERY[name]
    more = ALL_RUN[words]
    more = [*more, str(tmp_path / "out")] if more[-1:] == ["--out"] else more
    code = run([words, str(STUDY), *more, f"{param.opts[0]}={text}"])
    err = capsys.readouterr().err
    assert code in (0, 2), err
    assert "Traceback" not in err and "RuntimeWarning" not in err


@pytest.mark.parametrize("grid", ["nan", "inf", "0,nan", "0:inf:1", "nan:1:0.1", "0:1:nan", "1e400", "-inf"])
def test_grids_are_of_finite_numbers(grid, capsys):
    assert run(["sweep", str(STUDY), "--metric", "nnCUI@2", f"--alphas={grid}"]) == 2
    assert "is not a list of numbers such as 0,1,2 or 0:1:0.1" in capsys.readouterr().err
