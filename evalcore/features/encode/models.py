"""The encoder of a name: a baseline, or a local folder run by the library that its files are made for.

open_clip (BiomedCLIP and other CLIP models), transformers (CLIP, SigLIP and their like; image models such
as RAD-DINO), sentence-transformers (BioLORD; also plain text models such as SapBERT) and timm, behind the
extra ``models``: one table of loaders. Nothing is downloaded, weights are read from safetensors only, and
code of a model's own is never run.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcore.features.encode.baselines import BASELINES, PREFIX
from evalcore.features.encode.encoding import Encoder, What
from evalcore.study.tables.files import open_file
from evalcore.study.tables.problems import truncate, try_call
from evalcore.study.workspace.home import models_folder
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.extras import needs
from evalcore.values.writing import listed, words

if TYPE_CHECKING:
    import numpy.typing as npt

# A folder with a trained model: what is in it, and where its weights are. Nothing is loaded or run.
#
# Weights are read as numbers only, from ``.safetensors``: pickles, as torch writes them too, can run code
# when they are opened, and are refused with a way out.

SAFE, WHOLE = ".safetensors", "model.safetensors"
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".joblib", ".dill")
MAX_JSON = 64 << 20


class ModelFolder:
    """A folder and the files in it and in folders directly below (paths below it, by name)."""

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))
        both = (*self.path.glob("*"), *self.path.glob("*/*"))
        places = (file.relative_to(self.path) for file in both if file.is_file())
        self.files = sorted(p.as_posix() for p in places if not any(part[0] == "." for part in p.parts))

    def json(self, name: str) -> Any:
        """What is in a JSON file; InputError when it cannot be read."""
        try:
            with open_file(self.path / name) as stream:
                return json.loads(stream.read(MAX_JSON))
        except (OSError, ValueError, RecursionError) as reason:
            message = f"{self.path / name} cannot be read: {truncate(reason)}."
            raise InputError(f"{message} Copy it again from where the model is published.") from reason

    def weights(self, preferred: str = WHOLE, *, below: str = "") -> str:
        """The file of weights in the folder, or in one ``below`` it: that of this name, else the first.

        "" without any. InputError where pickles are there instead, with what to do about them, and where an
        index of several files names others.
        """
        here = [name for name in self.files if name.rpartition("/")[0] == below]
        start = f"{below}/" if below else ""
        index = f"{start}{WHOLE}.index.json"
        for part in map(str, self.json(index)["weight_map"].values() if index in here else ()):
            if not part.endswith(SAFE) or f"{start}{part}" not in here:
                raise InputError(
                    f"{self.path / index} names {truncate(part)!r} for some of the weights, which is no "
                    f"{SAFE} file beside it. Copy all files of the weights and their index from one place."
                )
        safe = [name for name in here if name.endswith(SAFE)]
        pickles = [name for name in here if name.endswith(PICKLES)]
        if pickles and not safe:
            raise InputError(
                f"{self.path / pickles[0]} is a pickle, which can run code when it is opened. It is never "
                f"opened here. Where you trust it, put {WHOLE} in its place, made as the guide Make systems "
                "shows."
            )
        return min(safe, key=lambda name: name != f"{start}{preferred}", default="")

    def digest(self) -> str:
        """Of all files of the model, its weights and settings: another one is another model."""
        contents = []
        for name in self.files:
            if name.endswith((SAFE, ".json", ".txt", ".model")):
                with open_file(self.path / name) as stream:
                    state = hashlib.file_digest(stream, hashlib.blake2b)  # type: ignore[arg-type]  # a BufferedReader
                    contents += [name, state.hexdigest()]
        return digest_of(contents)


class Loaded(NamedTuple):
    """A model that is open.

    forward: from a batch of RGB pictures or of texts to a tensor of a row each. pooling: how a vector comes
    out of the parts of an image or text. side: of the pictures it looks at, in pixels.
    """

    forward: Callable[[list[Any]], Any]
    pooling: str
    side: int = 224
    batch: int = 16


Load = Callable[[ModelFolder, What, str], Loaded]
"""Opens the model in a folder; given what it is to read, and a device."""
PROJECTED = "projected features"
"""The pooling of models of images and texts."""

# open_clip.

OPEN_CLIP = "open_clip_config.json"


def _open_clip(folder: ModelFolder, what: What, device: str) -> Loaded:
    """``encode_image`` or ``encode_text``.

    The settings of a text tower out of transformers, for which open_clip asks the hub by ``hf_model_name``,
    are taken from the folder ``text`` below the model's.
    """
    text = folder.json(OPEN_CLIP)["model_cfg"]["text_cfg"]
    name, tower = text.get("hf_model_name"), folder.path / "text"
    if name and "text/config.json" not in folder.files:
        raise InputError(
            f"{folder.path / OPEN_CLIP} names {name} for its text tower, and its settings are not here. Put "
            f"the config.json of {name} into {tower}; its weights are not needed."
        )
    if name:
        _part(tower, "AutoConfig")  # one that asks for code of its own is refused
    local = {"text_cfg": {**text, "hf_model_name": str(tower), "hf_model_pretrained": False}}
    weights = folder.path / folder.weights("open_clip_model.safetensors")
    library, place = import_optional("open_clip"), f"local-dir:{folder.path}"
    logging.getLogger().addFilter(_no_weights_yet)
    network, _, transform = library.create_model_and_transforms(
        place, load_weights=False, pretrained_text=False, device=device, **(local if name else {})
    )
    library.load_checkpoint(network, str(weights))
    network.eval()
    if what == "captions":
        if text.get("hf_tokenizer_name"):
            _tokenizer(folder.path)
        tokenizer = library.get_tokenizer(place)
        return Loaded(lambda texts: network.encode_text(tokenizer(texts).to(device)), PROJECTED)
    stack = _stacked(transform, device)
    return Loaded(lambda pictures: network.encode_image(stack(pictures)), PROJECTED, _side(network.visual))


def _no_weights_yet(record: logging.LogRecord) -> bool:
    """Drop the warning of open_clip about a network before its weights are loaded."""
    return "initialized randomly" not in record.getMessage()


# transformers: one tower for images and one for texts, or an image model.

DUAL = ("clip", "siglip", "siglip2", "chinese_clip", "align", "altclip")
"""``model_type`` of models with a tower for images and one for texts."""
_TO_LENGTH = ("siglip", "siglip2")
"""Trained on texts that were padded to their full length: shorter ones give other vectors."""


def _transformers(folder: ModelFolder, what: What, device: str) -> Loaded:
    """Features that both towers are projected to; of an image model the token that stands for the whole.

    A convolutional network has no such token: the mean over all places.
    """
    folder.weights()
    network = _network(folder.path, device)
    config = network.config
    if what == "captions":
        tokenizer = _tokenizer(folder.path)
        padding = "max_length" if config.model_type in _TO_LENGTH else "longest"
        length = config.text_config.max_position_embeddings
        how = {"padding": padding, "truncation": True, "max_length": length, "return_tensors": "pt"}
        return Loaded(
            lambda texts: network.get_text_features(**tokenizer(texts, **how).to(device)).pooler_output,
            PROJECTED,
        )
    # With Pillow, wherever it runs.
    processor = _part(folder.path, "AutoImageProcessor", backend="pil")

    def forward(pictures: list[Any]) -> Any:
        pixels = processor(images=pictures, return_tensors="pt").to(device)
        if config.model_type in DUAL:
            return network.get_image_features(**pixels).pooler_output
        hidden = network(**pixels).last_hidden_state
        return hidden.mean(dim=(2, 3)) if hidden.ndim == 4 else hidden[:, 0]

    if config.model_type in DUAL:
        return Loaded(forward, PROJECTED, _side(config.vision_config))
    return Loaded(forward, "cls", _side(config))


def _part(path: Path, kind: str, **how: Any) -> Any:
    """What a class of transformers, such as ``AutoModel``, makes of a folder: without asking the hub, and
    without code that is in the folder."""
    alone = {"local_files_only": True, "trust_remote_code": False}
    return getattr(import_optional("transformers"), kind).from_pretrained(path, **alone, **how)


def _tokenizer(path: Path) -> Any:
    """The tokenizer of a folder; InputError without one, where transformers makes one of no words."""
    tokenizer = _part(path, "AutoTokenizer")
    if len(tokenizer) <= len(tokenizer.all_special_ids):
        raise InputError(
            f"{path} has no tokenizer, so captions cannot be read. Put tokenizer.json (or vocab.txt), "
            "tokenizer_config.json and special_tokens_map.json of the model beside its weights."
        )
    return tokenizer


def _network(path: Path, device: str) -> Any:
    """The network of a folder with the weights in it.

    Raises
    ------
    InputError
        It did not get all of its weights, which would be random numbers, or got those of a larger network.
        A pooler, which no vector comes out of, may be missing; left over may be the head of a published
        model, and buffers that the network computes itself.
    """
    network, info = _part(path, "AutoModel", use_safetensors=True, output_loading_info=True)
    parts, prefix = {name for name, _ in network.named_children()}, f"{network.base_model_prefix}."
    buffers = {name.rpartition(".")[2] for name, _ in network.named_buffers()}
    missing = (name for name in info["missing_keys"] if "pooler" not in name.split("."))
    more = (
        name
        for name in info["unexpected_keys"]
        if name.removeprefix(prefix).partition(".")[0] in parts and name.rpartition(".")[2] not in buffers
    )
    for fault, names in (("lack", sorted(missing)), ("have more than config.json says:", sorted(more))):
        if names:
            raise InputError(
                f"The weights in {path} {fault} {listed(names, limit=3)}. They belong to another model than "
                "config.json says; copy both from one place."
            )
    return network.to(device).eval()


def _side(vision: Any) -> int:
    """The side of the pictures that an image tower, or its settings, looks at."""
    size = getattr(vision, "image_size", 224)
    return int(max(size) if isinstance(size, (list, tuple)) else size)


# sentence-transformers, which also reads the text models of transformers.

WITH_CLS = "sapbert"
"""Part of the names of models that were trained on the vector of their first token."""


def _sentences(folder: ModelFolder, _what: What, device: str) -> Loaded:
    """A model of sentence-transformers, pooled as its own modules say, or a text model of transformers.

    A text model, which declares no pooling, gives the mean over the words, SapBERT its first token. The
    library itself refuses modules that are not its own.
    """
    modules = folder.json("modules.json") if "modules.json" in folder.files else []
    places = [module.get("path", "") for module in modules] or [""]
    looked_into = {name.rpartition("/")[0] for name in folder.files}
    for place in places:
        if place not in looked_into and os.path.lexists(folder.path / place):
            raise InputError(
                f"{folder.path / 'modules.json'} names the folder {truncate(place)!r}, which is not directly "
                "in that of the model, so what is in it is not checked. Put its files there."
            )
        folder.weights(below=place)
    model = import_optional("sentence_transformers").SentenceTransformer(
        str(folder.path),
        device=device,
        local_files_only=True,
        trust_remote_code=False,
        model_kwargs={"use_safetensors": True},
    )
    pooling = "as set in its modules"
    if not modules:
        name = f"{folder.path.name} {folder.json('config.json').get('_name_or_path', '')}".lower()
        pooling = "cls" if WITH_CLS in name else "mean"
        model[1] = type(model[1])(model[0].get_embedding_dimension(), pooling)
    for place, part in zip(places, model, strict=False):
        if getattr(part, "auto_model", None) is not None:
            # The library does not say whether a network got its own weights and words: read them once more.
            _network(folder.path / place, "cpu")
            _tokenizer(folder.path / place)
    how = {"show_progress_bar": False, "convert_to_tensor": True}
    return Loaded(lambda texts: model.encode(texts, batch_size=len(texts), **how), pooling, batch=32)


# timm.


def _timm(folder: ModelFolder, _what: What, device: str) -> Loaded:
    """A model of timm without its classifier, as ``config.json`` beside its weights describes it.

    timm builds the network, and refuses arguments that are not of its form, such as files to open; the
    weights are put in here.
    """
    weights = folder.path / folder.weights()
    timm, data = import_optional("timm"), import_optional("timm.data")
    network = timm.create_model(f"local-dir:{folder.path}", pretrained=False, num_classes=0)
    heads = network.pretrained_cfg.get("classifier") or ()
    heads = (heads,) if isinstance(heads, str) else heads
    own, tensors = network.state_dict(), import_optional("safetensors.torch").load_file(weights)
    network.load_state_dict(
        {name: t for name, t in tensors.items() if name in own or name.rpartition(".")[0] not in heads}
    )
    network.to(device).eval()
    form = data.resolve_data_config({}, model=network)
    stack = _stacked(data.create_transform(**form, is_training=False), device)
    pooling = str(folder.json("config.json").get("global_pool") or "as the architecture does")
    return Loaded(lambda pictures: network(stack(pictures)), pooling, int(max(form["input_size"][1:])))


# What all have in common.

OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")
PACKAGES = words(
    "torch, torchvision, transformers, tokenizers, sentence-transformers, open_clip_torch, timm, pillow"
)
"""That decide the numbers of a model."""


def _stacked(transform: Callable[[Any], Any], device: str) -> Callable[[list[Any]], Any]:
    """Pictures, each transformed to a tensor, as one."""
    torch = import_optional("torch")
    return lambda pictures: torch.stack([transform(picture) for picture in pictures]).to(device)


def import_optional(name: str) -> Any:
    """An optional package, never asking a network; InputError with the remedy where it cannot be imported."""
    os.environ.update(dict.fromkeys(OFFLINE, "1"))
    with needs("models", "This encoder"):
        return import_module(name)


def _guarded(work: Callable[[], Any], message: str, way_out: str) -> Any:
    """The result of a library; its errors become an InputError."""
    result, reason = try_call(work)
    if reason is None:
        return result
    if isinstance(reason, (InputError, MemoryError)):
        raise reason
    raise InputError(f"{message}: {' '.join(str(reason).split())[:300].rstrip('.')}. {way_out}") from reason


# Which loader a folder has, and what can be opened.

BOTH: tuple[What, What] = ("images", "captions")


def loader_of(folder: ModelFolder) -> tuple[str, tuple[What, ...], Load]:
    """Which library runs a folder, what it can encode, and what opens it, by its files.

    InputError when no library can, with the files looked for.
    """
    if OPEN_CLIP in folder.files:
        return "open_clip", BOTH, _open_clip
    config = folder.json("config.json") if "config.json" in folder.files else {}
    kind = config.get("model_type")
    if kind in DUAL:
        return "transformers", BOTH, _transformers
    if kind and "preprocessor_config.json" in folder.files:
        return "transformers", ("images",), _transformers
    if kind or "modules.json" in folder.files:
        return "sentence-transformers", ("captions",), _sentences
    if config.get("architecture"):
        return "timm", ("images",), _timm
    raise InputError(
        f"{folder.path} is not the folder of a supported model. Looked for: {OPEN_CLIP} (open_clip, such as "
        "BiomedCLIP), modules.json (sentence-transformers, such as BioLORD), config.json with model_type "
        "(transformers: CLIP, SigLIP, ViT, BERT), config.json with architecture (timm). It contains: "
        f"{', '.join(folder.files[:8]) or 'nothing'}."
    )


def open_encoder(model: str, what: What | None = None, *, device: str = "cpu") -> Encoder:
    """The encoder that a user names.

    Parameters
    ----------
    model : "baseline:NAME", a folder, or the name of a folder in ``models`` of the workspace.
    what : what it is to read; needed where it can read both.
    device : where a trained model runs.

    Raises
    ------
    UnknownName
        There is no such baseline.
    InputError
        There is no such model, no library knows it, a package is missing, its files are broken or would run
        code, or it does not read ``what``.
    """
    if model.startswith(PREFIX):
        name = model.removeprefix(PREFIX)
        if name not in BASELINES:
            raise UnknownName("baseline", name, BASELINES)
        _choice(model, what, (BASELINES[name].what,))
        return BASELINES[name]
    path = _folder_named(model)

    def load() -> Encoder:
        folder = ModelFolder(path)
        library, reads, open_in = loader_of(folder)
        read = _choice(model, what, reads)
        if library != "timm":  # `_network` reports weights that cannot be used
            import_optional("transformers").utils.logging.disable_progress_bar()
            logging.getLogger("transformers").setLevel(logging.CRITICAL + 1)
        loaded = open_in(folder, read, device)

        def encode(items: Sequence[Any]) -> npt.NDArray[Any]:
            batch = [item.convert("RGB") for item in items] if read == "images" else list(items)
            with import_optional("torch").inference_mode():
                rows: npt.NDArray[Any] = loaded.forward(batch).float().cpu().numpy()
            return rows

        return Encoder(
            name=folder.path.name,
            title=f"{folder.path.name} ({library})",
            what=read,
            backend=library,
            encode=lambda items: _guarded(
                partial(encode, items),
                f"The model in {path} cannot encode this input",
                "Check its settings, and that its tokenizer is the one that it was published with.",
            ),
            digest=digest_of(folder.digest(), read, loaded.pooling),
            pooling=loaded.pooling,
            versions={name: version(name) for name in PACKAGES if try_call(partial(version, name))[0]},
            side=loaded.side,
            batch=loaded.batch,
            texts=None if read == reads[-1] else partial(open_encoder, model, "captions", device=device),
        )

    encoder: Encoder = _guarded(
        load,
        f"{path} cannot be used as a model",
        f"Check that its files are complete and belong together, and that torch has a device {device!r}.",
    )
    return encoder


def _choice(model: str, what: What | None, reads: tuple[What, ...]) -> What:
    """What a model is to read of all that it can; InputError where that is not clear."""
    read = what or reads[0]
    if read not in reads or (what is None and len(reads) > 1):
        raise InputError(
            f"{model} reads {' and '.join(reads)}{f', not {what}' if what else ''}. Choose one of these with "
            "--what, or another model."
        )
    return read


def _folder_named(name: str) -> Path:
    """The folder of a model: the path as it is, else that name in the folder for models."""
    usual = models_folder()
    for path in (os.path.expanduser(name), usual / name):  # noqa: PTH111 -- never raises
        if os.path.isdir(path):  # noqa: PTH112
            return Path(path)
    names = ", ".join(sorted(path.name for path in usual.iterdir())) if usual.is_dir() else ""
    raise InputError(
        f"There is no folder {name}. Give the folder of a model, baseline:NAME, or the name of one in {usual}"
        f" ({names or 'there is none yet'})."
    )
