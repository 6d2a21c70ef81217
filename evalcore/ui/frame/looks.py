"""Which colour and marker each system of the study on view has, on every page, whoever joins it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evalcore.sources.workspace.places import places

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.model import Study, SystemLook


def of_study(study: Study) -> Mapping[str, SystemLook]:
    """By name: as ``study.toml`` says; a system without a colour keeps the place it had when first seen."""
    if study.path is None or not study.looks:
        return study.looks
    taken = [look.colour for look in study.looks.values() if isinstance(look.colour, int)]
    free = [look.key for look in study.looks.values() if look.colour is None]
    kept = places(study.path, free, taken=taken)
    return {
        name: look if look.colour is not None else replace(look, colour=kept[look.key])
        for name, look in study.looks.items()
    }
