"""Do tests of reader studies reject equal systems in 5% of studies? Simulated by the model of Roe and Metz.

    python -m tests.benchmarks.reader_studies [--studies 2000] [--seed 1]

Prints the tables of docs/results/mrmc.md. Areas under the ROC curve: a rating is a normal variable with a
part of the reader, the case and both, each once for both systems and once for each (Roe & Metz 1997,
doi:10.1016/S1076-6332(97)80210-3); positive cases have a higher mean. Mean ratings: the same without positive
cases. The share of studies with p < .05, which is .05 where the test keeps its level.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evalcore.stats.mrmc.analysis import mrmc
from evalcore.stats.mrmc.readings import Readings
from evalcore.values.arrays import Bools, Floats

LEVEL = 0.05


class Structure(NamedTuple):
    """Variances of the model: each twice, once common to the systems and once for each of them."""

    name: str
    apart: float
    reader: float
    case: float
    both: tuple[float, float]


# As iRoeMetz is distributed with them: HH and LH, where the area is .70 and .96.
HIGH, LOW = (0.2, 0.2), (0.2, 0.6)
STRUCTURES = (
    Structure("HH, area .70", 0.75, 0.011, 0.3, HIGH),
    Structure("LH, area .70", 0.75, 0.011, 0.1, LOW),
    Structure("HH, area .96", 2.5, 0.056, 0.3, HIGH),
    Structure("LH, area .96", 2.5, 0.056, 0.1, LOW),
)
SIZES = ((5, 100), (10, 50), (3, 100))
"""Readers, and cases, half of them positive."""
MEANS = ((3, 20), (3, 100), (6, 40), (10, 100))
METHODS = ("ustat", "mle", "or", "cases")


def ratings(structure: Structure, n_readers: int, truth: Bools, rng: np.random.Generator) -> Floats:
    """Ratings of two equal systems, shape (2, readers, cases)."""
    n = len(truth)
    result = np.zeros((2, n_readers, n))
    for kind in (False, True):
        chosen = truth == kind
        m = int(np.count_nonzero(chosen))
        part = np.full((2, n_readers, m), structure.apart * kind)
        for variances, shape in (
            ((structure.reader,) * 2, (n_readers, 1)),
            ((structure.case,) * 2, (1, m)),
            (structure.both, (n_readers, m)),
        ):
            part += rng.normal(0, variances[0] ** 0.5, (1, *shape))
            part += rng.normal(0, variances[1] ** 0.5, (2, *shape))
        result[:, :, chosen] = part
    return result


def p_values(readings: Readings) -> list[float]:
    """p of the difference by each of `METHODS`; 1 where a variance is negative."""
    studies = [mrmc(readings, method=method) for method in ("ustat", "mle", "or")]  # type: ignore[arg-type]
    studies.append(mrmc(readings, method="or", fixed="readers"))
    return [float(np.nan_to_num(study.differences[0].of.p, nan=1.0)) for study in studies]


def rejected(
    structure: Structure, n_readers: int, truth: Bools | None, n: int, studies: int, seed: int
) -> Floats:
    """The share of studies with p < .05, by method."""
    rng = np.random.default_rng(
        [seed, n_readers, n, round(1000 * structure.apart), round(10 * structure.case)]
    )
    names = ("a", "b"), tuple(map(str, range(n_readers))), tuple(map(str, range(n)))
    kinds = np.zeros(n, bool) if truth is None else truth
    every = [
        p_values(Readings(*names, ratings(structure, n_readers, kinds, rng), truth)) for _ in range(studies)
    ]
    result: Floats = (np.array(every) < LEVEL).mean(axis=0)
    return result


def tables(studies: int, seed: int) -> Iterator[str]:
    """The tables in Markdown, line by line."""
    head = "U-statistics | plug-in | Obuchowski-Rockette | cases only |\n|---|---|---|---|---|---|---|"
    yield f"| areas | readers | cases | {head}"
    for structure in STRUCTURES:
        for n_readers, n in SIZES:
            shares = rejected(structure, n_readers, np.arange(n) % 2 == 1, n, studies, seed)
            yield f"| {structure.name} | {n_readers} | {n} | {_written(shares)} |"
    yield ""
    yield f"| means | readers | cases | {head}"
    for name, reader in (("readers differ a little", 0.011), ("readers differ", 0.056)):
        for n_readers, n in MEANS:
            structure = Structure(name, 0.0, reader, 0.3, HIGH)
            shares = rejected(structure, n_readers, None, n, studies, seed)
            yield f"| {name} | {n_readers} | {n} | {_written(shares)} |"


def _written(shares: Floats) -> str:
    return " | ".join(f"{share:.3f}".removeprefix("0") for share in shares)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--studies", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for line in tables(options.studies, options.seed):
        print(line, flush=True)
