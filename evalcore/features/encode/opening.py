"""The encoder of a name: a baseline, or a folder with a trained model."""

from __future__ import annotations

import io
import os
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evalcore.features.encode.baselines import (
    BASELINES,
    PREFIX,
    baseline_encoder,
    baseline_named,
    baselines_for,
)
from evalcore.features.encode.encoding import Encode, Encoder, What
from evalcore.features.encode.models.open_clip import open_clip_encoder
from evalcore.features.encode.models.transformers import (
    dual_encoder,
    sentence_encoder,
    text_encoder,
    timm_encoder,
    vision_encoder,
)
from evalcore.features.encode.models.weights import device_named, guarded, versions_of
from evalcore.features.encode.read import ModelFolder, content_digest, read_model_folder
from evalcore.study.tables.problems import try_call, why
from evalcore.study.trained_models import RELEASE, load_medimageinsight, models_folder
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

# Which library a folder of a model is for, by its files.

Backend = Literal[
    "open_clip",
    "transformers-clip",
    "transformers-vision",
    "transformers-text",
    "sentence-transformers",
    "timm",
    "medimageinsight",
]

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
            f"{folder.path} is not the folder of a supported model. Looked for: {_LOOKED_FOR}. "
            f"It contains: {there}."
        )
    config = folder.json("config.json")
    kind = config.get("model_type")
    if kind in DUAL:
        return "transformers-clip"
    if isinstance(kind, str):
        return "transformers-vision" if folder.has("preprocessor_config.json") else "transformers-text"
    if isinstance(config.get("architecture"), str):
        return "timm"
    raise InputError(
        f"{folder.path / 'config.json'} names neither a model_type (transformers) nor an architecture (timm)."
        f" Looked for: {_LOOKED_FOR}."
    )


# MedImageInsight as an encoder of images and captions, by the package that its authors publish.


def insight_encoder(folder: ModelFolder, what: What, *, device: str) -> Encoder:
    """``encode`` of the package: loading it runs the code in its folder, so only take it from its authors."""
    model = load_medimageinsight(str(folder.path), device=device_named(device))

    def encode(items: Sequence[Any]) -> npt.NDArray[Any]:
        if what == "captions":
            return np.asarray(model.encode(texts=list(items))["text_embeddings"], float)
        return np.asarray(model.encode(images=[_base64(one) for one in items])["image_embeddings"], float)

    return Encoder(
        name=folder.name,
        title=f"MedImageInsight {RELEASE}",
        what=what,
        backend="medimageinsight",
        encode=encode,
        digest=digest_of(content_digest(folder), what, "features"),
        pooling="its own",
        versions=versions_of("torch", "torchvision", "transformers", "pillow"),
        side=480,
    )


def _base64(picture: Any) -> str:
    """A picture as the package takes it: the bytes of a file without loss."""
    held = io.BytesIO()
    picture.convert("RGB").save(held, "PNG")
    return b64encode(held.getvalue()).decode()


READS: dict[Backend, tuple[What, ...]] = {
    "open_clip": ("images", "captions"),
    "transformers-clip": ("images", "captions"),
    "transformers-vision": ("images",),
    "transformers-text": ("captions",),
    "sentence-transformers": ("captions",),
    "timm": ("images",),
    "medimageinsight": ("images", "captions"),
}


def open_encoder(
    model: str, what: What | None = None, *, device: str = "cpu", pooling: str | None = None
) -> Encoder:
    """The encoder that a user names.

    Parameters
    ----------
    model : "baseline:NAME", a folder, or the name of a folder in ``models`` of the workspace.
    what : what it is to read; needed where it can read both.
    device : where a trained model runs.
    pooling : how a text model makes one vector of a text; None for what its folder says.

    Raises
    ------
    UnknownName
        There is no such baseline.
    InputError
        There is no such model, no library knows it, a package is missing, its files are broken or would run
        code, or it does not read ``what``.
    """
    if model.startswith(PREFIX):
        one = baseline_named(model)
        if what not in (None, one.what):
            others = ", ".join(PREFIX + name for name, other in BASELINES.items() if other.what == what)
            raise InputError(
                f"{PREFIX}{one.name} reads {one.what}, not {what}. For {what} there are: {others}."
            )
        return baseline_encoder(one)
    folder = read_model_folder(_found(Path(model)))
    backend = backend_of(folder)
    chosen = _what(folder, backend, what)
    if pooling is not None and backend not in ("transformers-text", "transformers-vision"):
        raise InputError(
            f"{folder.path} specifies how its vectors are made ({backend}). Leave --pooling out."
        )
    encoder: Encoder = guarded(
        lambda: _OPENED[backend](folder, chosen, device, pooling), folder.path, f"a model of {backend}"
    )
    both = chosen == "images" and "captions" in READS[backend]
    texts = partial(open_encoder, model, "captions", device=device) if both else None
    return replace(encoder, encode=partial(_encoded, encoder.encode, folder.path), texts=texts)


def _encoded(encode: Encode, path: Path, items: Sequence[Any]) -> npt.NDArray[Any]:
    """The rows of a batch; InputError about the folder for whatever its model stumbles over."""
    rows, reason = try_call(partial(encode, items))
    if rows is not None:
        return rows
    if reason is None or isinstance(reason, (InputError, MemoryError)):
        raise reason or InputError(f"{path} gave no vectors.")
    hint = ""
    if "UNK" in str(reason):
        hint = " Its vocabulary has no entry for unknown words: copy the files of its tokenizer again."
    elif isinstance(reason, IndexError):
        hint = " Its tokenizer may give words that the model does not have: copy both from one place."
    raise InputError(
        f"The model in {path} cannot encode this input: {why(reason)}.{hint or ' Check its settings.'}"
    ) from reason


def _found(given: Path) -> Path:
    """The folder of a model: the path as it is, else that name in the folder for models."""
    path = Path(os.path.expanduser(given))  # noqa: PTH111 -- never raises
    if os.path.isdir(path):  # noqa: PTH112
        return path
    usual = models_folder()
    if len(path.parts) == 1 and (usual / path).is_dir():
        return usual / path
    there = sorted(path.name for path in usual.iterdir() if path.is_dir()) if usual.is_dir() else []
    listed = (
        f" In {usual} there is: {', '.join(there)}." if there else f" There is no model in {usual} either."
    )
    raise InputError(f"There is no folder {path}.{listed} Give the folder of a model, or baseline:NAME.")


def _what(folder: ModelFolder, backend: Backend, what: What | None) -> What:
    offered = READS[backend]
    if what is None and len(offered) == 1:
        return offered[0]
    if what is None:
        raise InputError(
            f"{folder.path} ({backend}) reads images and captions. Select one: --what images|captions."
        )
    if what not in offered:
        raise InputError(f"{folder.path} ({backend}) reads {offered[0]}, not {what}. Choose another model.")
    return what


_OPENED: dict[Backend, Callable[[ModelFolder, What, str, str | None], Encoder]] = {
    "open_clip": lambda folder, what, device, _: open_clip_encoder(folder, what, device=device),
    "transformers-clip": lambda folder, what, device, _: dual_encoder(folder, what, device=device),
    "transformers-vision": lambda folder, _, device, how: vision_encoder(folder, device=device, pooling=how),
    "transformers-text": lambda folder, _, device, how: text_encoder(folder, device=device, pooling=how),
    "sentence-transformers": lambda folder, _, device, __: sentence_encoder(folder, device=device),
    "timm": lambda folder, _, device, __: timm_encoder(folder, device=device),
    "medimageinsight": lambda folder, what, device, _: insight_encoder(folder, what, device=device),
}

# What can be made here without asking anybody: the baselines, and the trained models in the workspace.

_RUNS_CODE = ("medimageinsight",)
"""Backends whose folder holds code: opened only by whoever names it on the command line."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A system that can be made: its ``name``, ``title`` in words, what it reads, and what it looks at.

    ``encoder`` is the name of its encoder, ``model`` what `open_encoder` opens it by; ``trained``: it has
    weights.
    """

    name: str
    title: str
    what: What
    looks_at: str
    model: str
    encoder: str
    trained: bool = False

    def opened(self) -> Encoder:
        """Its encoder; InputError when a package or file is missing."""
        return open_encoder(self.model, self.what)


def offers(what: Sequence[What]) -> list[Offer]:
    """The baselines that read any of this, then the models in the folder ``models`` of the workspace.

    Folders of models that cannot be used, or that run code of their own, are not among them.
    """
    result = [
        Offer(
            baseline.name,
            baseline.title,
            baseline.what,
            baseline.looks_at,
            f"{PREFIX}{baseline.name}",
            baseline.name,
        )
        for baseline in baselines_for(what)
    ]
    where = models_folder()
    for path in sorted(where.iterdir()) if where.is_dir() else ():
        try:
            backend = backend_of(read_model_folder(path))
        except InputError:
            continue
        if backend in _RUNS_CODE:
            continue
        reads = READS[backend]
        for read in reads:
            if read in what:
                name = path.name if len(reads) == 1 else f"{path.name}-{read}"
                result.append(
                    Offer(
                        name, name, read, f"what it was trained for ({backend})", str(path), path.name, True
                    )
                )
    return result
