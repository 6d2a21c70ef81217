"""The same bytes on every processor, with any number of threads, and in any company.

OpenBLAS, NumPy and the C library carry routines for several generations of processors and take those that
fit; each can be set to take others. A routine this processor cannot execute is left out, and said so.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from evalcore.cli import run

ROOT = Path(__file__).resolve().parent.parent
CPUINFO = Path("/proc/cpuinfo")
AVX2 = {"avx2", "fma"}
NEWEST = " ".join(np.show_config(mode="dicts")["SIMD Extensions"].get("found", []))
NOT_GLIBC = "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable"
ENVIRONMENTS = {
    "Prescott": ({"OPENBLAS_CORETYPE": "Prescott"}, {"pni"}),
    "Haswell": ({"OPENBLAS_CORETYPE": "Haswell"}, AVX2),
    "Zen": ({"OPENBLAS_CORETYPE": "Zen"}, AVX2),
    "SkylakeX": ({"OPENBLAS_CORETYPE": "SkylakeX"}, AVX2 | {"avx512bw", "avx512vl"}),
    "one thread": ({"OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}, set()),
    "three threads": ({"OPENBLAS_NUM_THREADS": "3", "NUMBA_NUM_THREADS": "3"}, set()),
    "older routines": ({"NPY_DISABLE_CPU_FEATURES": NEWEST, "GLIBC_TUNABLES": NOT_GLIBC}, set()),
}
"""Kernels of OpenBLAS, numbers of threads, NumPy and the C library without their newest routines: the
environment, and what a processor needs for it."""
OF_EVERY_KIND = (
    "CUI@10",
    "nDCG(nn-iou,gain=exp)@10",
    "RBP(iou)",
    "AP(organ)",
    "RR(organ)",
    "mean(cosine:hog)@5",
    "mean(matching:cs3-sanchez)@10",
    "mean(best-match:lin-corpus)@5",
)


def options(name, values):
    return [word for value in values for word in (f"--{name}", value)]


PUBLISHED = (*options("metric", OF_EVERY_KIND), "--baseline", "hog", "--ties", "expected")


@pytest.fixture(scope="module")
def plain():
    """What `score` prints in this process, as this processor likes it best."""
    with redirect_stdout(io.StringIO()) as printed:
        assert run(["score", str(ROOT / "data"), "--json", *PUBLISHED]) == 0
    scores = json.loads(printed.getvalue())["scores"]
    assert len(scores) == 5 * len(OF_EVERY_KIND)
    return printed.getvalue()


@pytest.mark.nightly
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_same_bytes(name, plain):
    environment, needs = ENVIRONMENTS[name]
    known = set(CPUINFO.read_text().split()) if CPUINFO.exists() else set()
    if lacking := needs - known:
        print(f"{name} is left out: this processor lacks {', '.join(sorted(lacking))}.")
        return
    done = subprocess.run(
        [sys.executable, "-m", "evalcore", "score", str(ROOT / "data"), "--json", *PUBLISHED],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == plain


def test_the_same_numbers_alone_and_beside_others(as_json):
    """Every system under every metric in one call, and each in a call of its own."""

    def scored(metrics, systems, *more):
        words = (*options("metric", metrics), *options("system", systems))
        return as_json("score", ROOT / "data", *words, *more)

    metrics, systems = (
        ("CUI@10", "mean(iou)@3", "P(organ)@5", "RBP(iou,p=0.95)@10"),
        ("hog", "texture", "@iou"),
    )
    together = scored(metrics, systems, "--baseline", "hog")
    rows = {(row["system"], row["metric"]): row for row in together["scores"]}
    assert len(together["comparisons"]) == len(metrics) * (len(systems) - 1)
    corrected = {"p_corrected": None, "correction": None, "n_family": None}
    for row in together["comparisons"]:
        pair = ["hog", row["system"]]
        alone = scored([row["metric"]], pair, "--baseline", "hog")
        assert alone["scores"] == [rows[system, row["metric"]] for system in pair]
        assert [comparison | corrected for comparison in alone["comparisons"]] == [row | corrected]
