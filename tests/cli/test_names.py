"""Names of commands and options: how many, one meaning each, every help with a call."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete

from evalcore.cli import main, run
from evalcore.cli.program import iter_commands

LEAVES = dict(iter_commands(main))
DATA = Path(__file__).resolve().parents[2] / "data"
CORE = {
    *("open", "check", "fix", "score", "compare", "queries", "explain", "sweep", "report", "figures"),
    *("overlap", "kinds", "duplicates", "labels", "rank", "qrels"),
    *("path", "neighbours", "search", "dictionary"),
    *("metrics", "measures", "discrimination", "table1", "cost", "ratings", "readers", "mrmc"),
}
FEATURES = {"annotate", "encode", "imageclef", "review", "satisfaction", "serve", "synthetic"}


def test_the_commands_are_these_and_no_others() -> None:
    assert set(main.commands) == CORE | FEATURES


def test_an_option_has_one_meaning() -> None:
    """The words its help begins with, and the kind of its value, are the same in every command."""
    meanings: dict[str, dict[tuple[str, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for words, command in LEAVES.items():
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                number = isinstance(option.type, (click.types.FloatRange, click.types.IntRange))
                kind = "switch" if option.is_flag else "number" if number else "text"
                for name in option.opts:
                    meanings[name][kind, re.split(r"[.:;,(]", option.help or "")[0]].append(words)
    assert {name: dict(some) for name, some in meanings.items() if len(some) > 1} == {}


def test_an_option_stands_under_one_heading() -> None:
    """What is a setting in one command is one in every other."""
    headings: dict[str, set[str]] = defaultdict(set)
    for command in LEAVES.values():
        context = click.Context(command)
        lines = command.get_help(context).splitlines()
        heading = ""
        for line in lines:
            if re.fullmatch(r"[A-Z][\w ]+:", line):
                heading = line
            elif heading and (match := re.match(r"  (?:-\w, )?(--[\w-]+)", line)):
                headings[match[1]].add(heading)
    assert {name: places for name, places in headings.items() if len(places) > 1} == {}


def test_every_command_that_corrects_p_takes_flips():
    takes = {name: {param.name for param in command.params} for name, command in LEAVES.items()}
    corrects = {name for name, params in takes.items() if "correction" in params}
    assert {name for name, params in takes.items() if "flips" in params} == corrects | {"readers"}
    assert {"score", "compare", "report", "figures", "discrimination", "table1"} == corrects


def test_a_list_of_commands_says_what_their_help_begins_with() -> None:
    """Lists are drawn without importing the commands: the two texts have to be kept alike."""
    for words, command in LEAVES.items():
        listed: click.Command = main
        for word in words.split():
            assert isinstance(listed, click.Group)
            listed = listed.commands[word]
        assert listed.help == (command.help or "").partition("\n")[0]


# Examples.

FILES = {
    "truth.csv": "ID,CUIs\na,C0040405;C0817096\nb,C0041618\n",
    "run_a.csv": "ID,CUIs\na,C0040405\nb,C0041618\n",
    "labels_map.csv": "column,label,cui\nmodality,CT,C0040405\nmodality,MRI,C0024485\n",
    "captions_a.csv": (DATA / "captions.csv").read_text("utf-8"),
    "notes.csv": "ID,Caption\na,Chest\nb,CT of the liver\n",
    "medcat.json": '{"a": {"entities": {}}, "b": {"entities": {}}}',
    "readings.csv": "reader,system,case,truth,rating\n"
    + "".join(
        f"r{r},{s},c{c},{c % 2},{(c * c + r * c + 3 * (s == 'cnn') * c) % 7}\n"
        for r in range(3)
        for s in ("cnn", "hog")
        for c in range(8)
    ),
    "lists.csv": "query,position,row,relevance\n"
    + "".join(f"q{q},{k},{(k + 1) // 2},{(q * k) % 4}\n" for q in range(9) for k in range(1, 21)),
    "satisfaction.csv": "query,user,satisfaction\n"
    + "".join(f"q{q},u{q % 3},{1 + (q * q) % 5}\n" for q in range(9)),
    "judgments.csv": "id,task,reader,kind,query,result,status,value,at\n"
    "1,simulated,R1,graded,SYN_031,SYN_015,value,0.5,2026-05-01T09:30:00+00:00\n",
    "ratings.csv": "CUI1,CUI2,Mean\nC0024109,C0034079,3.5\nC0024109,C0018787,2\nC0018787,C0034079,1\n",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder far from the program with the small files that examples name."""
    folder = tmp_path_factory.mktemp("made")
    shutil.copytree(DATA, folder / "my_study")
    shutil.copy(DATA / "captions.csv", folder / "captions.csv")
    for name in ("real", "generated"):
        shutil.copytree(DATA / "images", folder / name)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


def with_own_files(command: click.Command) -> bool:
    return "with files of your own" in (command.epilog or "")


def example_of(command: click.Command) -> list[str]:
    line = (command.epilog or "").splitlines()[-1]
    return shlex.split(line.removeprefix("  python -m evalcore "))


@pytest.mark.parametrize("words", LEAVES)
def test_the_example_of_a_help_is_a_call_of_its_command(
    words: str, made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With options that it has and values that they take; that it succeeds is seen by night."""
    monkeypatch.chdir(made)
    example, name = example_of(LEAVES[words]), words.split()
    assert example[: len(name)] == name
    assert with_own_files(LEAVES[words]) or "sample" in example or words == "metrics"
    LEAVES[words].make_context(words, example[len(name) :])
    assert run([*name, "--help"]) == 0
    assert f"\n    python -m evalcore {words}" in capsys.readouterr().out


@pytest.mark.nightly
@pytest.mark.parametrize(
    "words",
    [words for words in LEAVES if words not in {"open", "serve"}],  # which run until they are stopped
)
def test_the_example_of_a_help_runs(
    words: str,
    made: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In an empty folder, but for the files of readers' own that some name."""
    monkeypatch.chdir(tmp_path)
    if with_own_files(LEAVES[words]):
        shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    if words == "figures" and not shutil.which("chromium"):
        pytest.skip("figures are drawn by Chromium")
    if words == "review export":
        assert run(example_of(LEAVES["review import"])) == 0
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert run(example_of(LEAVES[words])) == 0
    out = capsys.readouterr().out
    assert out.strip() or {path for path in tmp_path.rglob("*") if path.is_file()} - before


def test_a_shell_completes_commands_and_options() -> None:
    def environment(*words: str) -> dict[str, str]:
        return {"COMP_WORDS": shlex.join(["cuiscope", *words]), "COMP_CWORD": str(len(words))}

    def completed(*words: str) -> list[str]:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment(*words).items():
                patch.setenv(name, value)
            complete = BashComplete(main, {}, "cuiscope", "_CUISCOPE_COMPLETE").complete()
        return [line.partition(",")[2] for line in complete.splitlines()]

    shell = {**os.environ, **environment("ima"), "_CUISCOPE_COMPLETE": "bash_complete"}
    command = [sys.executable, "-m", "evalcore"]
    done = subprocess.run(command, cwd=DATA.parent, env=shell, capture_output=True, text=True)
    assert done.stdout == "plain,imageclef\n"
    assert completed("imageclef", "ca") == ["captions"]
    assert completed("score", "data", "--bas") == ["--baseline"]
    assert "--gain" in completed("score", "data", "--")
