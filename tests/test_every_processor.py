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
KERNELS = {"Prescott": {"pni"}, "Haswell": AVX2, "Zen": AVX2, "SkylakeX": AVX2 | {"avx512bw", "avx512vl"}}
"""Kernels of OpenBLAS, and what a processor needs to execute them."""
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


def published(**environment):
    """What `score` prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "evalcore", "score", str(ROOT / "data"), "--json", *PUBLISHED],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.fixture(scope="module")
def plain():
    """What it prints in this process, as this processor likes it best."""
    with redirect_stdout(io.StringIO()) as printed:
        assert run(["score", str(ROOT / "data"), "--json", *PUBLISHED]) == 0
    scores = json.loads(printed.getvalue())["scores"]
    assert len(scores) == 5 * len(OF_EVERY_KIND)
    return printed.getvalue()


@pytest.mark.nightly
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_same_bytes_with_every_kernel(kernel, plain):
    known = set(CPUINFO.read_text().split()) if CPUINFO.exists() else set()
    if lacking := KERNELS[kernel] - known:
        print(f"OpenBLAS kernel {kernel} is left out: this processor lacks {', '.join(sorted(lacking))}.")
        return
    assert published(OPENBLAS_CORETYPE=kernel) == plain


@pytest.mark.nightly
@pytest.mark.parametrize("threads", ["1", "3"])
def test_the_same_bytes_with_any_number_of_threads(threads, plain):
    assert published(OPENBLAS_NUM_THREADS=threads, NUMBA_NUM_THREADS=threads) == plain


@pytest.mark.nightly
def test_the_same_bytes_without_the_newest_routines_of_numpy_and_the_c_library(plain):
    newest = " ".join(np.show_config(mode="dicts")["SIMD Extensions"].get("found", []))
    older = "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable"
    assert published(NPY_DISABLE_CPU_FEATURES=newest, GLIBC_TUNABLES=older) == plain


def test_the_same_numbers_alone_and_beside_others(capsys):
    """Every system under every metric in one call, and each in a call of its own."""

    def scored(metrics, systems, *more):
        words = (*options("metric", metrics), *options("system", systems))
        assert run(["score", str(ROOT / "data"), "--json", *words, *more]) == 0
        return json.loads(capsys.readouterr().out)

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
