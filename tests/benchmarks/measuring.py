"""Two ways of doing the same work, measured in turn in one process: medians, and how they compare."""

from __future__ import annotations

import gc
import importlib.metadata
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

Work = Callable[[], object]


@dataclass(frozen=True)
class Cost:
    """Medians of CPU and wall seconds."""

    cpu: float
    wall: float

    def __mul__(self, times: float) -> Cost:
        return Cost(self.cpu * times, self.wall * times)

    def __str__(self) -> str:
        return f"{self.cpu:,.3g} / {self.wall:,.3g} s"


@dataclass(frozen=True)
class Row:
    """One line of the table. ``goal`` of ``ratio``."""

    task: str
    peer: str
    ours: Cost
    theirs: Cost
    goal: float
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.ours.cpu / self.theirs.cpu

    def __str__(self) -> str:
        met = "yes" if self.ratio <= self.goal else "**no**"
        ends = (f"{self.ratio:.2g}", f"{self.goal:.3g} {met}", self.note)
        return f"| {' | '.join((self.task, str(self.ours), self.peer, str(self.theirs), *ends))} |"


def cost_of(work: Work) -> Cost:
    """What one call costs."""
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Cost(time.process_time() - cpu, time.perf_counter() - wall)


def median(costs: Sequence[Cost]) -> Cost:
    return Cost(*(statistics.median(getattr(cost, name) for cost in costs) for name in ("cpu", "wall")))


def compare(
    task: str,
    peer: str,
    ours: Work,
    theirs: Work,
    *,
    goal: float,
    rounds: int = 5,
    their_rounds: int | None = None,
    times: float = 1.0,
    note: str = "",
) -> Row:
    """Both sides in turn, after one unmeasured call of each.

    ``times``: theirs is a part of the work, this many times smaller; ``their_rounds`` fewer rounds for
    a slow peer, without the unmeasured call.
    """
    ours()
    if their_rounds is None:
        theirs()
    mine, other = [], []
    for k in range(rounds):
        mine.append(cost_of(ours))
        if k < (their_rounds or rounds):
            other.append(cost_of(theirs))
    return Row(task, peer, median(mine), median(other) * times, goal, note)


HEADER = (
    "| task | CUIscope: CPU / wall | peer | peer: CPU / wall | CPU ratio | goal, met | |\n"
    "|---|---|---|---|---|---|---|"
)


def machine() -> str:
    """What this was measured on, with the versions that matter."""
    names = "numpy scipy numba pandas pyarrow pytrec_eval-terrier ranx igraph networkx faiss-cpu"
    versions = []
    for name in names.split():
        with suppress(importlib.metadata.PackageNotFoundError):
            versions.append(f"{name} {importlib.metadata.version(name)}")
    return (
        f"{platform.machine()}, {_processor()}, {len(os.sched_getaffinity(0))} cores, Python "
        f"{sys.version.split()[0]}, {', '.join(versions)}."
    )


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
