"""The studies that the net looks at, made from the sample and from real ones beside the project."""

from __future__ import annotations

import csv
import gzip
import os
import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np

from tests.packs import write_pack

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("CUISCOPE_SHARED", ROOT.parent / "shared"))
REAL = ("roco", "covid", "rocov2", "shared")
"""Studies made of files beside the project; `shared` are these files themselves."""


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV."""
    return list(csv.DictReader(path.read_text("utf-8").splitlines(), restval=""))


def sample(folder: Path) -> None:
    """The sample study."""
    ignore = shutil.ignore_patterns("README.md")
    shutil.copytree(ROOT / "data", folder, ignore=ignore, dirs_exist_ok=True, copy_function=_copied)


def _copied(source: str, target: str) -> None:
    """A picture as a link where that can be: nothing writes into pictures."""
    if source.endswith(".jpg"):
        with suppress(OSError):
            os.link(source, target)
            return
    shutil.copy(source, target)


def _pack(folder: Path, pack: Path, group: str) -> None:
    systems = [run.name.removesuffix(".txt.gz") for run in sorted((pack / "runs").iterdir())]
    columns = {"modality": "modality", "body_region": "organ", "group": group}
    write_pack(pack, folder, columns, systems=systems, vectors=systems)
    (folder / "graph").mkdir()
    shutil.copy(SHARED / "real/kg/edges.csv", folder / "graph/edges.csv")


def roco(folder: Path) -> None:
    """1,102 images, seven systems, the open graph."""
    _pack(folder, SHARED / "images/roco", "article")


def covid(folder: Path) -> None:
    """Chest X-rays by patient, six systems, the open graph, groups."""
    _pack(folder, SHARED / "images/covid", "patient")


def rocov2(folder: Path) -> None:
    """9,927 images with labels and the open graph."""
    (folder / "graph").mkdir()
    shutil.copy(SHARED / "real/rocov2/test_concepts.csv", folder / "concepts.csv")
    shutil.copy(SHARED / "real/labels/rocov2_test_labels.csv", folder / "labels.csv")
    shutil.copy(SHARED / "real/kg/edges.csv", folder / "graph/edges.csv")


def judged(folder: Path) -> None:
    """The sample with two files of judgments: one of a person by organ, one of a program by IoU in steps."""
    sample(folder)
    sets = {row["ID"]: set(row["CUIs"].split(";")) - {""} for row in rows_of(folder / "concepts.csv")}
    organs = {row["ID"]: row["organ"] for row in rows_of(folder / "labels.csv")}
    ids = sorted(sets)
    (folder / "study.toml").unlink()  # its files are found by their names then
    (folder / "judgments").mkdir()
    person, program = [], []
    for i, query in enumerate(ids):
        for j, other in enumerate(ids):
            if query == other:
                continue
            grade = round(4 * len(sets[query] & sets[other]) / (len(sets[query] | sets[other]) or 1))
            program.append(f"{query} 0 {other} {grade}\n")
            if i % 3 == 0 and (i * 7 + j * 11) % 5 < 2:
                same = organs[query] == organs[other] != ""
                person.append(f"{query} 0 {other} {min(4, grade + 2 * same)}\n")
    (folder / "judgments/person.qrels").write_text("".join(person))
    (folder / "judgments/program.qrels").write_text("".join(program))


def judged_in_groups(folder: Path) -> None:
    """The same, four images a patient."""
    judged(folder)
    ids = sorted(row["ID"] for row in rows_of(folder / "concepts.csv"))
    rows = "".join(f"{image},p{i // 4}\n" for i, image in enumerate(ids))
    (folder / "groups.csv").write_text("ID,patient\n" + rows)


def no_graph(folder: Path) -> None:
    """The sample without a graph."""
    sample(folder)
    shutil.rmtree(folder / "graph")
    (folder / "study.toml").unlink()


def other_forms(folder: Path) -> None:
    """The sample with edges from source to target, names as MRCONSO.RRF and concepts as JSON lines."""
    no_graph(folder)
    edges = rows_of(ROOT / "data/graph/edges.csv")
    (folder / "graph").mkdir()
    lines = "".join(f"{row['child']},{row['parent']}\n" for row in edges)
    (folder / "graph/edges.csv").write_text("source,target\n" + lines)
    names = rows_of(folder / "names.csv")
    (folder / "names.csv").unlink()
    rows = [f"{row['cui']}|ENG|P||PF||Y|||||MSH|PT||{row['name']}|0|N||\n" for row in names]
    (folder / "MRCONSO.RRF").write_text("".join(rows), encoding="utf-8")


def matched(folder: Path) -> None:
    """The sample asked with texts: queries.csv, pairs.csv in both directions, a run of a two-sided system."""
    sample(folder)
    shutil.rmtree(folder / "systems")
    (folder / "study.toml").unlink()
    captions = rows_of(folder / "captions.csv")[:60]
    concepts = {row["ID"]: row["CUIs"] for row in rows_of(folder / "concepts.csv")}
    rows = [[f"t{i:02}", "text", row["Caption"], concepts[row["ID"]]] for i, row in enumerate(captions)]
    rows += [[row["ID"], "image", "", ""] for row in captions]
    with (folder / "queries.csv").open("w", newline="") as out:
        csv.writer(out).writerows([["id", "kind", "text", "concepts"], *rows])
    pairs = [(f"t{i:02}", row["ID"]) for i, row in enumerate(captions)]
    lines = "".join(f"{text},{image}\n" for text, image in pairs)
    (folder / "pairs.csv").write_text("query,candidate\n" + lines + "".join(f"{b},{a}\n" for a, b in pairs))
    rng = np.random.default_rng(5)
    texts, images = [text for text, _ in pairs], [row["ID"] for row in captions]
    with gzip.open(folder / "two.txt.gz", "wt") as out:
        for left, right in ((texts, images), (images, texts)):
            scores = rng.normal(size=(len(left), len(right))) + 2.5 * np.eye(len(left))
            for i, query in enumerate(left):
                for rank, j in enumerate(np.argsort(-scores[i])[:30], start=1):
                    out.write(f"{query} Q0 {right[j]} {rank} {scores[i, j]:.6f} two\n")
    (folder / "systems/two").mkdir(parents=True)
    shutil.move(folder / "two.txt.gz", folder / "systems/two/run.txt.gz")


def no_concepts(folder: Path) -> None:
    """Judgments and runs alone."""
    judged(folder)
    for name in ("concepts.csv", "captions.csv", "labels.csv", "names.csv", "kinds.csv"):
        (folder / name).unlink()
    for name in ("graph", "images", "review"):
        shutil.rmtree(folder / name)
    for vectors in folder.glob("systems/*/embeddings.npz"):
        vectors.unlink()


PLAIN = (sample, roco, covid, rocov2, judged, judged_in_groups, no_graph, other_forms, matched, no_concepts)
MAKERS = {make.__name__.replace("_", " "): make for make in PLAIN}


def build(name: str, home: Path) -> Path:
    """The folder of a study, made once below ``home``."""
    folder = home / name.replace(" ", "-")
    if not folder.exists():
        unfinished = folder.with_name(f".{folder.name}")
        unfinished.mkdir(parents=True)
        MAKERS[name](unfinished)
        unfinished.rename(folder)
    return folder
