"""Small studies as folders, which tests open where they are or copy to change them.

- ``tiny``: six images with pictures; nodule and mass are one step apart; q6 has a hostile caption and neither
  concepts nor labels; ``alpha`` is the better system, ``beta`` leaves q5 and q6 unanswered.
- ``three``, laid over ``tiny``: ``gamma``, which is alpha with its first result last.
- ``pairs``, laid over ``tiny`` without its systems: texts matched with its images, at ranks 7 / 6 and 20 / 6
  on average; alpha answers two images with texts too.
- ``deep``: C0000001 and C0000002 have the parents 7 and 9 in common; 3 is a sibling of 2.
- ``wordnet``: six photographs with synsets; dog and wolf are two steps apart in its list of hypernyms.
- ``envo``: five landscapes with CURIEs, labels, and an ontology that names them.
"""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

HERE = Path(__file__).parent


def copied(name: str, folder: Path, *, without: tuple[str, ...] = ()) -> Path:
    """The study in a folder, without these of its files and folders."""
    left_out = shutil.ignore_patterns(*without) if without else None
    shutil.copytree(HERE / name, folder, ignore=left_out, copy_function=shutil.copyfile, dirs_exist_ok=True)
    return folder


def captions_of(name: str) -> dict[str, str]:
    """{image: caption}"""
    lines = (HERE / name / "captions.csv").read_text("utf-8").splitlines()
    return {row["ID"]: row["Caption"] for row in csv.DictReader(lines)}


def runs_of(name: str) -> dict[str, dict[str, list[str]]]:
    """{system: {query: images, best first}}"""
    runs: dict[str, dict[str, list[str]]] = {}
    for path in sorted((HERE / name).glob("systems/*/run.trec")):
        for query, _, image, *_ in map(str.split, path.read_text().splitlines()):
            runs.setdefault(path.parent.name, {}).setdefault(query, []).append(image)
    return runs
