"""Sentences on screen, in messages, helps and guides use the words of the field.

Strings are read from the syntax tree, docstrings aside; guides without their code.
"""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

with Path(__file__).with_name("wording.csv").open(encoding="utf-8", newline="") as _lines:
    _ROWS = list(csv.DictReader(_lines))
INSTEAD = {row["pattern"]: row["instead"] for row in _ROWS if row["instead"]}
"""Words no sentence has, and what to write in their place."""
ANY = re.compile(rf"(?<![\w{{.-])(?:{'|'.join(INSTEAD)})(?![\w}}])", re.IGNORECASE)
ALLOWED = [row["pattern"] for row in _ROWS if not row["instead"]]
"""Sentences in which one of these words is right; the table says why."""
PAGES = re.compile(r"^(app\.py|pages/|evalcore/(ui|figures)/|evalcore/features/\w+/(page|figures))")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
OPTIONS_OF_PAGES = {
    "evalcore/features/encode/page.py": "how the server is started",
    "evalcore/ui/frame/guard.py": "for whoever runs the server",
    "evalcore/ui/frame/sidebar.py": "the settings file, which commands read",
}
"""Pages may name an option of a command here, and why."""


def _forbidden(text: str) -> Iterator[str]:
    """Forbidden words of a text, each with what to write instead."""
    if not ANY.search(text):
        return
    for allowed in ALLOWED:
        text = re.sub(allowed, "", text)
    for word, instead in INSTEAD.items():
        for match in re.finditer(rf"(?<![\w{{.-])({word})(?![\w}}])", text, re.IGNORECASE):
            yield f"“{match[0]}”: {instead}"


Sentence = tuple[str, str]
"""Where it is, as file and line, and its text."""


@cache
def _sentences() -> list[Sentence]:
    """The strings of the program but docstrings; {} for what an f-string puts in."""
    files = [Path("app.py"), *sorted(Path("pages").glob("*.py")), *sorted(Path("evalcore").rglob("*.py"))]
    return [(f"{path}:{line}", text) for path in files for line, text in _strings(path) if " " in text]


def _strings(path: Path) -> Iterator[tuple[int, str]]:
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    inner = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    inner |= {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            yield node.lineno, node.value


def _prose(path: Path) -> Iterator[Sentence]:
    """Lines of a guide without code blocks and code within lines."""
    fenced = False
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        fenced ^= line.lstrip().startswith("```")
        yield f"{path}:{number}", "" if fenced else re.sub(r"`[^`]*`|\([^)]*\.md[^)]*\)", "", line)


def _problems(sentences: Iterable[Sentence]) -> list[str]:
    return [
        f"{place}: {problem}: {text.strip()[:100]}"
        for place, text in sentences
        for problem in _forbidden(text)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ties stand by id", True),
        ("The two images look Alike.", True),
        ("Dashed lines are no systems.", True),
        ("The true difference probably lies between 0.1 and 0.2.", False),
        ("This understanding {standing.order}", False),
        ("the threshold, a toolkit", False),
    ],
)
def test_it_knows_the_words(text: str, expected: bool) -> None:
    assert bool([*_forbidden(text)]) == expected


def test_no_sentence_of_the_program_has_one() -> None:
    assert _problems(_sentences()) == []


def test_no_guide_has_one() -> None:
    guides = [*sorted(Path("docs").rglob("*.md")), Path("README.md"), Path("data/README.md")]
    assert _problems(line for path in guides for line in _prose(path)) == []


def test_pages_name_options_of_commands_only_for_those_who_use_them() -> None:
    of_pages = [(place, text) for place, text in _sentences() if PAGES.match(place)]
    named = [place for place, text in of_pages if OPTION.search(text)]
    assert [place for place in named if not place.startswith(tuple(OPTIONS_OF_PAGES))] == []
