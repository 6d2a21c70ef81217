"""How many deliberate faults are noticed? A hundred recorded mutants over all rooms, and who notices each.

``mutants.csv`` has a fault a row: a line of the program, and what is written in its place. Each is tried on
a copy of the program until somebody notices: doctests of its file and the tests of its room, then the fixed
subset of the net. A survivor is a case that some layer should have.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.net.studies import ROOT, SHARED

MUTANTS = Path(__file__).parent / "mutants.csv"
TESTS: dict[str, tuple[str, ...]] = {
    "relevance": ("tests/relevance", "tests/engine"),
    "engine": ("tests/engine", "tests/evaluate/test_by_kind.py", "tests/study/graphs"),
    "study": ("tests/study",),
    "evaluate": ("tests/evaluate", "tests/cli/test_commands.py"),
    "ranking": ("tests/ranking", "tests/evaluate/test_qrels.py", "tests/evaluate/test_naive.py"),
    "values": ("tests/values", "tests/ranking", "tests/stats", "tests/evaluate/test_study_groups.py"),
    "results": ("tests/results", "tests/cli"),
    "features": (
        "tests/features/{}",
        "tests/features/test_refusals.py",
        "tests/study/tables/test_schemas.py",
    ),
    "report": (
        "tests/report",
        "tests/test_one_verdict.py",
        "tests/ui/test_export.py",
        "tests/ui/test_robustness.py",
        "tests/ui/test_sentences.py",
    ),
}
"""By room: where its numbers and sentences are tested, if not only in the folder of its name."""


@dataclass(frozen=True)
class Mutant:
    """``line``: the whole line as it is; ``instead``: what takes its place; ``function``: where it is."""

    file: str
    function: str
    line: str
    instead: str

    @property
    def name(self) -> str:
        return f"{self.file}:{self.function}: {self.line.strip()} -> {self.instead.strip()}"

    @property
    def tests(self) -> list[str]:
        """Where its room is tested."""
        _, room, name, *_ = Path(self.file).parts
        return [place.format(name) for place in TESTS.get(room, (f"tests/{room}",))]

    def applied(self, text: str) -> str:
        """The program's file with the fault in it."""
        if f"{self.line}\n" not in text:
            raise LookupError(
                f"{self.file} has no line {self.line!r} any more: choose another fault for {self.function}."
            )
        return text.replace(f"{self.line}\n", f"{self.instead}\n", 1)


def mutants() -> list[Mutant]:
    """Those recorded."""
    with MUTANTS.open(newline="", encoding="utf-8") as lines:
        return [Mutant(**row) for row in csv.DictReader(lines)]


def _fails(root: Path, words: Sequence[str]) -> bool:
    """Whether a process fails, or does not end in ten minutes."""
    beside = {"PYTHONPATH": str(root), "CUISCOPE_SHARED": str(SHARED), "OMP_NUM_THREADS": "1"}
    command, environment = [sys.executable, "-m", *words], {**os.environ, **beside}
    try:
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, timeout=600)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def _noticed_by(mutant: Mutant, root: Path) -> str:
    pytest = ["pytest", "-q", "-x", "-n0", "-o", "python_functions=test_*"]
    pytest += ["-m", "not nightly and not browser"]
    if _fails(root, [*pytest, mutant.file, *mutant.tests]):
        return "tests"
    return "net" if _fails(root, ["tests.net", "compare", "--stop"]) else "nobody"


def kill(only: Sequence[str]) -> int:
    """Try every mutant and print who notices it; fails when more than fifteen in a hundred survive."""
    tried = [mutant for mutant in mutants() if not only or any(text in mutant.name for text in only)]
    noticed = Counter[str]()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        root = Path(folder) / "program"
        ignore = shutil.ignore_patterns(".git", ".venv", "site", "node_modules")
        shutil.copytree(ROOT, root, ignore=ignore, copy_function=shutil.copy2)
        for mutant in tried:
            path, begun = root / mutant.file, time.perf_counter()
            original, kept = path.read_text("utf-8"), path.stat()
            path.write_text(mutant.applied(original), "utf-8")
            by = _noticed_by(mutant, root)
            path.write_text(original, "utf-8")
            os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))
            noticed[by] += 1
            print(f"{by:8} {time.perf_counter() - begun:5.0f} s  {mutant.name}", flush=True)
    print(
        f"{len(tried)} mutants: " + ", ".join(f"{n} noticed by {who}" for who, n in sorted(noticed.items()))
    )
    return int(noticed["nobody"] > 0.15 * len(tried))
