"""How a system is shown: its name, colour and marker, and what it looks at; what there is to choose from."""

from __future__ import annotations

from dataclasses import dataclass

MARKERS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x", "pentagon", "star")
READABLE = ("images", "captions", "concepts", "labels")
"""What a system can look at to rank images."""
PALETTE = 10
"""Markers of systems in figures by name, and how many colours the program has for them."""


@dataclass(frozen=True, slots=True)
class SystemLook:
    """How a system is shown, as ``[systems.KEY]`` of ``study.toml`` says.

    ``key``: its folder below ``systems/``, or the name of its table. ``title``: its name on every page and
    in every output; "" where that is the key. ``colour``: ``#rrggbb``, or one of the program's own from 1
    to 10; None where it follows the order of names. ``marker``: one of `MARKERS`, or "". ``order``: systems
    with one come first, the smallest before. ``notes``: of the user, any text. ``reads``: what the system
    sees of an image, of `READABLE`; None where nobody says.
    """

    key: str = ""
    title: str = ""
    colour: str | int | None = None
    marker: str = ""
    order: int | None = None
    notes: str = ""
    reads: tuple[str, ...] | None = None
