"""Concept detection of 10,000 images as ImageCLEF 2025 scores it, beside the official way.

The official script calls scikit-learn's f1_score once per image, over the union of its concepts; that is
written out here. Both sides read the same two files and give the same number.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from functools import cache

import numpy as np

from evalcore.features.imageclef.editions import edition_of
from evalcore.features.imageclef.scoring import Files, Source, score_concepts
from tests.benchmarks.measuring import Row, compare, missing

PEER = "scikit-learn per image"
TENTH = 10
"""How much smaller the part is that the official way, a minute of work, is measured on."""


def rows(n: int) -> Iterator[Row]:
    task = f"check and score concepts, {n:,} images"
    truth, run = files(n)
    try:
        from sklearn.metrics import f1_score  # noqa: F401
    except ImportError:
        yield missing(task, PEER, lambda: ours(truth, run), goal=1.0)
        return
    part = files(n // TENTH)
    assert abs(ours(*part) - theirs(*part)) < 1e-12
    yield compare(
        task,
        PEER,
        lambda: ours(truth, run),
        lambda: theirs(*part),
        goal=1.0,
        rounds=3,
        their_rounds=1,
        times=TENTH,
        note="theirs measured on a tenth; ours also checks and counts every concept",
    )


def ours(truth: bytes, run: bytes) -> float:
    files = Files(Source("truth.csv", truth), (Source("run.csv", run),))
    return score_concepts(files, edition=edition_of("concepts", "2025")).results[0].score


def theirs(truth: bytes, run: bytes) -> float:
    from sklearn.metrics import f1_score

    true, predicted = (
        {
            row[0]: [c.strip() for c in row[1].upper().split(";")]
            for row in csv.reader(io.StringIO(f.decode()))
        }
        for f in (truth, run)
    )
    total = 0.0
    for image, found in predicted.items():
        words = sorted({*true[image], *found})
        total += f1_score([w in true[image] for w in words], [w in found for w in words], zero_division=0.0)
    return total / len(true)


@cache
def files(n: int) -> tuple[bytes, bytes]:
    """A truth and a run: one to eight of 2,000 concepts per image, frequent ones more often; half right."""
    rng = np.random.default_rng(11)
    truth, run = [], []
    for i in range(n):
        concepts = np.unique(rng.zipf(1.5, rng.integers(1, 9)) % 2_000)
        guess = np.unique(
            np.where(rng.random(len(concepts)) < 0.5, concepts, rng.zipf(1.5, len(concepts)) % 2_000)
        )
        truth.append(f"img_{i:06d},{';'.join(f'C{c:07d}' for c in concepts)}\n")
        run.append(f"img_{i:06d},{';'.join(f'C{c:07d}' for c in guess)}\n")
    return "".join(truth).encode(), "".join(run).encode()
