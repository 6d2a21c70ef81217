"""A folder with a trained model: what lies in it, and whether its files are whole. Nothing is loaded or run.

Weights are read as numbers only: ``.safetensors``, or torch files that hold nothing but tensors. What can run
code when it is opened (pickles, code of the model's own named by ``auto_map``) is refused with a way out.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalcore.study.tables.opening import open_file
from evalcore.study.tables.problems import shown
from evalcore.values.errors import InputError

SAFE = ".safetensors"
TORCH = (".bin", ".pt", ".pth", ".ckpt")
PICKLES = (".pkl", ".pickle", ".joblib", ".dill")
MAX_JSON = 64 << 20
_PIECE = 1 << 22
_DEEP = 2
"""Folders below one another that are looked at."""
RECIPE = (
    'Where you trust it, write its weights as numbers: python -c "import torch; from safetensors.torch '
    "import save_file; w = torch.load('{name}', map_location='cpu', weights_only=False); w = getattr(w, "
    "'state_dict', lambda: w)(); save_file({{k: v.contiguous() for k, v in w.items()}}, "
    "'model.safetensors')\". Then remove {name} from the folder."
)


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder and the files in it (paths below it, by name)."""

    path: Path
    files: tuple[str, ...]

    @property
    def name(self) -> str:
        """Of the folder, for messages and systems."""
        return self.path.name or "model"

    def has(self, *names: str) -> bool:
        """Whether all of these are there."""
        return all(name in self.files for name in names)

    def json(self, name: str) -> dict[str, Any]:
        """The settings in a JSON file of the folder; InputError when there are none that can be read."""
        said = self._parsed(name)
        if not isinstance(said, dict):
            raise InputError(f"{self.path / name} holds no settings. Copy it again.")
        return said

    def json_list(self, name: str) -> list[dict[str, Any]]:
        """The same of a file that lists settings."""
        said = self._parsed(name)
        if not isinstance(said, list) or not all(isinstance(one, dict) for one in said):
            raise InputError(f"{self.path / name} holds no list of settings. Copy it again.")
        return said

    def _parsed(self, name: str) -> Any:
        try:
            with open_file(self.path / name) as stream:
                return json.loads(stream.read(MAX_JSON))
        except (OSError, ValueError, RecursionError) as reason:
            why = shown(reason)
            raise InputError(
                f"{self.path / name} cannot be read: {why}. Copy it again from where the model is published."
            ) from reason


def read_model_folder(path: Path) -> ModelFolder:
    """What lies in a folder of a model.

    Raises
    ------
    InputError
        There is no such folder; its settings ask for code of their own; its weights are pickles, cut short,
        or not there.
    """
    if not os.path.isdir(path):  # noqa: PTH112 -- never raises
        raise InputError(f"There is no folder {path}. Give the folder with the files of the model.")
    root = Path(os.path.realpath(path))
    folder = ModelFolder(root, _files(root))
    for name in folder.files:
        if name.rpartition("/")[2] in ("config.json", "tokenizer_config.json", "preprocessor_config.json"):
            _refuse_code(folder, name)
    for name in folder.files:
        if name.endswith(SAFE):
            check_safetensors(root / name)
    return folder


def weights_of(folder: ModelFolder, *preferred: str) -> str:
    """The file of weights in the folder: the first of these names, else the first one that can be read.

    InputError where there is none, with what to do about pickles that are there instead.
    """
    top = [name for name in folder.files if "/" not in name]
    for name in (*preferred, *(name for name in top if name.endswith((SAFE, *TORCH)))):
        if name in folder.files:
            if name.endswith(TORCH):
                check_torch_file(folder.path / name)
            return name
    for name in (name for name in top if name.endswith(PICKLES)):
        raise pickled(folder.path / name)
    raise InputError(
        f"{folder.path} has no weights: a file {', '.join(preferred) or 'model.safetensors'} is needed. Copy "
        "it from where the model is published."
    )


def check_safetensors(path: Path) -> None:
    """InputError when a file of safetensors is cut short or none: its head says how long it is."""
    try:
        with open_file(path) as stream:
            size = os.fstat(stream.fileno()).st_size
            length = int.from_bytes(stream.read(8), "little")
            head = json.loads(stream.read(length)) if 0 < length <= min(size - 8, MAX_JSON) else None
        ends = [one["data_offsets"][1] for key, one in (head or {}).items() if key != "__metadata__"]
        whole = bool(ends) and 8 + length + max(ends) == size
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as reason:
        raise _cut(path) from reason
    if not whole:
        raise _cut(path)


def check_torch_file(path: Path) -> None:
    """InputError when a torch file holds more than tensors, or is cut short."""
    try:
        with open_file(path) as stream:
            head = stream.read(4)
        whole = head != b"PK\x03\x04" or zipfile.is_zipfile(path)
    except OSError as reason:
        raise InputError(f"{path} cannot be read: {reason.strerror}.") from reason
    if not whole:
        raise _cut(path)


def is_zip(path: Path) -> bool:
    """Whether a torch file is a zip, as those since 2020 are."""
    return zipfile.is_zipfile(path)


def pickled(path: Path) -> InputError:
    """What to say of a file of weights that is a pickle of objects."""
    recipe = RECIPE.format(name=path.name)
    return InputError(
        f"{path} is a pickle, which can run code when it is opened. It is never opened here. {recipe}"
    )


def content_digest(folder: ModelFolder) -> str:
    """Digest of all files of a model, its weights and settings: another one is another model."""
    state = hashlib.blake2b(digest_size=8)
    for name in folder.files:
        if name.endswith((SAFE, *TORCH, ".json", ".txt", ".model", ".py")):
            state.update(f"{name}\0".encode("utf-8", "surrogatepass"))
            with open_file(folder.path / name) as stream:
                while piece := stream.read(_PIECE):
                    state.update(piece)
    return state.hexdigest()


def _files(root: Path) -> tuple[str, ...]:
    found = []
    for here, below, names in os.walk(root):
        depth = len(Path(here).relative_to(root).parts)
        below[:] = sorted(name for name in below if not name.startswith(".") and depth < _DEEP)
        found += [(Path(here) / name).relative_to(root).as_posix() for name in names if name[0] != "."]
    return tuple(sorted(found))


def _refuse_code(folder: ModelFolder, name: str) -> None:
    said = folder.json(name)
    if said.get("auto_map"):
        listed = (
            ", ".join(sorted(map(str, said["auto_map"]))) if isinstance(said["auto_map"], Mapping) else ""
        )
        raise InputError(
            f"{folder.path / name} asks to run code of the model's own (auto_map: {shown(listed)}). That is "
            "never done here. Where the model is one that transformers knows, remove the entry auto_map from "
            "the file; else encode the images where you trust that code, and add the vectors as a system."
        )


def _cut(path: Path) -> InputError:
    return InputError(
        f"{path} is damaged or cut short. Copy it again, and compare its size with the original."
    )
