"""Readers nobody is behind: what judgments would look like if readers differed in this and that.

Every result has a latent relevance from 0 to 1. A reader sees it with a bias of his own (strict or generous)
and with noise anew for each result, and says the nearest of five steps. Of two lists he prefers the one whose
latent value he sees as higher, and calls them equal when hardly apart. For tests of the estimates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.study.reader_judgments import ReaderJudgment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.values.arrays import Floats

STEPS = 5
HARDLY = 0.05
"""Lists whose seen values differ by less are called equal."""


def step_of(seen: Floats) -> Floats:
    """The nearest of the steps of a scale from 0 to 1.

    >>> step_of(np.array([-0.3, 0.1, 0.4, 0.9])).tolist()
    [0.0, 0.0, 0.5, 1.0]
    """
    nearest: Floats = np.rint(np.clip(seen, 0, 1) * (STEPS - 1)) / (STEPS - 1)
    return np.abs(nearest)


def grades(
    latent: Mapping[tuple[str, str], float],
    *,
    readers: Sequence[str],
    bias: float = 0.1,
    noise: float = 0.15,
    cannot_say: float = 0.0,
    seed: int = 0,
) -> tuple[ReaderJudgment, ...]:
    """What each reader says of each (query, result), in this order.

    Parameters
    ----------
    latent
        The relevance of each (query, result), 0 to 1.
    bias, noise
        Standard deviation of the readers' biases, and of what each result is misjudged by.
    cannot_say
        The share of results a reader cannot judge.
    """
    rng = np.random.default_rng(seed)
    values = np.array(list(latent.values()))
    rows: list[ReaderJudgment] = []
    for reader in readers:
        seen = values + bias * rng.standard_normal() + noise * rng.standard_normal(len(values))
        unsure, steps = rng.random(len(values)) < cannot_say, step_of(seen).tolist()
        for i, (query, result) in enumerate(latent):
            value = None if unsure[i] else steps[i]
            rows.append(ReaderJudgment(reader, query, result, "", "", "", 0, value))
    return tuple(rows)


def votes(
    latent: Mapping[tuple[str, str, str], tuple[float, float]],
    *,
    readers: Sequence[str],
    bias: float = 0.0,
    noise: float = 0.1,
    seed: int = 0,
) -> tuple[ReaderJudgment, ...]:
    """What each reader votes of each (query, left system, right system) with the latent values of both lists.

    ``bias``: of each reader towards one side.
    """
    rng = np.random.default_rng(seed)
    apart = np.array([right - left for left, right in latent.values()])
    rows: list[ReaderJudgment] = []
    for reader in readers:
        seen = apart + bias * rng.standard_normal() + noise * rng.standard_normal(len(apart))
        for i, (query, left, right) in enumerate(latent):
            value = 0.0 if abs(seen[i]) < HARDLY else float(np.sign(seen[i]))
            rows.append(ReaderJudgment(reader, query, "", left, right, "", 0, value))
    return tuple(rows)
