"""Weights as numbers only: safetensors, or torch files opened with ``weights_only``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from evalcore.encode.models.packages import guarded, needed
from evalcore.errors import InputError
from evalcore.sources.encodings.model_folder import (
    SAFE,
    TORCH,
    ModelFolder,
    check_torch_file,
    is_zip,
    pickled,
    weights_of,
)
from evalcore.sources.tables.guard import attempt

TRANSFORMERS = ("model.safetensors", "pytorch_model.bin")
SHARDED = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
TOKENIZERS = (
    "tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model", "tokenizer.model",
)  # fmt: skip
_SHOWN = 3


def check_weights(folder: ModelFolder) -> None:
    """InputError when the weights in a folder are missing, cut short or more than numbers."""
    if any(name in folder.files for name in SHARDED):
        parts = [name for name in folder.files if "/" not in name and name.endswith((SAFE, ".bin"))]
    else:
        parts = [weights_of(folder, *TRANSFORMERS)]
    check_torch_files(folder, parts)


def check_torch_files(folder: ModelFolder, names: Iterable[str]) -> None:
    """InputError when one of these files, if it is torch's own, is cut short or holds more than numbers."""
    for name in names:
        if name.endswith(TORCH):
            tensors(folder.path / name, mapped=True)


def check_tokenizer(folder: ModelFolder) -> None:
    """InputError when a folder has no tokenizer."""
    if not any(name.rpartition("/")[2] in TOKENIZERS for name in folder.files):
        raise InputError(
            f"{folder.path} has no tokenizer, so captions cannot be read. Put tokenizer.json (or vocab.txt), "
            "tokenizer_config.json and special_tokens_map.json of the model beside its weights."
        )


def tensors(path: Path, *, mapped: bool = False) -> dict[str, Any]:
    """The tensors of a file by name; InputError when it is cut short or holds more than numbers.

    mapped: they are only looked at, so a large file is not read as a whole where it can be avoided.
    """
    if path.suffix == SAFE:
        load: Any = needed("safetensors.torch").load_file
        return dict(guarded(lambda: load(path), path, "weights"))
    torch = needed("torch")
    check_torch_file(path)
    light = {"mmap": True} if mapped and is_zip(path) else {}
    found, reason = attempt(lambda: torch.load(path, map_location="cpu", weights_only=True, **light))
    if reason is not None:
        if type(reason).__name__ == "UnpicklingError":
            raise pickled(path) from reason
        return dict(guarded(lambda: _again(reason), path, "weights"))
    held = found.get("state_dict", found) if isinstance(found, dict) else found
    if not isinstance(held, dict) or not all(hasattr(one, "shape") for one in held.values()):
        raise pickled(path)
    return held


def filled(network: Any, weights: dict[str, Any], path: Path, *, spare: tuple[str, ...] = ()) -> Any:
    """The network with these weights; InputError when they are not its own.

    spare: beginnings of names that may be left over (the classifier of a model that only encodes).
    """
    own = {name: tuple(one.shape) for name, one in network.state_dict().items()}
    used = {name: one for name, one in weights.items() if name in own}
    over = [name for name in weights if name not in own and not name.startswith(spare)]
    lacking = [name for name in own if name not in used and not name.endswith("num_batches_tracked")]
    wrong = [
        f"{name} is {tuple(one.shape)}, not {own[name]}" for name, one in used.items()
        if tuple(one.shape) != own[name]
    ]  # fmt: skip
    for said, names in (("lack", lacking), ("have beyond the model", over), ("have other shapes:", wrong)):
        if names:
            listed = ", ".join(names[:_SHOWN]) + (
                f" and {len(names) - _SHOWN} more" if names[_SHOWN:] else ""
            )
            raise InputError(
                f"The weights in {path} {said} {listed}. They belong to another model than config.json says; "
                "copy both from one place."
            )
    network.load_state_dict(used, strict=False)
    return network


def _again(reason: Exception) -> Any:
    raise reason
