"""The rules by which the concepts of images are curated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

_NOTHING: Mapping[str, frozenset[str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CurationRules:
    """What is done to concepts, in this order; a rule that is empty does nothing.

    ``links`` {concept: the one that was meant}, not followed further; ``blacklist`` concepts to remove;
    ``keep_types`` types to keep, of ``types`` {concept: its types} (semantic types by number, or kinds): a
    concept is kept if one of its types is, and if it has no known one; ``min_images`` fewest images that a
    concept is left with.
    """

    links: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    blacklist: frozenset[str] = frozenset()
    keep_types: frozenset[str] = frozenset()
    types: Mapping[str, frozenset[str]] = field(default_factory=lambda: _NOTHING)
    min_images: int = 0
