"""How a system is shown: its name, place and notes, and what it looks at."""

from __future__ import annotations

from dataclasses import dataclass

READABLE = ("images", "captions", "concepts", "labels")
"""What a system can look at to rank images."""


@dataclass(frozen=True, slots=True)
class SystemLook:
    """How a system is shown, as ``[systems.KEY]`` of ``study.toml`` says.

    ``key``: its folder below ``systems/``, or the name of its table. ``title``: its name on every page and
    in every output; "" where that is the key. ``place``: in the palette of figures, from 1; None where it
    follows the order of names. ``order``: systems with one come first, the smallest before. ``notes``: of the
    user, any text. ``reads``: what the system sees of an image, of `READABLE`; None where nobody says.
    """

    key: str = ""
    title: str = ""
    place: int | None = None
    order: int | None = None
    notes: str = ""
    reads: tuple[str, ...] | None = None
