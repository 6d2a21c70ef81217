"""CLIP, SigLIP and their like in the files of transformers: one tower for images, one for texts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from evalcore.features.encode.encoding import Encoder, What
from evalcore.features.encode.models.weights import (
    SHARDED,
    WHOLE,
    check_depth,
    check_loaded,
    check_shards,
    check_tokenizer,
    check_torchvision,
    check_weights,
    device_named,
    filled,
    guarded,
    needed,
    pooled,
    rows_of,
    tensors,
    versions_of,
)
from evalcore.features.encode.read import PICKLES, content_digest, pickled, weights_of
from evalcore.study.tables.problems import truncate
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.writing import words

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from evalcore.features.encode.read import ModelFolder

PACKAGES = ("torch", "transformers", "tokenizers", "pillow")
_TO_LENGTH = ("siglip", "siglip2")
"""Trained on texts that were padded to their full length: shorter ones give other vectors."""


def dual_encoder(folder: ModelFolder, what: What, *, device: str) -> Encoder:
    """``get_image_features`` or ``get_text_features`` of the model in a folder."""
    check_weights(folder)
    device, said = device_named(device), folder.json("config.json")
    title = f"{folder.name} ({said['model_type']})"
    network = network_of(folder, title, pooler=True).to(device).eval()
    if what == "images":
        shown = processor_of(folder, title)

        def encode(items: Sequence[Any]) -> npt.NDArray[Any]:
            given = shown(images=[one.convert("RGB") for one in items], return_tensors="pt").to(device)
            return features(network.get_image_features, given)
    else:
        check_tokenizer(folder)
        tokenizer = made_of(folder, "AutoTokenizer", title)
        usual = 77 if said["model_type"] == "clip" else 64
        length = int(said.get("text_config", {}).get("max_position_embeddings", usual))
        padding = "max_length" if said["model_type"] in _TO_LENGTH else "longest"

        def encode(items: Sequence[Any]) -> npt.NDArray[Any]:
            given = tokenizer(
                list(items), padding=padding, truncation=True, max_length=length, return_tensors="pt"
            ).to(device)
            return features(network.get_text_features, given)

    return Encoder(
        name=folder.name,
        title=title,
        what=what,
        backend="transformers",
        encode=encode,
        digest=digest_of(content_digest(folder), what, "features"),
        pooling="projected features" + ("" if what == "images" else f" of at most {length} tokens"),
        versions=versions_of(*PACKAGES),
        side=side_of(said),
    )


def features(call: Any, given: Any) -> npt.NDArray[Any]:
    """The features of a batch as rows; transformers 5 may give them within an object."""
    torch = needed("torch")
    with torch.inference_mode():
        result = call(**given)
    if not hasattr(result, "cpu"):
        result = result.pooler_output
    return rows_of(result)


def made_of(folder: ModelFolder, kind: str, title: str, **how: Any) -> Any:
    """What a class of transformers, such as ``AutoModel``, makes of a folder without asking the hub."""
    maker = getattr(needed("transformers"), kind)
    return guarded(
        lambda: maker.from_pretrained(folder.path, local_files_only=True, **how), folder.path, title
    )


def network_of(folder: ModelFolder, title: str, *, pooler: bool = False) -> Any:
    """The network of a folder with the weights in it, all of them and no others; see `check_loaded`."""
    network, info = made_of(
        folder,
        "AutoModel",
        title,
        use_safetensors=True,
        output_loading_info=True,
        ignore_mismatched_sizes=True,
    )
    check_loaded(network, info, folder.path, pooler=pooler)
    return network


def processor_of(folder: ModelFolder, title: str) -> Any:
    """What brings pictures to the size and scale of the model: with Pillow, wherever it runs."""
    old = needed("transformers").__version__.startswith("4.")
    with_pillow: dict[str, Any] = {"use_fast": False} if old else {"backend": "pil"}
    return made_of(folder, "AutoImageProcessor", title, **with_pillow)


def side_of(said: dict[str, Any]) -> int:
    """The side of the pictures a model looks at, as its settings say."""
    seen = said.get("vision_config")
    size = (seen if isinstance(seen, dict) else said).get("image_size", 224)
    return int(max(size) if isinstance(size, (list, tuple)) else size)


# Encoders of captions alone: BERT and its like in the files of transformers, and sentence-transformers.

LONGEST = 512
WITH_CLS = ("sapbert",)
"""Parts of names of models that were trained on the vector of their first token."""
_MODULES = ("Transformer", "Pooling", "Normalize", "Dense", "StaticEmbedding", "LayerNorm")
"""Parts of a sentence-transformers model that are the library's own."""


def text_encoder(folder: ModelFolder, *, device: str, pooling: str | None) -> Encoder:
    """A text model of transformers: the mean over words, the first token for SapBERT, or as asked for."""
    check_tokenizer(folder)
    check_weights(folder)
    torch, device, said = needed("torch"), device_named(device), folder.json("config.json")
    called = f"{folder.name} {said.get('_name_or_path', '')}".lower()
    how = pooling or ("cls" if any(one in called for one in WITH_CLS) else "mean")
    title = f"{folder.name} ({said['model_type']})"
    network = network_of(folder, title, pooler=how == "pooler").to(device).eval()
    tokenizer = made_of(folder, "AutoTokenizer", title)
    length = min(tokenizer.model_max_length, int(said.get("max_position_embeddings", LONGEST)), LONGEST)

    def encode(texts: Sequence[Any]) -> npt.NDArray[Any]:
        given = tokenizer(
            list(texts), padding="longest", truncation=True, max_length=length, return_tensors="pt"
        ).to(device)
        with torch.inference_mode():
            return rows_of(pooled(network(**given), given["attention_mask"], how))

    return Encoder(
        name=folder.name,
        title=title,
        what="captions",
        backend="transformers",
        encode=encode,
        digest=digest_of(content_digest(folder), "captions", how, length),
        pooling=f"{how} of at most {length} tokens",
        batch=32,
        versions=versions_of("torch", "transformers", "tokenizers"),
    )


def sentence_encoder(folder: ModelFolder, *, device: str) -> Encoder:
    """A model of sentence-transformers, pooled as its own modules say."""
    how = _pooling(folder)
    check_shards(folder)
    _check_weights_of_modules(folder)
    check_tokenizer(folder)
    library, device = needed("sentence_transformers"), device_named(device)
    title = f"{folder.name} (sentence-transformers)"
    model = guarded(
        lambda: library.SentenceTransformer(
            str(folder.path),
            device=device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        ),
        folder.path,
        title,
    )
    _check_modules(folder, model, title)

    def encode(texts: Sequence[Any]) -> npt.NDArray[Any]:
        rows: npt.NDArray[Any] = model.encode(
            list(texts), batch_size=len(texts), show_progress_bar=False, convert_to_numpy=True
        )
        return rows

    return Encoder(
        name=folder.name,
        title=title,
        what="captions",
        backend="sentence-transformers",
        encode=encode,
        digest=digest_of(content_digest(folder), "captions", how),
        pooling=how,
        versions=versions_of("torch", "transformers", "sentence-transformers", "tokenizers"),
        batch=32,
    )


def _check_weights_of_modules(folder: ModelFolder) -> None:
    """InputError where a module has weights as a pickle only: the library would open it."""
    for module in folder.json_list("modules.json"):
        place = folder.path / str(module.get("path", ""))
        names = sorted(path.name for path in place.iterdir()) if place.is_dir() else []
        if not {WHOLE, SHARDED} & {*names}:
            for name in (name for name in names if name.endswith(PICKLES)):
                raise pickled(place / name)


def _check_modules(folder: ModelFolder, model: Any, title: str) -> None:
    """InputError when a network within the model did not get its own weights: the library does not say so.

    Its other modules refuse weights that are not theirs.
    """
    for said, module in zip(folder.json_list("modules.json"), model, strict=False):
        network = getattr(module, "auto_model", None)
        if network is not None:
            where = folder.path / str(said.get("path", ""))
            again = partial(
                type(network).from_pretrained,
                where,
                local_files_only=True,
                use_safetensors=True,
                output_loading_info=True,
                ignore_mismatched_sizes=True,
            )
            _, info = guarded(again, folder.path, title)
            check_loaded(network, info, where, pooler=False)


def _pooling(folder: ModelFolder) -> str:
    """How the modules of a folder make one vector; InputError for modules of somebody else's code."""
    path = folder.path / "modules.json"
    modules = folder.json_list("modules.json")
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
    for module in modules:
        at = f"{module.get('path', '')}/config.json".lstrip("/")
        if str(module.get("type", "")).endswith("Pooling") and folder.has(at):
            said = folder.json(at)
            modes = [
                key.removeprefix("pooling_mode_") for key, on in said.items() if on is True and "mode_" in key
            ]
            listed = said.get("pooling_mode") or "+".join(modes)
            return str("+".join(listed) if isinstance(listed, list) else listed) or "as set in its modules"
    return "as set in its modules"


# Encoders of images alone: ViT, DINOv2 and their like in the files of transformers, and timm.

POOLINGS = ("cls", "mean", "max", "pooler")
_HEADS = ("classifier.", "head.fc.", "head.", "fc.", "heads.", "head_dist.")
"""Beginnings of the names of a classifier, which an encoder has no use for."""
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
_MAX_SIZE = 4_096
_MAX_LIST = 32


def vision_encoder(folder: ModelFolder, *, device: str, pooling: str | None) -> Encoder:
    """An image model of transformers; the token that stands for the whole image unless said otherwise."""
    check_weights(folder)
    torch, device, said = needed("torch"), device_named(device), folder.json("config.json")
    how, title = pooling or "cls", f"{folder.name} ({said['model_type']})"
    if how not in POOLINGS:
        raise InputError(f"Images are pooled by one of {', '.join(POOLINGS)}, not by {how}.")
    network = network_of(folder, title, pooler=how == "pooler").to(device).eval()
    shown = processor_of(folder, title)

    def encode(pictures: Sequence[Any]) -> npt.NDArray[Any]:
        given = shown(images=[picture.convert("RGB") for picture in pictures], return_tensors="pt").to(device)
        with torch.inference_mode():
            result = network(**given)
        hidden = result.last_hidden_state
        if hidden.ndim == 4:  # a convolutional network: there is no token, only places
            return rows_of(hidden.amax(dim=(2, 3)) if how == "max" else hidden.mean(dim=(2, 3)))
        return rows_of(pooled(result, None, how))

    return Encoder(
        name=folder.name,
        title=title,
        what="images",
        backend="transformers",
        encode=encode,
        digest=digest_of(content_digest(folder), "images", how),
        pooling=how,
        versions=versions_of("torch", "transformers", "pillow"),
        side=side_of(said),
    )


def timm_encoder(folder: ModelFolder, *, device: str) -> Encoder:
    """A model of timm without its classifier, as ``config.json`` beside its weights describes it."""
    said = folder.json("config.json")
    architecture = str(said["architecture"])
    name = weights_of(folder, WHOLE)
    check_torchvision()
    timm, device = needed("timm"), device_named(device)
    torch, data = needed("torch"), needed("timm.data")
    if architecture not in timm.list_models():
        raise InputError(
            f"{folder.path / 'config.json'} names the architecture {architecture!r}, which timm "
            f"{timm.__version__} does not know. Correct it, or install the version "
            "of timm that the model was made with."
        )
    arguments, weights = _model_args(said, folder.path / "config.json"), tensors(folder.path / name)
    _check_sizes(arguments, weights, folder.path / "config.json")
    network = guarded(
        lambda: timm.create_model(architecture, pretrained=False, num_classes=0, **arguments),
        folder.path,
        architecture,
    )
    network = filled(network, weights, folder.path / name, spare=_HEADS)
    network = network.to(device).eval()
    shown_as = said.get("pretrained_cfg") or {}
    _check_sizes(
        {key: shown_as[key] for key in ("input_size",) if key in shown_as},
        weights,
        folder.path / "config.json",
    )
    settings = data.resolve_data_config({}, pretrained_cfg=shown_as, model=network)
    transform = data.create_transform(**settings, is_training=False)

    def encode(pictures: Sequence[Any]) -> npt.NDArray[Any]:
        batch = torch.stack([transform(picture.convert("RGB")) for picture in pictures]).to(device)
        with torch.inference_mode():
            return rows_of(network(batch))

    pool = str(said.get("global_pool") or "as the architecture does")
    return Encoder(
        name=folder.name,
        title=f"{folder.name} ({architecture})",
        what="images",
        backend="timm",
        encode=encode,
        digest=digest_of(content_digest(folder), "images", "features"),
        pooling=pool,
        versions=versions_of("torch", "torchvision", "timm", "pillow"),
        side=int(max(settings["input_size"][1:])),
    )


def _model_args(said: dict[str, Any], path: Path) -> dict[str, Any]:
    """The arguments that settings give a network; InputError for any that do not only say its form."""
    given = said.get("model_args") or {}
    if not isinstance(given, dict):
        raise InputError(f"{path} contains model_args that are not a table. Copy it again.")
    for name, value in given.items():
        if name not in MODEL_ARGS:
            raise InputError(
                f"{path} gives the network an argument {truncate(name)!r} (model_args), which is not one of "
                f"those that say its form: {', '.join(sorted(MODEL_ARGS))}. Others could open files or run "
                "code. Remove it; where the model needs it, encode the images elsewhere, and add the vectors "
                "as a system."
            )
        plain = value if isinstance(value, list) else [value]
        if len(plain) > _MAX_LIST or not all(
            one is None or isinstance(one, (bool, int, float, str)) for one in plain
        ):
            raise InputError(
                f"{path} gives {name} (model_args) the value {truncate(value)}. It must be a number, a "
                f"word, or a list of at most {_MAX_LIST}. Copy the file again."
            )
    check_depth(given, path)
    return dict(given)


def _check_sizes(given: dict[str, Any], weights: dict[str, Any], path: Path) -> None:
    """InputError when a number is larger than any that the weights are made for: it would fill the memory."""
    most = max([_MAX_SIZE, *(side for weight in weights.values() for side in weight.shape)])
    for name, value in given.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, (int, float)) and not 0 <= one <= most:
                raise InputError(
                    f"{path} asks for {name} of {truncate(one)}; with these weights it is 0 to {most:,}. "
                    "Copy the file again from where the model is published."
                )
