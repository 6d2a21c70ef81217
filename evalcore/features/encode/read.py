"""What encoders read and write: folders of models, rows kept by content, systems put into a study."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from evalcore.study.folder.layout import is_reserved, read_layout
from evalcore.study.tables.files import open_file, read_bytes
from evalcore.study.tables.problems import Problems, truncate, try_call
from evalcore.study.vectors.files import npz_bytes
from evalcore.study.workspace.change import changed, key_of, put
from evalcore.study.workspace.home import server_home, write_whole
from evalcore.values.errors import InputError, Report

# Rows an encoder gave before are kept: in the cache of the workspace, by encoder and by content.
#
# Rows lie in pieces, each written whole as soon as it is there, so that work that was stopped goes on where
# it was. A piece that is damaged is computed anew; where nothing can be written, nothing is kept.

Row = npt.NDArray[np.float32]

ROOM = 4 << 30
"""Bytes of rows that are kept; the encoder used longest ago makes room."""
PIECE, PAUSE = 32 << 20, 20.0
"""A piece is written after so many bytes, or so many seconds."""


def content_key(data: bytes) -> str:
    """What stands for the content of a picture or caption: equal for equal bytes only."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class KeptRows:
    """The rows of one encoder by content; ``add`` new ones, ``close`` when done or stopped."""

    def __init__(self, encoder: str) -> None:
        self._folder = server_home() / "cache" / "vectors" / encoder
        self._rows: dict[str, Row] = {}
        self._new: dict[str, Row] = {}
        self._size, self._written = 0, time.monotonic()
        self._read()

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, key: str) -> Row | None:
        """The row of a content, None when it was not seen before."""
        return self._rows.get(key)

    def add(self, key: str, row: Row) -> None:
        """Keep a row; it is written with the next piece."""
        self._rows[key] = self._new[key] = row
        self._size += row.nbytes
        if self._size >= PIECE or time.monotonic() - self._written >= PAUSE:
            self.close()

    def close(self) -> None:
        """Write what is not written yet, and make room."""
        self._written = time.monotonic()
        if not self._new:
            return
        held = io.BytesIO()
        np.savez(held, keys=np.array(list(self._new)), rows=np.stack(list(self._new.values())))
        self._new, self._size = {}, 0
        with suppress(InputError, OSError):  # only a cache: where it cannot be written, it takes longer
            write_whole(self._folder / f"{uuid4().hex}.npz", held.getvalue())
            _make_room(self._folder)

    def _read(self) -> None:
        try:
            pieces = sorted(self._folder.glob("*.npz"))
        except OSError:
            return
        for piece in pieces:
            rows, _ = try_call(partial(_rows_of, piece))
            if rows is None:
                with suppress(OSError):
                    piece.unlink()
            else:
                self._rows.update(rows)
        if pieces:
            with suppress(OSError):
                os.utime(self._folder)  # used now: the last to go


def _rows_of(piece: Path) -> dict[str, Row]:
    """The rows of a piece by content; raises whatever a damaged one raises."""
    with np.load(io.BytesIO(piece.read_bytes()), allow_pickle=False) as held:
        keys, rows = held["keys"].tolist(), held["rows"]
    if rows.ndim != 2 or rows.dtype != np.float32:
        raise ValueError("these are no rows")
    return dict(zip(keys, rows, strict=True))


def _make_room(mine: Path) -> None:
    """Throw away whole encoders, the one used longest ago first, but never the one at work."""
    sizes = {path: sum(file.stat().st_size for file in path.iterdir()) for path in mine.parent.iterdir()}
    held = sum(sizes.values())
    for size in sorted(sizes, key=lambda folder: folder.stat().st_mtime_ns):
        if held <= ROOM:
            return
        if size != mine:
            shutil.rmtree(size, ignore_errors=True)
            held -= sizes[size]


# Vectors become a system of a study: its file of vectors, how they were made, and what it reads.

VECTORS, MADE = "embeddings.npz", "encoder.json"
"""The files of such a system; the second says how the first was made."""


def put_system(
    study: Path,
    name: str,
    ids: Sequence[str],
    vectors: npt.NDArray[np.float32],
    *,
    facts: Mapping[str, Any],
    reads: str,
    notes: str,
    of_queries: tuple[Sequence[str], npt.NDArray[np.float32]] | None = None,
    in_place: bool = False,
    replace: bool = False,
) -> Report:
    """Put vectors into a study as the system ``name``, all in one change.

    Parameters
    ----------
    facts : how they were made, for ``encoder.json`` beside them.
    reads, notes : for ``study.toml``; notes of the user stay.
    of_queries : ids and vectors of queries that have vectors of their own.
    in_place : the user allows changes to this folder, which is no uploaded study.
    replace : a system of this name that was not made here may be replaced. One that was, is always.

    Raises
    ------
    InputError
        The folder may not be changed or cannot be; a system of this name is in the way.
    """
    with changed(study, in_place=in_place) as change:
        check_free(study, name, replace=replace)
        key = key_of(change.layout, name)
        before = change.description_of(key)
        own = (made_of(study, key) or {}).get("notes") == before.get("notes")  # the user's own stay
        put(change, "embeddings", change.ready(npz_bytes(ids, vectors, of_queries)), VECTORS, name)
        beside = read_layout(change.root)[0].systems[key]["embeddings"].with_name(MADE)
        made = json.dumps({**facts, "notes": notes}, indent=1, ensure_ascii=False) + "\n"
        change.put(change.relative(beside), made.encode())
        table = {**change.description_of(key), "reads": [reads], **({"notes": notes} if own else {})}
        change.describe_systems({key: table})
        return change.problems.report()


def check_free(study: Path, name: str, *, replace: bool = False) -> None:
    """Raise InputError when a system cannot be called so: another one is, and was not made by an encoder."""
    if is_reserved(name, Problems(name)) or not name.strip():
        raise InputError(f"No system can be called {name!r}. Give it a name without @ in front.")
    layout = read_layout(study)[0]
    key = key_of(layout, name)
    parts = layout.systems.get(key)
    if not parts:
        return
    if any(part.startswith("run") for part in parts):
        raise InputError(
            f"{name!r} is a system with a ranking of its own; vectors beside it would not be what it ranks "
            "by. Give the new one another name."
        )
    if not replace and not (parts["embeddings"].parent / MADE).is_file():
        raise InputError(
            f"There is a system {name!r} already, and its vectors were not made here. Give the new one "
            "another name, or allow replacing it."
        )


def free_name(study: Path, name: str) -> str:
    """The name, or the first of name-2, name-3 and so on that a system made here can have."""
    for tried in chain([name], (f"{name}-{n}" for n in count(2))):
        try:
            check_free(study, tried)
        except InputError:
            if is_reserved(name, Problems(name)):
                raise
            continue
        return tried
    raise AssertionError("numbers do not end")


def made_of(study: Path, key: str) -> dict[str, Any] | None:
    """What ``encoder.json`` of a system says; None where there is none that can be read."""
    return _record(read_layout(study)[0].systems.get(key, {}))


def all_made(study: Path) -> dict[str, dict[str, Any]]:
    """{key: what ``encoder.json`` says} of all systems of a study that were made here."""
    result = {key: _record(parts) for key, parts in read_layout(study)[0].systems.items()}
    return {key: record for key, record in result.items() if record is not None}


def _record(parts: Mapping[str, Path]) -> dict[str, Any] | None:
    path = parts["embeddings"].parent / MADE if "embeddings" in parts else None
    if path is None or not path.is_file():
        return None
    try:
        record = json.loads(read_bytes(path, Problems(MADE)) or b"")
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


# A folder with a trained model: what lies in it, and whether its files are whole. Nothing is loaded or run.
#
# Weights are read as numbers only, from ``.safetensors``. What can run code when it is opened (pickles, as
# torch writes them too, and code of the model's own named by ``auto_map``) is refused with a way out.

SAFE = ".safetensors"
TORCH = (".bin", ".pt", ".pth", ".ckpt")
PICKLES = (*TORCH, ".pkl", ".pickle", ".joblib", ".dill")
MAX_JSON = 64 << 20
_PIECE = 1 << 22
_DEEP = 2
"""Folders below one another that are looked at."""
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

    def has(self, *names: str) -> bool:
        """Whether all of these are there."""
        return all(name in self.files for name in names)

    def json(self, name: str) -> dict[str, Any]:
        """The settings in a JSON file of the folder; InputError when there are none that can be read."""
        content = self._parsed(name)
        if not isinstance(content, dict):
            raise InputError(f"{self.path / name} contains no settings. Copy it again.")
        return content

    def json_list(self, name: str) -> list[dict[str, Any]]:
        """The same of a file that lists settings."""
        content = self._parsed(name)
        if not isinstance(content, list) or not all(isinstance(one, dict) for one in content):
            raise InputError(f"{self.path / name} contains no list of settings. Copy it again.")
        return content

    def _parsed(self, name: str) -> Any:
        try:
            with open_file(self.path / name) as stream:
                return json.loads(stream.read(MAX_JSON))
        except (OSError, ValueError, RecursionError) as reason:
            why = truncate(reason)
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
    """The file of weights in the folder: the first of these names, else the first of safetensors.

    InputError where there is none, with what to do about pickles that are there instead.
    """
    top = [name for name in folder.files if "/" not in name]
    safe, pickles = ([name for name in top if name.endswith(ends)] for ends in (SAFE, PICKLES))
    for name in (*preferred, *safe, *pickles):
        if name in folder.files:
            if name.endswith(PICKLES):
                raise pickled(folder.path / name)
            return name
    needed = ", ".join(name for name in preferred if name.endswith(SAFE)) or "model.safetensors"
    raise InputError(
        f"{folder.path} has no weights: a file {needed} is needed. Copy it from where the model is published."
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
    result = []
    for here, below, names in os.walk(root):
        depth = len(Path(here).relative_to(root).parts)
        below[:] = sorted(name for name in below if not name.startswith(".") and depth < _DEEP)
        result += [(Path(here) / name).relative_to(root).as_posix() for name in names if name[0] != "."]
    return tuple(sorted(result))


def _refuse_code(folder: ModelFolder, name: str) -> None:
    config = folder.json(name)
    if config.get("auto_map"):
        listed = (
            ", ".join(sorted(map(str, config["auto_map"]))) if isinstance(config["auto_map"], Mapping) else ""
        )
        raise InputError(
            f"{folder.path / name} asks to run the model's own code (auto_map: {truncate(listed)}). That is "
            "never done here. Where the model is one that transformers knows, remove the entry auto_map from "
            "the file; else encode the images where you trust that code, and add the vectors as a system."
        )


def _cut(path: Path) -> InputError:
    return InputError(
        f"{path} is damaged or cut short. Copy it again, and compare its size with the original."
    )
