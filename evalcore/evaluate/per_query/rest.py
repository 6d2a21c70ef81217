"""Where does one system lead the others, and where does it fall behind them?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from evalcore.stats.levels import difference
from evalcore.stats.sums import column_sums
from evalcore.values.errors import SettingError, UnknownName

if TYPE_CHECKING:
    from evalcore.evaluate.per_query.values import PerQuery
    from evalcore.values.arrays import Floats

Rest = Literal["mean", "best"]
RESTS: tuple[Rest, ...] = get_args(Rest)


def against_rest(of: PerQuery, system: str, rest: Rest = "mean") -> Floats:
    """The value of one system minus the mean, or the best, of all others, query by query.

    Returns
    -------
    differences, shape (queries,)
        Exactly 0 where they are level; NaN where a query has no value under some system.

    Raises
    ------
    UnknownName
        The system is not among those compared.
    SettingError
        There is no other system.
    """
    if system not in of.systems:
        raise UnknownName("system", system, of.systems)
    if len(of.systems) < 2:
        raise SettingError("systems", "at least two, to hold one against the rest", list(of.systems))
    place = of.systems.index(system)
    found = np.full(len(of.values), np.nan)
    known = of.known
    values = of.values[known]
    others = np.delete(values, place, axis=1)
    if len(values):
        level = others.max(axis=1) if rest == "best" else column_sums(others.T) / others.shape[1]
        found[known] = difference(values[:, place], level)
    return found
