"""The page that redoes the relevance paper: its commands on 1,102 real images, against sets and networkx."""

from __future__ import annotations

import csv
import shlex
import shutil
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from evalcore.cli import run
from tests.test_docs import DOCS, blocks_of, commands_in

pytestmark = pytest.mark.real
PAGE = DOCS / "papers" / "nn-iou.md"
REAL = {
    "texture": "lbp_glcm",
    "cosine:caption-tfidf": "cosine:text_tfidf_svd",
    "C0229962": "C0178784",
    "P(Body regions)@5": "P(Organ)@5",
    "SYN_001": "ROCO_00176",
    "SYN_027": "ROCO_00264",
}
"""What the page calls by the names of the sample study."""
FEWER = {"table1": ("--flips", "100"), "cost": ("--repeats", "1")}
"""What takes time and changes no value that is looked at here."""


@pytest.fixture(scope="module")
def author(real_dir: Path, images_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of somebody who has followed the page with real files."""
    here, pack = tmp_path_factory.mktemp("author"), images_dir / "roco"
    study = here / "my_study"
    (study / "graph").mkdir(parents=True)
    shutil.copy(pack / "concepts.csv", study)
    shutil.copy(real_dir / "kg/roco_closure/edges.csv", study / "graph")
    shutil.copy(real_dir / "kg/roco_closure/names.csv", study)
    for system in ("hog", "lbp_glcm", "text_tfidf_svd"):
        (study / "systems" / system).mkdir(parents=True)
        shutil.copy(pack / f"runs/{system}.txt.gz", study / "systems" / system / "run.txt.gz")
        shutil.copy(pack / f"embeddings/{system}.npz", study / "systems" / system / "embeddings.npz")
    rows = [
        row
        for row in rows_of(real_dir / "labels/labels_map.csv")
        if row["label_type"] in ("modality", "organ")
    ]
    lines = (f"{row['label_type']},{row['label']},{row['cui']}\n" for row in rows)
    (here / "map.csv").write_text("column,label,cui\n" + "".join(lines))
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(here)
        for block in blocks_of(PAGE):
            if block.file and block.file != "map.csv":
                Path(block.file).parent.mkdir()
                Path(block.file).write_text(block.text)
            for words in commands_in(block.text) if block.language == "sh" and not block.why else ():
                fewer = FEWER.get(words[1], ())
                assert run([*(REAL.get(word, word) for word in words[1:]), *fewer]) == 0, shlex.join(words)
    return here


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


def concepts_of(author: Path) -> dict[str, set[str]]:
    rows = rows_of(author / "my_study/concepts.csv")
    return {row["ID"]: {*row["CUIs"].split(";")} - {""} for row in rows}


def graph_of(author: Path) -> nx.DiGraph:
    return nx.DiGraph(
        (row["child_cui"], row["parent_cui"]) for row in rows_of(author / "my_study/graph/edges.csv")
    )


def test_labels_are_those_of_the_nearest_mapped_concepts_above(author: Path) -> None:
    upward, mapped = graph_of(author), rows_of(author / "map.csv")
    for kind in ("modality", "organ"):
        labels_of = {
            row["cui"]: {r["label"] for r in mapped if r["column"] == kind and r["cui"] == row["cui"]}
            for row in mapped
        }
        labels_of = {cui: labels for cui, labels in labels_of.items() if labels}
        written = {row["ID"]: row[kind] for row in rows_of(author / "my_study/labels.csv")}
        for image, concepts in concepts_of(author).items():
            expected: set[str] = set()
            for cui in concepts:
                steps = nx.single_source_shortest_path_length(upward, cui) if cui in upward else {cui: 0}
                nearest = min((n for above, n in steps.items() if above in labels_of), default=None)
                expected |= {
                    label
                    for above, n in steps.items()
                    if n == nearest and above in labels_of
                    for label in labels_of[above]
                }
            assert written[image] == ";".join(sorted(expected)), image


def test_table_1_by_plain_sets(author: Path) -> None:
    labels, sets = rows_of(author / "my_study/labels.csv"), concepts_of(author)
    vocabulary = sorted(set().union(*sets.values()))
    for columns in (("modality",), ("organ",), ("modality", "organ")):
        pool = sorted(
            (row["ID"], *(row[c] for c in columns)) for row in labels if all(row[c] for c in columns)
        )
        has = np.array([[cui in sets[image] for cui in vocabulary] for image, *_ in pool], float)
        shared, sizes = has @ has.T, has.sum(axis=1)
        iou = shared / np.maximum(sizes[:, None] + sizes - shared, 1)
        np.fill_diagonal(iou, -1)
        order = np.argsort(-iou, axis=1, kind="stable")
        alike = np.ones(iou.shape, bool)
        for cells in list(zip(*pool, strict=True))[1:]:
            values = sorted({value for cell in cells for value in cell.split(";")})
            indicators = np.array([[value in cell.split(";") for value in values] for cell in cells], float)
            alike &= indicators @ indicators.T > 0
        ranked = np.take_along_axis(alike, order, axis=1)
        for k in (5, 10, 30):
            metric = f"P({'&'.join(columns)})@{k}"
            (row,) = (
                r for r in rows_of(author / "table1.csv") if r["metric"] == metric and r["measure"] == "iou"
            )
            assert float(row["mean"]) == pytest.approx(ranked[:, :k].mean(), abs=1e-12)
            assert int(row["n"]) == len(pool)
    assert r"modality \& organ @30" in (author / "table1.tex").read_text()
