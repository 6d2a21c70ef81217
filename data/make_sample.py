"""Draw and write the sample study: python data/make_sample.py [--into FOLDER] [--only SYN_001 ...].

Everything follows from one seed; with the same library versions the files are the same byte by byte.
names.csv and graph/edges.csv are collected facts, not made here.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import zipfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image
from sample_maker import systems
from sample_maker.cases import Case, all_cases
from sample_maker.draw import draw
from sample_maker.finish import jpeg_bytes
from sample_maker.kinds import kinds_of
from sample_maker.wording import Record, records

DEPTH = 100


def image_file(case: Case) -> tuple[str, bytes]:
    """Name and content of the image of a case."""
    return f"{case.image}.jpg", jpeg_bytes(draw(case))


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a CSV file with Unix line ends."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8")


def write_tables(into: Path, described: Sequence[Record]) -> None:
    """concepts.csv, captions.csv and labels.csv; a row without second cell means not annotated."""
    concepts = [[r.image] if r.concepts is None else [r.image, ";".join(r.concepts)] for r in described]
    write_table(into / "concepts.csv", ("ID", "CUIs"), concepts)
    write_table(into / "captions.csv", ("ID", "Caption"), [(r.image, r.caption) for r in described])
    labels = [(r.image, r.modality, ";".join(r.organs), ";".join(r.findings)) for r in described]
    write_table(into / "labels.csv", ("ID", "modality", "organ", "finding"), labels)


def write_kinds(into: Path) -> None:
    """kinds.csv, from the names and edges that lie beside this script."""
    here = Path(__file__).resolve().parent
    with (here / "names.csv").open(encoding="utf-8", newline="") as names:
        concepts = [row["cui"] for row in csv.DictReader(names)]
    with (here / "graph" / "edges.csv").open(encoding="utf-8", newline="") as edges:
        links = [(row["child"], row["parent"]) for row in csv.DictReader(edges)]
    write_table(into / "kinds.csv", ("cui", "kind"), kinds_of(concepts, links))


def write_system(into: Path, name: str, ids: Sequence[str], vectors: npt.NDArray[np.float64]) -> None:
    """embeddings.npz (ids, vectors as float32) and run.trec.gz of one system, without time stamps."""
    folder = into / "systems" / name
    folder.mkdir(parents=True, exist_ok=True)
    small = vectors.astype(np.float32)
    with zipfile.ZipFile(folder / "embeddings.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for member, array in (("ids", np.array(ids)), ("vectors", small)):
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, allow_pickle=False)
            archive.writestr(
                zipfile.ZipInfo(f"{member}.npy", (1980, 1, 1, 0, 0, 0)),
                buffer.getvalue(),
                zipfile.ZIP_DEFLATED,
            )
    run = systems.cosine_run(ids, small, name=name, depth=DEPTH)
    (folder / "run.trec.gz").write_bytes(gzip.compress(run.encode(), mtime=0))


def make(into: Path, cases: Sequence[Case], *, drawn: Sequence[Case]) -> None:
    """Write the tables, the images of the cases to be ``drawn``, and the systems of all images."""
    described = records(cases)
    (into / "images").mkdir(parents=True, exist_ok=True)
    write_tables(into, described)
    write_kinds(into)
    with ProcessPoolExecutor() as pool:
        for name, content in pool.map(image_file, drawn):
            (into / "images" / name).write_bytes(content)
    ids = [case.image for case in cases]
    pictures = [systems.grey(Image.open(into / "images" / f"{image}.jpg")) for image in ids]
    for name, features in systems.IMAGE_SYSTEMS.items():
        write_system(into, name, ids, features(pictures))
    write_system(into, "caption-tfidf", ids, systems.caption_tfidf([r.caption for r in described]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    here = Path(__file__).resolve().parent
    parser.add_argument("--into", type=Path, default=here, help="study folder to write")
    parser.add_argument("--only", nargs="*", help="draw only these images (none: keep all as they are)")
    arguments = parser.parse_args()
    cases = all_cases()
    wanted = None if arguments.only is None else set(arguments.only)
    make(arguments.into, cases, drawn=[c for c in cases if wanted is None or c.image in wanted])


if __name__ == "__main__":
    main()
