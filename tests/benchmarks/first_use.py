"""What a new process waits for before its first ranking or score: imports, and the compiled loops."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.measuring import Cost, median

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import time
wall, cpu = time.perf_counter(), time.process_time()
import numpy as np
from evalcore.engine import rank
from evalcore.graph import neighbours_of_pairs
from evalcore.values.model import ConceptSets, Study
from evalcore.values.settings import Settings
who = np.arange(2, dtype=np.int32)
concepts = ConceptSets.of({"a": {"x", "z"}, "b": {"y"}})
near = neighbours_of_pairs(concepts.vocabulary, who[:1], who[1:], np.ones(1, int), threshold=1)
study = Study(concepts=concepts, queries=who, candidates=who, digest="", neighbours=near)
rank(study, "nn-iou", who, candidates=who, depth=1, settings=[Settings()])
print(time.process_time() - cpu, time.perf_counter() - wall)
"""


def lines(rounds: int) -> Iterator[str]:
    """The first use with the compiled loops on disk, and the one time they are compiled."""
    with tempfile.TemporaryDirectory() as folder:
        compiling = _started(folder)
        warm = median([_started(folder) for _ in range(rounds)])
    yield f"\nCPU / wall of the first ranking in a new process (import, loops from disk): {warm}; goal 1 s"
    yield f"the same when the loops are compiled, once per machine: {compiling}"


def _started(cache: str) -> Cost:
    """One new process; compiled code in its own folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return Cost(*(float(word) for word in done.stdout.split()))
