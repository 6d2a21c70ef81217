"""Folders of models that are not what they say: other weights, other files, endless settings, odd packages.

In one file, as importing torch and transformers takes seconds.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from evalcore.features.encode.models import open_encoder
from evalcore.values.errors import InputError
from tests.features.encode import tiny_encoders as tiny
from tests.features.encode.small import CAPTIONS
from tests.torchvision_names import torchvision_imports

TEXTS = list(CAPTIONS.values())
WEIGHTS = "model.safetensors"
pytestmark = pytest.mark.filterwarnings("default")  # those of torch and its company are not ours


@pytest.fixture(scope="module", autouse=True)
def _torchvision():
    torchvision_imports()
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def bert(home):
    return tiny.bert(home / "bert")


@pytest.fixture(scope="module")
def sentences(home, bert):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    words = Transformer(str(bert))
    pool = Pooling(words.get_embedding_dimension(), pooling_mode="mean")
    SentenceTransformer(modules=[words, pool], device="cpu").save(str(home / "sentences"))
    return home / "sentences"


@pytest.fixture(scope="module")
def every_route(home, bert, sentences):
    """{what it reads: a whole folder} for each way that weights come into a network."""
    return {
        "text": (bert, "captions"),
        "vision": (tiny.vit(home / "vit"), "images"),
        "clip": (tiny.clip(home / "clip"), "images"),
        "siglip": (tiny.clip(home / "siglip", "siglip"), "captions"),
        "sentences": (sentences, "captions"),
        "open_clip": (tiny.open_clip_folder(home / "oc", biomed=False), "images"),
    }


def with_weights(whole: Path, to: Path, change) -> Path:
    """A copy of a folder whose tensors are what ``change`` makes of them."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(whole, to)
    (file,) = to.glob("*.safetensors")
    save_file(change(load_file(file)), file, metadata={"format": "pt"})
    return to


def tensors_of(folder: Path) -> dict[str, object]:
    from safetensors.torch import load_file

    (file,) = folder.glob("*.safetensors")
    return load_file(file)


def with_settings(whole: Path, to: Path, name: str = "config.json", **more) -> Path:
    shutil.copytree(whole, to)
    said = json.loads((to / name).read_text()) | more
    (to / name).write_text(json.dumps(said))
    return to


@pytest.mark.parametrize("route", ["text", "vision", "clip", "siglip", "sentences", "open_clip"])
def test_weights_that_are_not_the_models_are_refused_by_name(every_route, route, tmp_path):
    import torch

    whole, what = every_route[route]
    assert open_encoder(str(whole), what).what == what
    unrelated = with_weights(whole, tmp_path / "unrelated", lambda _: {"unrelated": torch.ones(3)})
    with pytest.raises(InputError, match=r"(?s)(lack|issing key).*"):
        open_encoder(str(unrelated), what)

    def without_one(tensors):
        name = next(name for name in tensors if name.endswith("weight") and "pooler" not in name)
        return {key: value for key, value in tensors.items() if key != name}

    with pytest.raises(InputError, match=r"(lack|issing key)"):
        open_encoder(str(with_weights(whole, tmp_path / "fewer", without_one)), what)
    if route != "open_clip":
        name = next(name for name in tensors_of(whole) if "." in name)
        more = {f"{name.partition('.')[0]}.unrelated": torch.ones(3)}
        where = with_weights(whole, tmp_path / "more", lambda tensors: tensors | more)
        with pytest.raises(InputError, match=r"have more than config\.json says: .*unrelated"):
            open_encoder(str(where), what)


def test_published_files_with_a_head_and_without_a_pooler_are_read(bert, tmp_path):
    """As those of BertForMaskedLM are: a prefix, a head that ties its weights, positions, and no pooler."""
    import numpy as np
    import torch

    def published(tensors):
        kept = {f"bert.{name}": one for name, one in tensors.items() if "pooler" not in name}
        return kept | {
            "bert.embeddings.position_ids": torch.arange(16)[None],
            "cls.predictions.bias": torch.zeros(16),
            "cls.predictions.transform.dense.weight": torch.zeros(16, 16),
        }

    where = with_weights(bert, tmp_path / "masked", published)
    found, wanted = (open_encoder(str(one)).encode(TEXTS) for one in (where, bert))
    np.testing.assert_allclose(found, wanted, atol=1e-6)


class Evil:
    """What a pickle could be: it makes a file when it is opened."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (
            name,
            rf"names '{re.escape(name)}' for some of the weights, which is no \.safetensors file beside it",
        )
        for name in (
            "weights.pkl",
            "../evil.bin",
            "evil.pt",
            "../evil.safetensors",
            "evil.txt",
            "gone.safetensors",
        )
    ],
)
def test_an_index_of_weights_names_files_of_numbers_only(bert, tmp_path, part, said):
    import torch

    where, mark = tmp_path / "model", tmp_path / "it-ran"
    shutil.copytree(bert, where)
    (where / WEIGHTS).unlink()
    if part != "gone.safetensors":
        torch.save({"x": Evil(mark)}, where / part)
    index = {"weight_map": {"embeddings.word_embeddings.weight": part}}
    (where / f"{WEIGHTS}.index.json").write_text(json.dumps(index))
    with pytest.raises(InputError, match=said):
        open_encoder(str(where))
    assert not mark.exists()


def test_a_pickle_is_not_opened_where_a_library_would_prefer_it(every_route, tmp_path):
    """Weights that torch wrote: in parts, of a module of sentence-transformers, before those of open_clip."""
    import torch

    mark = tmp_path / "it-ran"
    cases = {
        "text": "pytorch_model-00001-of-00001.bin",
        "sentences": "pytorch_model.bin",
        "open_clip": "open_clip_pytorch_model.bin",
    }
    for route, name in cases.items():
        whole, what = every_route[route]
        where = tmp_path / route
        shutil.copytree(whole, where)
        (file,) = where.glob("*.safetensors")
        if route == "open_clip":
            file.rename(where / WEIGHTS)
        else:
            file.unlink()
        torch.save({"x": Evil(mark)}, where / name)
        index = {"weight_map": {"embeddings.word_embeddings.weight": name}}
        (where / "pytorch_model.bin.index.json").write_text(json.dumps(index))
        with pytest.raises(InputError, match=rf"{name} is a pickle, which can run code"):
            open_encoder(str(where), what)
    assert not mark.exists()


def test_a_pickle_beside_weights_is_left_alone(bert, sentences, tmp_path):
    """As in many published folders, which have both."""
    import torch

    for whole in (bert, sentences):
        where, mark = tmp_path / whole.name, tmp_path / "it-ran"
        shutil.copytree(whole, where)
        for name in ("pytorch_model.bin", "training_args.bin"):
            torch.save({"x": Evil(mark)}, where / name)
        assert (
            open_encoder(str(where)).encode(TEXTS).tolist() == open_encoder(str(whole)).encode(TEXTS).tolist()
        )
        assert not mark.exists()


def test_sharded_weights_are_read(home, tmp_path):
    import numpy as np
    from transformers import BertModel

    whole = tiny.bert(tmp_path / "bert")
    shutil.copytree(whole, tmp_path / "shards")
    (tmp_path / "shards" / WEIGHTS).unlink()
    BertModel.from_pretrained(whole).save_pretrained(tmp_path / "shards", max_shard_size="3KB")
    assert len(list((tmp_path / "shards").glob("*.safetensors"))) > 1
    found, wanted = (open_encoder(str(one)).encode(TEXTS) for one in (tmp_path / "shards", whole))
    np.testing.assert_allclose(found, wanted, atol=1e-6)


def timm_folder(where: Path, **said) -> Path:
    import timm
    from safetensors.torch import save_file

    where.mkdir()
    network = timm.create_model("test_vit", pretrained=False, num_classes=0, **said.get("made_with", {}))
    save_file({name: one.contiguous() for name, one in network.state_dict().items()}, where / WEIGHTS)
    config = {"architecture": "test_vit", "pretrained_cfg": {"input_size": [3, 160, 160]}}
    config |= {key: value for key, value in said.items() if key != "made_with"}
    (where / "config.json").write_text(json.dumps(config))
    return where


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"checkpoint_path": "evil.pth"}, "do not only say the form of the network: checkpoint_path"),
        ({"pretrained": True}, "the form of the network: pretrained"),
        ({"pretrained_cfg": {"file": "evil.pth"}}, "the form of the network: pretrained_cfg"),
        ({"scriptable": True}, "the form of the network: scriptable"),
        (["depth"], "model_args that do not only say the form"),
        ({"act_layer": "no_such"}, "cannot be used as"),
        ({"patch_size": "x"}, "cannot be used as"),
    ],
)
def test_other_arguments_of_a_timm_network_are_refused(tmp_path, monkeypatch, arguments, said):
    import torch

    where, mark = timm_folder(tmp_path / "net", model_args=arguments), tmp_path / "it-ran"
    torch.save({"x": Evil(mark)}, where / "evil.pth")
    monkeypatch.chdir(where)
    with pytest.raises(InputError, match=said):
        open_encoder(str(where))
    assert not mark.exists()


def test_an_image_tower_of_open_clip_is_no_place(every_route, tmp_path):
    whole = every_route["open_clip"][0]
    said = json.loads((whole / "open_clip_config.json").read_text())["model_cfg"]
    changed = said | {"vision_cfg": said["vision_cfg"] | {"timm_model_name": "local-dir:/tmp/evil"}}
    where = with_settings(whole, tmp_path / "oc", "open_clip_config.json", model_cfg=changed)
    with pytest.raises(InputError, match="which is a place and not an architecture"):
        open_encoder(str(where), "images")
