"""Free memory goes back to the system, also that of many threads (Linux with glibc)."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

from evalcore.ui.frame import memory

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
import sys, threading
import numpy as np
from evalcore.ui.frame import memory

def resident():
    return int(open("/proc/self/status").read().split("VmRSS:")[1].split()[0]) / 1024

def work():
    # As the bootstrap does: a few arrays of 16 MB, one after another.
    for n in (2_000_000, 1_000_000, 2_000_000):
        np.ones(n).cumsum()

if sys.argv[1] == "thrifty":
    assert memory.trim_memory()
before = resident()
for _ in range(3):
    threads = [threading.Thread(target=work) for _ in range(12)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
print(resident() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
def test_what_threads_no_longer_need_is_given_back() -> None:
    def grown(how: str) -> float:
        command = [sys.executable, "-c", SCRIPT, how]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)})
        assert run.returncode == 0, run.stderr
        return float(run.stdout)

    assert grown("thrifty") < 8 < 40 < grown("not")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
def test_what_was_read_with_arrow_is_given_back() -> None:
    script = """
import sys
import pyarrow as pa
from evalcore.ui.frame import memory

if sys.argv[1] == "thrifty":
    assert memory.trim_memory()
kept = pa.default_memory_pool()
columns = [pa.array(range(100_000)) for _ in range(20)]
print(kept.backend_name, kept.bytes_allocated() >= 20 * 800_000)
"""

    def pool(how: str) -> list[str]:
        command = [sys.executable, "-c", script, how]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)})
        assert run.returncode == 0, run.stderr
        return run.stdout.split()

    assert pool("thrifty") == ["system", "True"]
    assert pool("not")[0] != "system"


def test_where_there_is_no_such_library_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda _name: object())
    memory.trim_memory.cache_clear()
    assert memory.trim_memory() is False
    memory.trim_memory.cache_clear()
