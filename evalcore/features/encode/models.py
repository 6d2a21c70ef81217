"""Trained encoders from local folders, each run by the library its files are made for.

open_clip (BiomedCLIP and other CLIP models), transformers (CLIP, SigLIP and their like; image models such
as RAD-DINO), sentence-transformers (BioLORD; also plain text models such as SapBERT) and timm, behind the
extra ``models``. Nothing is downloaded, weights are read from safetensors only, and code of a model's own
is never run.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from evalcore.features.encode.encoding import Encoder, What
from evalcore.features.encode.read import ModelFolder, content_digest, pickled, read_model_folder, weights_of
from evalcore.study.tables.problems import truncate, try_call
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.extras import is_installed, missing_package, remedy
from evalcore.values.writing import words

if TYPE_CHECKING:
    import numpy.typing as npt

Encode = Callable[[Sequence[Any]], "npt.NDArray[Any]"]
WHOLE, SHARDED = "model.safetensors", "model.safetensors.index.json"
"""The weights of a network of transformers, in one file or in several that an index names."""


# open_clip.

OPEN_CLIP = "open_clip_config.json"
_OPEN_CLIP_WEIGHTS = words(
    """
    open_clip_model.safetensors, open_clip_pytorch_model.safetensors, open_clip_pytorch_model.bin,
    open_clip_pytorch_model.pth, model.safetensors, pytorch_model.bin, pytorch_model.pth, model.pth
    """
)
"""In the order in which open_clip takes them."""


def open_clip_encoder(folder: ModelFolder, what: What, *, device: str) -> Encoder:
    """``encode_image`` or ``encode_text`` of the model in a folder.

    The settings of a text tower out of transformers, for which open_clip asks the hub by ``hf_model_name``,
    are taken from the folder ``text`` below the model's, or from a folder of that name beside it.
    """
    settings = folder.json(OPEN_CLIP).get("model_cfg")
    towers = settings if isinstance(settings, dict) else {}
    if not all(isinstance(towers.get(key), dict) for key in ("text_cfg", "vision_cfg")):
        raise InputError(
            f"{folder.path / OPEN_CLIP} has no model_cfg with the tables text_cfg and vision_cfg. Copy "
            "it again from where the model is published."
        )
    text, vision = towers["text_cfg"], towers["vision_cfg"]
    if ":" in str(vision.get("timm_model_name", "")):
        raise InputError(
            f"{folder.path / OPEN_CLIP} names {truncate(vision['timm_model_name'])!r} for its image tower, "
            "which is a place and not an architecture of timm. Copy it again from where the model is "
            "published."
        )
    weights_of(folder, *_OPEN_CLIP_WEIGHTS)
    tower = _text_tower(folder, text)
    if text.get("hf_tokenizer_name") and what == "captions":
        check_tokenizer(folder)
    library, torch, device = needed("open_clip"), needed("torch"), device_named(device)
    place, title = f"local-dir:{folder.path}", f"{folder.name} (open_clip)"
    local = {} if tower is None else {"hf_model_name": str(tower.path), "hf_model_pretrained": False}
    more = {"text_cfg": {**text, **local}} if local else {}
    network, transform = guarded(
        lambda: library.create_model_from_pretrained(place, device=device, **more), folder.path, title
    )
    network.eval()
    tokenizer: Any = None
    if what == "captions":
        tokenizer = guarded(lambda: library.get_tokenizer(place), folder.path, title)

    def encode(items: Sequence[Any]) -> npt.NDArray[Any]:
        with torch.inference_mode():
            if tokenizer is not None:
                return rows_of(network.encode_text(tokenizer(list(items)).to(device)))
            pictures = torch.stack([transform(picture.convert("RGB")) for picture in items])
            return rows_of(network.encode_image(pictures.to(device)))

    length = int(text.get("context_length", 77))
    described = "" if tower is None else repr(sorted(tower.json("config.json").items()))
    return Encoder(
        name=folder.name,
        title=title,
        what=what,
        backend="open_clip",
        encode=encode,
        digest=digest_of(content_digest(folder), what, "features", described),
        pooling="projected features" + ("" if what == "images" else f" of at most {length} tokens"),
        versions=versions_of("torch", "torchvision", "open_clip_torch", "timm", "transformers", "pillow"),
        side=_side_of(vision),
    )


def _text_tower(folder: ModelFolder, text: Mapping[str, Any]) -> ModelFolder | None:
    """The folder with the settings of a text tower that is only named; None for one of open_clip's own."""
    name = text.get("hf_model_name")
    if not name:
        return None
    beside = folder.path.parent / str(name).rpartition("/")[2]
    for place in (folder.path / "text", folder.path / str(name), beside, folder.path):
        if (place / "config.json").is_file():
            return read_model_folder(place)  # refuses code of its own
    raise InputError(
        f"{folder.path / OPEN_CLIP} names {name} for its text tower, and its settings are not here. Put "
        f"the config.json of {name} into {folder.path / 'text'}; its weights are not needed."
    )


# transformers: one tower for images and one for texts, or an image model.

DUAL = ("clip", "siglip", "siglip2", "chinese_clip", "align", "altclip")
"""``model_type`` of models with a tower for images and one for texts."""
_TO_LENGTH = ("siglip", "siglip2")
"""Trained on texts that were padded to their full length: shorter ones give other vectors."""


def dual_encoder(folder: ModelFolder, what: What, *, device: str) -> Encoder:
    """``get_image_features`` or ``get_text_features`` of the model in a folder."""
    check_weights(folder)
    device, settings = device_named(device), folder.json("config.json")
    kind = settings["model_type"]
    title = f"{folder.name} ({kind})"
    network = _network(folder, title, pooler=True).to(device).eval()
    usual = 77 if kind == "clip" else 64
    length = int(settings.get("text_config", {}).get("max_position_embeddings", usual))
    if what == "images":
        processor = _processor(folder, title)

        def encode(items: Sequence[Any]) -> npt.NDArray[Any]:
            pixels = processor(images=[picture.convert("RGB") for picture in items], return_tensors="pt")
            return _features(network.get_image_features, pixels.to(device))
    else:
        check_tokenizer(folder)
        tokenizer = _from_folder(folder, "AutoTokenizer", title)
        padding = "max_length" if kind in _TO_LENGTH else "longest"
        how = {"padding": padding, "truncation": True, "max_length": length, "return_tensors": "pt"}

        def encode(items: Sequence[Any]) -> npt.NDArray[Any]:
            return _features(network.get_text_features, tokenizer(list(items), **how).to(device))

    return Encoder(
        name=folder.name,
        title=title,
        what=what,
        backend="transformers",
        encode=encode,
        digest=digest_of(content_digest(folder), what, "features"),
        pooling="projected features" + ("" if what == "images" else f" of at most {length} tokens"),
        versions=versions_of("torch", "transformers", "tokenizers", "pillow"),
        side=_side_of(settings),
    )


def vision_encoder(folder: ModelFolder, _what: What, *, device: str) -> Encoder:
    """An image model of transformers: the token that stands for the whole image.

    Of a convolutional network, which has none, the mean over all places.
    """
    check_weights(folder)
    torch, device, settings = needed("torch"), device_named(device), folder.json("config.json")
    title = f"{folder.name} ({settings['model_type']})"
    network = _network(folder, title, pooler=False).to(device).eval()
    processor = _processor(folder, title)

    def encode(pictures: Sequence[Any]) -> npt.NDArray[Any]:
        pixels = processor(images=[picture.convert("RGB") for picture in pictures], return_tensors="pt")
        with torch.inference_mode():
            hidden = network(**pixels.to(device)).last_hidden_state
        return rows_of(hidden.mean(dim=(2, 3)) if hidden.ndim == 4 else hidden[:, 0])

    return Encoder(
        name=folder.name,
        title=title,
        what="images",
        backend="transformers",
        encode=encode,
        digest=digest_of(content_digest(folder), "images", "cls"),
        pooling="cls",
        versions=versions_of("torch", "transformers", "pillow"),
        side=_side_of(settings),
    )


def _features(call: Any, inputs: Any) -> npt.NDArray[Any]:
    """The features of a batch as rows; transformers 5 may give them within an object."""
    with needed("torch").inference_mode():
        features = call(**inputs)
    return rows_of(features if hasattr(features, "cpu") else features.pooler_output)


def _from_folder(folder: ModelFolder, kind: str, title: str, **how: Any) -> Any:
    """What a class of transformers, such as ``AutoModel``, makes of a folder without asking the hub."""
    maker = getattr(needed("transformers"), kind)
    return guarded(
        lambda: maker.from_pretrained(folder.path, local_files_only=True, **how), folder.path, title
    )


def _network(folder: ModelFolder, title: str, *, pooler: bool) -> Any:
    """The network of a folder with the weights in it, all of them and no others; see `check_loaded`."""
    network, info = _from_folder(folder, "AutoModel", title, **_LOADING)
    check_loaded(network, info, folder.path, pooler=pooler)
    return network


_LOADING = {"use_safetensors": True, "output_loading_info": True, "ignore_mismatched_sizes": True}


def _processor(folder: ModelFolder, title: str) -> Any:
    """What brings pictures to the size and scale of the model: with Pillow, wherever it runs."""
    old = needed("transformers").__version__.startswith("4.")
    with_pillow: dict[str, Any] = {"use_fast": False} if old else {"backend": "pil"}
    return _from_folder(folder, "AutoImageProcessor", title, **with_pillow)


def _side_of(settings: Mapping[str, Any]) -> int:
    """The side of the pictures a model looks at, as its settings say."""
    seen = settings.get("vision_config")
    size = (seen if isinstance(seen, dict) else settings).get("image_size", 224)
    return int(max(size) if isinstance(size, (list, tuple)) else size)


# sentence-transformers, which also reads the text models of transformers.

WITH_CLS = "sapbert"
"""Part of the names of models that were trained on the vector of their first token."""
_MODULES = ("Transformer", "Pooling", "Normalize", "Dense", "StaticEmbedding", "LayerNorm")
"""Parts of a sentence-transformers model that are the library's own."""


def sentence_encoder(folder: ModelFolder, _what: What, *, device: str) -> Encoder:
    """A model of sentence-transformers, pooled as its own modules say, or a text model of transformers.

    A text model, which says nothing of pooling, gives the mean over the words, SapBERT its first token.
    """
    has_modules = folder.has("modules.json")
    pooling = _pooling(folder) if has_modules else _pooling_of_text_model(folder)
    check_weights(folder, modules=has_modules)
    check_tokenizer(folder)
    library, device = needed("sentence_transformers"), device_named(device)
    title = f"{folder.name} (sentence-transformers)"
    offline: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}

    def load() -> Any:
        if has_modules:
            arguments = {"model_kwargs": {"use_safetensors": True}, "device": device}
            return library.SentenceTransformer(str(folder.path), **arguments, **offline)
        parts = import_module("sentence_transformers.models")
        tokens = parts.Transformer(str(folder.path), model_args={"use_safetensors": True, **offline})
        pool = parts.Pooling(tokens.get_word_embedding_dimension(), pooling_mode=pooling)
        return library.SentenceTransformer(modules=[tokens, pool], device=device)

    model = guarded(load, folder.path, title)
    _check_modules(folder, model, title)
    length = "" if model.max_seq_length is None else f" of at most {model.max_seq_length} tokens"

    def encode(texts: Sequence[Any]) -> npt.NDArray[Any]:
        how = {"show_progress_bar": False, "convert_to_numpy": True}
        rows: npt.NDArray[Any] = model.encode(list(texts), batch_size=len(texts), **how)
        return rows

    return Encoder(
        name=folder.name,
        title=title,
        what="captions",
        backend="sentence-transformers",
        encode=encode,
        digest=digest_of(content_digest(folder), "captions", pooling),
        pooling=pooling if has_modules else pooling + length,
        versions=versions_of("torch", "transformers", "sentence-transformers", "tokenizers"),
        batch=32,
    )


def _pooling_of_text_model(folder: ModelFolder) -> str:
    name = f"{folder.name} {folder.json('config.json').get('_name_or_path', '')}".lower()
    return "cls" if WITH_CLS in name else "mean"


def _pooling(folder: ModelFolder) -> str:
    """How the modules of a folder make one vector; InputError for modules of somebody else's code."""
    path, modules = folder.path / "modules.json", folder.json_list("modules.json")
    kinds = [str(module.get("type", "")) for module in modules]
    for kind in kinds:
        if not kind.startswith("sentence_transformers.") or kind.rpartition(".")[2] not in _MODULES:
            raise InputError(
                f"{path} names the module {kind!r}, which is not one of {', '.join(_MODULES)} of "
                "sentence-transformers. Code of a model's own is never run here; encode the captions where "
                "you trust it, and add the vectors as a system."
            )
    if any(kind.endswith("StaticEmbedding") for kind in kinds):
        return "mean of static word vectors"
    for kind, module in zip(kinds, modules, strict=True):
        name = f"{module.get('path', '')}/config.json".lstrip("/")
        if kind.endswith("Pooling") and folder.has(name):
            settings = folder.json(name)
            modes = [key.removeprefix("pooling_mode_") for key, on in settings.items() if on is True]
            mode = settings.get("pooling_mode") or modes
            return ("+".join(mode) if isinstance(mode, list) else str(mode)) or "as set in its modules"
    return "as set in its modules"


def _check_modules(folder: ModelFolder, model: Any, title: str) -> None:
    """InputError when a network within the model did not get its own weights: the library does not say so."""
    modules = folder.json_list("modules.json") if folder.has("modules.json") else [{}]
    for module, part in zip(modules, model, strict=False):
        network = getattr(part, "auto_model", None)
        if network is not None:
            where = folder.path / str(module.get("path", ""))
            again = partial(type(network).from_pretrained, where, local_files_only=True, **_LOADING)
            _, info = guarded(again, folder.path, title)
            check_loaded(network, info, where, pooler=False)


# timm.

MODEL_ARGS = frozenset(
    words(
        """
        act_layer, channels, class_token, depth, depths, dims, drop_path_rate, drop_rate, dynamic_img_pad,
        dynamic_img_size, embed_dim, feature_size, fc_norm, final_norm, global_pool, img_size, in_chans,
        init_values, kernel_size, layers, ls_init_value, mlp_layer, mlp_ratio, no_embed_class, norm_layer,
        num_heads, patch_size, pool_include_prefix, pos_drop_rate, pos_embed, pre_norm, proj_bias, qk_norm,
        qkv_bias, ref_feat_shape, reg_tokens, rope_type, stem_type, stem_width, use_abs_pos_emb, use_fc_norm,
        use_rel_pos_bias, use_rot_pos_emb, use_shared_rel_pos_bias, weight_init, window_size
        """
    )
)
"""Arguments of timm's networks that say their form; others could name files to open or code to run."""
_CLASSIFIERS = ("classifier.", "head.fc.", "head.", "fc.", "heads.", "head_dist.")
"""Beginnings of the names of a classifier, which an encoder has no use for."""


def timm_encoder(folder: ModelFolder, _what: What, *, device: str) -> Encoder:
    """A model of timm without its classifier, as ``config.json`` beside its weights describes it."""
    path, settings = folder.path / "config.json", folder.json("config.json")
    architecture, weights = str(settings["architecture"]), folder.path / weights_of(folder, WHOLE)
    timm, torch, data = needed("timm"), needed("torch"), needed("timm.data")
    device = device_named(device)
    if architecture not in timm.list_models():
        raise InputError(
            f"{path} names the architecture {architecture!r}, which timm {timm.__version__} does not know. "
            "Correct it, or install the version of timm that the model was made with."
        )
    arguments = settings.get("model_args") or {}
    if not isinstance(arguments, dict) or not MODEL_ARGS.issuperset(arguments):
        names = sorted(set(arguments) - MODEL_ARGS) if isinstance(arguments, dict) else [truncate(arguments)]
        raise InputError(
            f"{path} has model_args that do not only say the form of the network: "
            f"{', '.join(map(truncate, names))}. Others than {', '.join(sorted(MODEL_ARGS))} could open "
            "files or run code. Remove them; where the model needs them, encode the images elsewhere, and "
            "add the vectors as a system."
        )

    def load() -> Any:
        network = timm.create_model(architecture, pretrained=False, num_classes=0, **arguments)
        tensors = needed("safetensors.torch").load_file(weights)
        own = {name: tensor for name, tensor in tensors.items() if not name.startswith(_CLASSIFIERS)}
        over = [name for name in tensors if name.startswith(_CLASSIFIERS) and name in network.state_dict()]
        network.load_state_dict(own | {name: tensors[name] for name in over})
        return network.to(device).eval()

    network = guarded(load, folder.path, f"{architecture} of timm")
    form = data.resolve_data_config({}, pretrained_cfg=settings.get("pretrained_cfg") or {}, model=network)
    transform = data.create_transform(**form, is_training=False)

    def encode(pictures: Sequence[Any]) -> npt.NDArray[Any]:
        batch = torch.stack([transform(picture.convert("RGB")) for picture in pictures]).to(device)
        with torch.inference_mode():
            return rows_of(network(batch))

    return Encoder(
        name=folder.name,
        title=f"{folder.name} ({architecture})",
        what="images",
        backend="timm",
        encode=encode,
        digest=digest_of(content_digest(folder), "images", "features"),
        pooling=str(settings.get("global_pool") or "as the architecture does"),
        versions=versions_of("torch", "torchvision", "timm", "pillow"),
        side=int(max(form["input_size"][1:])),
    )


# What is checked of weights and tokenizers.

TOKENIZERS = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "spiece.model",
    "sentencepiece.bpe.model",
    "tokenizer.model",
)
_HEAD = re.compile(
    "(?:text_|visual_|pre_)?(?:cls|head|classif|predict|project|pooler|decoder|generator|discriminator|logit|score"
    "|output|lm_|mlm|nsp|sop|qa_|vocab_|seq_|mask|fc|linear|dropout)"
)
"""Parts of a published model beside its encoder, by how their names begin: vectors do not need them."""
_MADE = words(
    "position_ids, token_type_ids, inv_freq, masked_bias, num_batches_tracked, relative_position_index"
)
"""Ends of names of tensors that a network makes itself; older files have them too."""
_SHOWN = 3


def check_weights(folder: ModelFolder, *, modules: bool = False) -> None:
    """InputError when the weights in a folder are missing, or any would be read from another file than
    safetensors.

    ``modules``: the folders of the modules are looked at, each of which may have weights.
    """
    places = {""}
    if modules:
        places = {str(module.get("path", "")) for module in folder.json_list("modules.json")}
    for place in sorted(places):
        here = [name for name in folder.files if name.rpartition("/")[0] == place]
        index = f"{place}/{SHARDED}".lstrip("/")
        if index in here:
            _check_index(folder, index)
        elif f"{place}/{WHOLE}".lstrip("/") not in here:
            pickles = [name for name in here if name.endswith(_PICKLED)]
            if pickles:
                raise pickled(folder.path / pickles[0])
            if not modules:
                weights_of(folder, WHOLE)


_PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".joblib", ".dill")


def _check_index(folder: ModelFolder, index: str) -> None:
    """InputError when an index of weights names anything but files of numbers that lie beside it."""
    where, files = index.rpartition("/")[0], folder.json(index).get("weight_map")
    if not isinstance(files, dict) or not files:
        raise InputError(
            f"{folder.path / index} has no weight_map that names the files of the weights. Copy it again."
        )
    for part in dict.fromkeys(map(str, files.values())):
        if not part.endswith(".safetensors") or f"{where}/{part}".lstrip("/") not in folder.files:
            raise InputError(
                f"{folder.path / index} names {truncate(part)!r} for some of the weights, which is no "
                ".safetensors file beside it. Copy all files of the weights and their index from one place."
            )


def check_loaded(network: Any, info: Mapping[str, Any], path: Path, *, pooler: bool) -> None:
    """InputError when a network of transformers did not get all of its weights, or got those of another.

    What transformers calls missing would be random numbers. A pooler that nobody needs may be missing; the
    heads of a published model may be left over, as they are outside of the network, and so may what a network
    makes itself.

    Parameters
    ----------
    network, info : as ``from_pretrained(..., output_loading_info=True)`` gives them.
    path : the folder, for the message.
    pooler : whether the vectors come out of the pooler.
    """
    own_parts, prefix = {name for name, _ in network.named_children()}, f"{network.base_model_prefix}."

    def is_head(name: str) -> bool:
        inside = name.removeprefix(prefix)
        return inside.partition(".")[0] not in own_parts and _HEAD.match(inside) is not None

    missing, unexpected = (
        [name for name in sorted(info[key]) if not name.endswith(tuple(_MADE))]
        for key in ("missing_keys", "unexpected_keys")
    )
    faults = {
        "lack": [name for name in missing if pooler or "pooler" not in name.split(".")],
        "have beyond the model": [name for name in unexpected if not is_head(name)],
        "have other shapes:": sorted(
            f"{name} is {tuple(here)}, not {tuple(own)}"
            for name, here, own in info.get("mismatched_keys", ())
        ),
    }
    for fault, names in faults.items():
        if names:
            more = f" and {len(names) - _SHOWN} more" if names[_SHOWN:] else ""
            raise InputError(
                f"The weights in {path} {fault} {', '.join(names[:_SHOWN])}{more}. They belong to another "
                "model than config.json says; copy both from one place."
            )


def check_tokenizer(folder: ModelFolder) -> None:
    """InputError when a folder has no tokenizer."""
    if not any(name.rpartition("/")[2] in TOKENIZERS for name in folder.files):
        raise InputError(
            f"{folder.path} has no tokenizer, so captions cannot be read. Put tokenizer.json (or vocab.txt), "
            "tokenizer_config.json and special_tokens_map.json of the model beside its weights."
        )


def rows_of(tensor: Any) -> npt.NDArray[Any]:
    """A tensor of any device and precision as rows."""
    rows: npt.NDArray[Any] = tensor.float().cpu().numpy()
    return rows


# The packages: imported when an encoder is opened, never asking a network.

OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")
_PYPI = {"open_clip": "open_clip_torch", "sentence_transformers": "sentence-transformers"}


def needed(name: str) -> Any:
    """An optional package; InputError with the remedy where it is missing or cannot be imported."""
    os.environ.update(dict.fromkeys(OFFLINE, "1"))
    try:
        return import_module(name)
    except ImportError as missing:
        top = (missing.name or name).partition(".")[0]
        if not is_installed(top):
            package = missing_package("This encoder", _PYPI.get(top, top))
            raise InputError(f"{package} {remedy('models')}") from missing
        raise InputError(f"The package {name} cannot be imported: {_line(missing)}.{_builds()}") from missing
    except RuntimeError as reason:
        raise InputError(f"The package {name} cannot be imported: {_line(reason)}.{_builds()}") from reason


def _builds() -> str:
    """The usual reason for an import that fails: torch and torchvision that do not fit each other."""
    installed = " and ".join(
        f"{name} {number}" for name, number in versions_of("torch", "torchvision").items()
    )
    return f" If {installed} are of different builds, install both with one command from the same index."


def device_named(name: str) -> str:
    """The device, when torch finds it here; else InputError with those it finds."""
    torch = needed("torch")
    devices = ["cpu"]
    if torch.cuda.is_available():
        devices += ["cuda", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
    if torch.backends.mps.is_available():
        devices.append("mps")
    if name not in devices:
        raise InputError(f"torch finds no device {name!r} here. There is: {', '.join(devices)}.")
    return name


def guarded(load: Callable[[], Any], path: Path, what: str) -> Any:
    """What a library loads from a folder; what it stumbles over becomes an InputError about the folder."""
    with _quiet():
        loaded, reason = try_call(load)
    if reason is None:
        return loaded
    if isinstance(reason, (InputError, MemoryError)):
        raise reason
    raise InputError(
        f"{path} cannot be used as {what}: {_line(reason)}. Check that its files are complete and belong "
        "together; the guide “Make systems from images and captions” lists which are needed."
    ) from reason


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the bars and reports of transformers: what is wrong with weights is reported by
    `check_loaded`."""
    library: Any = sys.modules.get("transformers")
    if library is None:
        yield
        return
    logger, bars = logging.getLogger("transformers"), library.utils.logging
    level, shows_bars = logger.level, bars.is_progress_bar_enabled()
    logger.setLevel(logging.CRITICAL + 1)
    bars.disable_progress_bar()
    try:
        yield
    finally:
        logger.setLevel(level)
        if shows_bars:
            bars.enable_progress_bar()


def versions_of(*names: str) -> Mapping[str, str]:
    """Versions of packages, those that are installed."""
    versions = {}
    for name in names:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return MappingProxyType(versions)


def _line(reason: BaseException) -> str:
    """What was raised, on one line."""
    return " ".join(str(reason).split())[:300].rstrip(".") or type(reason).__name__
