"""Measures of a ranked list that users write: a function of gains, one list at a time."""

from __future__ import annotations

import inspect
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
    from evalcore.ranking.lists import RankedGains
    from evalcore.values.arrays import Floats
    from evalcore.values.plugins import Plugin

ROUNDING = 1e-9


class WrongList(PluginError):
    """A function of a user failed for one list, or gave what it must not; ``row``: which list."""

    def __init__(self, row: int, error: PluginError) -> None:
        super().__init__(str(error), error.report)
        self.row = row


def family_of(
    plugin: Plugin, *, cut: bool, low: float, high: float, title: str, linear: bool, relevance: str | None
) -> MetricFamily:
    """The entry of `METRICS` for a function of a user, which asks by the names of its parameters for what it
    needs: gains, k where the measure is ``cut``, ideal. ``low``, ``high``: the values it may give.

    Raises SettingError where it asks for anything else, or for no gains.
    """
    name, asks = plugin.name, tuple(inspect.signature(plugin.function).parameters)
    offered = ["gains", *(["k"] if cut else []), "ideal"]
    if "gains" not in asks or not {*asks} <= {*offered}:
        raise SettingError(
            f"parameters of the metric {name}", f"gains, and of {', '.join(offered)} any", asks
        )

    def compute(ranked: RankedGains, cutoff: int | None, ideal: Floats | None = None) -> Floats:
        gains, values = ranked.expected, np.empty(len(ranked))
        for row, (start, end) in enumerate(pairwise(ranked.indptr.tolist())):
            last = end if cutoff is None else min(end, start + cutoff)
            arguments: dict[str, Any] = {"gains": readonly(gains[start:last].copy())}
            if "k" in asks:
                arguments["k"] = cutoff
            if ideal is not None:
                arguments["ideal"] = ideal[row][ideal[row] > 0]
                if not len(arguments["ideal"]):
                    values[row] = np.nan  # nothing to find: undefined, whatever the function would say
                    continue
            try:
                values[row] = _value(plugin, arguments, low, high)
            except PluginError as error:
                raise WrongList(row, error) from error
        return values

    inside = "" if relevance else "(organ)"
    return MetricFamily(
        name=name,
        title=title or name,
        example=f"{name}{inside}@10" if cut else f"{name}{inside}",
        formula=f"a function of {', '.join(asks)}",
        range=_range(low, high).removeprefix("a number ").removeprefix("from "),
        plain=plugin.plain or f"A measure of your own, of {plugin.file}.",
        reference=str(plugin),
        needs="relevance" if relevance else "either",
        cutoff="required" if cut else "none",
        compute=compute,
        asks=("cutoff", "ideal") if "ideal" in asks else ("cutoff",),
        options=("gain",) if relevance else ("gain", "match"),
        fixed_relevance=relevance,
        needs_something_relevant="ideal" in asks,
        gain=gain_of,
        exact_ties=linear,
        whole_ideal="ideal" in asks,
    )


def _range(low: float, high: float) -> str:
    """The values a function may give, in words."""
    if isinf(low):
        return "a finite number" if isinf(high) else f"a number up to {high:g}"
    return f"a number from {low:g} {'up' if isinf(high) else f'to {high:g}'}"


def _value(plugin: Plugin, arguments: dict[str, Any], low: float, high: float) -> float:
    """What the function gives for one list; PluginError where that is outside the range."""
    gains = arguments["gains"]
    shown = ", ".join(f"{gain:g}" for gain in gains[:5]) + (", …" if len(gains) > 5 else "")
    about = f"a list with the gains {shown}" if shown else "a list without results"
    value = call(plugin, **arguments, about=lambda: about)
    good = isinstance(value, Real | np.bool_) and isfinite(value)
    if not good or not low - ROUNDING <= value <= high + ROUNDING:
        raise wrong(plugin, value, _range(low, high), about)
    return min(max(float(value), low), high)
