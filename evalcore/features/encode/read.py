"""What encoders read and write: folders of models, rows kept by content, systems put into a study."""

from __future__ import annotations

import hashlib
import io
import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from evalcore.study.folder.layout import is_reserved, read_layout
from evalcore.study.tables.files import open_file, read_bytes
from evalcore.study.tables.problems import Problems, truncate, try_call
from evalcore.study.workspace.change import changed, name_in, put_part
from evalcore.study.workspace.home import server_home, write_whole
from evalcore.values.errors import InputError

# Rows an encoder gave before are kept: in the cache of the workspace, by encoder and by content, in pieces
# that are written whole, so that work that was stopped goes on where it was.

Row = npt.NDArray[np.float32]

ROOM = 4 << 30
"""Bytes of rows that are kept; those used longest ago make room."""
PIECE, PAUSE = 32 << 20, 20.0
"""A piece is written after so many bytes, or so many seconds."""


def content_key(data: bytes) -> str:
    """What stands for the content of a picture or caption: equal for equal bytes only."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class KeptRows:
    """The rows of one encoder by content; `save` when done or stopped. "" for an encoder: nothing is kept.

    A piece that is damaged is removed, its rows are computed anew; where nothing can be written, nothing is
    kept.
    """

    def __init__(self, encoder: str) -> None:
        self._folder = server_home() / "cache" / "vectors" / encoder if encoder else None
        self.rows: dict[str, Row] = {}
        self._new: dict[str, Row] = {}
        self._written = time.monotonic()
        for piece in sorted(self._folder.glob("*.npz")) if self._folder else ():
            rows, _ = try_call(lambda piece=piece: _rows_in(piece))  # type: ignore[misc]
            self.rows |= rows or {}
            with suppress(OSError):  # used now: the last to go
                piece.unlink() if rows is None else piece.touch()

    def add(self, key: str, row: Row) -> None:
        """Keep a row; it is written with the next piece."""
        self.rows[key] = self._new[key] = row
        if len(self._new) * row.nbytes >= PIECE or time.monotonic() - self._written >= PAUSE:
            self.save()

    def save(self) -> None:
        """Write what is not written yet, and throw away what was used longest ago where it is too much."""
        self._written, new, self._new = time.monotonic(), self._new, {}
        if not new or self._folder is None:
            return
        piece = io.BytesIO()
        np.savez(piece, keys=np.array(list(new)), rows=np.stack(list(new.values())))
        with suppress(InputError, OSError):  # only a cache: where it cannot be written, it takes longer
            write_whole(self._folder / f"{uuid4().hex}.npz", piece.getvalue())
            total, pieces = 0, {path: path.stat() for path in self._folder.parent.rglob("*.npz")}
            for path, stat in sorted(pieces.items(), key=lambda item: -item[1].st_mtime_ns):
                total += stat.st_size
                if total > ROOM:
                    path.unlink()


def _rows_in(piece: Path) -> dict[str, Row]:
    """The rows of a piece by content; raises whatever a damaged one raises."""
    with np.load(io.BytesIO(piece.read_bytes()), allow_pickle=False) as arrays:
        keys, rows = arrays["keys"].tolist(), arrays["rows"]
    if rows.ndim != 2 or rows.dtype != np.float32:
        raise ValueError("these are no rows")
    return dict(zip(keys, rows, strict=True))


# Vectors become a system of a study: its file of vectors, and how they were made.

VECTORS, MADE = "embeddings.npz", "encoder.json"


def put_system(
    study: Path, name: str, vectors: bytes, facts: Mapping[str, Any], *, reads: str, in_place: bool
) -> None:
    """Put vectors into a study as the system ``name``, all in one change.

    vectors: an npz file. facts: how they were made, for ``encoder.json``. reads: for ``study.toml``.
    in_place: the user allows changes to this folder, which is no uploaded study. InputError where the folder
    may not be changed or cannot be, or the name is taken (see `check_free`).
    """
    with changed(study, in_place=in_place) as change:
        check_free(study, name)
        called = name_in(change.layout, name)
        made = json.dumps(facts, indent=1, ensure_ascii=False) + "\n"
        place = put_part(change, "embeddings", vectors, VECTORS, called)
        change.put(place.with_name(MADE), made.encode())
        change.describe(called, {"reads": [reads]})


def check_free(study: Path, name: str) -> None:
    """InputError when a system cannot be called so: another one is, and was not made by an encoder."""
    if is_reserved(name, Problems(name)) or not name.strip():
        raise InputError(f"No system can be called {name!r}. Give it a name without @ in front.")
    layout = read_layout(study)[0]
    parts = layout.systems.get(name_in(layout, name))
    if parts and ("run" in parts or not (parts["embeddings"].parent / MADE).is_file()):
        raise InputError(
            f"{name!r} is a system that was not made by an encoder here. Give the new one another name."
        )


def all_made(study: Path) -> dict[str, dict[str, Any]]:
    """{key: what ``encoder.json`` says} of all systems of a study that were made here."""
    result = {}
    for key, parts in read_layout(study)[0].systems.items():
        path = parts["embeddings"].parent / MADE if "embeddings" in parts else None
        if path is not None and path.is_file():
            with suppress(ValueError, RecursionError):
                record = json.loads(read_bytes(path, Problems(MADE)) or b"")
                if isinstance(record, dict):
                    result[key] = record
    return result


# A folder with a trained model: what is in it, and whether its files are whole. Nothing is loaded or run.
#
# Weights are read as numbers only, from ``.safetensors``. What can run code when it is opened (pickles, as
# torch writes them too, and code of the model's own named by ``auto_map``) is refused with a way out.

SAFE, WHOLE = ".safetensors", "model.safetensors"
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".joblib", ".dill")
CONFIGS = ("config.json", "tokenizer_config.json", "preprocessor_config.json")
MAX_JSON = 64 << 20
RECIPE = (
    'Where you trust it, write its weights as numbers: python -c "import torch; from safetensors.torch '
    "import save_file; w = torch.load('{name}', map_location='cpu', weights_only=False); w = getattr(w, "
    "'state_dict', lambda: w)(); save_file({{k: v.clone().contiguous() for k, v in w.items()}}, "
    "'model.safetensors', metadata=dict(format='pt'))\". Then remove {name} from the folder."
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

    def has(self, name: str) -> bool:
        """Whether a file is there."""
        return name in self.files

    def json(self, name: str, kind: type[Any] = dict) -> Any:
        """The settings in a JSON file, or a list of such; InputError when it is no such file."""
        try:
            with open_file(self.path / name) as stream:
                content = json.loads(stream.read(MAX_JSON))
        except (OSError, ValueError, RecursionError) as reason:
            message = f"{self.path / name} cannot be read: {truncate(reason)}."
            raise InputError(f"{message} Copy it again from where the model is published.") from reason
        if not isinstance(content, kind) or (kind is list and not all(isinstance(c, dict) for c in content)):
            raise InputError(f"{self.path / name} contains no settings. Copy it again.")
        return content

    def weights(self, *preferred: str, place: str = "") -> str:
        """The file of weights in the folder, or one below it: the first of these names, an index of several
        files, else the first of safetensors.

        InputError where there is none, with what to do about pickles that are there instead.
        """
        below = f"{place}/" if place else ""
        here = [name for name in self.files if name.rpartition("/")[0] == place]
        index = f"{below}{WHOLE}.index.json"
        if index in here:
            for part in map(str, (self.json(index).get("weight_map") or {"": "nothing"}).values()):
                if not part.endswith(SAFE) or f"{below}{part}" not in self.files:
                    raise InputError(
                        f"{self.path / index} names {truncate(part)!r} for some of the weights, which is no "
                        f"{SAFE} file beside it. Copy all files of the weights and their index from one "
                        "place."
                    )
            return index
        safe, pickles = ([name for name in here if name.endswith(end)] for end in (SAFE, PICKLES))
        wanted = [*(f"{below}{name}" for name in preferred), *safe, *pickles]
        name = next((name for name in wanted if name in here), None)
        if name is None:
            raise InputError(
                f"{self.path} has no weights: a file {WHOLE} is needed. Copy it from where the model is "
                "published."
            )
        if name.endswith(PICKLES):
            raise InputError(
                f"{self.path / name} is a pickle, which can run code when it is opened. It is never opened "
                f"here. {RECIPE.format(name=name.rpartition('/')[2])}"
            )
        return name

    def digest(self) -> str:
        """Of all files of the model, its weights and settings: another one is another model."""
        state = hashlib.blake2b(digest_size=8)
        for name in self.files:
            if name.endswith((SAFE, ".json", ".txt", ".model")):
                state.update(f"{name}\0".encode("utf-8", "surrogatepass"))
                with open_file(self.path / name) as stream:
                    while piece := stream.read(1 << 22):
                        state.update(piece)
        return state.hexdigest()


def read_model_folder(path: Path) -> ModelFolder:
    """What is in a folder of a model; InputError: there is no such folder, or its settings ask for code of
    their own."""
    if not os.path.isdir(path):  # noqa: PTH112 -- never raises
        raise InputError(f"There is no folder {path}. Give the folder with the files of the model.")
    root = Path(os.path.realpath(path))
    files = (file.relative_to(root) for file in (*root.glob("*"), *root.glob("*/*")) if file.is_file())
    shown = (file.as_posix() for file in files if not any(part.startswith(".") for part in file.parts))
    folder = ModelFolder(root, tuple(sorted(shown)))
    for name in folder.files:
        if name.rpartition("/")[2] in CONFIGS and (code := folder.json(name).get("auto_map")):
            raise InputError(
                f"{root / name} asks to run the model's own code (auto_map: {truncate(', '.join(code))}). "
                "That is never done here. Where the model is one that transformers knows, remove the entry "
                "auto_map from the file; else encode the images where you trust that code, and add the "
                "vectors as a system."
            )
    return folder
