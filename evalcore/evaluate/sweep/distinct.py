"""How many settings of a grid are different? The others are identical by definition.

Without related concepts nn-IoU is IoU: at distance 0 for every alpha, at alpha 0 for every distance, and
wherever the terminology relates no two concepts of the study. A larger distance that relates no further
concepts changes nothing either, and nothing changes a measure that does not look at related concepts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from evalcore import engine
from evalcore.evaluate.sweep.variants import is_swept, moves
from evalcore.evaluate.systems import resolve_systems
from evalcore.values.arrays import digest_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.ranking.metrics import Metric
    from evalcore.values.model import Study
    from evalcore.values.settings import Settings


class Tried(NamedTuple):
    """``n`` settings, of which so many are ``different``."""

    n: int
    different: int

    def facts(self) -> dict[str, int]:
        """For JSON."""
        return {"settings_tried": self.n, "settings_different": self.different}

    def in_words(self) -> str:
        """``63 settings, 41 of them different; the others are identical by definition.``"""
        settings = f"{self.n:,} {'setting' if self.n == 1 else 'settings'}"
        if self.different == self.n:
            return f"{settings}{', all different' if self.n > 1 else ''}."
        return f"{settings}, {self.different:,} of them different; {self.others()}."

    def others(self) -> str:
        """``the others are identical by definition``; "" where all are different."""
        rest = self.n - self.different
        if not rest:
            return ""
        return f"the other{'s are' if rest > 1 else ' is'} identical by definition"


def repeated(
    study: Study, points: Sequence[Settings], metrics: Sequence[Metric], systems: Sequence[str] | None = None
) -> tuple[bool, ...]:
    """For each point: does an earlier one give the same values by definition, whatever the systems return?

    Aligned with ``points``. ``systems``: names, None for all of the study.
    Raises UnknownName for a system that does not exist.
    """
    swept = any(is_swept(one.relevance) for one in metrics)
    if not swept and not any(map(moves, resolve_systems(study, systems))):
        return tuple(place > 0 for place in range(len(points)))
    seen: set[tuple[Settings, str]] = set()
    found = []
    for point in points:
        kind = _kind(study, point)
        found.append(kind in seen)
        seen.add(kind)
    return tuple(found)


def tried(
    study: Study, points: Sequence[Settings], metrics: Sequence[Metric], systems: Sequence[str] | None = None
) -> Tried:
    """How many of the points are different settings; as `repeated`."""
    return Tried(len(points), repeated(study, points, metrics, systems).count(False))


def _kind(study: Study, point: Settings) -> tuple[Settings, str]:
    """Equal for settings that give the same values: which concepts are related, and what that counts."""
    pairs = _related(study, point) if point.alpha and point.threshold else ""
    rest = replace(point, threshold=0, direction="undirected")
    if not pairs:
        alpha = 0.0 if point.form == "additive" else point.alpha
        rest = replace(rest, alpha=alpha, count_rule="concepts")
    return rest, pairs


def _related(study: Study, point: Settings) -> str:
    """A digest of the pairs of the study's concepts that count as related; "" for none."""
    near = engine.prepare(study, threshold=point.threshold, direction=point.direction).neighbours
    return digest_of(near.indptr, near.indices) if len(near.indices) else ""
