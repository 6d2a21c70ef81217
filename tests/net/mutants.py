"""How many deliberate faults are noticed? A hundred recorded mutants over all rooms, and who notices each.

``mutants.csv`` has a fault a row: a line of the program, and what is written in its place. Each is tried on
a copy of the program until somebody notices: doctests of its file and the tests of its room that name the
file or the function, then the cases of the fixed subset that run its function, then the other tests of its
room. A survivor is a case that some layer should have.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tests.net.studies import ROOT, SHARED

MUTANTS = Path(__file__).parent / "mutants.csv"
FIRST = 6
"""So many cases that run a function are tried first."""
NEAR = 3
"""So many files of tests are tried before them."""
TESTS: dict[str, tuple[str, ...]] = {
    "relevance": ("tests/relevance", "tests/engine"),
    "engine": ("tests/engine", "tests/evaluate/test_by_kind.py", "tests/study/graphs"),
    "graph": ("tests/graph",),
    "ranking": ("tests/ranking",),
    "stats": ("tests/stats",),
    "evaluate": ("tests/evaluate",),
    "study": ("tests/study",),
    "values": ("tests/values", "tests/ranking", "tests/stats", "tests/test_study_groups.py"),
    "results": ("tests/results", "tests/cli"),
    "features": ("tests/features/{}",),
    "figures": ("tests/figures",),
    "report": (
        "tests/report",
        "tests/test_one_verdict.py",
        "tests/ui/results/test_page.py",
        "tests/ui/robustness/test_settings.py",
        "tests/ui/test_sentences.py",
    ),
    "cli": ("tests/cli",),
}
"""By room: where its numbers and sentences are tested."""


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

    def tests(self, root: Path) -> list[str]:
        """Files of tests of its room, those that name its file or its function first."""
        path = Path(self.file)
        places = [root / place.format(path.parts[2]) for place in TESTS.get(path.parts[1], ())]
        files = [file for place in places for file in (sorted(place.rglob("test_*.py")) or [place])]

        def near(file: Path) -> int:
            text = file.read_text(encoding="utf-8")
            module = ".".join(path.with_suffix("").parts)
            return 2 * (path.stem in file.stem) + (self.function in text) + (module in text)

        return [str(file.relative_to(root)) for file in sorted(files, key=near, reverse=True)]

    def write(self, root: Path) -> None:
        path = root / self.file
        text = path.read_text(encoding="utf-8")
        if text.count(f"{self.line}\n") < 1:
            raise LookupError(
                f"{self.file} has no line {self.line!r} any more: choose another fault for {self.function}."
            )
        path.write_text(text.replace(f"{self.line}\n", f"{self.instead}\n", 1), encoding="utf-8")


def mutants() -> list[Mutant]:
    """Those recorded."""
    with MUTANTS.open(newline="", encoding="utf-8") as lines:
        return [Mutant(**row) for row in csv.DictReader(lines)]


def _profiled(out: Path) -> None:
    """Write which cases of the fixed subset run which functions (in a process of its own)."""
    from tests.net.__main__ import recorder, runs_here
    from tests.net.cases import cases
    from tests.net.commands import workplace

    ran: dict[str, list[list[Any]]] = defaultdict(list)
    inside = f"{ROOT}{os.sep}evalcore{os.sep}"
    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            seen.add(frame.f_code)

    with workplace() as place:
        record = recorder(place)
        for case in filter(lambda case: case.daily and runs_here(case), cases()):
            seen.clear()
            begun = time.perf_counter()
            sys.setprofile(note)
            try:
                record(case)
            finally:
                sys.setprofile(None)
            seconds = time.perf_counter() - begun
            for code in seen:
                if code.co_filename.startswith(inside):
                    function = f"{Path(code.co_filename).relative_to(ROOT)}:{code.co_name}"
                    ran[function].append([seconds, case.name])
    out.write_text(json.dumps(ran))


def _run(root: Path, words: Sequence[str], seconds: float) -> bool:
    """Whether a process failed (or did not end)."""
    beside = {"PYTHONPATH": str(root), "CUISCOPE_SHARED": str(SHARED), "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=root,
            env={**os.environ, **beside},
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def _noticed_by(mutant: Mutant, root: Path, ran: dict[str, list[list[Any]]]) -> str:
    covering = [name for _, name in sorted(ran.get(f"{mutant.file}:{mutant.function}", []))]
    tests = mutant.tests(root)
    net = ["-m", "tests.net", "compare", "--stop", "--exactly"]
    pytest = ["-m", "pytest", "-q", "-x", "-n0", "-o", "python_functions=test_*"]
    pytest += ["-m", "not nightly and not browser"]
    tries = [
        ("tests", pytest, [mutant.file, *tests[:NEAR]]),
        ("net", net, covering[:FIRST]),
        ("tests", pytest, tests[NEAR:]),
        ("net", net, covering[FIRST : 10 * FIRST]),
    ]
    return next((who for who, words, what in tries if what and _run(root, [*words, *what], 600)), "")


def kill(only: Sequence[str]) -> int:
    """Try every mutant and print who notices it; fails when more than fifteen in a hundred survive."""
    tried = [mutant for mutant in mutants() if not only or any(text in mutant.name for text in only)]
    noticed: dict[str, int] = defaultdict(int)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        ran_file, root = Path(folder) / "ran.json", Path(folder) / "program"
        subprocess.run([sys.executable, "-m", "tests.net.mutants", str(ran_file)], cwd=ROOT, check=True)
        ran = json.loads(ran_file.read_text())
        ignore = shutil.ignore_patterns(".git", ".venv", "site", "node_modules")
        shutil.copytree(ROOT, root, ignore=ignore, copy_function=shutil.copy2)
        for mutant in tried:
            original = (root / mutant.file).read_bytes()
            kept = (root / mutant.file).stat()
            begun = time.perf_counter()
            try:
                mutant.write(root)
                by = _noticed_by(mutant, root, ran)
            finally:
                (root / mutant.file).write_bytes(original)
                os.utime(root / mutant.file, ns=(kept.st_atime_ns, kept.st_mtime_ns))
            noticed[by or "nobody"] += 1
            print(f"{by or 'SURVIVED':8} {time.perf_counter() - begun:5.0f} s  {mutant.name}", flush=True)
    print(
        f"{len(tried)} mutants: " + ", ".join(f"{n} noticed by {who}" for who, n in sorted(noticed.items()))
    )
    return int(noticed["nobody"] > 0.15 * len(tried))


if __name__ == "__main__":
    _profiled(Path(sys.argv[1]))
