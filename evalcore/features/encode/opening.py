"""The encoder of a name: a baseline, or a folder with a trained model."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcore.features.encode.baselines import (
    BASELINES,
    PREFIX,
    baseline_encoder,
    baseline_named,
    baselines_for,
)
from evalcore.features.encode.encoding import Encode, Encoder, What
from evalcore.features.encode.models import (
    DUAL,
    OPEN_CLIP,
    dual_encoder,
    guarded,
    open_clip_encoder,
    sentence_encoder,
    timm_encoder,
    vision_encoder,
)
from evalcore.features.encode.read import ModelFolder, read_model_folder
from evalcore.study.tables.problems import try_call, why
from evalcore.study.workspace.home import models_folder
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Route:
    """How a kind of folder is run: what it can read, and what opens it."""

    library: str
    reads: tuple[What, ...]
    opened: Callable[..., Encoder]


_OPEN_CLIP = Route("open_clip", ("images", "captions"), open_clip_encoder)
_DUAL = Route("transformers", ("images", "captions"), dual_encoder)
_VISION = Route("transformers", ("images",), vision_encoder)
_SENTENCES = Route("sentence-transformers", ("captions",), sentence_encoder)
_TIMM = Route("timm", ("images",), timm_encoder)


def route_of(folder: ModelFolder) -> Route:
    """How a folder is run, by its files; InputError when no library can, with the files that were looked
    for."""
    if folder.has(OPEN_CLIP):
        return _OPEN_CLIP
    if folder.has("modules.json"):
        return _SENTENCES
    config = folder.json("config.json") if folder.has("config.json") else {}
    kind = config.get("model_type")
    if kind in DUAL:
        return _DUAL
    if isinstance(kind, str):
        return _VISION if folder.has("preprocessor_config.json") else _SENTENCES
    if isinstance(config.get("architecture"), str):
        return _TIMM
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
        if what not in (None, baseline.what):
            others = ", ".join(PREFIX + name for name, other in BASELINES.items() if other.what == what)
            raise InputError(
                f"{PREFIX}{baseline.name} reads {baseline.what}, not {what}. For {what} there are: {others}."
            )
        return baseline_encoder(baseline)
    folder = read_model_folder(_folder_named(Path(model)))
    route = route_of(folder)
    if what is None and len(route.reads) > 1:
        raise InputError(
            f"{folder.path} ({route.library}) reads images and captions. Select one: --what images|captions."
        )
    read = what or route.reads[0]
    if read not in route.reads:
        raise InputError(
            f"{folder.path} ({route.library}) reads {route.reads[0]}, not {what}. Choose another model."
        )
    encoder: Encoder = guarded(
        lambda: route.opened(folder, read, device=device), folder.path, f"a model of {route.library}"
    )
    both = read == "images" and "captions" in route.reads
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


def _folder_named(name: Path) -> Path:
    """The folder of a model: the path as it is, else that name in the folder for models."""
    path = Path(os.path.expanduser(name))  # noqa: PTH111 -- never raises
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


# What can be made here without naming anything: the baselines, and the trained models in the workspace.


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

    Folders of models that cannot be used are not among them.
    """
    listed = [
        Offer(one.name, one.title, one.what, one.looks_at, f"{PREFIX}{one.name}", one.name)
        for one in baselines_for(what)
    ]
    where = models_folder()
    for path in sorted(where.iterdir()) if where.is_dir() else ():
        route, _ = try_call(lambda path=path: route_of(read_model_folder(path)))  # type: ignore[misc]
        if route is None:
            continue
        for read in route.reads:
            if read in what:
                name = path.name if len(route.reads) == 1 else f"{path.name}-{read}"
                trained_for = f"what it was trained for ({route.library})"
                listed.append(Offer(name, name, read, trained_for, str(path), path.name, True))
    return listed
