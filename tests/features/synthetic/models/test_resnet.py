"""ResNet-18 from a file with the names of torchvision's parameters: loading, refusing, and its arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from evalcore.features.synthetic.models import build, load_encoder, load_lpips, prepared, weights_path
from evalcore.values.errors import InputError

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """A network with random weights, saved as the published one is."""
    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("weights") / "resnet18-f37072fd.pth"
    torch.save(build(torch).state_dict(), path)
    return path


def test_parameters_are_called_and_shaped_as_torchvision_does(weights):
    """What anybody sees who opens the published file: 122 entries, 11,689,512 parameters."""
    state = torch.load(weights, weights_only=True)
    assert len(state) == 122
    assert tuple(state["layer2.0.downsample.0.weight"].shape) == (128, 64, 1, 1)
    assert tuple(state["layer4.1.conv2.weight"].shape) == (512, 512, 3, 3)
    assert tuple(state["conv1.weight"].shape) == (64, 3, 7, 7) and tuple(state["fc.bias"].shape) == (1000,)
    assert "layer1.0.downsample.0.weight" not in state and "layer1.0.bn1.running_var" in state
    assert sum(one.numel() for one in build(torch).parameters()) == 11_689_512


def test_vectors_of_pictures(weights):
    grey, colour = Image.new("L", (50, 70), 90), Image.effect_noise((64, 64), 60)
    encode = load_encoder(str(weights))
    found = encode([lambda: grey, lambda: colour, lambda: grey], lambda *_: None)
    assert found.shape == (3, 512) and np.isfinite(found).all() and (found >= 0).all()
    assert found[0] == pytest.approx(found[2]) and not np.allclose(found[0], found[1])


def test_what_the_network_takes():
    values = prepared(Image.new("RGB", (10, 20), (255, 0, 128)))
    assert values.shape == (3, 224, 224) and values.dtype == np.float32
    assert values[:, 0, 0] == pytest.approx(
        [(1 - 0.485) / 0.229, -0.456 / 0.224, (128 / 255 - 0.406) / 0.225]
    )


def test_weights_are_asked_for_by_name_and_never_fetched(tmp_path):
    with pytest.raises(InputError, match=r"Put resnet18-f37072fd\.pth there"):
        load_encoder()
    with pytest.raises(InputError, match="nothing is downloaded"):
        weights_path(str(tmp_path / "none.pth"))


def test_other_files_are_refused(tmp_path):
    text, other = tmp_path / "text.pth", tmp_path / "other.pth"
    text.write_text("no weights")
    torch.save({"conv1.weight": torch.zeros(1)}, other)
    for path in (text, other):
        with pytest.raises(InputError, match="does not contain the weights of ResNet-18"):
            load_encoder(str(path))


def test_a_file_that_would_run_code_is_refused(tmp_path):
    path = tmp_path / "code.pth"
    torch.save(torch.nn.Linear(1, 1), path)
    with pytest.raises(InputError, match="does not contain the weights"):
        load_encoder(str(path))


class _Lpips:
    """Stands for the package: mean of the absolute differences."""

    seen = ""

    @staticmethod
    def LPIPS(**given):  # noqa: N802
        import os

        assert given == {"net": "alex", "version": "0.1", "verbose": False}
        _Lpips.seen = os.environ["TORCH_HOME"]

        class Network(torch.nn.Module):
            def forward(self, one, other):
                return (one - other).abs().mean().reshape(1, 1, 1, 1)

        return Network()


def test_lpips(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "lpips", _Lpips)
    with pytest.raises(InputError, match=r"Put alexnet-owt-7be5be79\.pth there"):
        load_lpips(str(tmp_path))
    file = tmp_path / "hub" / "checkpoints" / "alexnet-owt-7be5be79.pth"
    file.parent.mkdir(parents=True)
    file.touch()
    measure = load_lpips(str(tmp_path))
    black, white = (Image.new("L", (8, 8), grey) for grey in (0, 255))
    found = measure([(lambda: black, lambda: black), (lambda: black, lambda: white)], lambda *_: None)
    assert found.tolist() == [0.0, 2.0] and _Lpips.seen == str(tmp_path)


def test_without_lpips_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "lpips", None)
    with pytest.raises(InputError, match=r"LPIPS needs the package lpips, .*\[models\]"):
        load_lpips()
