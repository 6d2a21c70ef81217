"""Small files for features that work on files: submissions, pictures of real and generated images."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tests.net.studies import ROOT, rows_of


def _table(path: Path, rows: list[Any]) -> None:
    with path.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows(rows)


def _submissions(folder: Path) -> None:
    captions = {row["ID"]: row["Caption"] for row in rows_of(ROOT / "data/captions.csv")}
    concepts = {row["ID"]: row["CUIs"] for row in rows_of(ROOT / "data/concepts.csv")}
    ids = [image for image in captions if captions[image] and concepts[image]][:40]
    after = {image: ids[(i + 1) % len(ids)] for i, image in enumerate(ids)}
    half = {image: " ".join(captions[image].split()[: 3 + i % 6]) for i, image in enumerate(ids)}
    some = {
        image: ";".join([*concepts[image].split(";")[: 1 + i % 3], concepts[after[image]].split(";")[0]])
        for i, image in enumerate(ids)
    }
    some = {image: ";".join(dict.fromkeys(text.split(";"))) for image, text in some.items()}
    bad = {**some, "nowhere": "C0000001", ids[0]: "C1;C1"}
    tables = {
        "truth-captions": ("Caption", {i: captions[i] for i in ids}),
        "run-captions": ("Caption", half),
        "other-captions": ("Caption", {i: captions[after[i]] for i in ids}),
        "truth-concepts": ("CUIs", {i: concepts[i] for i in ids}),
        "run-concepts": ("CUIs", some),
        "bad-concepts": ("CUIs", bad),
    }
    for name, (column, values) in tables.items():
        _table(folder / f"{name}.csv", [["ID", column], *values.items()])
        split = ";" if column == "CUIs" else "\n"
        lines = [f"{i}\t{text.replace(split, ',')}\n" for i, text in values.items()]
        (folder / f"{name}.txt").write_text("".join(lines), encoding="utf-8")


def _pictures(folder: Path) -> None:
    rng = np.random.default_rng(3)
    paths = sorted((ROOT / "data/images").glob("*.jpg"))[:60]
    for name in ("real", "noisy", "dark", "copied"):
        (folder / name).mkdir()
    for i, path in enumerate(paths):
        values = np.asarray(Image.open(path).convert("L").resize((96, 96)), float)
        if i % 2 == 0:
            Image.fromarray(values.astype(np.uint8)).save(folder / "real" / f"{path.stem}.png")
            if i % 10 == 0:
                Image.fromarray(values.astype(np.uint8)).save(folder / "copied" / f"c{i}.png")
            continue
        noisy = np.clip(values + rng.normal(0, 25, values.shape), 0, 255).astype(np.uint8)
        Image.fromarray(noisy).save(folder / "noisy" / f"n{i}.png")
        Image.fromarray((values * 0.5).astype(np.uint8)).save(folder / "dark" / f"d{i}.png")
        Image.fromarray(values.astype(np.uint8)).save(folder / "copied" / f"o{i}.png")
    ids = sorted(path.stem for name in ("noisy", "dark") for path in (folder / name).iterdir())
    better = ("first", "second", "tie")
    rows = [
        [a, b, better[(i * 7) % 3], rater]
        for i, (a, b) in enumerate(pairwise(ids))
        for rater in ("anna", "ben")
    ]
    _table(folder / "people.csv", [["first", "second", "better", "rater"], *rows])


def make(folder: Path) -> Path:
    """All of them, in an empty folder."""
    folder.mkdir(parents=True)
    _submissions(folder)
    _pictures(folder)
    rows = [["label_type", "label", "cui"]]
    labels = [("C0040405", "ct"), ("C0024485", "mr"), ("C0041618", "us"), ("C1306645", "xray")]
    _table(folder / "labels_map.csv", rows + [["finding", label, cui] for cui, label in labels])
    return folder
