"""LPIPS (Zhang et al. 2018): how different two pictures look to a network trained on human judgments.

By the package ``lpips``, which holds its own layer and takes the AlexNet beneath it from torchvision. That
one is only ever read from a local file: the package would otherwise download it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from evalcore.features.synthetic.models.resnet import REQUIREMENTS, Picture, in_a_line, present
from evalcore.study.workspace.home import home
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError
from evalcore.values.progress import Progress, silent

BACKBONE = "alexnet-owt-7be5be79.pth"
ORIGIN = "https://download.pytorch.org/models/alexnet-owt-7be5be79.pth"
SIDE = 256

Pairs = Sequence[tuple[Picture, Picture]]
Measure = Callable[[Pairs, Progress], Floats]


def load_lpips(folder: str | None = None, *, device: str = "cpu") -> Measure:
    """A function from pairs of pictures to their distance, 0 for equal ones, shape (n,).

    ``folder``: where ``hub/checkpoints/alexnet-owt-7be5be79.pth`` lies; ``models`` of the workspace without.

    Raises InputError when packages or weights are missing; it says which and what to do.
    """
    try:
        torch, lpips = import_module("torch"), import_module("lpips")
    except ImportError as missing:
        raise InputError(
            f"LPIPS needs the package {missing.name}, which is not installed. Install the extra: pip install "
            f"-r {REQUIREMENTS}"
        ) from missing
    top = Path(folder) if folder else home() / "models"
    backbone = present(top / "hub" / "checkpoints" / BACKBONE, "AlexNet", ORIGIN)
    with _looked_for_in(top):
        try:
            network = lpips.LPIPS(net="alex", version="0.1", verbose=False).to(device).eval()
        except (OSError, ValueError, LookupError, RuntimeError) as reason:
            raise InputError(f"LPIPS cannot be loaded: {in_a_line(reason)}. Check {backbone}.") from reason

    def measure(pairs: Pairs, progress: Progress = silent) -> Floats:
        found = np.empty(len(pairs))
        for i, (one, other) in enumerate(pairs):
            progress(i / len(pairs), "LPIPS")
            with torch.no_grad():
                ends = [torch.from_numpy(_prepared(picture()))[None].to(device) for picture in (one, other)]
                found[i] = float(network(*ends))
        return found

    return measure


def _prepared(picture: Image.Image) -> np.ndarray:
    """Shape (3, 256, 256), from -1 to 1."""
    small = picture.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BILINEAR)
    return np.ascontiguousarray((np.asarray(small, np.float32) / 127.5 - 1).transpose(2, 0, 1))


@contextmanager
def _looked_for_in(folder: Path) -> Iterator[None]:
    """torchvision looks for weights there, for as long as it takes."""
    before: Any = os.environ.get("TORCH_HOME")
    os.environ["TORCH_HOME"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["TORCH_HOME"]
        else:
            os.environ["TORCH_HOME"] = before
