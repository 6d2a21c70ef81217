"""Imports point one way: app.py, pages, features -> ui, cli -> report -> figures, results -> evaluate ->
study -> engine -> relevance, ranking, graph, stats -> values; no feature imports another, the core none."""

from __future__ import annotations

import ast
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
MODULES = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in FILES}
TRUSTING = {"unsafe_allow_html", "unsafe_allow_javascript", "allow_pickle"}
OPENERS = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "read_csv", "read_parquet"}


_PLAIN = {"values", "relevance", "ranking", "graph", "stats", "extensions"}
_OF_STUDIES = _PLAIN | {"engine", "study"}
_TABLES = _OF_STUDIES | {"evaluate"}
_REPORTS = _TABLES | {"results", "figures", "report"}
ABOVE = {
    "values": set(),
    "stats": {"values"},
    "graph": {"values", "stats"},
    "relevance": {"values", "stats", "graph"},
    "ranking": {"values", "stats", "relevance"},
    "engine": _PLAIN,
    "study": _PLAIN | {"engine"},
    "evaluate": _OF_STUDIES,
    "results": _TABLES,
    "figures": _TABLES,
    "report": _TABLES | {"results", "figures"},
    "cli": _REPORTS,
    "ui": _REPORTS,
    "feature": _REPORTS | {"ui", "cli"},
    "page": _REPORTS | {"ui"},
}
"""What each room may import beside itself."""
FREE = {"cli", "values", "evaluate", "relevance", "ranking", "study", "figures", "report", "register"}
"""What the top of the package takes its names from."""
FOR_TYPES = {("evalcore.values.model", "evalcore.graph")}
"""A study holds a graph: imported for the types of its fields only."""
SHARED_UI = {"frame", "components"}


def parts_of(name: str) -> tuple[str, str, str]:
    """The room of a dotted name, the feature or page it is of, and its part there.

    >>> parts_of("evalcore.features.review.page_desk")
    ('feature', 'review', 'page_desk')
    >>> parts_of("evalcore.ui.query.board")
    ('ui', 'query', 'board')
    """
    first, *rest = name.split(".")
    if first != "evalcore":
        return "page", "", ""
    rest = [*rest, "", "", ""]
    if rest[0] == "features" and rest[1]:
        return "feature", rest[1], rest[2]
    return rest[0], rest[1], rest[2]


Nodes = Collection[ast.AST]
LOOKED_AT = ast.Import | ast.ImportFrom | ast.Call | ast.keyword


@cache
def parsed(path: Path) -> Nodes:
    return nodes_of(path.read_text())


def nodes_of(source: str) -> Nodes:
    """The nodes that some rule is about: the imports, the calls and their keywords."""
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, LOOKED_AT)]


def imports_of(nodes: Nodes) -> set[str]:
    """Every module a file imports, as dotted names (imports for types only included)."""
    modules: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "absolute imports only"
            modules |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return modules


def imports_within(modules: set[str], package: str) -> bool:
    return any(name == package or name.startswith(package + ".") for name in modules)


def violations(own: str, modules: set[str]) -> list[str]:
    """Which rules of the house the module of that dotted name breaks with these imports."""
    room, package, part = parts_of(own)
    is_page = part.startswith("page")
    libraries = {
        "streamlit": room in {"page", "ui"} or (room == "feature" and is_page),
        "plotly": room in {"ui", "figures"}
        or (room == "feature" and (is_page or part.startswith("figures"))),
        "click": room == "cli" or (room == "feature" and part.startswith("commands")),
    }
    broken = [name for name, allowed in libraries.items() if not allowed and imports_within(modules, name)]
    for module in sorted(modules & MODULES):
        if (own, module) in FOR_TYPES:
            continue
        to, to_package, _ = parts_of(module)
        if to in {"", "features", room} and to != "feature" and to != "ui":
            continue
        if to == "feature":
            allowed = (room, package) == ("feature", to_package)
        elif to == "ui" and room in {"ui", "feature"}:
            allowed = to_package in SHARED_UI | {package, ""}
        else:
            allowed = to in ABOVE.get(room, FREE)
        if not allowed:
            broken.append(module)
    return [f"{own} imports {name}" for name in broken]


def by_file(faults: Callable[[Path], Collection[str]]) -> dict[str, list[str]]:
    """What is wrong with each file that something is wrong with."""
    faults_by_file = {path.relative_to(ROOT).as_posix(): sorted(faults(path)) for path in FILES}
    return {name: wrong for name, wrong in faults_by_file.items() if wrong}


def test_imports_point_one_way() -> None:
    assert by_file(lambda path: violations(names_of(path), imports_of(parsed(path)))) == {}


@pytest.mark.parametrize(
    ("own", "source", "n"),
    [
        ("evalcore.stats.sums", "import streamlit as st", 1),
        ("evalcore.evaluate.scoring", "from plotly import graph_objects", 1),
        ("evalcore.report.html", "import plotly.io", 1),
        ("pages.x", "import plotly.express", 1),
        ("evalcore.stats.sums", "import plotlyish", 0),
        ("evalcore.figures.marks", "from evalcore.ui.frame import state", 2),
        ("evalcore.figures.marks", "from evalcore.report import verdicts", 2),
        ("evalcore.cli.scores", "from evalcore.report import document", 0),
        ("evalcore.values.model", "from evalcore.stats.sums import exact", 1),
        ("evalcore.engine.space", "import evalcore.study.study", 1),
        ("pages.x", "import evalcore.features.review", 1),
        ("evalcore.ui.query.board", "import streamlit, plotly, evalcore.ui.frame.page", 0),
        ("evalcore.ui.frame.page", "import evalcore.ui.results.two_systems", 1),
        ("evalcore.ui.query.board", "import evalcore.ui.results.two_systems", 1),
        ("evalcore.features.review.page_desk", "import streamlit, evalcore.ui.frame.page", 0),
        ("evalcore.features.review.records", "import streamlit, evalcore.features.encode.read", 2),
        ("evalcore.features.review.commands", "import click", 0),
    ],
)
def test_the_checker_sees_what_it_must(own: str, source: str, n: int) -> None:
    assert len(violations(own, imports_of(nodes_of(source)))) == n


def called(nodes: Nodes) -> set[str]:
    """Names of the functions and methods that are called."""
    calls = [node.func for node in nodes if isinstance(node, ast.Call)]
    return {f.id if isinstance(f, ast.Name) else getattr(f, "attr", "") for f in calls}


BUNDLED = ROOT / "evalcore/values/bundled.py"
"""Opens what the program ships, never a file of the user: nothing there can be wrong."""


def reads(path: Path) -> bool:
    """Whether a file is of those that may open files."""
    room, _, part = parts_of(names_of(path))
    return path == BUNDLED or room == "study" or (room == "feature" and part.startswith("read"))


def test_only_readers_open_files() -> None:
    assert by_file(lambda path: set() if reads(path) else called(parsed(path)) & OPENERS) == {}


def trusting(nodes: Nodes) -> set[str]:
    """Calls that take data for code or markup: raw HTML, pickle, eval."""
    names = {"pickle"} if imports_within(imports_of(nodes), "pickle") else set()
    for node in nodes:
        if isinstance(node, ast.keyword) and node.arg in TRUSTING:
            off = isinstance(node.value, ast.Constant) and node.value.value is False
            names |= set() if off else {node.arg}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            names |= {node.func.id} & {"eval", "exec"}
    return names


def test_no_call_trusts_data() -> None:
    assert by_file(lambda path: trusting(parsed(path))) == {}


def names_of(path: Path) -> str:
    """The dotted name of a module."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_no_circle_between_files() -> None:
    """Imports for types only included: who reads one file needs not read the other first."""
    needs = nx.DiGraph()
    for path in FILES:
        own, names = names_of(path), imports_of(parsed(path)) & MODULES
        # `from package import module` needs the module, not what the package offers.
        for node in parsed(path):
            if (
                isinstance(node, ast.ImportFrom)
                and {f"{node.module}.{a.name}" for a in node.names} <= MODULES
            ):
                names.discard(node.module or "")
        needs.add_edges_from((own, name) for name in names - {own})
    assert [group for group in nx.strongly_connected_components(needs) if len(group) > 1] == []


def test_packages_import_no_modules_of_their_own() -> None:
    """Two threads that import a package and one of its modules would wait for each other, and one of them
    would be given a module that is only half there."""
    own: set[str] = set()
    for path in FILES:
        if path.name == "__init__.py":
            top = [node for node in ast.parse(path.read_text()).body if isinstance(node, LOOKED_AT)]
            own |= {name for name in imports_of(top) if name.startswith(f"{names_of(path)}.")}
    of_version = {"evalcore.values.version", "evalcore.values.version.__version__", "evalcore.__version__"}
    assert own - of_version == {"evalcore.values.lazy", "evalcore.values.lazy.lazy"}
