"""CLIP, SigLIP and their like in the files of transformers: one tower for images, one for texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evalcore.features.encode.encoder import Encoder, What
from evalcore.features.encode.models.packages import device_named, guarded, needed, versions_of
from evalcore.features.encode.models.pooling import rows_of
from evalcore.features.encode.models.weights import check_loaded, check_tokenizer, check_weights
from evalcore.features.encode.read.model_folder import content_digest
from evalcore.values.arrays import digest_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from evalcore.features.encode.read.model_folder import ModelFolder

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
        name=folder.name, title=title, what=what, backend="transformers",
        encode=encode, digest=digest_of(content_digest(folder), what, "features"),
        pooling="projected features" + ("" if what == "images" else f" of at most {length} tokens"),
        versions=versions_of(*PACKAGES), side=side_of(said),
    )  # fmt: skip


def features(call: Any, given: Any) -> npt.NDArray[Any]:
    """The features of a batch as rows; transformers 5 may give them within an object."""
    torch = needed("torch")
    with torch.inference_mode():
        found = call(**given)
    if not hasattr(found, "cpu"):
        found = found.pooler_output
    return rows_of(found)


def made_of(folder: ModelFolder, kind: str, title: str, **how: Any) -> Any:
    """What a class of transformers, such as ``AutoModel``, makes of a folder without asking the hub."""
    maker = getattr(needed("transformers"), kind)
    return guarded(
        lambda: maker.from_pretrained(folder.path, local_files_only=True, **how), folder.path, title
    )


def network_of(folder: ModelFolder, title: str, *, pooler: bool = False) -> Any:
    """The network of a folder with the weights in it, all of them and no others; see `check_loaded`."""
    network, info = made_of(
        folder, "AutoModel", title, output_loading_info=True, ignore_mismatched_sizes=True
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
