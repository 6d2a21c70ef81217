"""Which colour and marker each system of the study on view has, on every page, whoever joins it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evalcore.study.workspace.places import places
from evalcore.values.system_styles import MARKERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.values.model import Study
    from evalcore.values.system_styles import SystemLook


def of_study(study: Study) -> Mapping[str, SystemLook]:
    """By name: as ``study.toml`` says; a system without a colour keeps the place it had when first seen."""
    if study.path is None or not study.looks:
        return study.looks
    taken = [look.colour for look in study.looks.values() if isinstance(look.colour, int)]
    free = [look.key for look in study.looks.values() if not isinstance(look.colour, int)]
    kept = places(study.path, free, taken=taken)
    return {name: _with_place(look, kept.get(look.key)) for name, look in study.looks.items()}


def _with_place(look: SystemLook, place: int | None) -> SystemLook:
    """What is not chosen follows the place; a colour of the user's own has its marker from it."""
    if place is None:
        return look
    marker = look.marker or (MARKERS[(place - 1) % len(MARKERS)] if look.colour is not None else "")
    return replace(look, colour=place if look.colour is None else look.colour, marker=marker)
