"""What is found query by query, put together: the same for the page, the command and their files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from evalcore.evaluate.per_query.departures import Departures, departures
from evalcore.evaluate.per_query.good import FIXED, limits
from evalcore.evaluate.per_query.values import PerQuery, good_for_all, hard_for_all
from evalcore.values.model import REASONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.arrays import Bools, Floats, Offsets

Kind = Literal["all", "hard", "good", "departs", "undefined"]
KINDS: tuple[Kind, ...] = get_args(Kind)
FIXED_AT = 0.5
"""The share of the best possible score from which on a value is good, unless the reader names another."""
BETWEEN = "; "
"""Parts several systems in one cell of a file."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The values of all queries, what is good and poor, and which query is of which kind.

    ``means``: of all systems. Shapes (queries,) but for those of ``of`` and ``departures``.
    """

    of: PerQuery
    good_at: float
    poor_below: float
    means: Floats
    hard: Bools
    good: Bools
    departures: Departures

    def kind(self, kind: Kind) -> Bools:
        """Which queries are of a kind; "departs": one system or more departs from the rest."""
        if kind == "hard":
            return self.hard
        if kind == "good":
            return self.good
        if kind == "departs":
            return np.asarray(self.departures.departs.any(axis=1))
        if kind == "undefined":
            return ~self.of.known
        return np.ones(len(self.of.queries), np.bool_)

    def count(self, kind: Kind) -> int:
        """How many queries are of a kind."""
        return int(np.count_nonzero(self.kind(kind)))

    @property
    def level_at_the_top(self) -> int:
        """Queries with a value on which two systems or more share the highest one."""
        return int(np.count_nonzero(self.of.best.sum(axis=1) > 1))

    def best_alone(self) -> dict[str, int]:
        """{system: queries on which it alone has the highest value}."""
        best = self.of.best
        alone = best[best.sum(axis=1) == 1].sum(axis=0)
        return dict(zip(self.of.systems, alone.tolist(), strict=True))


def look(
    of: PerQuery, *, good_by: str = FIXED, good_at: float = FIXED_AT, at_least: float = 0.0
) -> Found:  # fmt: skip
    """Look at every query under every system.

    Parameters
    ----------
    good_by, good_at
        What makes a value good or poor (see `good.limits`), over the values of all systems together.
    at_least
        The distance from the median below which no system departs (see `departures`).
    """
    high, low = limits(of.values[np.isfinite(of.values)], by=good_by, fixed=good_at)
    return Found(
        of, high, low, of.means, hard_for_all(of, low), good_for_all(of, high),
        departures(of, at_least=at_least),
    )  # fmt: skip


def named(systems: Sequence[str], chosen: Bools) -> list[list[str]]:
    """The names of the chosen systems of each row; ``chosen`` is of shape (rows, systems)."""
    names: list[list[str]] = [[] for _ in range(len(chosen))]
    for row, column in zip(*(places.tolist() for places in np.nonzero(chosen)), strict=True):
        names[row].append(systems[column])
    return names


def columns(found: Found, places: Offsets, image_ids: Sequence[str]) -> dict[str, list[Any]]:
    """The rows of a file: everything known of these queries, in full precision, by the name of the column.

    NaN where there is no value; ``undefined`` says why. Values of systems are in columns ``value:SYSTEM``.
    """
    of, n = found.of, len(places)
    values, away = of.values[places], found.departures
    farthest = np.argmax(np.where(away.departs, np.abs(away.apart), -1.0)[places], axis=1)
    departs = away.departs[places].any(axis=1)
    z = np.where(departs, away.z[places][np.arange(n), farthest], np.nan)
    return {
        "query": [image_ids[q] for q in of.queries[places]],
        "metric": [of.metric] * n,
        "mean": found.means[places].tolist(),
        "lowest": values.min(axis=1).tolist(),
        "highest": values.max(axis=1).tolist(),
        "spread": of.spreads[places].tolist(),
        "best": [BETWEEN.join(names) for names in named(of.systems, of.best[places])],
        "hard_for_all": found.hard[places].tolist(),
        "good_for_all": found.good[places].tolist(),
        "departs": [BETWEEN.join(names) for names in named(of.systems, away.departs[places])],
        "z": z.tolist(),
        "undefined": [REASONS[code] for code in of.reasons[places].tolist()],
        **{f"value:{name}": values[:, j].tolist() for j, name in enumerate(of.systems)},
    }
