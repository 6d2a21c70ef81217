"""Trained encoders against the forward pass of their own libraries, called by hand; broken folders.

All in one file: importing torch and transformers takes seconds, which one process then pays once.
"""

from __future__ import annotations

import json
import re
import shutil
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from evalcore.cli import run
from evalcore.features.encode.models import open_encoder
from evalcore.study import open_study
from evalcore.values.errors import InputError
from tests.features.encode import made as tiny
from tests.features.encode.made import CAPTIONS, folder, pictures
from tests.torchvision_names import torchvision_imports

TEXTS = list(CAPTIONS.values())
SHOWN = [picture.convert("RGB") for picture in pictures(40).values()]
WEIGHTS, CONFIG = "model.safetensors", "config.json"
MAKERS = {
    "text": tiny.bert,
    "vision": tiny.vit,
    "clip": tiny.clip,
    "siglip": partial(tiny.clip, kind="siglip"),
    "sentences": tiny.sentences,
    "open_clip": tiny.open_clip_folder,
}
"""A whole folder for each way that weights come into a network."""
pytestmark = pytest.mark.filterwarnings("default")  # those of torch and its company are not ours


@pytest.fixture(scope="module", autouse=True)
def _imported():
    """By the process that runs these tests, not by each that collects them: it takes seconds."""
    global torch, transformers, open_clip, timm, load_file, save_file
    torchvision_imports()
    import open_clip
    import timm
    import torch
    import transformers
    from safetensors.torch import load_file, save_file

    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of a way, made when it is first needed."""
    home = tmp_path_factory.mktemp("models")
    return cache(lambda way: MAKERS[way](home / way))


def pixels(shown, side):
    """Pictures as numbers: bilinear to a square, 0 to 1, then mean and deviation of each channel."""
    small = [picture.resize((side, side), Image.Resampling.BILINEAR) for picture in shown]
    values = np.stack([np.asarray(picture, np.float32) / 255 for picture in small])
    return ((values - np.float32(tiny.MEAN)) / np.float32(tiny.STD)).transpose(0, 3, 1, 2)


def encoded(where, items=TEXTS, what=None):
    return open_encoder(str(where), what).encode(items)


def refused(where, message, what=None, **options):
    with pytest.raises(InputError, match=message):
        open_encoder(str(where), what, **options)


def edited(path: Path, change) -> None:
    """What ``change`` makes of the JSON in a file."""
    path.write_text(json.dumps(change(json.loads(path.read_text()))))


def close(actual, expected):
    np.testing.assert_allclose(actual, expected.detach().numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("kind", "model"), [("clip", "CLIPModel"), ("siglip", "SiglipModel")])
def test_dual_encoders_of_transformers(made, kind, model):
    where = made(kind)
    network = getattr(transformers, model).from_pretrained(where).eval()
    padding = "max_length" if kind == "siglip" else True
    how = {"truncation": True, "max_length": 12, "return_tensors": "pt"}
    tokens = transformers.AutoTokenizer.from_pretrained(where)(TEXTS, padding=padding, **how)
    with torch.no_grad():
        text = network.text_model(**{k: v for k, v in tokens.items() if k != "token_type_ids"}).pooler_output
        seen = network.vision_model(pixel_values=torch.tensor(pixels(SHOWN, 16))).pooler_output
        if kind == "clip":
            text, seen = network.text_projection(text), network.visual_projection(seen)
    images, captions = (open_encoder(str(where), what) for what in ("images", "captions"))
    close(images.encode(SHOWN), seen)
    close(captions.encode(TEXTS), text)
    assert (images.backend, captions.what, images.name) == ("transformers", "captions", kind)
    assert images.digest != captions.digest


def test_a_text_model_gives_the_mean_of_its_words_and_sapbert_its_first_token(made, tmp_path):
    tokenizer = transformers.AutoTokenizer.from_pretrained(made("text"))
    tokens = tokenizer(TEXTS, padding=True, return_tensors="pt")
    with torch.no_grad():
        hidden = transformers.BertModel.from_pretrained(made("text")).eval()(**tokens).last_hidden_state
    rows = [row[mask.bool()] for row, mask in zip(hidden, tokens["attention_mask"], strict=True)]
    close(encoded(made("text")), torch.stack([row.mean(0) for row in rows]))
    sapbert, first = tmp_path / "SapBERT-from-PubMedBERT", torch.stack([row[0] for row in rows])
    close(encoded(shutil.copytree(made("text"), sapbert)), first)
    # a model of sentence-transformers says itself how it pools
    where = tiny.sentences(tmp_path / "biolord", pooling="cls", unit=True)
    close(encoded(where), torch.nn.functional.normalize(first))
    edited(where / "modules.json", lambda modules: [{**modules[0], "type": "custom_st.Mine"}, *modules[1:]])
    refused(where, r"cannot be used as a model: .*'custom_st\.Mine'")


def test_an_image_model_of_transformers(made):
    with torch.no_grad():
        network = transformers.ViTModel.from_pretrained(made("vision")).eval()
        hidden = network(torch.tensor(pixels(SHOWN, 16))).last_hidden_state
    close(encoded(made("vision"), SHOWN), hidden[:, 0])


def test_open_clip_with_a_tower_of_its_own(made):
    network, shown = open_clip.create_model_from_pretrained(f"local-dir:{made('open_clip')}")
    with torch.no_grad():
        seen = network.eval().encode_image(torch.stack([shown(picture) for picture in SHOWN]))
        text = network.encode_text(open_clip.tokenize(TEXTS, context_length=16))
    close(encoded(made("open_clip"), SHOWN, "images"), seen)
    close(encoded(made("open_clip"), TEXTS, "captions"), text)


def test_biomedclip_finds_its_text_tower_beside_it(made, tmp_path):
    where = tiny.open_clip_folder(tmp_path / "biomed", biomed=True)
    weights = load_file(where / "open_clip_model.safetensors")
    config = transformers.AutoConfig.from_pretrained(where / "text")
    tower = transformers.BertModel(config, add_pooling_layer=False).eval()
    start = "text.transformer."
    tower.load_state_dict({k.removeprefix(start): v for k, v in weights.items() if k.startswith(start)})
    how = {"padding": "max_length", "truncation": True, "max_length": 16, "return_tensors": "pt"}
    tokens = transformers.AutoTokenizer.from_pretrained(where)(TEXTS, **how)
    with torch.no_grad():
        token = tower(tokens["input_ids"], attention_mask=tokens["attention_mask"]).last_hidden_state[:, 0]
        wide = torch.nn.functional.gelu(token @ weights["text.proj.0.weight"].T)
    close(encoded(where, TEXTS, "captions"), wide @ weights["text.proj.2.weight"].T)
    (where / "text").rename(where / "elsewhere")
    refused(where, r"names somebody/no-such-bert for its text tower.*Put the config\.json", "images")


def test_real_word_vectors_of_wordllama(tmp_path):
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer
    from wordllama.inference import WordLlamaInference

    where = tiny.word_llama(tmp_path / "wordllama")
    vectors = load_file(where / WEIGHTS)["embedding.weight"]
    expected = WordLlamaInference(vectors, Tokenizer.from_file(str(where / "tokenizer.json"))).embed(TEXTS)
    np.testing.assert_allclose(encoded(where), expected, rtol=1e-3, atol=1e-4)


def test_real_weights_of_efficientnet_lite0(tmp_path, as_json):
    where = tiny.efficientnet_lite0(tmp_path / "efficientnet-lite0")
    study = folder(tmp_path)
    (row,) = as_json("encode", study, "--model", where)["systems"]
    assert (row["backend"], row["dimensions"], row["encoded"]) == ("timm", 1280, 4)
    network = timm.create_model("tf_efficientnet_lite0", pretrained=False, num_classes=1000).eval()
    network.load_state_dict(load_file(where / WEIGHTS))
    picture = Image.open(study / "images" / "c.png").convert("RGB")
    # 224 / 0.875 = 256 pixels, bicubic; the middle 224; 0 to 1; mean and deviation .5
    middle = picture.resize((256, 256), Image.Resampling.BICUBIC).crop((16, 16, 240, 240))
    values = torch.tensor((np.asarray(middle, np.float32) / 255 - 0.5) / 0.5).permute(2, 0, 1)[None]
    with torch.no_grad():
        expected = network.forward_head(network.forward_features(values), pre_logits=True)
    opened = open_study(study)
    system = opened.embeddings["efficientnet-lite0"]
    np.testing.assert_allclose(system.vectors[system.rows[2]], expected[0].numpy(), rtol=1e-3, atol=1e-3)
    assert opened.reads["efficientnet-lite0"] == ("images",)


def test_the_text_side_of_a_model_answers_queries_by_text(made, tmp_path):
    study, texts = folder(tmp_path), dict(zip(("t1", "t2"), TEXTS, strict=False))
    rows = [f'{query},text,"{text}",C0000001' for query, text in texts.items()]
    (study / "queries.csv").write_text("\n".join(["id,kind,text,concepts", *rows, "a,image,,"]) + "\n")
    assert run(["encode", str(study), "--model", str(made("clip")), "--what", "images"]) == 0
    opened = open_study(study)
    vectors, ids = opened.embeddings["clip"], list(opened.image_ids)
    expected = encoded(made("clip"), [*texts.values()], "captions")
    np.testing.assert_allclose(vectors.vectors[vectors.query_rows[[ids.index(t) for t in texts]]], expected)
    shown = [Image.open(study / "images" / f"{name}.png") for name in CAPTIONS]
    expected = encoded(made("clip"), shown, "images")
    np.testing.assert_allclose(vectors.vectors[vectors.rows[[ids.index(i) for i in CAPTIONS]]], expected)


# What is wrong is named with a way out, and nothing that could run code is opened.

BROKEN = {
    "no config": ({CONFIG: None}, "is not the folder of a supported model. Looked for: open_clip"),
    "half a config": ({CONFIG: b'{"model_type": '}, "config.json cannot be read"),
    "cut": ({WEIGHTS: b"\x10"}, "Check that its files are complete and belong together"),
    "no weights": ({WEIGHTS: None}, "no file named model.safetensors"),
    "no tokenizer": ({"tokenizer.json": None, "tokenizer_config.json": None}, "has no tokenizer"),
    "shapes": ({CONFIG: b'{"model_type": "bert", "hidden_size": 24}'}, "cannot be used as"),
    "pickle": ({WEIGHTS: None, "weights.pkl": b"x"}, "weights.pkl is a pickle, which can run code when"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_folders_are_named_with_a_way_out(made, tmp_path, capsys, case):
    changes, message = BROKEN[case]
    where = shutil.copytree(made("text"), tmp_path / "model")
    for name, content in changes.items():
        if content is None:
            (where / name).unlink()
        else:
            (where / name).write_bytes(content)
    study = folder(tmp_path)
    assert run(["encode", str(study), "--model", str(where)]) == 2
    error = capsys.readouterr().err
    assert message in error and str(where) in error, error
    assert not any(noise in error for noise in ("Traceback", "Loading weights", "LOAD REPORT"))
    assert not (study / "systems").exists()


def test_what_a_model_does_not_read_is_said(made, tmp_path, monkeypatch):
    for way, options, message in (
        ("text", {"what": "images"}, "reads captions, not images"),
        ("clip", {}, r"reads images and captions\. Choose one of these with --what"),
        ("text", {"device": "cuda:9"}, r"that torch has a device 'cuda:9'"),
    ):
        refused(made(way), message, **options)
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path))
    refused("mine", r"There is no folder mine\..*there is none yet")
    shutil.copytree(made("text"), tmp_path / "models" / "mine")
    assert open_encoder("mine").name == "mine"
    refused("yours", r"models \(mine\)")


def with_weights(whole: Path, to: Path, change) -> Path:
    """A copy of a folder whose tensors are what ``change`` makes of them."""
    shutil.copytree(whole, to)
    (file,) = to.glob("*.safetensors")
    save_file(change(load_file(file)), file, metadata={"format": "pt"})
    return to


def without_one(tensors):
    lost = next(name for name in tensors if name.endswith("weight") and "pooler" not in name)
    return {key: value for key, value in tensors.items() if key != lost}


def with_one_more(tensors):
    part = next(name.partition(".")[0] for name in tensors if "." in name)
    return tensors | {f"{part}.unrelated": next(iter(tensors.values())).clone()}


@pytest.mark.parametrize("way", MAKERS)
def test_weights_that_are_not_the_models_are_refused_by_name(made, way, tmp_path):
    what = "images" if way in ("vision", "clip", "open_clip") else "captions"
    changes = {
        without_one: r"(lack|issing key)",
        with_one_more: r"have more than config\.json says: .*unrelated",
    }
    for change, message in [*changes.items()][: 1 if way == "open_clip" else 2]:
        where = with_weights(made(way), tmp_path / change.__name__, change)
        refused(where, message, what)


def test_published_files_are_read_in_parts_with_a_head_and_without_a_pooler(made, tmp_path):
    """As those of BertForMaskedLM are: a prefix, a head that ties its weights, positions, and no pooler."""

    def published(tensors):
        kept = {f"bert.{name}": value for name, value in tensors.items() if "pooler" not in name}
        return kept | {
            "bert.embeddings.position_ids": torch.arange(16)[None],
            "cls.predictions.bias": torch.zeros(16),
            "cls.predictions.transform.dense.weight": torch.zeros(16, 16),
        }

    expected = encoded(made("text"))
    masked = with_weights(made("text"), tmp_path / "masked", published)
    np.testing.assert_allclose(encoded(masked), expected, atol=1e-6)
    shards = shutil.copytree(made("text"), tmp_path / "shards")
    (shards / WEIGHTS).unlink()
    transformers.BertModel.from_pretrained(made("text")).save_pretrained(shards, max_shard_size="3KB")
    assert len(list(shards.glob("*.safetensors"))) > 1
    np.testing.assert_allclose(encoded(shards), expected, atol=1e-6)


@pytest.fixture
def evil(tmp_path):
    """Write a pickle that would leave a mark when it is opened, which none may."""
    mark = tmp_path / "it-ran"
    yield lambda path: torch.save({"x": tiny.Evil(mark)}, path)
    assert not mark.exists()


@pytest.mark.parametrize("way", ["text", "vision", "sentences", "open_clip"])
def test_code_in_a_folder_is_never_run(tmp_path, way):
    where, mark = tmp_path / way, tmp_path / "it-ran"
    tiny.open_clip_folder(where, biomed=True) if way == "open_clip" else MAKERS[way](where)
    place = where / "text" if way == "open_clip" else where
    classes = dict.fromkeys(("AutoConfig", "AutoModel", "AutoTokenizer"), "evil.Evil")
    edited(place / CONFIG, lambda config: config | {"model_type": "evil", "auto_map": classes})
    (place / "evil.py").write_text(f"open({str(mark)!r}, 'w')\nclass Evil: pass\n")
    refused(where, "cannot be used as a model", "images" if way in ("vision", "open_clip") else "captions")
    assert not mark.exists()


def test_torch_files_are_not_opened_and_are_what_the_way_out_makes_of_them(made, tmp_path, monkeypatch):
    where = shutil.copytree(made("text"), tmp_path / "as-bin")
    torch.save(load_file(where / WEIGHTS), where / "pytorch_model.bin")
    (where / WEIGHTS).unlink()
    refused(where, r"pytorch_model\.bin is a pickle.*It is never opened here")
    guide = (Path(__file__).parents[3] / "docs/how-to/make-systems.md").read_text("utf-8")
    (recipe,) = re.findall(r"```python\n(import torch\n.*?)```", guide, flags=re.S)
    monkeypatch.chdir(where)
    exec(recipe, {})
    (where / "pytorch_model.bin").unlink()
    np.testing.assert_allclose(encoded(where), encoded(made("text")), atol=1e-6)


def test_an_index_of_weights_names_files_of_numbers_only(made, tmp_path, evil):
    where = shutil.copytree(made("text"), tmp_path / "model")
    (where / WEIGHTS).unlink()
    hostile = ("../evil.bin", "evil.pt", "../evil.safetensors", "evil.txt", "weights.pkl")
    for part in ("gone.safetensors", *hostile):
        if part in hostile:
            evil(where / part)
        index = {"weight_map": {"embeddings.word_embeddings.weight": part}}
        (where / f"{WEIGHTS}.index.json").write_text(json.dumps(index))
        refused(where, rf"names '{re.escape(part)}' for some of the weights, which is no \.safetensors file")


@pytest.mark.parametrize(
    ("way", "name"),
    [
        ("text", "pytorch_model-00001-of-00001.bin"),
        ("sentences", "pytorch_model.bin"),
        ("open_clip", "open_clip_pytorch_model.bin"),
    ],
)
def test_a_pickle_is_not_opened_beside_weights_or_instead_of_them(made, tmp_path, caplog, evil, way, name):
    """In parts, of a module of sentence-transformers, and where open_clip itself would prefer it."""
    where = shutil.copytree(made(way), tmp_path / way)
    (file,) = where.glob("*.safetensors")
    file.rename(where / WEIGHTS)
    index = {"weight_map": {"embeddings.word_embeddings.weight": name}}
    (where / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    for pickle in (name, "pytorch_model.bin", "training_args.bin"):  # many published folders have both
        evil(where / pickle)
    assert encoded(where, what="captions").tolist() == encoded(made(way), what="captions").tolist()
    assert not caplog.messages
    (where / WEIGHTS).unlink()
    (where / "training_args.bin").unlink()
    refused(where, r"pytorch_model.*\.bin is a pickle, which can run code", "captions")


@pytest.mark.parametrize("place", ["../outside", "one/two"])
def test_no_module_is_loaded_from_a_folder_that_is_not_checked(made, tmp_path, evil, place):
    where = Path(shutil.copytree(made("sentences"), tmp_path / "biolord"))
    (where / place).mkdir(parents=True)
    (where / place / "config.json").write_text('{"in_features": 8, "out_features": 8}')
    evil(where / place / "pytorch_model.bin")
    dense = {"idx": 3, "name": "3", "path": place, "type": "sentence_transformers.models.Dense"}
    edited(where / "modules.json", lambda modules: [*modules, dense])
    refused(where, rf"names the folder '{re.escape(place)}', which is not directly in")


ARGUMENTS = (
    {"checkpoint_path": "evil.pth"},
    {"pretrained": True},
    {"pretrained_cfg": {"file": "evil.pth"}},
    {"pretrained_cfg_overlay": {"file": "evil.pth"}},
    {"scriptable": True},
    ["depth"],
    {"act_layer": "no_such"},
    {"patch_size": "x"},
    {"pretrained_strict": False},
)


def test_no_argument_of_a_timm_network_opens_a_pickle(tmp_path, monkeypatch, evil):
    (tmp_path / WEIGHTS).write_bytes(b"")
    evil(tmp_path / "evil.pth")
    monkeypatch.chdir(tmp_path)
    for arguments, cfg in product(ARGUMENTS, ({}, {"file": "evil.pth", "custom_load": True})):
        config = {"architecture": "test_vit", "model_args": arguments, "pretrained_cfg": cfg}
        (tmp_path / CONFIG).write_text(json.dumps(config))
        refused(tmp_path, "cannot be used as")


def test_an_image_tower_of_open_clip_opens_no_other_folder(made, tmp_path, evil):
    where, other = shutil.copytree(made("open_clip"), tmp_path / "oc"), tmp_path / "other"
    other.mkdir()
    evil(other / "pytorch_model.bin")
    (other / CONFIG).write_text('{"architecture": "test_vit", "pretrained_cfg": {}}')
    text = (where / "open_clip_config.json").read_text()
    text = text.replace('"vision_cfg": {', f'"vision_cfg": {{"timm_model_name": "local-dir:{other}", ')
    (where / "open_clip_config.json").write_text(text)
    refused(where, "cannot be used as a model", "images")
