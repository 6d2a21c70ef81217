"""What readers said, as tables: one of grades, one of votes between two lists.

Of one reader and one thing the latest word counts; what was taken back counts as never said. "Cannot say" is
a word of its own: no grade, and counted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore.features.review.judgments import current
from evalcore.stats.agreement import Level, level_of
from evalcore.stats.levels import SAME
from evalcore.values.arrays import Floats, Ints, readonly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from evalcore.features.review.judgments import Judgment

Item = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """One value per reader and item, shape (readers, items); NaN where the reader gave none.

    ``items``: (query, result) of grades, (query, system, other system) of votes; ``cluster`` numbers the
    query of each item. ``cannot_say``: items with such a word from anybody, and from how many.
    ``simulated``: readers nobody is behind.
    """

    readers: tuple[str, ...]
    items: tuple[Item, ...]
    values: Floats
    cluster: Ints
    cannot_say: Mapping[Item, int]
    simulated: tuple[str, ...] = ()

    @property
    def queries(self) -> tuple[str, ...]:
        """The queries with a value, in the order of their numbers."""
        return tuple(dict.fromkeys(item[0] for item in self.items))

    @property
    def n_values(self) -> int:
        return int(np.count_nonzero(~np.isnan(self.values)))

    @property
    def level(self) -> Level:
        """How far values may be compared: votes by name, steps by order, a continuous scale by distance."""
        return "nominal" if self.items and len(self.items[0]) > 2 else level_of(self.values)


def grades(judgments: Iterable[Judgment]) -> Ratings:
    """The graded judgments, items by query and result."""
    return _table([one for one in current(judgments) if one.kind == "graded"], _value)


def votes(judgments: Iterable[Judgment]) -> Ratings:
    """The votes between two lists: -1 for the first system of the item (by name), 1 for the second, 0 both.

    How strong a preference is plays no part.
    """
    return _table([one for one in current(judgments) if one.kind == "preference"], _vote)


def _item(judgment: Judgment) -> Item:
    return (
        (judgment.query, judgment.result)
        if judgment.kind == "graded"
        else (judgment.query, *sorted(judgment.systems))
    )


def _value(judgment: Judgment) -> float:
    assert judgment.value is not None, "the answers have values"
    return judgment.value


def _vote(judgment: Judgment) -> float:
    value = _value(judgment)
    side = 0.0 if abs(value) <= SAME else float(np.sign(value))
    return side if judgment.systems == tuple(sorted(judgment.systems)) else -side


def _table(judgments: Sequence[Judgment], value_of: Callable[[Judgment], float]) -> Ratings:
    """Judgments in the order of time: of a reader's on the same thing in several tasks the last counts."""
    own = {(judgment.reader, _item(judgment)): judgment for judgment in judgments}
    values = {key: value_of(one) for key, one in own.items() if one.said == "value"}
    readers = tuple(sorted({reader for reader, _ in own}))
    items = tuple(sorted({item for _, item in values}))
    row = {name: i for i, name in enumerate(readers)}
    column = {item: j for j, item in enumerate(items)}
    table = np.full((len(readers), len(items)), np.nan)
    for (reader, item), value in values.items():
        table[row[reader], column[item]] = value
    unsure = Counter(item for (_, item), one in own.items() if one.said == "cannot-say")
    numbers = {query: i for i, query in enumerate(dict.fromkeys(item[0] for item in items))}
    cluster = np.array([numbers[item[0]] for item in items], np.int32)
    nobody = tuple(sorted({judgment.reader for judgment in judgments if judgment.simulated}))
    return Ratings(readers, items, readonly(table), readonly(cluster), unsure, nobody)


# One grade per result out of those of several readers.

How = Literal["median", "mean"]


@dataclass(frozen=True, slots=True, eq=False)
class Consensus:
    """``values[i]`` of ``items[i]``; ``cluster`` numbers the queries."""

    items: tuple[tuple[str, ...], ...]
    values: Floats
    cluster: Ints
    how: How


def consensus(ratings: Ratings, how: How = "median") -> Consensus:
    """The median (of an even number the mean of the middle two) or mean of the readers of each item.

    The median stays on the scale and one odd reader of three does not move it; the mean uses all.
    """
    values = ratings.values
    merged = (np.nanmedian if how == "median" else np.nanmean)(values, axis=0)
    return Consensus(ratings.items, readonly(merged), ratings.cluster, how)
