"""Encoders of images alone: ViT, DINOv2 and their like in the files of transformers, and timm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evalcore.features.encode.encoder import Encoder
from evalcore.features.encode.models.dual import network_of, processor_of, side_of
from evalcore.features.encode.models.packages import (
    check_torchvision,
    device_named,
    guarded,
    needed,
    versions_of,
)
from evalcore.features.encode.models.pooling import pooled, rows_of
from evalcore.features.encode.models.weights import check_depth, check_weights, filled, tensors
from evalcore.features.encode.read.model_folder import content_digest, weights_of
from evalcore.study.tables.problems import shown
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from evalcore.features.encode.read.model_folder import ModelFolder

POOLINGS = ("cls", "mean", "max", "pooler")
_HEADS = ("classifier.", "head.fc.", "head.", "fc.", "heads.", "head_dist.")
"""Beginnings of the names of a classifier, which an encoder has no use for."""
MODEL_ARGS = frozenset({
    "act_layer", "channels", "class_token", "depth", "depths", "dims", "drop_path_rate", "drop_rate",
    "dynamic_img_pad", "dynamic_img_size", "embed_dim", "feature_size", "fc_norm", "final_norm",
    "global_pool", "img_size", "in_chans", "init_values", "kernel_size", "layers", "ls_init_value",
    "mlp_layer", "mlp_ratio", "no_embed_class", "norm_layer", "num_heads", "patch_size",
    "pool_include_prefix", "pos_drop_rate", "pos_embed", "pre_norm", "proj_bias", "qk_norm", "qkv_bias",
    "ref_feat_shape",
    "reg_tokens", "rope_type", "stem_type", "stem_width", "use_abs_pos_emb", "use_fc_norm",
    "use_rel_pos_bias", "use_rot_pos_emb", "use_shared_rel_pos_bias", "weight_init", "window_size",
})  # fmt: skip
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
        given = shown(images=[one.convert("RGB") for one in pictures], return_tensors="pt").to(device)
        with torch.inference_mode():
            found = network(**given)
        hidden = found.last_hidden_state
        if hidden.ndim == 4:  # a convolutional network: there is no token, only places
            return rows_of(hidden.amax(dim=(2, 3)) if how == "max" else hidden.mean(dim=(2, 3)))
        return rows_of(pooled(found, None, how))

    return Encoder(
        name=folder.name, title=title, what="images", backend="transformers", encode=encode,
        digest=digest_of(content_digest(folder), "images", how), pooling=how,
        versions=versions_of("torch", "transformers", "pillow"), side=side_of(said),
    )  # fmt: skip


def timm_encoder(folder: ModelFolder, *, device: str) -> Encoder:
    """A model of timm without its classifier, as ``config.json`` beside its weights describes it."""
    said = folder.json("config.json")
    architecture = str(said["architecture"])
    name = weights_of(folder, "model.safetensors", "pytorch_model.bin")
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
        folder.path, architecture,
    )  # fmt: skip
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
        batch = torch.stack([transform(one.convert("RGB")) for one in pictures]).to(device)
        with torch.inference_mode():
            return rows_of(network(batch))

    pool = str(said.get("global_pool") or "as the architecture does")
    return Encoder(
        name=folder.name, title=f"{folder.name} ({architecture})", what="images", backend="timm",
        encode=encode, digest=digest_of(content_digest(folder), "images", "features"), pooling=pool,
        versions=versions_of("torch", "torchvision", "timm", "pillow"),
        side=int(max(settings["input_size"][1:])),
    )  # fmt: skip


def _model_args(said: dict[str, Any], path: Path) -> dict[str, Any]:
    """The arguments that settings give a network; InputError for any that do not only say its form."""
    given = said.get("model_args") or {}
    if not isinstance(given, dict):
        raise InputError(f"{path} holds model_args that are no table. Copy it again.")
    for name, value in given.items():
        if name not in MODEL_ARGS:
            raise InputError(
                f"{path} gives the network an argument {shown(name)!r} (model_args), which is not one of "
                f"those that say its form: {', '.join(sorted(MODEL_ARGS))}. Others could open files or run "
                "code. Remove it; where the model needs it, encode the images elsewhere, and add the vectors "
                "as a system."
            )
        plain = value if isinstance(value, list) else [value]
        if len(plain) > _MAX_LIST or not all(
            one is None or isinstance(one, (bool, int, float, str)) for one in plain
        ):
            raise InputError(
                f"{path} gives {name} (model_args) the value {shown(value)}. It must be a number, a word, or "
                f"a list of at most {_MAX_LIST}. Copy the file again."
            )
    check_depth(given, path)
    return dict(given)


def _check_sizes(given: dict[str, Any], weights: dict[str, Any], path: Path) -> None:
    """InputError when a number is larger than any that the weights are made for: it would fill the memory."""
    most = max([_MAX_SIZE, *(side for one in weights.values() for side in one.shape)])
    for name, value in given.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, (int, float)) and not 0 <= one <= most:
                raise InputError(
                    f"{path} asks for {name} of {shown(one)}; with these weights it is 0 to {most:,}. Copy "
                    "the file again from where the model is published."
                )
