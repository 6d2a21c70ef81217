"""Two ways of doing the same work, measured in turn in one process: medians, and how they compare."""

from __future__ import annotations

import gc
import importlib
import importlib.metadata
import math
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Work = Callable[[], object]


@dataclass(frozen=True)
class Cost:
    """Medians of CPU and wall seconds."""

    cpu: float
    wall: float

    def __mul__(self, times: float) -> Cost:
        return Cost(self.cpu * times, self.wall * times)


@dataclass(frozen=True)
class Row:
    """One line of the table. ``theirs`` None: the peer is not installed; ``goal`` of ``ratio``."""

    task: str
    peer: str
    ours: Cost
    theirs: Cost | None
    goal: float | None
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.ours.cpu / self.theirs.cpu if self.theirs else math.nan


def cost_of(work: Work) -> Cost:
    """What one call costs."""
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Cost(time.process_time() - cpu, time.perf_counter() - wall)


def median(costs: Sequence[Cost]) -> Cost:
    return Cost(*(statistics.median(getattr(one, name) for one in costs) for name in ("cpu", "wall")))


def compare(
    task: str,
    peer: str,
    ours: Work,
    theirs: Work | None,
    *,
    goal: float | None,
    rounds: int = 5,
    their_rounds: int | None = None,
    times: float = 1.0,
    note: str = "",
) -> Row:
    """Both sides in turn, after one unmeasured call of each; ``theirs`` None: the peer is not installed.

    ``times``: theirs is a part of the work, this many times smaller; ``their_rounds`` fewer rounds for
    a slow peer.
    """
    ours()
    if theirs is not None and their_rounds is None:
        theirs()
    mine, other = [], []
    for k in range(rounds):
        mine.append(cost_of(ours))
        if theirs is not None and k < (their_rounds or rounds):
            other.append(cost_of(theirs))
    if theirs is None:
        return Row(task, peer, median(mine), None, goal, "not installed")
    return Row(task, peer, median(mine), median(other) * times, goal, note)


def installed(name: str) -> Any:
    """The module of a peer; None where it is not installed."""
    with suppress(ImportError):
        return importlib.import_module(name)
    return None


def show(row: Row, *, goals: bool = True) -> str:
    def cell(cost: Cost | None) -> str:
        return f"{_short(cost.cpu)} / {_short(cost.wall)} s" if cost else "-"

    goal = "-" if row.goal is None or not goals else f"{row.goal:.3g}"
    verdict = (
        ""
        if row.goal is None or not row.theirs or not goals
        else " yes"
        if row.ratio <= row.goal
        else " **no**"
    )
    ratio = f"{row.ratio:.2g}" if row.theirs else "-"
    cells = (row.task, cell(row.ours), row.peer, cell(row.theirs), ratio, f"{goal}{verdict}", row.note)
    return "| " + " | ".join(cells) + " |"


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


def _short(seconds: float) -> str:
    return f"{seconds:,.0f}" if seconds >= 100 else f"{seconds:.3g}"
