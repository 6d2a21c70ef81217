"""Run the cases of commands: in one process, over studies that are opened once."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

from evalcore import study as studies_of_program
from evalcore.cli import run as run_command
from tests.net import files, studies
from tests.net.cases import Case
from tests.net.record import digest, merged, record_document, record_file, record_problems
from tests.net.spelling import words_of


@contextmanager
def workplace() -> Iterator[Workplace]:
    """A home and folders of studies that are gone afterwards; studies are opened once."""
    with tempfile.TemporaryDirectory(prefix="net-") as folder:
        before = {name: os.environ.get(name) for name in ("CUISCOPE_HOME", "CUISCOPE_DATABASE")}
        home = Path(folder) / "home"
        home.mkdir()
        os.environ["CUISCOPE_HOME"] = str(home)
        os.environ.pop("CUISCOPE_DATABASE", None)
        with _opened_once():
            yield Workplace(Path(folder))
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _opened_once() -> Iterator[None]:
    """Every module that names the function that opens a study gets one that remembers."""
    original = studies_of_program.open_study
    remembered = cache(original)

    def opened(*places: Any, **options: Any) -> Any:
        try:
            hash((places, tuple(options.items())))
        except TypeError:
            return original(*places, **options)
        return remembered(*places, **options)

    places = [
        (module, name)
        for module in list(sys.modules.values())
        for name, value in list(getattr(module, "__dict__", {}).items())
        if value is original and getattr(module, "__name__", "").startswith("evalcore")
    ]
    for module, name in places:
        setattr(module, name, opened)
    try:
        yield
    finally:
        for module in list(sys.modules.values()):
            for name, value in list(getattr(module, "__dict__", {}).items()):
                if value is opened:
                    setattr(module, name, original)


class Workplace:
    """Where cases run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = 0

    @property
    def files(self) -> Path:
        made = self.folder / "files"
        return made if made.exists() else files.make(made)

    def words(self, case: Case) -> tuple[list[str], Path]:
        """The words of a case, and the folder that it writes into."""
        self.runs += 1
        out = self.folder / f"out-{self.runs}"
        out.mkdir()
        real = case.study == "shared"
        folder = studies.build(case.study, self.folder / "studies") if case.study and not real else None
        named = {"{out}": str(out), "{shared}": str(studies.SHARED), "{study}": str(folder)}
        places = [*([str(folder)] if folder else []), *case.places]
        words = words_of(case.target, places, case.options)
        if "{files}" in "".join(words):
            named["{files}"] = str(self.files)
        for mark, place in named.items():
            words = [word.replace(mark, place) for word in words]
        return words + ["--json"] * case.json, out

    def record(self, case: Case) -> dict[str, Any]:
        """Run one case."""
        words, out = self.words(case)
        stdout, stderr = io.StringIO(), io.StringIO()
        with redirect_stdout(stdout), redirect_stderr(stderr):
            code = run_command(words)
        printed, messages = stdout.getvalue(), stderr.getvalue()
        if "Traceback" in messages:
            raise AssertionError(f"{shlex.join(words)}\n{messages}")
        for folder, mark in ((out, "{out}"), (self.folder, "{net}")):
            printed, messages = printed.replace(str(folder), mark), messages.replace(str(folder), mark)
        document = json.loads(printed) if case.json and printed.strip() else None
        parts = {"": record_document(document, real=case.real)} if document is not None else {}
        for path in sorted(out.rglob("*")):
            if path.is_file() and path.suffix not in (".png", ".svg"):
                parts[f"{path.name}:"] = record_file(path, real=case.real)
        record = merged(parts)
        problems = record_problems(messages.splitlines(), document)
        return {"code": code, "problems": problems, **record, "messages": digest(messages)}
