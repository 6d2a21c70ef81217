"""From a case to its picture."""

from __future__ import annotations

import numpy as np
from PIL import Image

from .cases import Case
from .chest import draw_chest


def draw(case: Case) -> Image.Image:
    """The synthetic image of a case; the same case always gives the same image."""
    rng = np.random.default_rng(case.seed)
    return draw_chest(rng, findings=case.findings, side=case.side, view=case.view)
