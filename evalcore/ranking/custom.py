"""Measures of a ranked list that users write: a function of gains, one list at a time."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import isfinite, isinf
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.ranking.families import MetricFamily
from evalcore.ranking.graded import gain_of
from evalcore.values.arrays import readonly
from evalcore.values.errors import SettingError
from evalcore.values.plugins import PluginError, call, wrong

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcore.ranking.families import Metric, Target
    from evalcore.ranking.gains import RankedGains
    from evalcore.values.arrays import Floats
    from evalcore.values.plugins import Plugin

GIVEN = ("gains", "k", "ideal")
"""What a function of a user may ask for, by the names of its parameters."""
ROUNDING = 1e-9


class WrongList(PluginError):
    """A function of a user failed for one list, or gave what it must not; ``row``: which list."""

    def __init__(self, row: int, error: PluginError) -> None:
        super().__init__(str(error), error.report)
        self.row = row


@dataclass(frozen=True, slots=True)
class CustomMetric:
    """What a function of a user asks for, and the lowest and highest value it may give."""

    plugin: Plugin
    asks: tuple[str, ...]
    low: float
    high: float

    @property
    def rule(self) -> str:
        """The values it may give, in words."""
        if isinf(self.low):
            return "a finite number" if isinf(self.high) else f"a number up to {self.high:g}"
        return f"a number from {self.low:g} {'up' if isinf(self.high) else f'to {self.high:g}'}"


def parameters_of(function: Callable[..., Any], name: str, *, cut: bool) -> tuple[str, ...]:
    """Which of `GIVEN` a function asks for.

    Raises SettingError where it asks for anything else, for no gains, or for a k without a cutoff.
    """
    asks = tuple(inspect.signature(function).parameters)
    offered = [name for name in GIVEN if cut or name != "k"]
    if "gains" not in asks or not {*asks} <= {*offered}:
        raise SettingError(
            f"parameters of the metric {name}", f"gains, and of {', '.join(offered)} any", asks
        )
    return asks


def family_of(
    custom: CustomMetric, *, cut: bool, title: str, linear: bool, relevance: str | None
) -> MetricFamily:
    """The entry of `METRICS` for a function of a user."""
    name, plugin = custom.plugin.name, custom.plugin
    inside = "" if relevance else "(organ)"
    ideal = "ideal" in custom.asks
    return MetricFamily(
        name=name,
        title=title or name,
        example=f"{name}{inside}@10" if cut else f"{name}{inside}",
        formula=f"a function of {', '.join(custom.asks)}",
        range=custom.rule.removeprefix("a number ").removeprefix("from "),
        plain=plugin.plain or f"A measure of your own, of {plugin.file}.",
        reference=str(plugin),
        needs="relevance" if relevance else "either",
        cutoff="required" if cut else "none",
        compute=partial(_compute, custom),
        options=("gain",) if relevance else ("gain", "match"),
        fixed_relevance=relevance,
        needs_something_relevant=ideal,
        gain=gain_of,
        exact_ties=linear,
        whole_ideal=ideal,
    )


def _compute(custom: CustomMetric, ranked: RankedGains, target: Target, metric: Metric) -> Floats:
    """The value of every list, shape (n,)."""
    gains, values = ranked.expected, np.empty(len(ranked))
    best = target.best() if "ideal" in custom.asks else None
    for row, (start, end) in enumerate(pairwise(ranked.indptr.tolist())):
        last = end if metric.cutoff is None else min(end, start + metric.cutoff)
        arguments: dict[str, Any] = {"gains": readonly(gains[start:last].copy())}
        if "k" in custom.asks:
            arguments["k"] = metric.cutoff
        if best is not None:
            arguments["ideal"] = best[row][best[row] > 0]
            if not len(arguments["ideal"]):
                values[row] = np.nan  # nothing to find: undefined, whatever the function would say
                continue
        values[row] = _value(custom, arguments, row)
    return values


def _value(custom: CustomMetric, arguments: dict[str, Any], row: int) -> float:
    gains = arguments["gains"]
    shown = ", ".join(f"{gain:g}" for gain in gains[:5]) + (", …" if len(gains) > 5 else "")
    about = f"a list with the gains {shown}" if shown else "a list without results"
    try:
        value = call(custom.plugin, **arguments, about=lambda: about)
        good = isinstance(value, Real | np.bool_) and isfinite(value)
        if not good or not custom.low - ROUNDING <= value <= custom.high + ROUNDING:
            raise wrong(custom.plugin, value, custom.rule, about)
    except PluginError as error:
        raise WrongList(row, error) from error
    return min(max(float(value), custom.low), custom.high)
