"""ResNet-18 of torchvision and LPIPS from local files: loading, refusing, and what they take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image

from evalcore.features.synthetic.networks import lpips_distances, resnet_vectors
from evalcore.values.errors import InputError
from tests.torchvision_names import torchvision_imports

torch: Any
torchvision: Any


@pytest.fixture(scope="module", autouse=True)
def _imported():
    """By the process that runs these tests, not by each that collects them: it takes seconds."""
    global torch, torchvision
    torch = pytest.importorskip("torch")
    torchvision_imports()
    torchvision = pytest.importorskip("torchvision")


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """A network with random weights, saved as the published one is."""
    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("weights") / "resnet18-f37072fd.pth"
    torch.save(torchvision.models.resnet18(weights=None).state_dict(), path)
    return path


def test_the_vectors_are_the_average_pool_of_pictures_normalised_as_imagenets(weights):
    network = torchvision.models.resnet18(weights=None)
    network.load_state_dict(torch.load(weights, weights_only=True))
    pool = torch.nn.Sequential(*list(network.children())[:-1]).eval()
    picture = Image.effect_noise((224, 224), 60).convert("RGB")
    values = torch.from_numpy(np.asarray(picture, np.float32) / 255).permute(2, 0, 1)
    normal = torchvision.transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
    with torch.no_grad():
        expected = pool(normal(values)[None]).flatten().numpy()
    vector = resnet_vectors([lambda: picture], str(weights))[0]
    assert vector == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_weights_are_asked_for_by_name_never_fetched_and_nothing_else_is_opened(tmp_path):
    text, other, code = (tmp_path / f"{name}.pth" for name in ("text", "other", "code"))
    text.write_text("no weights")
    torch.save({"conv1.weight": torch.zeros(1)}, other)
    torch.save(torch.nn.Linear(1, 1), code)  # a pickle of a class
    for path, words in (
        ("default", r"Put resnet18-f37072fd\.pth there"),
        (tmp_path / "none.pth", "nothing is downloaded"),
        *((path, "does not contain the weights of ResNet-18") for path in (text, other, code)),
    ):
        with pytest.raises(InputError, match=words):
            resnet_vectors([], str(path))


class _Lpips:
    """Stands for the package: mean of the absolute differences."""

    seen = ""

    @staticmethod
    def LPIPS(**options):  # noqa: N802
        assert options == {"net": "alex", "version": "0.1", "verbose": False}
        _Lpips.seen = torch.hub.get_dir()

        class Network(torch.nn.Module):
            def forward(self, image, other):
                return (image - other).abs().mean().reshape(1, 1, 1, 1)

        return Network()


def test_lpips(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "lpips", _Lpips)
    with pytest.raises(InputError, match=r"Put alexnet-owt-7be5be79\.pth there"):
        lpips_distances([], str(tmp_path))
    file = tmp_path / "hub" / "checkpoints" / "alexnet-owt-7be5be79.pth"
    file.parent.mkdir(parents=True)
    file.touch()
    black, white = (Image.new("L", (8, 8), grey) for grey in (0, 255))
    pairs = [(lambda: black, lambda: black), (lambda: black, lambda: white)]
    distances = lpips_distances(pairs, str(tmp_path))
    assert distances.tolist() == [0.0, 2.0] and _Lpips.seen == str(tmp_path / "hub")
