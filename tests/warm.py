"""Compile the loops once, before several processes would each compile the same ones.

Run as ``python -m tests.warm``: commands on the sample that between them use every file of loops.
"""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout

from evalcore.cli import run

SCORE = (
    "score",
    "data",
    "--metric",
    "CAG-ERR(iou)@10",
    "--metric",
    "nDCG(nn-iou)@10",
    "--metric",
    "AP(organ)",
)
CALLS = (
    (*SCORE, "--system", "hog", "--system", "@nn-iou", "--system", "@cosine:hog"),
    ("score", "data", "--metric", "nnCUI@10", "--metric", "AHP(nn-iou)@10", "--ties", "expected"),
    ("measures", "data", "--relevance", "nn-iou", "--relevance", "matching:path", "--n-queries", "20"),
    ("overlap", "data"),
    ("path", "data", "lung", "heart"),
    ("duplicates", "data"),
)
"""Words of commands."""


def warm() -> None:
    """Run every call; what a call prints is nobody's concern."""
    for words in CALLS:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            code = run(words)
        if code:
            sys.exit(f"{' '.join(words)}: {code}")


if __name__ == "__main__":
    warm()
