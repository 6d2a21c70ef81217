"""The README says what is true: its commands run, its table of measures is the registry's."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from evalcore.cli import main, run
from evalcore.cli.options import leaves
from evalcore.ranking.metrics import METRICS
from evalcore.relevance.concept_measures import CONCEPT_MEASURES, INFORMATION, SET_MEASURES
from evalcore.relevance.registry import RELEVANCE
from evalcore.ui.frame.pages import PAGES

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()


def code_blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.S | re.M)


def row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def by_taxonomy() -> list[str]:
    """The tables of what SET:CONCEPT is put together from; similarities of one formula share a line."""
    rule = "|---|---|---|"
    lines = [
        "",
        row("SET: two sets of concepts by the similarity s of two of them", "formula", "reference"),
        rule,
    ]
    lines += [row(f"`{m.name}`: {m.title}", m.formula, m.reference) for m in SET_MEASURES.values()]
    lines += ["", row("CONCEPT: similarity s of two concepts", "formula", "reference"), rule]
    for formula in dict.fromkeys((m.formula, m.reference) for m in CONCEPT_MEASURES.values()):
        names = [f"`{m.name}`" for m in CONCEPT_MEASURES.values() if (m.formula, m.reference) == formula]
        lines.append(row(", ".join(names), *formula))
    lines += ["", row("IC: how specific a concept is", "formula", "reference"), rule]
    lines += [row(f"`{m.name}`", m.formula, m.reference) for m in INFORMATION.values()]
    return lines


def measures_table() -> str:
    """The tables of the README, from the registries."""
    rule = "|---|---|---|---|"
    lines = [row("relevance of two images", "formula", "range", "reference"), rule]
    for m in RELEVANCE.values():
        lines.append(row(f"`{m.name}`: {m.title}", m.formula, "{:g} to {:g}".format(*m.range), m.reference))
    lines += by_taxonomy()
    lines += ["", row("measure of a ranked list", "formula", "range", "reference"), rule]
    for f in METRICS.values():
        lines.append(row(f"`{f.example}`: {f.title}", f.formula, f.range, f.reference))
    return "\n".join(lines)


def test_table_of_measures_is_the_registry() -> None:
    written = README.split("<!-- measures:begin -->\n")[1].split("\n<!-- measures:end -->")[0]
    assert written == measures_table()


def test_every_page_and_every_command_is_listed() -> None:
    rows = re.findall(r"^\| (\w[\w ]*) \| ([^|]+\?) \| ([^|]+) \|$", README, flags=re.M)
    assert [(title, question) for title, question, _ in rows] == [(p.title, p.question) for p in PAGES]
    listed = {words for *_, some in rows for words in re.findall(r"`([\w ]+?)(?: --[^`]+)?`", some)}
    assert listed == {words for words, _ in leaves(main)}


def test_continuous_integration_runs_the_test_command_of_the_readme() -> None:
    _run, test, *_ = [block.strip() for block in code_blocks("sh")]
    assert test in (ROOT / ".ci" / "run").read_text().splitlines()


@pytest.mark.parametrize("snippet", code_blocks("python"))
def test_library_example_runs(snippet: str) -> None:
    command = [sys.executable, "-W", "error", "-c", snippet]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert "nnCUI@10" in found.stdout and "nn-iou" in found.stdout


SHELL_LINES = [line for block in code_blocks("sh") for line in block.splitlines()]


EXAMPLES = [line for line in SHELL_LINES if ".venv/bin/python -m evalcore" in line]


@pytest.mark.parametrize("line", EXAMPLES)
def test_command_line_examples_run(line: str, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    python, module, name, *arguments = shlex.split(line)
    assert (python, module, name) == (".venv/bin/python", "-m", "evalcore")
    code = run(arguments)
    out, err = capsys.readouterr()
    assert (code, err if code else "") == (0, "") and out.strip()


def test_the_first_example_runs_as_it_is_written() -> None:
    words = shlex.split(EXAMPLES[0])
    found = subprocess.run([sys.executable, *words[1:]], cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip()


def test_every_file_the_readme_links_to_is_there() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert links and [link for link in links if not (ROOT / link).exists()] == []
