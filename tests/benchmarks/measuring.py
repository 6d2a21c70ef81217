"""Two ways of doing the same work, measured in turn in one process: medians, and how they compare."""

from __future__ import annotations

import ctypes
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

import pyarrow as pa

Work = Callable[[], object]


@dataclass(frozen=True)
class Cost:
    """Medians of CPU and wall seconds, and the most memory above what was held before (MiB)."""

    cpu: float
    wall: float
    peak: float

    def __mul__(self, times: float) -> Cost:
        return Cost(self.cpu * times, self.wall * times, self.peak)


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
    before = _forget_peak()
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak = _memory("VmHWM") - before
    del result
    return Cost(cpu, wall, peak)


def median(costs: Sequence[Cost]) -> Cost:
    return Cost(*(statistics.median(getattr(one, name) for one in costs) for name in ("cpu", "wall", "peak")))


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
        return f"{_short(cost.cpu)} / {_short(cost.wall)} s, {cost.peak:,.0f} MiB" if cost else "-"

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
    "| task | CUIscope: CPU / wall, peak | peer | peer: CPU / wall, peak | CPU ratio | goal, met | |\n"
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


def _forget_peak() -> float:
    """Give back what is free, start counting the peak anew (Linux); MiB held now."""
    pa.default_memory_pool().release_unused()
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _memory("VmRSS")


def _memory(field: str) -> float:
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return math.nan
    return int(status.split(f"{field}:")[1].split()[0]) / 1024
