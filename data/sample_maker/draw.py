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
    image = picture(case, rng)
    at, anchor = ((0.975, 0.985), "rb") if case.kind != "ultrasound" else ((0.03, 0.985), "lb")
    write_text(image, at, "SYN", size=9, value=105, anchor=anchor)
    return printed(image, case, rng)


def printed(image: Image.Image, case: Case, rng: np.random.Generator) -> Image.Image:
    """How published figures vary: windowing, film tones, some radiographs inverted, now and then a margin."""
    bend, bright = np.exp(np.clip(rng.normal(0, 0.26), -0.38, 0.42)), rng.uniform(0.82, 1.0)
    curve = [round(255 * min(1.0, bright * (v / 255) ** bend)) for v in range(256)]
    image = image.point(curve * len(image.getbands()))
    chance = rng.random()
    if MODALITY[case.kind] == "radiograph":
        if chance < 0.08:
            image = ImageOps.invert(image)
        elif chance < 0.20:
            image = tint(image, (0.90, 0.97, 1.0) if chance < 0.14 else (0.91, 1.0, 0.96))
    elif chance < 0.09:
        image = ImageOps.expand(image, border=int(rng.integers(6, 15)), fill="white")
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
