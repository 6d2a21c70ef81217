"""Trained networks that compare pictures: ResNet-18 and LPIPS, of the extra ``models``, from local files,
never downloaded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from evalcore.features.synthetic.read_pictures import Picture
from evalcore.study.tables.problems import try_call, why
from evalcore.study.workspace.file_names import place_in_words
from evalcore.study.workspace.home import models_folder
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError
from evalcore.values.extras import needs
from evalcore.values.progress import Progress, silent

RESNET, ALEXNET = "resnet18-f37072fd.pth", "alexnet-owt-7be5be79.pth"
ORIGIN = "https://download.pytorch.org/models/"
WIDTH, BATCH = 512, 16
_MEAN, _SPREAD = np.array((0.485, 0.456, 0.406), np.float32), np.array((0.229, 0.224, 0.225), np.float32)
"""Of the pictures the weights were trained with, from 0 to 1."""


def weights_path(network: str, path: Path, file: str) -> Path:
    """Where the weights of a network are; InputError without them, with the file to put there."""
    if not path.is_file():
        put = f"Put {file} there ({ORIGIN}{file}); nothing is downloaded by this program."
        raise InputError(f"There are no weights of {network} at {place_in_words(path)}. {put}")
    return path


def resnet_vectors(pictures: Sequence[Picture], path: str, progress: Progress = silent) -> Floats:
    """Vectors of pictures, shape (n, 512): the average pool of ResNet-18 (He et al. 2016).

    Pictures are made 224 x 224, whole and not cropped, grey ones repeated in all three channels. ``path``:
    the file of weights, "default" for that in ``models`` of the workspace; it is opened as numbers only.
    Raises InputError when packages are not installed, or the weights are missing or those of another network.
    """
    own = models_folder() / RESNET if path == "default" else Path(path)
    weights = weights_path("ResNet-18", own, RESNET)
    with needs("models", "ResNet-18"):
        torch, torchvision = import_module("torch"), import_module("torchvision")
    network = torchvision.models.resnet18(weights=None)
    load = partial(torch.load, weights, map_location="cpu", weights_only=True)
    _, reason = try_call(lambda: network.load_state_dict(load()))
    if reason is not None:
        wrong = f"{weights} does not contain the weights of ResNet-18 ({why(reason)})"
        raise InputError(f"{wrong}. Use {RESNET} of torchvision.") from reason
    network.fc = torch.nn.Identity()
    network.eval()
    result = np.empty((len(pictures), WIDTH))
    for first in range(0, len(pictures), BATCH):
        progress(first / len(pictures), "vectors by ResNet-18")
        some = pictures[first : first + BATCH]
        rows = [(_colours(picture(), 224) / 255 - _MEAN) / _SPREAD for picture in some]
        block = np.ascontiguousarray(np.stack(rows).transpose(0, 3, 1, 2))
        with torch.no_grad():
            result[first : first + BATCH] = network(torch.from_numpy(block)).numpy()
    return result


def lpips_distances(
    pairs: Sequence[tuple[Picture, Picture]], folder: str, progress: Progress = silent
) -> Floats:
    """How different the two pictures of each pair look, 0 for equal ones, shape (n,): LPIPS (Zhang et al.
    2018).

    ``folder``: where ``hub/checkpoints`` with the weights of AlexNet is, "default" for ``models`` of the
    workspace. Raises InputError when packages or weights are missing, with the way out.
    """
    with needs("models", "LPIPS"):
        torch, lpips = import_module("torch"), import_module("lpips")
    top = models_folder() if folder == "default" else Path(folder)
    backbone = weights_path("AlexNet", top / "hub" / "checkpoints" / ALEXNET, ALEXNET)
    torch.hub.set_dir(str(top / "hub"))  # torchvision looks for weights there, and so downloads none
    network: Any
    network, reason = try_call(lambda: lpips.LPIPS(net="alex", version="0.1", verbose=False).eval())
    if reason is not None:
        raise InputError(f"LPIPS cannot be loaded: {why(reason)}. Check {backbone}.") from reason

    def tensor(picture: Picture) -> Any:
        values = np.ascontiguousarray((_colours(picture(), 256) / 127.5 - 1).transpose(2, 0, 1))
        return torch.from_numpy(values)[None]

    result = np.empty(len(pairs))
    for i, (first, second) in enumerate(pairs):
        progress(i / len(pairs), "LPIPS")
        with torch.no_grad():
            result[i] = float(network(tensor(first), tensor(second)))
    return result


def _colours(picture: Image.Image, side: int) -> np.ndarray:
    """Red, green and blue of a picture made square, float32, 0 to 255."""
    return np.asarray(picture.convert("RGB").resize((side, side), Image.Resampling.BILINEAR), np.float32)
