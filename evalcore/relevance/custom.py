"""Relevances that users write: a function of two concept sets, or of blocks of them, and decays of nn-IoU.

    nn-iou:DECAY            (|A∩B| + sum over counted neighbours of w(d)) / |A∪B|
    nn-iou[decay=0.5]       the same with w(d) = 0.5^d
    nn-iou[decay=0.5,0.2]   with w(1) = 0.5, w(2) = 0.2 and nothing beyond

where d is the distance of a counted concept to its nearest match on the other side (of a counted pair,
between its two), and w a function of it, the user's own in the first form. A w that is alpha within the
threshold is nn-IoU itself; alpha^d lets credit fade with distance. The count rules `matching` and
`matching2` have no decay: which of several largest matchings is taken would then matter.

Values follow the other relevances: 0 where an image has no concepts, undefined where the query is not
annotated. So a user's function is never called with an empty set; it is called with two equal sets.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import lcm
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from evalcore.relevance.neighbour import alpha_fraction, counted_matches
from evalcore.values.errors import SettingError
from evalcore.values.plugins import call, find, wrong
from evalcore.values.settings import MAX_THRESHOLD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence, Set

    from evalcore.relevance.neighbour import Near
    from evalcore.values.arrays import Floats
    from evalcore.values.plugins import Plugin
    from evalcore.values.settings import Settings

    Named = Callable[[int, int], str]
    """The pair of images that a place of a block stands for, in words."""

DECAYED = "nn-iou:"
"""What the names of relevances with a decay begin with."""
BUILT_IN = "nn-iou[decay="
"""What those with a decay of the program begin with."""
RULE = "a number from 0 to 1"
ROUNDING = 1e-9
"""Values so little outside 0 to 1 are rounding, and are taken as 0 or 1."""
_LARGEST = 10**9


def plugin_of(name: str) -> Plugin:
    """The plugin behind a relevance that is known."""
    plugin = find("relevance", name)
    assert plugin is not None, f"{name} was parsed"
    return plugin


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
    values = np.array(result, np.float64)
    bad = ~((values >= -ROUNDING) & (values <= 1 + ROUNDING))
    if bad.any():
        place = int(np.argmax(bad))
        raise wrong(plugin, result[place], RULE, named(place))
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

    given = call(plugin, queries, candidates, vocabulary, about=block)
    given = given.toarray() if sparse.issparse(given) else given
    try:
        values = np.array(given, np.float64)
    except (TypeError, ValueError):
        raise wrong(plugin, given, f"an array of numbers of shape ({n}, {m})", block()) from None
    if values.shape != (n, m):
        shape = f"an array of shape {values.shape}"
        text = f"an array of shape ({n}, {m}), a row per query and a column per candidate"
        raise wrong(plugin, _Shown(shape), text, block())
    bad = ~((values >= -ROUNDING) & (values <= 1 + ROUNDING))
    if bad.any():
        row, column = np.argwhere(bad)[0].tolist()
        raise wrong(plugin, values[row, column], RULE, named(row, column))
    return np.clip(values, 0.0, 1.0)


class _Shown(str):
    """A text that messages show as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


# Decays.


def has_decay(settings: Settings) -> bool:
    """Whether a decay is defined under these settings."""
    return settings.count_rule not in {"matching", "matching2"} and settings.form == "additive"


def decay_of(name: str, settings: Settings) -> tuple[int | float, ...]:
    """(q, w(1)·q, w(2)·q, ...) up to the threshold: whole numbers where the weights are short decimals.

    So a decay that is alpha everywhere gives nn-IoU bit for bit; other weights stay floats, with q = 1.

    Raises
    ------
    PluginError
        The function failed, or gave something other than a number from 0 to 1.
    SettingError
        A count rule or form that has no decay.
    """
    if not has_decay(settings):
        rule = f"additive for {name}, with a count rule that counts concepts or pairs"
        raise SettingError("form", rule, f"{settings.form}, {settings.count_rule}")
    given = decay_in(name) if name.startswith(BUILT_IN) else weights_of(plugin_of(name))
    weights = given[: settings.threshold]
    fractions = [alpha_fraction(weight) for weight in weights]
    q = lcm(*(fraction.denominator for fraction in fractions))
    if q > _LARGEST or [float(fraction) for fraction in fractions] != weights:
        return (1, *weights)
    return (q, *(int(fraction * q) for fraction in fractions))


def parse_decay(words: str) -> str:
    """The name of nn-IoU with a decay, of what is after ``decay=``.

    Raises
    ------
    SettingError
        Not one to four numbers from 0 to 1.

    >>> parse_decay("0.50"), parse_decay("0.5, .2")
    ('nn-iou[decay=0.5]', 'nn-iou[decay=0.5,0.2]')
    """
    try:
        numbers = [float(word) for word in words.split(",")]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= MAX_THRESHOLD or not all(0 <= number <= 1 for number in numbers):
        rule = f"one number from 0 to 1, or one for each distance up to {MAX_THRESHOLD}, as in decay=0.5,0.2"
        raise SettingError("decay", rule, words)
    return f"{BUILT_IN}{','.join(f'{number:g}' for number in numbers)}]"


def decay_in(name: str) -> list[float]:
    """The weight of a neighbour at every distance from 1 to the largest threshold.

    >>> decay_in("nn-iou[decay=0.5]"), decay_in("nn-iou[decay=0.5,0.2]")
    ([0.5, 0.25, 0.125, 0.0625], [0.5, 0.2, 0.0, 0.0])
    """
    numbers = [float(word) for word in name.removeprefix(BUILT_IN).removesuffix("]").split(",")]
    if len(numbers) == 1:
        # As decimals: 0.1^2 is meant to be 0.01.
        return [float(f"{numbers[0] ** distance:.12g}") for distance in range(1, MAX_THRESHOLD + 1)]
    return [*numbers, *[0.0] * (MAX_THRESHOLD - len(numbers))]


def weights_of(plugin: Plugin) -> list[float]:
    """The weight of a neighbour at every distance from 1 to the largest threshold."""
    weights = []
    for distance in range(1, MAX_THRESHOLD + 1):
        about = f"the distance {distance}"
        value = call(plugin, distance, about=partial(str, about))
        if not isinstance(value, Real) or not 0 <= float(value) <= 1:
            raise wrong(plugin, value, RULE, about)
        weights.append(float(value))
    return weights


def decayed(name: str, a: Set[str], b: Set[str], near: Near, settings: Settings) -> float:
    """nn-IoU with a decay, of two concept sets; 0 for two empty ones."""
    q, *weights = decay_of(name, settings)
    union = len(a | b)
    if not union:
        return 0.0
    matches = counted_matches(a, b, near, threshold=settings.threshold, rule=settings.count_rule)
    distances = [near[x][y] for _, x, y in matches]
    total: int | float = q * len(a & b)
    for distance, weight in enumerate(weights, 1):
        total += weight * distances.count(distance)
    return total / (q * union)
