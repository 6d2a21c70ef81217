"""Which kinds of parts a study has, in the order in which they are read: each after those it takes up."""

from __future__ import annotations

from collections.abc import Mapping

from evalcore.study.parts import (
    captions,
    concepts,
    graph,
    images,
    judgments,
    labels,
    names,
    queries,
    runs,
    vectors,
)
from evalcore.study.parts.kind import PartKind

_MODULES = (concepts, captions, labels, graph, names, judgments, images, queries, runs, vectors)
KINDS: Mapping[str, PartKind] = {kind.name: kind for module in _MODULES for kind in module.PARTS}
"""By name."""
OF_A_STUDY: tuple[str, ...] = tuple(name for name, kind in KINDS.items() if not kind.of_a_system)
OF_A_SYSTEM = tuple(name for name, kind in KINDS.items() if kind.of_a_system)
IN_UPLOADS = tuple(name for name, kind in KINDS.items() if kind.kept_as or name == "images")
