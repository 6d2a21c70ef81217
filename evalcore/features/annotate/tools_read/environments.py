"""The environments that tools live in: a folder with a Python of its own, made here or named by the user."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from evalcore.features.annotate.tools_read.process import run
from evalcore.study.workspace.home import home, make_folder, readable
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.progress import Progress, silent

MAKING = 3_600.0
"""Seconds that making an environment may take."""
_DOWNLOADS = 60
"""Lines of pip after which its progress is near its end."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that finds concepts: its package, what pip installs, and what is to be done after.

    ``steps``: arguments of the environment's Python, each a step that needs the network once.
    """

    key: str
    title: str
    requirements: tuple[str, ...]
    steps: tuple[str, ...] = ()


_ALL = (
    Tool("medcat", "MedCAT", ("medcat[spacy,meta-cat]==2.9.0",)),
    Tool(
        "quickumls",
        "QuickUMLS",
        ("quickumls==1.4.2", "setuptools"),
        ("-m spacy download en_core_web_sm", "-m nltk.downloader stopwords"),
    ),
)
TOOLS: Mapping[str, Tool] = MappingProxyType({tool.key: tool for tool in _ALL})


@dataclass(frozen=True, slots=True)
class Environment:
    """What is there of a tool's environment: ``python`` None where there is none, ``version`` "" where the
    tool is not in it."""

    tool: Tool
    folder: Path
    python: Path | None
    version: str

    @property
    def ready(self) -> bool:
        """Whether the tool can be started."""
        return self.python is not None and bool(self.version)


def tool_of(key: str) -> Tool:
    """The tool of that name; UnknownName when there is none."""
    if key not in TOOLS:
        raise UnknownName("tool", key, TOOLS)
    return TOOLS[key]


def environment(key: str, folder: Path | None = None) -> Environment:
    """The environment of a tool: a folder, else the one of the workspace. Nothing is run or imported."""
    tool, where = tool_of(key), usual(key) if folder is None else folder
    python = _python(where)
    return Environment(tool, where, python, _version(where, tool.key) if python else "")


def usual(key: str) -> Path:
    """Where the environment of a tool belongs unless another folder is named."""
    return home() / "environments" / tool_of(key).key


def usable(key: str, folder: Path | None = None) -> Path:
    """The Python that runs a tool.

    Raises
    ------
    InputError
        There is none, or the tool is not installed for it; it says what to do.
    """
    found = environment(key, folder)
    if found.python is None or not found.version:
        raise InputError(f"{found.tool.title} cannot be run. {remedy(found)}")
    return found.python


def remedy(found: Environment) -> str:
    """What to do so that the tool can be started; "" when nothing is missing."""
    if found.ready:
        return ""
    tool, where = found.tool, readable(str(found.folder))
    wanted = " ".join(f'"{one}"' if "[" in one else one for one in tool.requirements)
    if found.python is not None:
        return f"{tool.title} is not installed in {where}: {found.python} -m pip install {wanted}"
    own = "" if found.folder == usual(tool.key) else f" --environment {where}"
    return (
        f"There is no environment in {where}. Make it with: python -m evalcore annotate run --list-tools "
        f"--make {tool.key}{own} (a Python of its own with {wanted})."
    )


def make(
    key: str, folder: Path | None = None, *, progress: Progress = silent, timeout: float = MAKING
) -> Environment:
    """Make the environment of a tool, or add the tool to one that is there.

    Raises
    ------
    InputError
        The folder holds something else, or making it failed; a folder that was not there is gone again.
    """
    found = environment(key, folder)
    tool, where = found.tool, found.folder
    if os.path.realpath(where) == os.path.realpath(sys.prefix):
        raise InputError(f"{readable(str(where))} is where this program runs; {tool.title} needs another.")
    new = not os.path.lexists(where)
    if not new and found.python is None and (not where.is_dir() or any(where.iterdir())):
        raise InputError(
            f"{readable(str(where))} is no Python environment, and not empty. Name a folder that is not "
            "there yet."
        )
    try:
        if found.python is None:
            make_folder(where.parent)
            _step([sys.executable, "-m", "venv", str(where)], "a Python", progress, 0.02, timeout)
        python = _python(where)
        if python is None:
            raise InputError(f"Python's venv made no environment in {readable(str(where))}.")
        command = [str(python), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
        _step([*command, *tool.requirements], f"pip for {tool.title}", progress, 0.05, timeout)
    except BaseException:
        if new:
            shutil.rmtree(where, ignore_errors=True)
        raise
    progress(1.0, "")
    return environment(key, where)


def _step(command: list[str], name: str, progress: Progress, begin: float, timeout: float) -> None:
    lines = 0
    doing = name

    def heard(line: str) -> None:
        nonlocal lines, doing
        if line:
            lines, doing = lines + 1, line.strip()[:80]
        progress(begin + (0.98 - begin) * min(1.0, lines / _DOWNLOADS), doing)

    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    run(command, name=name, timeout=timeout, heard=heard, environ=environ)


def _python(folder: Path) -> Path | None:
    for inside in ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe"):
        if (folder / inside).is_file():
            return folder.absolute() / inside
    return None


def _version(folder: Path, package: str) -> str:
    """Of an installed package, "" where it is not there; "?" for one without a stated version."""
    for pattern in ("lib/python*/site-packages", "Lib/site-packages"):
        for site in sorted(folder.glob(pattern)):
            if (site / package).is_dir():
                named = (re.fullmatch(rf"{package}-(.+)\.dist-info", one.name) for one in site.iterdir())
                return next((found[1] for found in named if found), "?")
    return ""
