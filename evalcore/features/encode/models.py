"""The encoder of a name: a baseline, or a local folder run by the library that its files are made for.

open_clip (BiomedCLIP and other CLIP models), transformers (CLIP, SigLIP and their like; image models such
as RAD-DINO), sentence-transformers (BioLORD; also plain text models such as SapBERT) and timm, behind the
extra ``models``: one table of loaders. Nothing is downloaded, weights are read from safetensors only, and
code of a model's own is never run.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcore.features.encode.baselines import PREFIX, baseline_named
from evalcore.features.encode.encoding import Encode, Encoder, What
from evalcore.features.encode.read import PICKLES, SAFE, WHOLE, ModelFolder, read_model_folder
from evalcore.study.tables.problems import truncate, try_call
from evalcore.study.workspace.home import models_folder
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.extras import needs
from evalcore.values.writing import listed, words

if TYPE_CHECKING:
    import numpy.typing as npt


class Loaded(NamedTuple):
    """A model that is open.

    encode: from a batch to rows. pooling: how a vector comes out of the parts of an image or text. side: of
    the pictures it looks at, in pixels. state: what decides its numbers beside the folder.
    """

    encode: Encode
    pooling: str
    side: int = 224
    batch: int = 16
    state: str = ""


class Loader(NamedTuple):
    """How a kind of folder is run: by which library, what it can encode, and how it is opened from a folder,
    what to read and a device."""

    library: str
    reads: tuple[What, ...]
    load: Callable[[ModelFolder, What, str], Loaded]


PROJECTED = "projected features"
"""The pooling of models of images and texts."""
PACKAGES = words(
    "torch, torchvision, transformers, tokenizers, sentence-transformers, open_clip_torch, timm, pillow"
)
"""That decide the numbers of a model."""

# open_clip.

OPEN_CLIP = "open_clip_config.json"
_OPEN_CLIP_WEIGHTS = words(
    """
    open_clip_model.safetensors, open_clip_pytorch_model.safetensors, open_clip_pytorch_model.bin,
    open_clip_pytorch_model.pth, model.safetensors, pytorch_model.bin, pytorch_model.pth, model.pth
    """
)
"""In the order in which open_clip takes them."""


def _open_clip(folder: ModelFolder, what: What, device: str) -> Loaded:
    """``encode_image`` or ``encode_text``.

    The settings of a text tower out of transformers, for which open_clip asks the hub by ``hf_model_name``,
    are taken from the folder ``text`` below the model's.
    """
    path, settings = folder.path / OPEN_CLIP, folder.json(OPEN_CLIP)["model_cfg"]
    text, vision = settings["text_cfg"], settings["vision_cfg"]
    if ":" in str(vision.get("timm_model_name", "")):
        raise InputError(
            f"{path} names {truncate(vision['timm_model_name'])!r} for its image tower, which is a place and "
            "not an architecture of timm. Copy it again from where the model is published."
        )
    folder.weights(*_OPEN_CLIP_WEIGHTS)
    if text.get("hf_tokenizer_name") and what == "captions":
        _check_tokenizer(folder)
    changed, state, tower, name = {}, "", folder.path / "text", text.get("hf_model_name")
    if name and not (tower / "config.json").is_file():
        raise InputError(
            f"{path} names {name} for its text tower, and its settings are not here. Put the config.json of "
            f"{name} into {tower}; its weights are not needed."
        )
    if name:
        state = repr(sorted(read_model_folder(tower).json("config.json").items()))
        changed = {"text_cfg": {**text, "hf_model_name": str(tower), "hf_model_pretrained": False}}
    library, torch, place = needed("open_clip"), needed("torch"), f"local-dir:{folder.path}"
    network, transform = library.create_model_from_pretrained(place, device=device, **changed)
    network.eval()
    tokenizer = library.get_tokenizer(place) if what == "captions" else None

    def encode(items: Sequence[Any]) -> npt.NDArray[Any]:
        with torch.inference_mode():
            if tokenizer is not None:
                return _array(network.encode_text(tokenizer(list(items)).to(device)))
            pictures = torch.stack([transform(picture.convert("RGB")) for picture in items])
            return _array(network.encode_image(pictures.to(device)))

    return Loaded(encode, PROJECTED, _side(vision), state=state)


# transformers: one tower for images and one for texts, or an image model.

DUAL = ("clip", "siglip", "siglip2", "chinese_clip", "align", "altclip")
"""``model_type`` of models with a tower for images and one for texts."""
_TO_LENGTH = ("siglip", "siglip2")
"""Trained on texts that were padded to their full length: shorter ones give other vectors."""


def _dual(folder: ModelFolder, what: What, device: str) -> Loaded:
    """``get_image_features`` or ``get_text_features``."""
    settings = folder.json("config.json")
    kind, text = settings["model_type"], settings.get("text_config", {})
    length = int(text.get("max_position_embeddings", 77 if kind == "clip" else 64))
    folder.weights(WHOLE)
    network = _network(folder, device, pooler=True)
    if what == "images":
        prepare, features = _pictures(folder), network.get_image_features
    else:
        _check_tokenizer(folder)
        padding = "max_length" if kind in _TO_LENGTH else "longest"
        how = {"padding": padding, "truncation": True, "max_length": length, "return_tensors": "pt"}
        tokenizer, features = _part(folder, "AutoTokenizer"), network.get_text_features
        prepare = lambda texts: tokenizer(list(texts), **how)  # noqa: E731

    def encode(items: Sequence[Any]) -> npt.NDArray[Any]:
        with needed("torch").inference_mode():
            rows = features(**prepare(items).to(device))
        return _array(rows if hasattr(rows, "cpu") else rows.pooler_output)  # an object since transformers 5

    return Loaded(encode, PROJECTED, _side(settings))


def _vision(folder: ModelFolder, _what: What, device: str) -> Loaded:
    """The token that stands for the whole image; of a convolutional network the mean over all places."""
    folder.weights(WHOLE)
    network, prepare = _network(folder, device, pooler=False), _pictures(folder)

    def encode(pictures: Sequence[Any]) -> npt.NDArray[Any]:
        with needed("torch").inference_mode():
            hidden = network(**prepare(pictures).to(device)).last_hidden_state
        return _array(hidden.mean(dim=(2, 3)) if hidden.ndim == 4 else hidden[:, 0])

    return Loaded(encode, "cls", _side(folder.json("config.json")))


def _part(folder: ModelFolder, kind: str, **how: Any) -> Any:
    """What a class of transformers, such as ``AutoModel``, makes of a folder without asking the hub."""
    return getattr(needed("transformers"), kind).from_pretrained(folder.path, local_files_only=True, **how)


def _network(folder: ModelFolder, device: str, *, pooler: bool) -> Any:
    """The network of a folder with the weights in it, all of them and no others; see `_check_loaded`."""
    network, info = _part(folder, "AutoModel", use_safetensors=True, output_loading_info=True)
    _check_loaded(network, info, folder.path, pooler=pooler)
    return network.to(device).eval()


def _pictures(folder: ModelFolder) -> Callable[[Sequence[Any]], Any]:
    """What brings pictures to the size and scale of the model: with Pillow, wherever it runs."""
    old = needed("transformers").__version__.startswith("4.")
    with_pillow: dict[str, Any] = {"use_fast": False} if old else {"backend": "pil"}
    processor = _part(folder, "AutoImageProcessor", **with_pillow)
    return lambda pictures: processor(images=[p.convert("RGB") for p in pictures], return_tensors="pt")


def _side(settings: Mapping[str, Any]) -> int:
    """The side of the pictures a model looks at, as its settings say."""
    vision = settings.get("vision_config")
    size = (vision if isinstance(vision, dict) else settings).get("image_size", 224)
    return int(max(size) if isinstance(size, (list, tuple)) else size)


# sentence-transformers, which also reads the text models of transformers.

WITH_CLS = "sapbert"
"""Part of the names of models that were trained on the vector of their first token."""
_MODULES = ("Transformer", "Pooling", "Normalize", "Dense", "StaticEmbedding", "LayerNorm")
"""Parts of a sentence-transformers model that are the library's own."""


def _sentences(folder: ModelFolder, _what: What, device: str) -> Loaded:
    """A model of sentence-transformers, pooled as its own modules say, or a text model of transformers.

    A text model, which says nothing of pooling, gives the mean over the words, SapBERT its first token.
    """
    modules = folder.json("modules.json", list) if folder.has("modules.json") else []
    for kind in (str(module.get("type", "")) for module in modules):
        if not kind.startswith("sentence_transformers.") or kind.rpartition(".")[2] not in _MODULES:
            raise InputError(
                f"{folder.path / 'modules.json'} names the module {kind!r}, which is not one of "
                f"{', '.join(_MODULES)} of sentence-transformers. Code of a model's own is never run here; "
                "encode the captions where you trust it, and add the vectors as a system."
            )
    for place in {str(module.get("path", "")) for module in modules} or {""}:
        here = [name for name in folder.files if name.rpartition("/")[0] == place]
        if not modules or any(name.endswith((SAFE, *PICKLES)) for name in here):
            folder.weights(WHOLE, place=place)  # a module may have none
    _check_tokenizer(folder)
    library, pooling = needed("sentence_transformers"), "as set in its modules"
    offline: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    safe = {"use_safetensors": True}
    if modules:
        model = library.SentenceTransformer(str(folder.path), model_kwargs=safe, device=device, **offline)
    else:
        name = f"{folder.name} {folder.json('config.json').get('_name_or_path', '')}".lower()
        pooling = "cls" if WITH_CLS in name else "mean"
        parts = import_module("sentence_transformers.models")
        tokens = parts.Transformer(str(folder.path), model_args={**safe, **offline})
        pool = parts.Pooling(tokens.get_word_embedding_dimension(), pooling_mode=pooling)
        model = library.SentenceTransformer(modules=[tokens, pool], device=device)
    for module, part in zip(modules or [{}], model, strict=False):
        if getattr(part, "auto_model", None) is not None:
            # The library does not say whether a network got its own weights: read them once more.
            _network(ModelFolder(folder.path / str(module.get("path", "")), ()), "cpu", pooler=False)

    def encode(texts: Sequence[Any]) -> npt.NDArray[Any]:
        how = {"show_progress_bar": False, "convert_to_numpy": True}
        rows: npt.NDArray[Any] = model.encode(list(texts), batch_size=len(texts), **how)
        return rows

    return Loaded(encode, pooling, batch=32)


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


def _timm(folder: ModelFolder, _what: What, device: str) -> Loaded:
    """A model of timm without its classifier, as ``config.json`` beside its weights describes it."""
    path, settings = folder.path / "config.json", folder.json("config.json")
    architecture, weights = str(settings["architecture"]), folder.path / folder.weights(WHOLE)
    timm, torch, data = needed("timm"), needed("torch"), needed("timm.data")
    arguments = settings.get("model_args") or {}
    if not isinstance(arguments, dict) or not MODEL_ARGS.issuperset(arguments):
        names = sorted(set(arguments) - MODEL_ARGS) if isinstance(arguments, dict) else [truncate(arguments)]
        raise InputError(
            f"{path} has model_args that do not only say the form of the network: "
            f"{', '.join(map(truncate, names))}. They could open files or run code. Remove them, or encode "
            "the images elsewhere and add the vectors as a system."
        )
    network = timm.create_model(architecture, pretrained=False, num_classes=0, **arguments)
    own = network.state_dict()
    tensors = needed("safetensors.torch").load_file(weights)
    network.load_state_dict(
        {name: t for name, t in tensors.items() if name in own or not name.startswith(_CLASSIFIERS)}
    )
    network.to(device).eval()
    form = data.resolve_data_config({}, pretrained_cfg=settings.get("pretrained_cfg") or {}, model=network)
    transform = data.create_transform(**form, is_training=False)

    def encode(pictures: Sequence[Any]) -> npt.NDArray[Any]:
        batch = torch.stack([transform(picture.convert("RGB")) for picture in pictures]).to(device)
        with torch.inference_mode():
            return _array(network(batch))

    pooling = str(settings.get("global_pool") or "as the architecture does")
    return Loaded(encode, pooling, int(max(form["input_size"][1:])))


# What is checked of weights and tokenizers, and the packages.

TOKENIZERS = words(
    "tokenizer.json, vocab.txt, vocab.json, spiece.model, sentencepiece.bpe.model, tokenizer.model"
)
_MADE = words(
    "position_ids, token_type_ids, inv_freq, masked_bias, num_batches_tracked, relative_position_index"
)
"""Ends of names of tensors that a network makes itself; older files have them too."""


def _check_loaded(network: Any, info: Mapping[str, Any], path: Path, *, pooler: bool) -> None:
    """InputError when a network of transformers did not get all of its weights, or got those of another.

    What transformers calls missing would be random numbers. A pooler that the vectors do not come out of may
    be missing (``pooler``). Left over may be what is outside of the network, such as the heads of a published
    model, and what a network makes itself. ``info``: as ``output_loading_info`` gives it.
    """
    parts, prefix = {name for name, _ in network.named_children()}, f"{network.base_model_prefix}."
    missing, unexpected = (
        [name for name in sorted(info[key]) if not name.endswith(_MADE)]
        for key in ("missing_keys", "unexpected_keys")
    )
    faults = {
        "lack": [name for name in missing if pooler or "pooler" not in name.split(".")],
        "have more than config.json says:": [
            name for name in unexpected if name.removeprefix(prefix).partition(".")[0] in parts
        ],
    }
    for fault, names in faults.items():
        if names:
            raise InputError(
                f"The weights in {path} {fault} {listed(names, limit=3)}. They belong to another model than "
                "config.json says; copy both from one place."
            )


def _check_tokenizer(folder: ModelFolder) -> None:
    if not any(name.rpartition("/")[2] in TOKENIZERS for name in folder.files):
        raise InputError(
            f"{folder.path} has no tokenizer, so captions cannot be read. Put tokenizer.json (or vocab.txt), "
            "tokenizer_config.json and special_tokens_map.json of the model beside its weights."
        )


def _array(tensor: Any) -> npt.NDArray[Any]:
    """A tensor of any device and precision as rows."""
    rows: npt.NDArray[Any] = tensor.float().cpu().numpy()
    return rows


OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")


def needed(name: str) -> Any:
    """An optional package, never asking a network; InputError with the remedy where it cannot be imported."""
    os.environ.update(dict.fromkeys(OFFLINE, "1"))
    with needs("models", "This encoder"):
        return import_module(name)


def _guarded(load: Callable[[], Any], message: str, way_out: str) -> Any:
    """What a library does; what it stumbles over becomes an InputError."""
    result, reason = try_call(load)
    if reason is None:
        return result
    if isinstance(reason, (InputError, MemoryError)):
        raise reason
    raise InputError(f"{message}: {' '.join(str(reason).split())[:300].rstrip('.')}. {way_out}") from reason


# Which loader a folder has, and what can be opened.

BOTH: tuple[What, What] = ("images", "captions")


def loader_of(folder: ModelFolder) -> Loader:
    """How a folder is run, by its files; InputError when no library can, with the files looked for."""
    if folder.has(OPEN_CLIP):
        return Loader("open_clip", BOTH, _open_clip)
    config = folder.json("config.json") if folder.has("config.json") else {}
    kind = config.get("model_type")
    if kind in DUAL:
        return Loader("transformers", BOTH, _dual)
    if isinstance(kind, str) and folder.has("preprocessor_config.json"):
        return Loader("transformers", ("images",), _vision)
    if isinstance(kind, str) or folder.has("modules.json"):
        return Loader("sentence-transformers", ("captions",), _sentences)
    if isinstance(config.get("architecture"), str):
        return Loader("timm", ("images",), _timm)
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
        baseline = baseline_named(model)
        _choice(model, what, (baseline.what,))
        return baseline.encoder()
    folder = read_model_folder(_folder_named(model))
    loader = loader_of(folder)
    read = _choice(model, what, loader.reads)

    def load() -> Loaded:
        if loader.library != "timm":  # what is wrong with weights is said by `_check_loaded`
            needed("transformers").utils.logging.disable_progress_bar()
            logging.getLogger("transformers").setLevel(logging.CRITICAL + 1)
        return loader.load(folder, read, device)

    loaded: Loaded = _guarded(
        load,
        f"{folder.path} cannot be used as a model of {loader.library}",
        f"Check that its files are complete and belong together, and that torch has a device {device!r}.",
    )
    wrong = f"The model in {folder.path} cannot encode this input"
    way_out = "Check its settings, and that its tokenizer is the one that it was published with."
    return Encoder(
        name=folder.name,
        title=f"{folder.name} ({loader.library})",
        what=read,
        backend=loader.library,
        encode=lambda items: _guarded(partial(loaded.encode, items), wrong, way_out),
        digest=digest_of(folder.digest(), read, loaded.pooling, loaded.state),
        pooling=loaded.pooling,
        versions={name: version(name) for name in PACKAGES if try_call(partial(version, name))[0]},
        side=loaded.side,
        batch=loaded.batch,
        texts=partial(open_encoder, model, "captions", device=device) if read != loader.reads[-1] else None,
    )


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
