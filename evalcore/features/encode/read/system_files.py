"""Vectors become a system of a study: its file of vectors, how they were made, and what it reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.study.folder.layout import is_reserved, read_layout
from evalcore.study.tables.lines import read_bytes
from evalcore.study.tables.problems import Problems
from evalcore.study.vectors.npy_files import npz_bytes
from evalcore.study.workspace.change import changed
from evalcore.study.workspace.swap import key_of, put_of_system
from evalcore.values.errors import InputError
from evalcore.values.problems import Report

VECTORS, MADE = "embeddings.npz", "encoder.json"
"""The files of such a system; the second says how the first was made."""


def put_system(
    study: Path, name: str, ids: Sequence[str], vectors: npt.NDArray[np.float32], *,
    facts: Mapping[str, Any], reads: str, notes: str, in_place: bool = False, replace: bool = False,
) -> Report:  # fmt: skip
    """Put vectors into a study as the system ``name``, all in one change.

    Parameters
    ----------
    facts : how they were made, for ``encoder.json`` beside them.
    reads, notes : for ``study.toml``; notes of the user stay.
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
        before = change.table_of(key)
        own = (made_of(study, key) or {}).get("notes") == before.get("notes")  # the user's own stay
        put_of_system(change, "embeddings", change.ready(npz_bytes(ids, vectors)), VECTORS, name)
        beside = read_layout(change.root)[0].systems[key]["embeddings"].with_name(MADE)
        made = json.dumps({**facts, "notes": notes}, indent=1, ensure_ascii=False) + "\n"
        change.put(change.relative(beside), made.encode())
        table = {**change.table_of(key), "reads": [reads], **({"notes": notes} if own else {})}
        change.tables({key: table})
        return change.found.report()


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
    found = {key: _record(parts) for key, parts in read_layout(study)[0].systems.items()}
    return {key: said for key, said in found.items() if said is not None}


def _record(parts: Mapping[str, Path]) -> dict[str, Any] | None:
    path = parts["embeddings"].parent / MADE if "embeddings" in parts else None
    if path is None or not path.is_file():
        return None
    try:
        said = json.loads(read_bytes(path, Problems(MADE)) or b"")
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None
