"""A small study folder of drawings and captions that nobody annotated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

CAPTIONS = {
    "a": "Chest radiograph with a nodule in the left lung.",
    "b": "Chest radiograph, lung without a nodule.",
    "c": "Ultrasound of the liver: a cyst.",
    "d": "CT of the liver with several cysts and a nodule.",
}


def pictures(side: int = 48) -> dict[str, Image.Image]:
    """Drawings that differ: noise, stripes and a disc, the same every time."""
    rng = np.random.default_rng(7)
    y, x = np.mgrid[:side, :side]
    disc = (x - side / 2) ** 2 + (y - side / 2) ** 2 < (side / 3) ** 2
    shapes = (rng.random((side, side)), (x % 8) / 8, (y % 12) / 12, disc * 0.8)
    noisy = ((shape * 200 + rng.random((side, side)) * 5).astype(np.uint8) for shape in shapes)
    return {name: Image.fromarray(shape) for name, shape in zip(CAPTIONS, noisy, strict=True)}


def folder(tmp_path: Path, *, images: bool = True, captions: bool = True) -> Path:
    """The study: no concepts.csv."""
    study = tmp_path / "study"
    study.mkdir(parents=True)
    if images:
        (study / "images").mkdir()
        for name, picture in pictures().items():
            picture.save(study / "images" / f"{name}.png")
    if captions:
        rows = [f'{name},"{text}"' for name, text in CAPTIONS.items()]
        (study / "captions.csv").write_text("\n".join(["ID,Caption", *rows]) + "\n")
    return study
