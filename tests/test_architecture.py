"""Imports point one way: app.py, pages -> evalcore.ui -> evalcore.report -> evalcore.figures -> the rest of
evalcore; the command line knows the report, and nothing of the pages."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted(
    [ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "evalcore").rglob("*.py")],
    key=lambda path: path.relative_to(ROOT).as_posix(),
)
TRUSTING = {"unsafe_allow_html", "unsafe_allow_javascript", "allow_pickle"}
OPENERS = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "read_csv", "read_parquet"}


def room_of(path: Path) -> str:
    """The room a file belongs to: "page", "ui", "report", "figures", "study", "cli" or "core"."""
    parts = path.relative_to(ROOT).parts
    if parts[0] in {"app.py", "pages"}:
        return "page"
    if parts[1] in {"ui", "report", "figures", "study"}:
        return parts[1]
    return "cli" if parts[1].startswith(("cli", "__main__")) else "core"


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def imports_of(tree: ast.AST) -> set[str]:
    """Every module a file imports, as dotted names (imports for types only included)."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "absolute imports only"
            found |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def imports_within(modules: set[str], package: str) -> bool:
    return any(name == package or name.startswith(package + ".") for name in modules)


def violations(room: str, modules: set[str]) -> list[str]:
    """Which rules of the house a file of this room breaks with these imports."""
    rules = [
        ("streamlit", room in {"page", "ui"}),
        ("plotly", room in {"ui", "figures"}),
        ("evalcore.ui", room in {"page", "ui"}),
        ("evalcore.report", room in {"ui", "report", "cli"}),
        ("evalcore.figures", room in {"ui", "report", "figures"}),
        ("evalcore.cli", room == "cli"),
        ("click", room == "cli"),
    ]
    broken = [name for name, allowed in rules if not allowed and imports_within(modules, name)]
    return [f"{room} imports {name}" for name in broken]


def by_file(faults: Callable[[Path], Collection[str]]) -> dict[str, list[str]]:
    """What is wrong with each file that something is wrong with."""
    found = {path.relative_to(ROOT).as_posix(): sorted(faults(path)) for path in FILES}
    return {name: wrong for name, wrong in found.items() if wrong}


def test_imports_point_one_way() -> None:
    assert by_file(lambda path: violations(room_of(path), imports_of(parsed(path)))) == {}


@pytest.mark.parametrize(
    ("room", "source", "n"),
    [
        ("core", "import streamlit as st", 1),
        ("core", "from plotly import graph_objects", 1),
        ("figures", "from evalcore.ui import state", 1),
        ("figures", "from evalcore.report import verdicts", 1),
        ("report", "from evalcore.ui import state", 1),
        ("report", "import plotly.io", 1),
        ("cli", "from evalcore.figures import numbers", 1),
        ("cli", "from evalcore.report import document", 0),
        ("study", "from evalcore import figures", 1),
        ("page", "import plotly.express", 1),
        ("core", "import plotlyish", 0),
        ("ui", "import streamlit, plotly", 0),
    ],
)
def test_the_checker_sees_what_it_must(room: str, source: str, n: int) -> None:
    assert len(violations(room, imports_of(ast.parse(source)))) == n


def called(tree: ast.AST) -> set[str]:
    """Names of the functions and methods that are called."""
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {f.id if isinstance(f, ast.Name) else getattr(f, "attr", "") for f in calls}


BUNDLED = ROOT / "evalcore/values/bundled.py"
"""Opens what the program ships, never a file of the user: nothing there can be wrong."""


def test_only_sources_opens_files() -> None:
    def opens(path: Path) -> Collection[str]:
        return set() if room_of(path) == "study" or path == BUNDLED else called(parsed(path)) & OPENERS

    assert by_file(opens) == {}


def trusting(tree: ast.AST) -> set[str]:
    """Calls that take data for code or markup: raw HTML, pickle, eval."""
    found = {"pickle"} if imports_within(imports_of(tree), "pickle") else set()
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in TRUSTING:
            off = isinstance(node.value, ast.Constant) and node.value.value is False
            found |= set() if off else {node.arg}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found |= {node.func.id} & {"eval", "exec"}
    return found


def test_no_call_trusts_data() -> None:
    assert by_file(lambda path: trusting(parsed(path))) == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import pickle", {"pickle"}),
        ("eval('1')", {"eval"}),
        ("st.html(x, unsafe_allow_javascript=True)", {"unsafe_allow_javascript"}),
        ("np.load(x, allow_pickle=wanted)", {"allow_pickle"}),
        ("np.load(x, allow_pickle=False)", set()),
    ],
)
def test_trust_is_seen(source: str, found: set[str]) -> None:
    assert trusting(ast.parse(source)) == found


def names_of(path: Path) -> str:
    """The dotted name of a module."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def circles(needs: dict[str, set[str]]) -> list[set[str]]:
    """Groups of modules that import each other, directly or over others."""
    return [group for group in nx.strongly_connected_components(nx.DiGraph(needs)) if len(group) > 1]


def test_no_circle_between_files() -> None:
    """Imports for types only included: who reads one file needs not read the other first."""
    modules = {names_of(path) for path in FILES}
    needs = {
        names_of(path): {name for name in imports_of(parsed(path)) & modules if name != names_of(path)}
        for path in FILES
    }
    # `from package import module` needs the module, not what the package offers.
    for path in FILES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ImportFrom) and all(
                f"{node.module}.{a.name}" in modules for a in node.names
            ):
                needs[names_of(path)].discard(node.module or "")
    assert circles(needs) == []


def test_a_circle_is_seen() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"a"}}) == [{"a", "b", "c"}]
    assert circles({"a": {"b"}, "b": set()}) == []


def test_no_folder_is_crowded() -> None:
    """A stranger finds the room for a change in a minute: at most 20 modules in a folder."""
    modules = Counter(path.parent for path in FILES if path.name != "__init__.py")
    assert {folder.relative_to(ROOT).as_posix(): n for folder, n in modules.items() if n > 20} == {}
