"""CLIP models in the files of open_clip, such as BiomedCLIP.

open_clip asks the hub for the settings of a text tower out of transformers (``hf_model_name``); here that
name becomes a folder beside the weights, and without one nothing is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcore.features.encode.encoding import Encoder, What
from evalcore.features.encode.models.transformers import side_of
from evalcore.features.encode.models.weights import (
    check_depth,
    check_tokenizer,
    check_torchvision,
    device_named,
    guarded,
    needed,
    rows_of,
    versions_of,
)
from evalcore.features.encode.read import ModelFolder, content_digest, read_model_folder, weights_of
from evalcore.study.tables.problems import truncate
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.writing import words

if TYPE_CHECKING:
    import numpy.typing as npt

CONFIG = "open_clip_config.json"
WEIGHTS = words(
    """
    open_clip_model.safetensors, open_clip_pytorch_model.safetensors, open_clip_pytorch_model.bin,
    open_clip_pytorch_model.pth, model.safetensors, pytorch_model.bin, pytorch_model.pth, model.pth
    """
)
"""In the order in which open_clip takes them."""
TOWER = "text"
"""The folder below the model's in which the settings of its text tower can lie."""


def open_clip_encoder(folder: ModelFolder, what: What, *, device: str) -> Encoder:
    """``encode_image`` or ``encode_text`` of the model in a folder."""
    said = folder.json(CONFIG).get("model_cfg")
    if not isinstance(said, dict) or not {"text_cfg", "vision_cfg"} <= {*said}:
        raise InputError(
            f"{folder.path / CONFIG} has no model_cfg with text_cfg and vision_cfg. Copy it again from where "
            "the model is published."
        )
    for key in ("text_cfg", "vision_cfg"):
        if not isinstance(said[key], dict):
            raise InputError(
                f"{folder.path / CONFIG} contains a {key} that is not a table of settings but "
                f"{truncate(said[key])}. "
                "Copy it again from where the model is published."
            )
    named = said["vision_cfg"].get("timm_model_name")
    if isinstance(named, str) and ":" in named:
        raise InputError(
            f"{folder.path / CONFIG} names {truncate(named)!r} for its image tower, which is a place and "
            "not an architecture of timm. Copy it again from where the model is published."
        )
    check_depth(said, folder.path / CONFIG)
    weights_of(folder, *WEIGHTS)
    more = _text_tower(folder, dict(said["text_cfg"]))
    tower = _tower_digest(more)
    if said["text_cfg"].get("hf_tokenizer_name") and what == "captions":
        check_tokenizer(folder)
    check_torchvision()
    library, device = needed("open_clip"), device_named(device)
    torch = needed("torch")
    place, title = f"local-dir:{folder.path}", f"{folder.name} (open_clip)"
    network, transform = guarded(
        lambda: library.create_model_from_pretrained(place, device=device, **more), folder.path, title
    )
    network = network.eval()
    if what == "images":

        def encode(items: Sequence[Any]) -> npt.NDArray[Any]:
            batch = torch.stack([transform(one.convert("RGB")) for one in items]).to(device)
            with torch.inference_mode():
                return rows_of(network.encode_image(batch))
    else:
        tokenizer = guarded(lambda: library.get_tokenizer(place), folder.path, title)

        def encode(items: Sequence[Any]) -> npt.NDArray[Any]:
            with torch.inference_mode():
                return rows_of(network.encode_text(tokenizer(list(items)).to(device)))

    length = int(said["text_cfg"].get("context_length", 77))
    return Encoder(
        name=folder.name,
        title=title,
        what=what,
        backend="open_clip",
        encode=encode,
        digest=digest_of(content_digest(folder), what, "features", tower),
        pooling="projected features" + ("" if what == "images" else f" of at most {length} tokens"),
        versions=versions_of("torch", "torchvision", "open_clip_torch", "timm", "transformers", "pillow"),
        side=side_of(said["vision_cfg"]),
    )


def _text_tower(folder: ModelFolder, text: dict[str, Any]) -> dict[str, Any]:
    """The settings of the text tower with a local folder in the place of a name of the hub."""
    named = text.get("hf_model_name")
    if not named:
        return {}
    places = [
        folder.path / TOWER,
        folder.path / str(named),
        folder.path.parent / str(named).rpartition("/")[2],
        folder.path,
    ]
    where = next((place for place in places if (place / "config.json").is_file()), None)
    if where is None:
        raise InputError(
            f"{folder.path / CONFIG} names {named} for its text tower, and its settings are not here. Put "
            f"the config.json of {named} into {folder.path / TOWER}; its weights are not needed."
        )
    read_model_folder(where)  # refuses code of its own
    return {"text_cfg": {**text, "hf_model_name": str(where), "hf_model_pretrained": False}}


def _tower_digest(more: dict[str, Any]) -> str:
    """Of the settings of a text tower that lie in a folder of their own."""
    where = more.get("text_cfg", {}).get("hf_model_name")
    return repr(sorted(ModelFolder(Path(where), ()).json("config.json").items())) if where else ""
