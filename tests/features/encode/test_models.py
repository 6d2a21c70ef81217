"""Trained encoders against the forward pass of their own libraries, called by hand; broken folders.

All in one file: importing torch and transformers takes seconds, which one process then pays once.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from evalcore.cli import run
from evalcore.features.encode.models import open_encoder
from evalcore.study import open_study
from evalcore.values.errors import InputError
from tests.features.encode import tiny_encoders as tiny
from tests.features.encode.small import CAPTIONS, folder, pictures
from tests.torchvision_names import torchvision_imports

TEXTS = list(CAPTIONS.values())
pytestmark = pytest.mark.filterwarnings("default")  # those of torch and its company are not ours


@pytest.fixture(scope="module", autouse=True)
def _torchvision():
    torchvision_imports()
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def drawn():
    return [one.convert("RGB") for one in pictures(4, side=40).values()]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def bert(home):
    return tiny.bert(home / "tiny-bert")


@pytest.fixture(scope="module")
def clip(home):
    return tiny.clip(home / "clip", "clip")


@pytest.fixture(scope="module")
def siglip(home):
    return tiny.clip(home / "siglip", "siglip")


@pytest.fixture(scope="module")
def vit(home):
    return tiny.vit(home / "vit")


@pytest.fixture(scope="module")
def oc(home):
    return tiny.open_clip_folder(home / "oc", biomed=False)


def pixels(shown, side):
    """Pictures as numbers: bilinear to a square, 0 to 1, then mean and deviation of each channel."""
    small = [one.resize((side, side), Image.Resampling.BILINEAR) for one in shown]
    values = np.stack([np.asarray(one, np.float32) / 255 for one in small])
    return ((values - np.float32(tiny.MEAN)) / np.float32(tiny.STD)).transpose(0, 3, 1, 2)


def close(found, wanted):
    np.testing.assert_allclose(found, wanted.detach().numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["clip", "siglip"])
def test_dual_encoders_of_transformers(clip, siglip, drawn, kind):
    import torch
    from transformers import AutoTokenizer, CLIPModel, SiglipModel

    where = clip if kind == "clip" else siglip
    network = {"clip": CLIPModel, "siglip": SiglipModel}[kind].from_pretrained(where).eval()
    padding = "max_length" if kind == "siglip" else True
    how = {"truncation": True, "max_length": 12, "return_tensors": "pt"}
    tokens = AutoTokenizer.from_pretrained(where)(TEXTS, padding=padding, **how)
    with torch.no_grad():
        text = network.text_model(**{k: v for k, v in tokens.items() if k != "token_type_ids"}).pooler_output
        seen = network.vision_model(pixel_values=torch.tensor(pixels(drawn, 16))).pooler_output
        if kind == "clip":
            text, seen = network.text_projection(text), network.visual_projection(seen)
    images, captions = (open_encoder(str(where), what) for what in ("images", "captions"))
    close(images.encode(drawn), seen)
    close(captions.encode(TEXTS), text)
    assert (images.backend, captions.what, images.name) == ("transformers", "captions", kind)
    assert images.digest != captions.digest


def test_a_text_model_gives_the_mean_of_its_words_and_sapbert_its_first_token(home, bert):
    import torch
    from transformers import AutoTokenizer, BertModel

    given = AutoTokenizer.from_pretrained(bert)(TEXTS, padding=True, return_tensors="pt")
    with torch.no_grad():
        hidden = BertModel.from_pretrained(bert).eval()(**given).last_hidden_state
    rows = [row[mask.bool()] for row, mask in zip(hidden, given["attention_mask"], strict=True)]
    encoder = open_encoder(str(bert))
    close(encoder.encode(TEXTS), torch.stack([row.mean(0) for row in rows]))
    assert encoder.pooling == "mean"
    shutil.copytree(bert, home / "SapBERT-from-PubMedBERT")
    first = open_encoder(str(home / "SapBERT-from-PubMedBERT"))
    close(first.encode(TEXTS), torch.stack([row[0] for row in rows]))


def test_torch_files_are_not_opened_and_are_what_the_way_out_makes_of_them(home, bert):
    where = tiny.bert(home / "as-bin", safe=False)
    with pytest.raises(InputError, match=r"pytorch_model\.bin is a pickle.*It is never opened here") as told:
        open_encoder(str(where))
    recipe = re.search(r'python -c "(.*)"\. Then remove pytorch_model\.bin', str(told.value))[1]
    subprocess.run([sys.executable, "-c", recipe], cwd=where, check=True)
    (where / "pytorch_model.bin").unlink()
    np.testing.assert_allclose(
        open_encoder(str(where)).encode(TEXTS), open_encoder(str(bert)).encode(TEXTS), atol=1e-6
    )


def test_an_image_model_of_transformers(vit, drawn):
    import torch
    from transformers import ViTModel

    with torch.no_grad():
        hidden = ViTModel.from_pretrained(vit).eval()(torch.tensor(pixels(drawn, 16))).last_hidden_state
    close(open_encoder(str(vit)).encode(drawn), hidden[:, 0])


def test_open_clip_with_a_tower_of_its_own(oc, drawn):
    import open_clip
    import torch

    network, shown = open_clip.create_model_from_pretrained(f"local-dir:{oc}")
    with torch.no_grad():
        seen = network.eval().encode_image(torch.stack([shown(one) for one in drawn]))
        text = network.encode_text(open_clip.tokenize(TEXTS, context_length=16))
    close(open_encoder(str(oc), "images").encode(drawn), seen)
    close(open_encoder(str(oc), "captions").encode(TEXTS), text)


def test_biomedclip_finds_its_text_tower_beside_it(home):
    import torch
    from safetensors.torch import load_file
    from transformers import AutoConfig, AutoTokenizer, BertModel

    where = tiny.open_clip_folder(home / "biomed", biomed=True)
    weights = load_file(where / "open_clip_model.safetensors")
    tower = BertModel(AutoConfig.from_pretrained(where / "text"), add_pooling_layer=False).eval()
    start = "text.transformer."
    tower.load_state_dict({k.removeprefix(start): v for k, v in weights.items() if k.startswith(start)})
    given = AutoTokenizer.from_pretrained(where)(
        TEXTS, padding="max_length", truncation=True, max_length=16, return_tensors="pt"
    )
    with torch.no_grad():
        token = tower(given["input_ids"], attention_mask=given["attention_mask"]).last_hidden_state[:, 0]
        wanted = torch.nn.functional.gelu(token @ weights["text.proj.0.weight"].T)
    close(open_encoder(str(where), "captions").encode(TEXTS), wanted @ weights["text.proj.2.weight"].T)
    (where / "text").rename(where / "elsewhere")
    with pytest.raises(
        InputError, match=r"names somebody/no-such-bert for its text tower.*Put the config\.json"
    ):
        open_encoder(str(where), "images")


def test_a_sentence_transformer_says_itself_how_it_pools(home, bert):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    words = Transformer(str(bert))
    pool = Pooling(words.get_embedding_dimension(), pooling_mode="cls")
    where = home / "biolord"
    SentenceTransformer(modules=[words, pool, Normalize()], device="cpu").save(str(where))
    encoder = open_encoder(str(where))
    shutil.copytree(bert, home / "sapbert")
    token = open_encoder(str(home / "sapbert")).encode(TEXTS)
    wanted = token / np.linalg.norm(token, axis=1, keepdims=True)
    np.testing.assert_allclose(encoder.encode(TEXTS), wanted, atol=1e-5)
    modules = json.loads((where / "modules.json").read_text())
    modules[1]["type"] = "custom_st.Mine"
    (where / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(InputError, match=r"modules\.json names the module 'custom_st\.Mine'"):
        open_encoder(str(where))


def test_real_word_vectors_of_wordllama(home):
    from tokenizers import Tokenizer
    from wordllama.inference import WordLlamaInference

    where = tiny.word_llama(home / "wordllama")
    from safetensors.numpy import load_file

    vectors = load_file(where / "model.safetensors")["embedding.weight"]
    wanted = WordLlamaInference(vectors, Tokenizer.from_file(str(where / "tokenizer.json"))).embed(TEXTS)
    encoder = open_encoder(str(where))
    np.testing.assert_allclose(encoder.encode(TEXTS), wanted, rtol=1e-3, atol=1e-4)
    assert encoder.backend == "sentence-transformers"


def test_real_weights_of_efficientnet_lite0(home, drawn, tmp_path, capsys):
    import timm
    import torch
    from safetensors.torch import load_file

    where = tiny.efficientnet_lite0(home / "efficientnet-lite0")
    study = folder(tmp_path)
    assert run(["encode", str(study), "--model", str(where), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["systems"]
    assert (row["backend"], row["dimensions"], row["encoded"]) == ("timm", 1280, 4)
    network = timm.create_model("tf_efficientnet_lite0", pretrained=False, num_classes=1000).eval()
    network.load_state_dict(load_file(where / "model.safetensors"))
    picture = Image.open(study / "images" / "c.png").convert("RGB")
    # 224 / 0.875 = 256 pixels, bicubic; the middle 224; 0 to 1; mean and deviation .5
    middle = picture.resize((256, 256), Image.Resampling.BICUBIC).crop((16, 16, 240, 240))
    values = (np.asarray(middle, np.float32) / 255 - 0.5) / 0.5
    with torch.no_grad():
        wanted = network.forward_head(
            network.forward_features(torch.tensor(values).permute(2, 0, 1)[None]), pre_logits=True
        )
    opened = open_study(study)
    found = opened.embeddings["efficientnet-lite0"]
    np.testing.assert_allclose(found.vectors[found.rows[2]], wanted[0].numpy(), rtol=1e-3, atol=1e-3)
    assert opened.looks["efficientnet-lite0"].reads == ("images",)


WEIGHTS, CONFIG = "model.safetensors", "config.json"
BROKEN = {
    "no config": ({CONFIG: None}, "is not the folder of a supported model. Looked for: open_clip"),
    "half a config": ({CONFIG: b'{"model_type": '}, "config.json cannot be read"),
    "cut": ({WEIGHTS: b"\x10"}, "Check that its files are complete and belong together"),
    "no weights": ({WEIGHTS: None}, "has no weights"),
    "no tokenizer": ({"tokenizer.json": None}, "has no tokenizer"),
    "own code": ({CONFIG: {"auto_map": {"AutoModel": "x.Y"}}}, "own code (auto_map: AutoModel)"),
    "shapes": ({CONFIG: {"hidden_size": 24}}, "cannot be used as"),
    "pickle": ({WEIGHTS: None, "weights.pkl": b"x"}, "weights.pkl is a pickle, which can run code when"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_folders_are_named_with_a_way_out(bert, tmp_path, capsys, case):
    changes, message = BROKEN[case]
    where = shutil.copytree(bert, tmp_path / "model")
    for name, content in changes.items():
        if isinstance(content, dict):
            content = json.dumps(json.loads((where / name).read_text()) | content).encode()
        (where / name).write_bytes(content or b"")
        if content is None:
            (where / name).unlink()
    study = folder(tmp_path)
    assert run(["encode", str(study), "--model", str(where)]) == 2
    error = capsys.readouterr().err
    assert message in error and str(where) in error, error
    assert not any(noise in error for noise in ("Traceback", "Loading weights", "LOAD REPORT"))
    assert not (study / "systems").exists()


def test_what_a_model_does_not_read_is_said(clip, bert):
    with pytest.raises(InputError, match="reads captions, not images"):
        open_encoder(str(bert), "images")
    with pytest.raises(InputError, match=r"reads images and captions\. Choose one of these with --what"):
        open_encoder(str(clip))
    with pytest.raises(InputError, match=r"that torch has a device 'cuda:9'"):
        open_encoder(str(bert), device="cuda:9")


def test_a_model_by_its_name_in_the_workspace(bert, tmp_path, monkeypatch):
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path))
    with pytest.raises(InputError, match=r"There is no folder mine\..*there is none yet"):
        open_encoder("mine")
    shutil.copytree(bert, tmp_path / "models" / "mine")
    assert open_encoder("mine").name == "mine"
    with pytest.raises(InputError, match=r"models \(mine\)"):
        open_encoder("yours")


@pytest.fixture(scope="module")
def sentences(home, bert):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    words = Transformer(str(bert))
    pool = Pooling(words.get_embedding_dimension(), pooling_mode="mean")
    SentenceTransformer(modules=[words, pool], device="cpu").save(str(home / "sentences"))
    return home / "sentences"


@pytest.fixture(scope="module")
def every_route(bert, vit, clip, siglip, sentences, oc):
    """{what it reads: a whole folder} for each way that weights come into a network."""
    return {
        "text": (bert, "captions"),
        "vision": (vit, "images"),
        "clip": (clip, "images"),
        "siglip": (siglip, "captions"),
        "sentences": (sentences, "captions"),
        "open_clip": (oc, "images"),
    }


def with_weights(whole: Path, to: Path, change) -> Path:
    """A copy of a folder whose tensors are what ``change`` makes of them."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(whole, to)
    (file,) = to.glob("*.safetensors")
    save_file(change(load_file(file)), file, metadata={"format": "pt"})
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

        def with_one_more(tensors):
            part = next(name.partition(".")[0] for name in tensors if "." in name)
            return tensors | {f"{part}.unrelated": torch.ones(3)}

        with pytest.raises(InputError, match=r"have more than config\.json says: .*unrelated"):
            open_encoder(str(with_weights(whole, tmp_path / "more", with_one_more)), what)


def test_published_files_with_a_head_and_without_a_pooler_are_read(bert, tmp_path):
    """As those of BertForMaskedLM are: a prefix, a head that ties its weights, positions, and no pooler."""
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


@pytest.mark.parametrize(
    "part", ["weights.pkl", "../evil.bin", "evil.pt", "../evil.safetensors", "evil.txt", "gone.safetensors"]
)
def test_an_index_of_weights_names_files_of_numbers_only(bert, tmp_path, part):
    import torch

    where, mark = tmp_path / "model", tmp_path / "it-ran"
    shutil.copytree(bert, where)
    (where / WEIGHTS).unlink()
    if part != "gone.safetensors":
        torch.save({"x": tiny.Evil(mark)}, where / part)
    index = {"weight_map": {"embeddings.word_embeddings.weight": part}}
    (where / f"{WEIGHTS}.index.json").write_text(json.dumps(index))
    wrong = rf"names '{re.escape(part)}' for some of the weights, which is no \.safetensors file beside it"
    with pytest.raises(InputError, match=wrong):
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
        torch.save({"x": tiny.Evil(mark)}, where / name)
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
            torch.save({"x": tiny.Evil(mark)}, where / name)
        assert (
            open_encoder(str(where)).encode(TEXTS).tolist() == open_encoder(str(whole)).encode(TEXTS).tolist()
        )
        assert not mark.exists()


def test_sharded_weights_are_read(home, tmp_path):
    from transformers import BertModel

    whole = tiny.bert(tmp_path / "bert")
    shutil.copytree(whole, tmp_path / "shards")
    (tmp_path / "shards" / WEIGHTS).unlink()
    BertModel.from_pretrained(whole).save_pretrained(tmp_path / "shards", max_shard_size="3KB")
    assert len(list((tmp_path / "shards").glob("*.safetensors"))) > 1
    found, wanted = (open_encoder(str(one)).encode(TEXTS) for one in (tmp_path / "shards", whole))
    np.testing.assert_allclose(found, wanted, atol=1e-6)


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

    mark, config = tmp_path / "it-ran", {"architecture": "test_vit", "model_args": arguments}
    (tmp_path / CONFIG).write_text(json.dumps(config))
    (tmp_path / WEIGHTS).write_bytes(b"")
    torch.save({"x": tiny.Evil(mark)}, tmp_path / "evil.pth")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=said):
        open_encoder(str(tmp_path))
    assert not mark.exists()


def test_an_image_tower_of_open_clip_is_no_place(every_route, tmp_path):
    where = shutil.copytree(every_route["open_clip"][0], tmp_path / "oc")
    settings = json.loads((where / "open_clip_config.json").read_text())
    settings["model_cfg"]["vision_cfg"]["timm_model_name"] = "local-dir:/tmp/evil"
    (where / "open_clip_config.json").write_text(json.dumps(settings))
    with pytest.raises(InputError, match="which is a place and not an architecture"):
        open_encoder(str(where), "images")


@pytest.mark.parametrize("route", ["clip", "open_clip"])
def test_a_model_of_images_and_texts_goes_both_ways(route, every_route, tmp_path, capsys):
    clip, _ = every_route[route]
    study = folder(tmp_path)
    ids = sorted(CAPTIONS)
    texts = {f"text-{image}": CAPTIONS[image] for image in ids}
    rows = [f'{query},text,"{text}",C0000001' for query, text in texts.items()]
    rows += [f"{image},image,," for image in ids]
    (study / "queries.csv").write_text("\n".join(["id,kind,text,concepts", *rows]) + "\n")
    (study / "pairs.csv").write_text("query,candidate\n" + "".join(f"text-{i},{i}\n" for i in ids))
    assert run(["encode", str(study), "--model", str(clip), "--what", "images"]) == 0
    capsys.readouterr()

    seen, read = (open_encoder(str(clip), what) for what in ("images", "captions"))
    files = sorted((study / "images").iterdir())
    picture = {file.stem: seen.encode([Image.open(file)])[0] for file in files}
    unit = lambda rows: rows / np.linalg.norm(rows, axis=1, keepdims=True)  # noqa: E731
    gallery = [image for image in open_study(study).image_ids if image in picture]
    cosines = (
        unit(np.stack([read.encode([text])[0] for text in texts.values()]))
        @ unit(np.stack([picture[image] for image in gallery])).T
    )
    matched = np.array([gallery.index(image) for image in ids])
    to_image = 1 + (cosines > cosines[np.arange(len(ids)), matched][:, None]).sum(axis=1)
    own = cosines[:, matched]
    to_text = 1 + (np.diag(own)[:, None] < own.T).sum(axis=1)
    for direction, ranks in (("text->image", to_image), ("image->text", to_text)):
        asked = ["--where", f"direction={direction}", "--metric", "R@2", "--metric", "MedR(pairs)", "--json"]
        assert run(["score", str(study), "--system", clip.name, *asked]) == 0
        means = [row["mean"] for row in json.loads(capsys.readouterr().out)["scores"]]
        assert means == pytest.approx([np.mean(ranks <= 2), np.median(ranks)])
