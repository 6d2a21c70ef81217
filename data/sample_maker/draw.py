"""From a case to its picture."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageOps

from .abdomen import draw_abdomen
from .cases import Case
from .chest import draw_chest
from .chest_lateral import draw_lateral_chest
from .finish import tint, write_text
from .head import draw_head
from .limbs import draw_limb
from .mammogram import draw_mammogram
from .ultrasound import draw_ultrasound
from .wording import MODALITY


def draw(case: Case) -> Image.Image:
    """The synthetic image of a case, marked SYN in a corner; the same case always gives the same image."""
    rng = np.random.default_rng(case.seed)
    image = printed(picture(case, rng), case, rng)
    corner = (0.975, 0.985) if case.kind != "ultrasound" else (0.03, 0.985)
    write_text(image, corner, "SYN", size=9, value=105, anchor="rb" if corner[0] > 0.5 else "lb")
    return image


def printed(image: Image.Image, case: Case, rng: np.random.Generator) -> Image.Image:
    """How figures of radiographs vary: most grey, some in the blue or green of a film, a few inverted."""
    if MODALITY[case.kind] != "radiograph":
        return image
    chance = rng.random()
    if chance < 0.08:
        return ImageOps.invert(image)
    if chance < 0.24:
        return tint(image, (0.84, 0.95, 1.0) if chance < 0.17 else (0.86, 1.0, 0.94))
    return image


def picture(case: Case, rng: np.random.Generator) -> Image.Image:
    """The image without its mark."""
    if case.kind == "chest" and case.view == "lateral":
        return draw_lateral_chest(rng, findings=case.findings)
    if case.kind == "chest":
        return draw_chest(rng, findings=case.findings, side=case.side, view=case.view)
    if case.kind in ("brain mri", "head ct"):
        contrast = "ct" if case.kind == "head ct" else case.view
        return draw_head(rng, contrast=contrast, findings=case.findings, side=case.side)
    if case.kind == "abdomen ct":
        return draw_abdomen(rng, level=case.view, findings=case.findings, side=case.side)
    if case.kind == "ultrasound":
        return draw_ultrasound(rng, organ=case.view, findings=case.findings, side=case.side)
    if case.kind == "bone":
        return draw_limb(rng, part=case.view, findings=case.findings, side=case.side)
    return draw_mammogram(rng, findings=case.findings, side=case.side)
