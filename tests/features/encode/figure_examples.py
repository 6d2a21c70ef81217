"""Examples of the figure on changed pictures."""

from __future__ import annotations

from typing import Any

from evalcore.features.encode.augmented import LEVELS, AugmentedRow
from evalcore.features.encode.figures import change_curves


def examples_of(text: str, example: Any) -> dict[str, Any]:
    """{figure: example} with ``text`` worked into every name; ``example(draw, empty)``."""
    names = [f"cnn{text}", f"hog{text}"]
    rows = [
        AugmentedRow(name, "darker", level, first - level / 2, 0.1, 0.9, 1.0, 0.5, 20, 160)
        for name, first in zip(names, (0.9, 0.7), strict=True)
        for level in LEVELS["darker"]
    ]
    return {
        "change_curves": example(
            lambda theme: change_curves(rows, "darker", systems=names, theme=theme),
            lambda theme: change_curves([], "darker", systems=names, theme=theme),
        )
    }
