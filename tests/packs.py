"""Real packs beside the project (`images/roco`, `images/covid`) as study folders."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path


def write_pack(
    pack: Path,
    folder: Path,
    columns: Mapping[str, str],
    *,
    systems: Iterable[str] = (),
    vectors: Iterable[str] = (),
    cell: Callable[[str], str] = str,
) -> Path:
    """The concepts of a pack, columns of its metadata {there: here} as labels, its runs, and vectors.

    ``systems``: all by default. ``cell`` changes each value. A column "patient" is what groups the images.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(pack / "concepts.csv", folder / "concepts.csv")
    with (pack / "metadata.csv").open(newline="", encoding="utf-8") as lines:
        rows = [[cell(row[name]) for name in ("ID", *columns)] for row in csv.DictReader(lines)]
    with (folder / "labels.csv").open("w", newline="", encoding="utf-8") as lines:
        csv.writer(lines).writerows([["ID", *columns.values()], *rows])
    if "patient" in columns.values():
        (folder / "study.toml").write_text(f'name = "{pack.name}"\ngroup = "patient"\n')
    files = {file.name.removesuffix(".txt.gz"): file for file in sorted((pack / "runs").glob("*.txt.gz"))}
    for name in systems or files:
        (folder / "systems" / name).mkdir(parents=True)
        shutil.copy(files[name], folder / "systems" / name / "run.txt.gz")
    for name in vectors:
        shutil.copy(pack / "embeddings" / f"{name}.npz", folder / "systems" / name / "embeddings.npz")
    return folder
