"""Encoders of images alone: ViT, DINOv2 and their like in the files of transformers, and timm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evalcore.arrays import digest_of
from evalcore.encode.encoder import Encoder
from evalcore.encode.models.dual import made_of, processor_of, side_of
from evalcore.encode.models.packages import check_torchvision, device_named, guarded, needed, versions_of
from evalcore.encode.models.pooling import pooled, rows_of
from evalcore.encode.models.weights import check_weights, filled, tensors
from evalcore.errors import InputError
from evalcore.sources.encodings.model_folder import content_digest, weights_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from evalcore.sources.encodings.model_folder import ModelFolder

POOLINGS = ("cls", "mean", "max", "pooler")
_HEADS = ("classifier.", "head.fc.", "head.", "fc.", "heads.", "head_dist.")
"""Beginnings of the names of a classifier, which an encoder has no use for."""


def vision_encoder(folder: ModelFolder, *, device: str, pooling: str | None) -> Encoder:
    """An image model of transformers; the token that stands for the whole image unless said otherwise."""
    check_weights(folder)
    torch, device, said = needed("torch"), device_named(device), folder.json("config.json")
    how, title = pooling or "cls", f"{folder.name} ({said['model_type']})"
    if how not in POOLINGS:
        raise InputError(f"Images are pooled by one of {', '.join(POOLINGS)}, not by {how}.")
    network = made_of(folder, "AutoModel", title).to(device).eval()
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
    network = guarded(
        lambda: timm.create_model(
            architecture, pretrained=False, num_classes=0, **dict(said.get("model_args") or {})
        ),
        folder.path, architecture,
    )  # fmt: skip
    network = filled(network, tensors(folder.path / name), folder.path / name, spare=_HEADS)
    network = network.to(device).eval()
    settings = data.resolve_data_config({}, pretrained_cfg=said.get("pretrained_cfg") or {}, model=network)
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
