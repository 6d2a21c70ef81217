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


def pictures(n: int = 4, side: int = 48) -> dict[str, Image.Image]:
    """Drawings that differ: noise, stripes and a disc, the same every time."""
    rng = np.random.default_rng(7)
    y, x = np.mgrid[:side, :side]
    shapes = [
        rng.random((side, side)),
        (x % 8) / 8,
        (y % 12) / 12,
        ((x - side / 2) ** 2 + (y - side / 2) ** 2 < (side / 3) ** 2) * 0.8,
    ]
    names = list(CAPTIONS)
    return {
        names[i % 4] + ("" if i < 4 else str(i)): Image.fromarray(
            (shapes[i % 4] * (200 + i) + rng.random((side, side)) * 5).astype(np.uint8)
        )
        for i in range(n)
    }


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
