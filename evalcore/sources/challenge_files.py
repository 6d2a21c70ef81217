"""Files of a challenge kept in the workspace, so that a reload of the page loses none of them.

They lie in ``challenge/<task>/<part>/``, those that belong to one run one folder further down; a number
in front of each name keeps the order in which they came.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from evalcore.errors import InputError, UnknownName
from evalcore.model import digest_of
from evalcore.sources.home import home, safe_name, write_whole
from evalcore.sources.lines import read_bytes
from evalcore.sources.problems import Problems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PARTS: Mapping[str, str] = MappingProxyType({
    "truth": "ground truth", "manual": "manually checked truth", "runs": "run",
    "published": "published results", "truth_concepts": "concepts of the true captions",
    "image_embeddings": "image embeddings", "scores": "scores of models",
    "run_concepts": "concepts of a run's captions", "caption_embeddings": "embeddings of a run's captions",
})  # fmt: skip
"""What a file can be, in words."""
OF_A_RUN = ("scores", "run_concepts", "caption_embeddings")
MAX_NAME = 180


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept file: what it is, how it was called, the run it belongs to ("" for none), where it lies."""

    part: str
    name: str
    run: str
    path: Path
    size: int

    @property
    def mark(self) -> str:
        """Changes when the file does, without reading it."""
        return digest_of([str(self.path), str(self.size), str(self.path.stat().st_mtime_ns)])


def keep(task: str, part: str, name: str, data: bytes, *, run: str = "") -> None:
    """Keep a file; of the same name it takes the place of the older one, and only runs can be many.

    Raises
    ------
    UnknownName
        There is no such part.
    InputError
        It cannot be written.
    """
    if part not in PARTS:
        raise UnknownName("part of a challenge", part, PARTS)
    folder = _folder(task, part, run)
    listed = _files(folder)
    old = [path for path in listed if part != "runs" or _name_of(path) == name]
    number = _number_of(old[0]) if old else 1 + max((_number_of(path) for path in listed), default=0)
    new = folder / f"{number:04d}_{_written(name)}"
    write_whole(new, data)
    for path in old:
        if path != new:
            path.unlink(missing_ok=True)


def kept(task: str) -> tuple[Kept, ...]:
    """The files kept for a task, by part and in the order they came."""
    found = []
    for part in PARTS:
        top = home() / "challenge" / task / part
        folders = _runs_of(top) if part in OF_A_RUN else [("", top)]
        for run, folder in folders:
            for path in _files(folder):
                found.append(Kept(part, _name_of(path), run, path, path.stat().st_size))
    return tuple(found)


def forget(task: str, file: Kept) -> None:
    """Remove a kept file; with a run goes what belongs to it. One that is gone already does nothing."""
    file.path.unlink(missing_ok=True)
    if file.part == "runs":
        for part in OF_A_RUN:
            shutil.rmtree(_folder(task, part, file.name), ignore_errors=True)


def forget_all(task: str) -> None:
    """Remove every file kept for a task."""
    shutil.rmtree(home() / "challenge" / task, ignore_errors=True)


def content(file: Kept) -> bytes:
    """The bytes of a kept file; InputError when it cannot be read."""
    found = Problems(file.name)
    data = read_bytes(file.path, found)
    if data is None:
        raise InputError(f"{file.name} cannot be read.", found.report())
    return data


def _folder(task: str, part: str, run: str) -> Path:
    place = home() / "challenge" / task / part
    return place / f"of_{_written(run)}" if part in OF_A_RUN else place


def _runs_of(top: Path) -> Sequence[tuple[str, Path]]:
    if not top.is_dir():
        return []
    return [(unquote(path.name[3:]), path) for path in sorted(top.iterdir()) if path.is_dir()]


def _files(folder: Path) -> list[Path]:
    """Files that ``keep`` wrote, by their numbers."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_file() and path.name[:4].isdecimal())


def _written(name: str) -> str:
    """A name as that of a file, from which it can be read back unless it is very long."""
    written = quote(name.encode("utf-8", "replace").decode(), safe=" ")
    return written if len(written) <= MAX_NAME else safe_name(name)


def _name_of(path: Path) -> str:
    return unquote(path.name[5:])


def _number_of(path: Path) -> int:
    return int(path.name[:4])
