"""Relevances that users write: a function of two concept sets, or of blocks of them.

Values follow the other relevances: 0 where an image has no concepts, undefined where the query is not
annotated. So a user's function is never called with an empty set; it is called with two equal sets.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from evalcore.values.plugins import call, wrong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence, Set

    from evalcore.values.arrays import Floats
    from evalcore.values.plugins import Plugin

    Named = Callable[[int, int], str]
    """The pair of images that a place of a block stands for, in words."""

RULE = "a number from 0 to 1"
ROUNDING = 1e-9
"""Values so little outside 0 to 1 are rounding, and are taken as 0 or 1."""


def values_of_pairs(
    plugin: Plugin, pairs: Iterable[tuple[Set[str], Set[str]]], named: Callable[[int], str]
) -> Floats:
    """The values of pairs of concept sets, none empty, by a function of one pair.

    ``named``: the pair of images at a place, in words.

    Raises
    ------
    PluginError
        The function failed, or gave something other than a number from 0 to 1.
    """
    result: list[Any] = []

    def every() -> None:
        function, keep = plugin.function, result.append
        for a, b in pairs:
            keep(function(a, b))

    call(replace(plugin, function=every), about=lambda: named(len(result)))
    if not all(issubclass(kind, Real | np.bool_) for kind in set(map(type, result))):
        place = next(i for i, value in enumerate(result) if not isinstance(value, Real | np.bool_))
        raise wrong(plugin, result[place], RULE, named(place))
    return _checked(plugin, np.array(result, np.float64), named)


def _checked(plugin: Plugin, values: Floats, named: Callable[[int], str]) -> Floats:
    """Values of any shape, made 0 to 1; ``named``: what a place of them, row by row, stands for."""
    bad = np.flatnonzero(~((values >= -ROUNDING) & (values <= 1 + ROUNDING)))
    if len(bad):
        raise wrong(plugin, values.flat[bad[0]], RULE, named(int(bad[0])))
    return np.clip(values, 0.0, 1.0)


def values_of_block(
    plugin: Plugin, queries: Any, candidates: Any, vocabulary: Sequence[str], named: Named
) -> Floats:
    """The values of every query set with every candidate set, shape (n, m), by a function of blocks.

    ``queries``, ``candidates``: `sparse.csr_array` of 0 and 1, one row per set, none empty, one column per
    concept of ``vocabulary``.

    Raises
    ------
    PluginError
        The function failed, or gave another shape, or something other than numbers from 0 to 1.
    """
    n, m = queries.shape[0], candidates.shape[0]

    def block() -> str:
        return f"a block of {n:,} queries and {m:,} candidates that begins with {named(0, 0)}"

    result = call(plugin, queries, candidates, vocabulary, about=block)
    result = result.toarray() if sparse.issparse(result) else result
    try:
        values = np.array(result, np.float64)
    except (TypeError, ValueError):
        raise wrong(plugin, result, f"an array of numbers of shape ({n}, {m})", block()) from None
    if values.shape != (n, m):
        rule = f"an array of shape ({n}, {m}), a row per query and a column per candidate"
        raise wrong(plugin, values, rule, block())
    return _checked(plugin, values, lambda place: named(*divmod(place, m)))
