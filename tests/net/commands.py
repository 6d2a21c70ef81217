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
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from unittest.mock import patch

from evalcore import study as studies_of_program
from evalcore.cli import run as run_command
from tests.net import files, studies
from tests.net.cases import Case
from tests.net.record import digest, merged, record_document, record_file, record_problems
from tests.net.spelling import words_of


@contextmanager
def workplace() -> Iterator[Workplace]:
    """A home and folders of studies that are gone afterwards; studies are opened once."""
    with tempfile.TemporaryDirectory(prefix="net-") as folder, patch.dict(os.environ):
        os.environ["CUISCOPE_HOME"] = f"{folder}/home"
        os.environ.pop("CUISCOPE_DATABASE", None)
        Path(folder, "home").mkdir()
        original, opened = studies_of_program.open_study, cache(studies_of_program.open_study)

        def once(*places: Any, **options: Any) -> Any:
            try:
                return opened(*places, **options)
            except TypeError:  # tables in memory are no keys
                return original(*places, **options)

        _replace(original, once)
        try:
            yield Workplace(Path(folder))
        finally:
            _replace(once, original)


def _replace(old: object, new: object) -> None:
    """In every module of the program that names a function, another one."""
    for module in [module for name, module in sys.modules.items() if name.startswith("evalcore")]:
        for name, value in list(vars(module).items()):
            if value is old:
                setattr(module, name, new)


class Workplace:
    """Where cases run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = 0

    @cached_property
    def files(self) -> Path:
        return files.make(self.folder / "files")

    def study(self, case: Case) -> Path | None:
        """The folder of the case's study, where it has one of its own."""
        of_none = case.study in ("", "shared")
        return None if of_none else studies.build(case.study, self.folder / "studies")

    def record(self, case: Case) -> dict[str, Any]:
        """Run one case of a command."""
        self.runs += 1
        out = self.folder / f"out-{self.runs}"
        out.mkdir()
        folder = self.study(case)
        named = {"{out}": out, "{shared}": studies.SHARED, "{study}": folder, "{files}": self.files}
        words = words_of(case.target, [*([str(folder)] if folder else []), *case.places], case.options)
        for mark, path in named.items():
            words = [word.replace(mark, str(path)) for word in words]
        words += ["--json"] * case.json
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
