"""A study in which every text tries something: Markdown, markup, formulas, terminal codes.

Texts that mean something to a page name a host that does not exist, so that asking for it shows.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import tomlkit
from PIL import Image

HOST = "evil.invalid"
AT = f"http://{HOST}/x"
_TEXTS = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
PAYLOADS = tuple(_TEXTS["for pages"])
CONTROLS = tuple(_TEXTS["for terminals"])
RETURNED = 20
CUIS = tuple(f"C{i:07}" for i in range(1, 101))


def write_hostile(folder: Path, texts: tuple[str, ...] = PAYLOADS, *, ids: tuple[str, ...] = ()) -> Path:
    """A sound study, but for its texts: every kind of text of it takes turns with all of them.

    ``ids`` are the image ids; by default the texts themselves.
    """
    ids = tuple(dict.fromkeys(text.strip() for text in (ids or texts)))
    folder.mkdir(parents=True, exist_ok=True)
    cuis, n = CUIS[: len(texts)], len(texts)

    def table(name: str, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([header, *rows])

    holds = [
        (image, ";".join(sorted({cuis[i % n], cuis[(i + 1) % n], cuis[(2 * i) % n]})))
        for i, image in enumerate(ids)
    ]
    table("concepts.csv", ("ID", "CUIs"), holds)
    table("captions.csv", ("ID", "Caption"), [(image, texts[i % n]) for i, image in enumerate(ids)])
    values = [(image, texts[i // 2 % n], texts[i // 3 % n], texts[-1]) for i, image in enumerate(ids)]
    table("labels.csv", ("ID", texts[0], texts[1 % n], "organ"), values)
    table("names.csv", ("cui", "name"), list(zip(cuis, texts, strict=True)))
    links = [(cuis[i], cuis[i // 2], texts[i], texts[-i].lower()) for i in range(1, n)]
    table("graph/edges.csv", ("child", "parent", "source", "rela"), links)
    (folder / "images").mkdir(exist_ok=True)
    for image in (name for name in ids if "/" not in name):
        Image.fromarray(np.zeros((8, 8), np.uint8)).save(folder / "images" / f"{image}.png")
    systems = {}
    for step, name in enumerate((texts[0], texts[1], texts[2], "hog"), start=1):
        answers = {
            query: {ids[(i + step * j) % len(ids)]: 1 / j for j in range(1, RETURNED + 1)}
            for i, query in enumerate(ids)
        }
        (folder / f"{step}.json").write_text(json.dumps(answers), encoding="utf-8")
        systems[name] = {"run": f"{step}.json"}
    toml = {"name": texts[0], "description": " ".join(texts[:3]), "systems": systems}
    (folder / "study.toml").write_text(tomlkit.dumps(toml), encoding="utf-8")
    return folder
