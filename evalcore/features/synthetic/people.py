"""Do the scores of generated images agree with people about pairs of images?

Every score is turned so that more is better (distances get a minus). It agrees with a person about a pair
when it prefers the same image, or calls both equal as the person does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isfinite, nan
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from evalcore.features.synthetic.wsi import interval_of
from evalcore.stats.levels import SAME
from evalcore.study.tables.files import reader
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems, Rule, quoted
from evalcore.study.tables.schema import NO_ROWS, Column, Schema

FEWEST = 4
"""Pairs that a share of agreement takes at least."""
N_RESAMPLES, LEVEL = 999, 0.95
PAIRS = Schema(
    (
        Column(("first",)),
        Column(("second",)),
        Column(("better", "preferred", "choice")),
        Column(("rater", "reader", "person", "user"), required=False, empty=None),
    ),
    "Let the first row be: first,second,better.",
    keys=("rater", "first", "second"),
    duplicate=Rule(
        "duplicate-pair", "The pair '{value}' is already on line {first}.", "Keep one row per pair."
    ),
    no_rows=NO_ROWS,
)
Choice = Literal["first", "second", "tie"]
CHOICES: tuple[Choice, ...] = ("first", "second", "tie")


class PairJudgment(NamedTuple):
    """Which of two images a person prefers."""

    first: str
    second: str
    better: Choice


@reader(lambda _: None)
def parse_pairs(data: bytes, problems: Problems) -> tuple[PairJudgment, ...] | None:
    """Read which of two images people prefer; None, with an error, without a usable row.

    ``better`` is the id of an image of the pair, "first", "second" or "tie"; the people are named by a
    column ``rater``. Pairs of an image with itself, and second judgments of a pair by the same rater, are
    errors and left out.
    """
    pairs, rows = [], read(data, PAIRS, problems)
    columns = (rows.texts(name) for name in ("first", "second", "better"))
    for line, first, second, better in zip(rows.lines, *columns, strict=True):
        chosen: dict[str, Choice] = {first: "first", second: "second"}
        chosen |= {"first": "first", "second": "second", "tie": "tie"}
        if first != second and better in chosen:
            pairs.append(PairJudgment(first, second, chosen[better]))
            continue
        itself = f"The pair compares {quoted(first)} with itself."
        neither = f"{quoted(better)} is neither {quoted(first)} nor {quoted(second)}."
        message = f"{itself if first == second else neither} The row is left out."
        remedy = "Write the id of the better image, or tie."
        problems.error("wrong-choice", message, remedy, line=int(line), value=better)
    return tuple(pairs) or None


def agreement(
    scores: pd.DataFrame, pairs: Sequence[PairJudgment], *, seed: int = 0
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The share of pairs about which each score agrees with people, and the confusion matrix of both.

    Parameters
    ----------
    scores
        A row per image: ``group``, ``image``, then its scores, more is better. An id that several groups
        have is written GROUP/ID in pairs. Pairs with an image that has no score are left out.
    pairs
        Judgments; the same pair by several people counts as often.

    Returns
    -------
    A row a score: ``score``, ``agreement``, its percentile bootstrap interval over judgments (``low``,
    ``high``; NaN with fewer than ``FEWEST``), and ``n`` pairs. A row a score and choice of ``people``: pairs
    by the choice of the score (``first``, ``second``, ``tie``).
    """
    image = scores["image"]
    ids = image.where(~image.duplicated(keep=False), scores["group"] + "/" + image)
    rows, confusion = [], []
    for name in scores.columns[2:]:
        values = dict(zip(ids, scores[name], strict=True))
        apart = [
            (better, values.get(first, nan) - values.get(second, nan)) for first, second, better in pairs
        ]
        both = [
            (better, "tie" if abs(more) <= SAME else "first" if more > 0 else "second")
            for better, more in apart
            if isfinite(more)
        ]
        counts, agreed = Counter(both), np.array([people == own for people, own in both], float)
        rate = low = high = nan
        if len(both) >= FEWEST:
            rate = float(np.mean(agreed))
            low, high = interval_of(agreed, n_resamples=N_RESAMPLES, seed=seed, level=LEVEL)
        rows.append({"score": name, "agreement": rate, "low": low, "high": high, "n": len(both)})
        confusion += [
            {"score": name, "people": people, **{own: counts[people, own] for own in CHOICES}}
            for people in CHOICES
        ]
    return rows, confusion
