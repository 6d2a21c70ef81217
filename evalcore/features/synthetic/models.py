"""Trained networks that compare pictures: optional, from local files, never downloaded."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from evalcore.study.workspace.file_names import place_in_words
from evalcore.study.workspace.home import server_home
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError
from evalcore.values.extras import needs
from evalcore.values.progress import Progress, silent

# ResNet-18 (He et al. 2016): the 512 numbers of its average pool as a vector of a picture.
#
# The network is built here with the parameter names of torchvision, so its published ImageNet weights
# (``resnet18-f37072fd.pth``, 45 MB) load as they are; torch is imported only when somebody asks. Pictures
# are made 224 x 224, whole and not cropped, grey ones repeated in all three channels.

WEIGHTS = "resnet18-f37072fd.pth"
ORIGIN_RESNET = "https://download.pytorch.org/models/resnet18-f37072fd.pth"
SIDE_RESNET, WIDTH = 224, 512
MEAN, SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Of the pictures the weights were trained with, from 0 to 1."""
BATCH = 16

Picture = Callable[[], Image.Image]
"""Gives a decoded picture when it is asked for, so that few are held at once."""
Encoder = Callable[[Sequence[Picture], Progress], Floats]


def weights_path(given: str | None = None) -> Path:
    """Where the weights are: the file that is named, else ``models`` of the workspace.

    Raises InputError that says what to put where when there are none.
    """
    return present(Path(given) if given else server_home() / "models" / WEIGHTS, "ResNet-18", ORIGIN_RESNET)


def present(path: Path, network: str, origin: str) -> Path:
    """The file, where there is one; InputError says what to put there, and where from."""
    if not path.is_file():
        raise InputError(
            f"There are no weights of {network} at {place_in_words(path)}. Put {origin.rpartition('/')[2]} "
            f"there ({origin}); nothing is downloaded by this program."
        )
    return path


def in_a_line(reason: Exception) -> str:
    """What a library says, as part of a sentence of ours."""
    return " ".join(str(reason).split())[:200]


def load_encoder(weights: str | None = None, *, device: str = "cpu") -> Encoder:
    """A function from pictures to vectors, shape (n, 512).

    Raises
    ------
    InputError
        torch is not installed, or the weights are missing or those of another network.
    """
    path = weights_path(weights)
    torch = _torch()
    network = build(torch)
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        network.load_state_dict(state)
    except (OSError, ValueError, LookupError, RuntimeError, TypeError, AttributeError, EOFError) as reason:
        raise InputError(_unusable(path, reason)) from reason
    except Exception as reason:
        if type(reason).__name__ != "UnpicklingError":  # what torch raises for files it does not trust
            raise
        raise InputError(_unusable(path, reason)) from reason
    network.to(device).eval()

    def encode(pictures: Sequence[Picture], progress: Progress = silent) -> Floats:
        result = np.empty((len(pictures), WIDTH))
        for first in range(0, len(pictures), BATCH):
            progress(first / len(pictures), "vectors by ResNet-18")
            block = np.stack([prepared(picture()) for picture in pictures[first : first + BATCH]])
            with torch.no_grad():
                out = network(torch.from_numpy(block).to(device))
            result[first : first + BATCH] = out.cpu().numpy().astype(float)
        return result

    return encode


def prepared(picture: Image.Image) -> np.ndarray:
    """A picture as the network takes it: shape (3, 224, 224), float32, normalised."""
    small = picture.convert("RGB").resize((SIDE_RESNET, SIDE_RESNET), Image.Resampling.BILINEAR)
    values = (np.asarray(small, np.float32) / 255 - np.array(MEAN, np.float32)) / np.array(SPREAD, np.float32)
    return np.ascontiguousarray(values.transpose(2, 0, 1))


def build(torch: Any) -> Any:
    """The network without its last layer at work: it returns the average pool; names as torchvision's."""
    nn = torch.nn

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        """Two convolutions and the way around them."""

        def __init__(self, inside: int, outside: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(outside)
            self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(outside)
            self.downsample = None
            if stride != 1 or inside != outside:
                around = nn.Conv2d(inside, outside, 1, stride, bias=False)
                self.downsample = nn.Sequential(around, nn.BatchNorm2d(outside))

        def forward(self, x: Any) -> Any:
            out = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
            return torch.relu(out + (x if self.downsample is None else self.downsample(x)))

    class ResNet18(nn.Module):  # type: ignore[misc, name-defined]
        """Four stages of two blocks each."""

        def __init__(self) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
            self.bn1 = nn.BatchNorm2d(64)
            widths = (64, 64, 128, 256, 512)
            for stage in range(1, 5):
                inside, outside = widths[stage - 1], widths[stage]
                first = Block(inside, outside, 1 if stage == 1 else 2)
                self.add_module(f"layer{stage}", nn.Sequential(first, Block(outside, outside, 1)))
            self.fc = nn.Linear(WIDTH, 1000)

        def forward(self, x: Any) -> Any:
            x = torch.relu(self.bn1(self.conv1(x)))
            x = torch.nn.functional.max_pool2d(x, 3, 2, 1)
            for stage in range(1, 5):
                x = getattr(self, f"layer{stage}")(x)
            return x.mean(dim=(2, 3))

    return ResNet18()


def _torch() -> Any:
    with needs("models", "ResNet-18"):
        import torch
    return torch


def _unusable(path: Path, reason: Exception) -> str:
    why = in_a_line(reason)
    return f"{path} does not contain the weights of ResNet-18 ({why}). Use {WEIGHTS} of torchvision."


# LPIPS (Zhang et al. 2018): how different two pictures look to a network trained on human judgments.
#
# By the package ``lpips``, which holds its own layer and takes the AlexNet beneath it from torchvision.
# That one is only ever read from a local file: the package would otherwise download it.

BACKBONE = "alexnet-owt-7be5be79.pth"
ORIGIN_LPIPS = "https://download.pytorch.org/models/alexnet-owt-7be5be79.pth"
SIDE_LPIPS = 256

Pairs = Sequence[tuple[Picture, Picture]]
Measure = Callable[[Pairs, Progress], Floats]


def load_lpips(folder: str | None = None, *, device: str = "cpu") -> Measure:
    """A function from pairs of pictures to their distance, 0 for equal ones, shape (n,).

    ``folder``: where ``hub/checkpoints/alexnet-owt-7be5be79.pth`` lies; ``models`` of the workspace without.

    Raises InputError when packages or weights are missing; it says which and what to do.
    """
    with needs("models", "LPIPS"):
        torch, lpips = import_module("torch"), import_module("lpips")
    top = Path(folder) if folder else server_home() / "models"
    backbone = present(top / "hub" / "checkpoints" / BACKBONE, "AlexNet", ORIGIN_LPIPS)
    with _looked_for_in(top):
        try:
            network = lpips.LPIPS(net="alex", version="0.1", verbose=False).to(device).eval()
        except (OSError, ValueError, LookupError, RuntimeError) as reason:
            raise InputError(f"LPIPS cannot be loaded: {in_a_line(reason)}. Check {backbone}.") from reason

    def measure(pairs: Pairs, progress: Progress = silent) -> Floats:
        result = np.empty(len(pairs))
        for i, (one, other) in enumerate(pairs):
            progress(i / len(pairs), "LPIPS")
            with torch.no_grad():
                ends = [torch.from_numpy(_prepared(picture()))[None].to(device) for picture in (one, other)]
                result[i] = float(network(*ends))
        return result

    return measure


def _prepared(picture: Image.Image) -> np.ndarray:
    """Shape (3, 256, 256), from -1 to 1."""
    small = picture.convert("RGB").resize((SIDE_LPIPS, SIDE_LPIPS), Image.Resampling.BILINEAR)
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
