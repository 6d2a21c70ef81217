"""How high is a mean that few were measured for, where a cheap judge estimates it for all?

Prediction-powered inference with power tuning (PPI++): people judge n queries, a program judges these and N
others. With y what people say, f what the program says:

    mean = mean(y) - t (mean of f over the n - mean of f over the N)
    variance = var(y - t f) / n + t^2 var(f over the N) / N
    t = cov(y, f) / ((1 + n/N) var(f over all)), cut to 0..1

The program may be wrong in any way: what it gets wrong is measured where people judged too. t is how far it
is trusted: 0 where it says nothing about people's values, which gives the mean and interval of people alone.

Queries in groups, such as images of a patient, are not independent. The mean is the same; its variance is
that of a jackknife over groups g (CR3 of a mean: Cameron & Miller 2015, doi:10.3368/jhr.50.2.317):

    e_g = c (mean(y) - its mean without g)
          + t_g (d (mean of f over the N - without g) - c (mean of f over the n - without g))
    variance = sum of e_g^2,   c^2 = (G - 1) / G of the G groups that people judged, d^2 so of the others

t makes the variance least; t_g does so without g, as the t of all groups would make their own variance look
too small. A group may be judged by people in part. Student's t has G - 1 degrees of freedom. Groups of one
query each give the variance above for a given t.
Angelopoulos, Bates, Fannjiang, Jordan & Zrnic 2023, doi:10.1126/science.adi6000; Angelopoulos, Duchi & Zrnic
2023, arXiv 2311.01453.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import stdtrit

from evalcore.stats.sums import mean_of
from evalcore.values.errors import SettingError

if TYPE_CHECKING:
    from evalcore.values.arrays import Floats, Ints


class Powered(NamedTuple):
    """A mean by people, corrected and sharpened by a program.

    ``low`` and ``high``: interval at the level asked for; ``tuning``: t; ``n`` queries that people judged,
    ``n_more`` that only the program did; ``groups`` that people judged, as many as queries without groups.
    """

    mean: float
    low: float
    high: float
    tuning: float
    n: int
    n_more: int
    groups: int


def powered_mean(
    people: Floats,
    program: Floats,
    more: Floats,
    *,
    level: float = 0.95,
    tuning: float | None = None,
    groups: tuple[Ints, Ints] | None = None,
) -> Powered:
    """The mean of ``people`` over all queries, with an interval.

    Parameters
    ----------
    people, program
        What both say of the same n queries, shape (n,), no NaN. The n must be drawn at random from all.
    more
        What the program says of N others, shape (N,), may be empty: the mean is then that of people alone.
    level
        Of the interval: Student's t with n - 1 degrees of freedom, so that few queries give no interval too
        narrow. Without more queries it is the usual one of a mean.
    tuning
        t; None for the one with the narrowest interval, 1 for PPI as first published, 0 for people alone.
    groups
        The group of each query that people judged, shape (n,), and of each other, shape (N,); -1 stands for
        a group of its own. Groups must then be what is drawn at random. None: all are independent.

    Returns
    -------
    NaN for the mean without a query of people, for the interval with fewer than two, or of one group.

    Raises
    ------
    SettingError
        A level that is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise SettingError("level", "a number above 0 and below 1", level)
    n, n_more = len(people), len(more)
    if not n:
        return Powered(np.nan, np.nan, np.nan, 0.0, 0, n_more, 0)
    parts = None if groups is None else _parts(people, program, more, *groups)
    t = 0.0 if tuning is None or not n_more else tuning
    if tuning is None and n_more:
        t = _tuning(people, program, more) if parts is None else parts.tuning
    mean = mean_of(people) - (t * (mean_of(program) - mean_of(more)) if n_more else 0.0)
    n_groups = n if parts is None else parts.n
    if n_groups < 2:
        return Powered(mean, np.nan, np.nan, t, n, n_more, n_groups)
    if parts is None:
        variance = _variance(people - t * program) / n
        variance += t * t * _variance(more) / n_more if n_more > 1 else 0.0
    else:
        each = parts.tuning_without_each if tuning is None and n_more else t
        variance = float(np.sum((parts.people + each * parts.program) ** 2))
    half = float(stdtrit(n_groups - 1, (1 + level) / 2)) * sqrt(variance)
    return Powered(mean, mean - half, mean + half, t, n, n_more, n_groups)


class _Parts(NamedTuple):
    """How far each group moves the mean: ``people`` + t ``program``, shape (groups,) each; ``n`` groups that
    people judged."""

    people: Floats
    program: Floats
    n: int

    @property
    def tuning(self) -> float:
        """The t that makes the variance least, cut to 0..1; 0 where the program's values do not vary."""
        together, spread = np.sum(self.people * self.program), np.sum(self.program**2)
        return float(_least(np.array([together]), np.array([spread]))[0])

    @property
    def tuning_without_each(self) -> Floats:
        """The same of all groups but one, shape (groups,)."""
        together, spread = self.people * self.program, self.program**2
        return _least(together.sum() - together, spread.sum() - spread)


def _least(together: Floats, spread: Floats) -> Floats:
    return np.clip(-together / np.where(spread > 0, spread, np.inf), 0.0, 1.0)


def _parts(people: Floats, program: Floats, more: Floats, groups: Ints, of_more: Ints) -> _Parts:
    n, n_more = len(people), len(more)
    every = np.concatenate([groups, of_more])
    alone = every < 0
    every = np.where(alone, every.max(initial=-1) + 1 + np.cumsum(alone), every)
    numbers = np.unique(every, return_inverse=True)[1].astype(np.int32)
    size = int(numbers.max()) + 1

    def sums(values: Floats, group: Ints) -> tuple[Floats, int]:
        """How far the mean moves without each group, and how many groups there are."""
        sizes = np.bincount(group, minlength=size)
        some = int(np.count_nonzero(sizes))
        if some < 2:
            return np.zeros(size), some
        moved: Floats = np.bincount(group, values - values.mean(), size) / (len(values) - sizes)
        return sqrt((some - 1) / some) * moved, some

    by_people, by_program = sums(people, numbers[:n]), sums(program, numbers[:n])
    others = sums(more, numbers[n:])[0] if n_more else np.zeros(size)
    return _Parts(by_people[0], others - by_program[0], by_people[1])


def _variance(values: Floats) -> float:
    return float(np.var(values, ddof=1))


def _tuning(people: Floats, program: Floats, more: Floats) -> float:
    """How far the program is trusted; 0 where its values, or the people's, do not vary."""
    n, n_more = len(people), len(more)
    if n < 2 or not n_more:
        return 0.0
    spread = _variance(np.concatenate([program, more]))
    if not spread > 0:
        return 0.0
    together = float(np.mean((people - people.mean()) * (program - program.mean())))
    return min(max(together / ((1 + n / n_more) * spread), 0.0), 1.0)
