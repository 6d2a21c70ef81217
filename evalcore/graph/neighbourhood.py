"""What lies around a concept: the nearest first, then the most used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from evalcore.graph.structure import ConceptGraph, check_direction
from evalcore.values.errors import SettingError
from evalcore.values.settings import Direction

Way = Literal["up", "down"]
Ways = tuple[Way, ...]
MAX_STEPS = 4


@dataclass(frozen=True, slots=True)
class Near:
    """A concept near another one: ``steps`` away, first reached from ``via`` by a link ``way``.

    ``way`` is "up" when ``cui`` is the parent of ``via``, "down" when it is a child. ``used`` is how often
    the study uses it (images).
    """

    cui: str
    via: str
    way: Way
    steps: int
    used: int


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """All that lies within ``within`` steps of a concept.

    ``near`` by steps, then use (most first), then CUI; the concept itself is not in it. ``totals[k]``
    concepts lie k + 1 steps away, ``used[k]`` of them are used in the study.
    """

    cui: str
    within: int
    near: tuple[Near, ...]
    totals: tuple[int, ...]
    used: tuple[int, ...]


def neighbourhood(
    graph: ConceptGraph | None,
    cui: str,
    *,
    within: int,
    used: Mapping[str, int],
    direction: Direction = "undirected",
) -> Neighbourhood:
    """Which concepts lie within a few steps of one, and how often is each used?

    Parameters
    ----------
    within
        Steps, 1 to ``MAX_STEPS``.
    used
        {CUI: images of the study that carry it}.
    direction
        "directed" goes only up to ancestors and only down to descendants.

    Returns
    -------
    Neighbourhood
        Nothing near for a concept not in the graph. Of several links that lead to a concept in
        as few steps, the one from the most used concept counts, then the first by CUI.

    Raises
    ------
    SettingError
        ``within`` or ``direction`` outside its range.
    """
    if within not in range(1, MAX_STEPS + 1):
        raise SettingError("within", f"an integer from 1 to {MAX_STEPS}", within)
    check_direction(direction)
    ways: tuple[Ways, ...] = (("up", "down"),) if direction == "undirected" else (("up",), ("down",))
    nears: dict[str, Near] = {}
    for allowed in ways:
        for near_concept in _reached(graph, cui, within, used, allowed):
            if near_concept.cui not in nears or near_concept.steps < nears[near_concept.cui].steps:
                nears[near_concept.cui] = near_concept
    near = sorted(nears.values(), key=lambda near_concept: (near_concept.steps, *_order(near_concept)))
    rings = [[near_concept for near_concept in near if near_concept.steps == k] for k in range(1, within + 1)]
    return Neighbourhood(
        cui, within, tuple(near), tuple(map(len, rings)), tuple(sum(o.used > 0 for o in r) for r in rings)
    )


def _reached(
    graph: ConceptGraph | None, cui: str, within: int, used: Mapping[str, int], allowed: Ways
) -> Iterator[Near]:
    """Breadth first from a concept, ring by ring, the most used concepts of a ring first."""
    start = graph.index(cui) if graph is not None else -1
    if graph is None or start < 0:
        return
    seen, border = {start}, [start]
    for steps in range(1, within + 1):
        ring: dict[int, Near] = {}
        for node in border:
            for other, way in _links(graph, node, allowed):
                if other not in seen:
                    seen.add(other)
                    name = graph.cuis[other]
                    ring[other] = Near(name, graph.cuis[node], way, steps, used.get(name, 0))
        yield from ring.values()
        border = sorted(ring, key=lambda node: _order(ring[node]))


def _links(graph: ConceptGraph, node: int, allowed: Ways) -> Iterator[tuple[int, Way]]:
    """What a concept links to, its parents first."""
    for way in allowed:
        linked = graph.parents(node) if way == "up" else graph.children(node)
        for other in linked.tolist():
            yield other, way


def _order(near: Near) -> tuple[int, str]:
    return -near.used, near.cui
