"""A path between two concepts in words: as a sentence, and link by link with relations and sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from evalcore.figures.numbers import count, things

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.graph import Step

Level = Literal["plain", "technical"]
WORDS = {"up": "is a kind of", "down": "includes"}
PARTS = {"up": "is part of", "down": "has the part"}
"""What a link says to everybody when its only relation is part_of."""
ARROWS = {"up": "↑", "down": "↓"}


def path_sentence(
    path: Sequence[str], steps: Sequence[Step], *, names: Mapping[str, str], reading: Level = "plain",
    n_shortest: int = 1,
) -> str:  # fmt: skip
    """The path as text.

    Plain: "Nodule is a kind of Mass, which includes Cyst: 2 steps apart." Technical: the chain with
    CUIs, direction and source of every edge, and how many paths are equally short.
    """
    if not steps:
        return f"{names.get(path[0], path[0])} is the same concept on both sides."
    more = "" if n_shortest <= 1 else f" One of {count(n_shortest)} equally short paths."
    if reading == "technical":
        return f"{path_chain(path, steps, names=names, reading=reading)}. Distance {len(steps)}.{more}"
    links = [f"{relation(step)} {names.get(step.end, step.end)}" for step in steps]
    return (
        f"{names.get(path[0], path[0])} {', which '.join(links)}: {things(len(steps), 'step')} apart.{more}"
    )


def path_chain(
    path: Sequence[str], steps: Sequence[Step], *, names: Mapping[str, str], reading: Level = "plain"
) -> str:
    """The path link by link, with the relation and the sources of each.

    Plain: "Nodule ↑ is a kind of Mass [MESH] ↓ includes Cyst [UBERON isa]". Technical: CUIs, and every arrow
    from the child to its parent.
    """
    if reading == "technical":
        return _full(path[0], names) + "".join(f" {_arrow(one)} {_full(one.end, names)}" for one in steps)
    return names.get(path[0], path[0]) + "".join(
        f" {ARROWS[one.direction]} {relation(one)} {names.get(one.end, one.end)}{_source(one)}"
        for one in steps
    )


def relation(step: Step, words: Mapping[str, str] = WORDS) -> str:
    """What a link says: that of ``words`` for its direction, or that one concept is part of the other."""
    is_part = all(part.endswith("part_of") for part in step.label.split("; "))
    return (PARTS if is_part else words)[step.direction]


def _arrow(step: Step) -> str:
    source = _source(step)
    return f"—is_a{source}→" if step.direction == "up" else f"←is_a{source}—"


def _source(step: Step) -> str:
    return f" [{step.label}]" if step.label else ""


def _full(cui: str, names: Mapping[str, str]) -> str:
    return f"{names[cui]} ({cui})" if cui in names else cui
