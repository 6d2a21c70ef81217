"""MedImageInsight as an encoder of images and captions, by the package that its authors publish."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.features.encode.encoder import Encoder, What
from evalcore.features.encode.models.packages import device_named, versions_of
from evalcore.features.encode.read.model_folder import content_digest
from evalcore.features.imageclef.models.insight import RELEASE, load_package
from evalcore.values.arrays import digest_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from evalcore.features.encode.read.model_folder import ModelFolder


def insight_encoder(folder: ModelFolder, what: What, *, device: str) -> Encoder:
    """``encode`` of the package: loading it runs the code in its folder, so only take it from its authors."""
    model = load_package(str(folder.path), device=device_named(device))

    def encode(items: Sequence[Any]) -> npt.NDArray[Any]:
        if what == "captions":
            return np.asarray(model.encode(texts=list(items))["text_embeddings"], float)
        return np.asarray(model.encode(images=[_base64(one) for one in items])["image_embeddings"], float)

    return Encoder(
        name=folder.name, title=f"MedImageInsight {RELEASE}", what=what, backend="medimageinsight",
        encode=encode, digest=digest_of(content_digest(folder), what, "features"), pooling="its own",
        versions=versions_of("torch", "torchvision", "transformers", "pillow"), side=480,
    )  # fmt: skip


def _base64(picture: Any) -> str:
    """A picture as the package takes it: the bytes of a file without loss."""
    held = io.BytesIO()
    picture.convert("RGB").save(held, "PNG")
    return b64encode(held.getvalue()).decode()
