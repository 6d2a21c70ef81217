"""Numbers given to options: what none is, nan, infinities and huge ones are refused in words, at once."""

from __future__ import annotations

import click
import pytest

from evalcore.cli import main, run
from evalcore.cli.options import Number, Whole
from evalcore.cli.program import iter_commands
from tests.study.made import write

CONCEPTS = "ID,CUIs\na,C0000001;C0000002\nb,C0000001\nc,C0000002\nd,C0000001;C0000003\n"
RUN = "a Q0 b 1 2 s\na Q0 c 2 1 s\nb Q0 a 1 1 s\nc Q0 a 1 1 s\nd Q0 a 1 2 s\nd Q0 b 2 1 s\n"
NEVER = ("nan", "-nan", "inf", "-inf", "Infinity", "1e400", "x", "1e", "0x1", "", "9" * 400, "9" * 5000)


NUMERIC = (click.types.FloatParamType, click.types.IntParamType)
EVERY = {
    f"{words} {param.opts[0]}": (words, command, param)
    for words, command in iter_commands(main)
    for param in command.params
    if isinstance(param.type, NUMERIC)
}
ALL_RUN = {
    "score": ["--metric", "CUI@2", "--metric", "nDCG(iou)@2", "--baseline", "s"],
    "queries": ["--metric", "CUI@2"],
    "explain": ["a", "b"],
    "compare": ["s", "t", "--metric", "CUI@2"],
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


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    edges = "child,parent\nC0000001,C0000002\nC0000003,C0000002\n"
    runs = {"systems/s/run.trec": RUN, "systems/t/run.trec": RUN}
    files = {"concepts.csv": CONCEPTS, "graph/edges.csv": edges, **runs}
    return write(tmp_path_factory.mktemp("study"), files)


@pytest.mark.parametrize("name", [name for name, (words, *_) in EVERY.items() if words in ALL_RUN])
@pytest.mark.parametrize("text", ["-1", "0", "5e-324", "1000000000"])
def test_no_number_makes_a_traceback(name, text, study, tmp_path, capsys):
    words, _, param = EVERY[name]
    more = ALL_RUN[words]
    more = [*more, str(tmp_path / "out")] if more[-1:] == ["--out"] else more
    code = run([words, str(study), *more, f"{param.opts[0]}={text}"])
    err = capsys.readouterr().err
    assert code in (0, 2), err
    assert "Traceback" not in err and "RuntimeWarning" not in err


@pytest.mark.parametrize("grid", ["nan", "inf", "0,nan", "0:inf:1", "nan:1:0.1", "0:1:nan", "1e400", "-inf"])
def test_grids_are_of_finite_numbers(grid, study, capsys):
    assert run(["sweep", str(study), "--metric", "nnCUI@2", f"--alphas={grid}"]) == 2
    assert "is not a list of numbers such as 0,1,2 or 0:1:0.1." in capsys.readouterr().err
