"""Small studies whose concepts are no CUIs: WordNet synsets of photographs, ENVO CURIEs of landscapes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

ANIMALS = {
    "img_1": ("dog.n.01", "grass.n.01"),
    "img_2": ("wolf.n.01", "snow.n.01"),
    "img_3": ("cat.n.01", "grass.n.01"),
    "img_4": ("car.n.01", "street.n.01"),
    "img_5": ("bicycle.n.01", "street.n.01"),
    "img_6": ("dog.n.01", "street.n.01"),
}
HYPERNYMS = (
    ("dog.n.01", "canine.n.02"),
    ("wolf.n.01", "canine.n.02"),
    ("canine.n.02", "carnivore.n.01"),
    ("cat.n.01", "feline.n.01"),
    ("feline.n.01", "carnivore.n.01"),
    ("carnivore.n.01", "animal.n.01"),
    ("car.n.01", "vehicle.n.01"),
    ("bicycle.n.01", "vehicle.n.01"),
)
"""A hand-made list of nouns, each with the kind of thing it is."""
PLACES = {
    "a": ("ENVO:01000174", "ENVO:01000687"),
    "b": ("ENVO:01000816", "ENVO:01000687"),
    "c": ("ENVO:01000177",),
    "d": ("ENVO:00000091", "ENVO:01000177"),
    "e": ("ENVO:01000174",),
}
LANDSCAPES = """format-version: 1.2
ontology: landscapes

[Term]
id: ENVO:01000174
name: wood with needles
synonym: "conifer wood" EXACT []
is_a: ENVO:01001243 ! wood

[Term]
id: ENVO:01000816
name: wood with leaves
is_a: ENVO:01001243 ! wood

[Term]
id: ENVO:01001243
name: wood
relationship: part_of ENVO:01000687 ! shore

[Term]
id: ENVO:01000177
name: meadow

[Term]
id: ENVO:00000091
name: dune
is_a: ENVO:01000687 ! shore

[Term]
id: ENVO:01000687
name: shore
xref: UMLS:C0000001
"""
ANSWERS = {
    "img": {"img_1": ["img_2", "img_4", "img_6"], "img_2": ["img_1", "img_5"], "img_4": ["img_5", "img_3"]},
    "place": {"a": ["b", "c", "e"], "b": ["d", "a"], "d": ["c", "a"]},
}


def write_wordnet(folder: Path) -> Path:
    """Six photographs with synsets; a dog and a wolf are two steps apart."""
    _tables(folder, "synsets", ANIMALS)
    (folder / "edges.csv").write_text(
        "child,parent,rela\n" + "".join(f"{child},{parent},isa\n" for child, parent in HYPERNYMS)
    )
    (folder / "labels.csv").write_text(
        "ID,scene\n"
        + "".join(f"{i},{'street' if 'street.n.01' in c else 'land'}\n" for i, c in ANIMALS.items())
    )
    _systems(
        folder, {"hog": ANSWERS["img"], "colour": {q: found[::-1] for q, found in ANSWERS["img"].items()}}
    )
    return folder


def write_envo(folder: Path) -> Path:
    """Five landscapes with CURIEs, labels, and an ontology that names them."""
    _tables(folder, "concepts", PLACES)
    (folder / "graph").mkdir()
    (folder / "graph" / "landscapes.obo").write_text(LANDSCAPES)
    biome = {"ENVO:01000174": "wood", "ENVO:01000816": "wood", "ENVO:01000177": "open"}
    labels = {i: sorted({biome[c] for c in concepts if c in biome}) for i, concepts in PLACES.items()}
    (folder / "labels.csv").write_text(
        "ID,biome\n" + "".join(f"{image},{';'.join(values)}\n" for image, values in labels.items())
    )
    _systems(folder, {"hog": ANSWERS["place"], "colour": {q: a[::-1] for q, a in ANSWERS["place"].items()}})
    return folder


def _tables(folder: Path, head: str, sets: dict[str, tuple[str, ...]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "concepts.csv").write_text(
        f"ID,{head}\n" + "".join(f"{image},{';'.join(concepts)}\n" for image, concepts in sets.items())
    )
    (folder / "captions.csv").write_text(
        "ID,Caption\n" + "".join(f"{image},A picture of {image}.\n" for image in sets)
    )
    (folder / "images").mkdir()
    for at, image in enumerate(sets):
        Image.fromarray(np.full((20, 30), 30 * at, np.uint8)).save(folder / "images" / f"{image}.png")


def _systems(folder: Path, runs: dict[str, dict[str, list[str]]]) -> None:
    for system, answers in runs.items():
        (folder / "systems" / system).mkdir(parents=True)
        (folder / "systems" / system / "run.trec").write_text(
            "".join(
                f"{query} Q0 {image} {rank} {1 / rank:.6f} {system}\n"
                for query, images in answers.items()
                for rank, image in enumerate(images, start=1)
            )
        )
