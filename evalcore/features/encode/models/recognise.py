"""Which library a folder of a model is for, by its files."""

from __future__ import annotations

from typing import Literal

from evalcore.features.encode.read.model_folder import ModelFolder
from evalcore.values.errors import InputError

Backend = Literal[
    "open_clip", "transformers-clip", "transformers-vision", "transformers-text", "sentence-transformers",
    "timm", "medimageinsight",
]  # fmt: skip

DUAL = ("clip", "siglip", "siglip2", "chinese_clip", "align", "altclip")
"""``model_type`` of transformers models with a tower for images and one for texts."""
_INSIGHT = "medimageinsightmodel.py"
_LOOKED_FOR = (
    "open_clip_config.json (open_clip, such as BiomedCLIP), modules.json (sentence-transformers, such as "
    "BioLORD), config.json with model_type (transformers: CLIP, SigLIP, ViT, BERT), config.json with "
    f"architecture (timm), {_INSIGHT} (MedImageInsight)"
)


def backend_of(folder: ModelFolder) -> Backend:
    """The library that can run a folder.

    Raises
    ------
    InputError
        None can; it says which files were looked for.
    """
    if folder.has(_INSIGHT):
        return "medimageinsight"
    if folder.has("open_clip_config.json"):
        return "open_clip"
    if folder.has("modules.json"):
        return "sentence-transformers"
    if not folder.has("config.json"):
        there = ", ".join(folder.files[:8]) or "nothing"
        raise InputError(
            f"{folder.path} is no folder of a model that is known. Looked for: {_LOOKED_FOR}. "
            f"There is: {there}."
        )
    said = folder.json("config.json")
    kind = said.get("model_type")
    if kind in DUAL:
        return "transformers-clip"
    if isinstance(kind, str):
        return "transformers-vision" if folder.has("preprocessor_config.json") else "transformers-text"
    if isinstance(said.get("architecture"), str):
        return "timm"
    raise InputError(
        f"{folder.path / 'config.json'} names neither a model_type (transformers) nor an architecture (timm)."
        f" Looked for: {_LOOKED_FOR}."
    )
