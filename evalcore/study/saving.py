"""A study as a folder: the parts it holds in the files that `open_study` reads the same parts from."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import tomlkit

from evalcore.study.parts.kind import system_folders
from evalcore.study.parts.registry import KINDS
from evalcore.study.tables.frames import text_of
from evalcore.study.tables.writers import csv_lines, write_pieces, writing
from evalcore.study.workspace.home import replacing
from evalcore.values.concept_scheme import UMLS
from evalcore.values.errors import InputError
from evalcore.values.model import Study


def save_study(study: Study, folder: str | os.PathLike[str]) -> Path:
    """Write a study as a folder that `open_study` opens as the same study; the path of that folder.

    The folder must not exist, or be empty; it is written whole or not at all. Pictures are copied. Raises
    InputError where nothing can be written, or a run holds images that the study does not know
    (``unknown="zero"``).
    """
    target = Path(folder)
    with whole_folder(target) as unfinished:
        files = chain.from_iterable(kind.write(study) for kind in KINDS.values())
        for name, data in (*files, ("study.toml", tomlkit.dumps(_toml(study)).encode())):
            (unfinished / name).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(data, bytes):
                write_pieces(unfinished / name, [data])
            else:
                header, rows = data
                cells = ([text_of(value) for value in row] for row in rows)
                write_pieces(unfinished / name, map(str.encode, csv_lines(header, cells, escape=False)))
        archive = None if study.images is None else study.images.archive
        if archive is not None and archive.is_file():
            shutil.copyfile(archive, unfinished / "images.zip")
    return target


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Where a folder is made before it takes its place; nothing is left of it when that fails.

    Raises
    ------
    InputError
        There is something at ``target`` that is no empty folder; or it cannot be written.
    """
    if os.path.lexists(target) and not (target.is_dir() and not any(target.iterdir())):
        raise InputError(f"There is something at {target} already. Name a folder that is new, or empty.")
    with writing(target, "folder", "Name a folder that you may write to."):
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(Path(os.path.realpath(target))) as unfinished:
            yield unfinished
            if target.exists():
                target.rmdir()


def _toml(study: Study) -> dict[str, Any]:
    """What ``study.toml`` says; it names the files of systems where a folder cannot be called as its system
    is."""
    content: dict[str, Any] = {"name": study.name, "description": study.description}
    content |= {"baseline": study.baseline, "scheme": "" if study.scheme == UMLS else study.scheme}
    folders = system_folders(study)
    names_files = any(system != folder for system, folder in folders.items())
    tables: dict[str, dict[str, Any]] = {}
    for system, folder in folders.items():
        files = {"run": (study.runs, "run.csv"), "embeddings": (study.embeddings, "embeddings.npz")}
        there = {kind: f"systems/{folder}/{name}" for kind, (has, name) in files.items() if system in has}
        tables[system] = there if names_files else {}
        if study.reads.get(system):
            tables[system]["reads"] = list(study.reads[system])
    content["systems"] = {system: table for system, table in tables.items() if table}
    content["concept_vectors"] = {
        name: {"metric": vectors.metric}
        for name, vectors in study.concept_vectors.items()
        if vectors.metric != "cosine"
    }
    return {name: value for name, value in content.items() if value or name == "name"}
