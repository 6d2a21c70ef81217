"""The encoder of a name: a baseline, or a folder with a trained model."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcore.features.encode.baselines import BASELINES, PREFIX, baseline_encoder, baseline_named
from evalcore.features.encode.encoder import Encode, Encoder, What
from evalcore.features.encode.models.dual import dual_encoder
from evalcore.features.encode.models.insight import insight_encoder
from evalcore.features.encode.models.open_clip import open_clip_encoder
from evalcore.features.encode.models.packages import guarded
from evalcore.features.encode.models.recognise import Backend, backend_of
from evalcore.features.encode.models.text import sentence_encoder, text_encoder
from evalcore.features.encode.models.vision import timm_encoder, vision_encoder
from evalcore.features.encode.read.model_folder import ModelFolder, read_model_folder
from evalcore.features.imageclef.models.store import models_folder
from evalcore.study.tables.guard import attempt, why
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

READS: dict[Backend, tuple[What, ...]] = {
    "open_clip": ("images", "captions"), "transformers-clip": ("images", "captions"),
    "transformers-vision": ("images",), "transformers-text": ("captions",),
    "sentence-transformers": ("captions",), "timm": ("images",), "medimageinsight": ("images", "captions"),
}  # fmt: skip


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
            f"{folder.path} says itself how its vectors are made ({backend}). Leave --pooling out."
        )
    encoder: Encoder = guarded(
        lambda: _OPENED[backend](folder, chosen, device, pooling), folder.path, f"a model of {backend}"
    )
    return replace(encoder, encode=partial(_encoded, encoder.encode, folder.path))


def _encoded(encode: Encode, path: Path, items: Sequence[Any]) -> npt.NDArray[Any]:
    """The rows of a batch; InputError about the folder for whatever its model stumbles over."""
    rows, reason = attempt(partial(encode, items))
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
        f"The model in {path} cannot encode what it is given: {why(reason)}.{hint or ' Check its settings.'}"
    ) from reason


def _found(given: Path) -> Path:
    """The folder of a model: the path as it is, else that name in the folder for models."""
    path = Path(os.path.expanduser(given))  # noqa: PTH111 -- never raises
    if os.path.isdir(path):  # noqa: PTH112
        return path
    usual = models_folder()
    if len(path.parts) == 1 and (usual / path).is_dir():
        return usual / path
    there = sorted(one.name for one in usual.iterdir() if one.is_dir()) if usual.is_dir() else []
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
            f"{folder.path} ({backend}) reads images and captions. Say which: --what images|captions."
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
