"""Which images the sample study holds: how many of each kind, with which finding on which side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

SEED = 2024
"""Everything random in the sample follows from this number."""
Side = Literal["left", "right", "both", ""]


@dataclass(frozen=True)
class Case:
    """One image to draw and to describe.

    ``kind`` chooses the drawing, ``view`` its variant, ``findings`` what is visible (empty: normal),
    ``side`` the patient's side of the finding, ``seed`` its own random stream.
    """

    image: str
    kind: str
    view: str
    findings: tuple[str, ...]
    side: Side
    seed: int


# kind, view, findings, sides to cycle through, how many
PLAN: tuple[tuple[str, str, tuple[str, ...], tuple[Side, ...], int], ...] = (
    ("chest", "pa", (), ("",), 6),
    ("chest", "pa", ("effusion",), ("left", "right"), 6),
    ("chest", "ap", ("effusion",), ("both",), 2),
    ("chest", "pa", ("pneumothorax",), ("right", "left"), 5),
    ("chest", "pa", ("cardiomegaly",), ("",), 4),
    ("chest", "ap", ("cardiomegaly", "effusion"), ("left", "right"), 3),
    ("chest", "pa", ("nodule",), ("right", "left"), 5),
    ("chest", "pa", ("mass",), ("left", "right"), 3),
    ("chest", "pa", ("consolidation",), ("right", "left"), 6),
    ("chest", "pa", ("rib fracture",), ("left", "right"), 2),
    ("chest", "pa", ("rib fracture", "pneumothorax"), ("right",), 1),
    ("chest", "lateral", (), ("",), 2),
    ("chest", "lateral", ("effusion",), ("",), 1),
    ("brain mri", "t1", ("glioma",), ("left", "right"), 4),
    ("brain mri", "t2", ("glioma",), ("right", "left"), 4),
    ("brain mri", "t1", ("meningioma",), ("right", "left"), 4),
    ("brain mri", "t2", ("hydrocephalus",), ("",), 3),
    ("brain mri", "t2", ("cyst",), ("left", "right"), 3),
    ("brain mri", "flair", ("infarct",), ("left", "right"), 3),
    ("brain mri", "flair", ("white matter lesions",), ("",), 2),
    ("brain mri", "t1", (), ("",), 2),
    ("brain mri", "t2", (), ("",), 2),
    ("head ct", "axial", ("cerebral haemorrhage",), ("left", "right"), 4),
    ("head ct", "axial", ("subdural haematoma",), ("right", "left"), 4),
    ("head ct", "axial", ("epidural haematoma",), ("left", "right"), 3),
    ("head ct", "axial", ("infarct",), ("right",), 2),
    ("head ct", "axial", (), ("",), 2),
    ("abdomen ct", "liver", ("liver mass",), ("",), 5),
    ("abdomen ct", "liver", ("liver cyst",), ("",), 3),
    ("abdomen ct", "liver", ("splenomegaly",), ("",), 2),
    ("abdomen ct", "liver", ("ascites",), ("",), 2),
    ("abdomen ct", "liver", (), ("",), 2),
    ("abdomen ct", "kidney", ("renal cyst",), ("left", "right"), 3),
    ("abdomen ct", "kidney", ("kidney stone",), ("right", "left"), 3),
    ("abdomen ct", "kidney", ("hydronephrosis",), ("left", "right"), 3),
    ("abdomen ct", "kidney", ("renal mass",), ("right", "left"), 2),
    ("abdomen ct", "kidney", ("aortic aneurysm",), ("",), 3),
    ("abdomen ct", "kidney", (), ("",), 2),
    ("ultrasound", "gallbladder", ("gallstones",), ("",), 6),
    ("ultrasound", "gallbladder", (), ("",), 1),
    ("ultrasound", "kidney", ("renal cyst",), ("right", "left"), 3),
    ("ultrasound", "kidney", ("hydronephrosis",), ("left", "right"), 4),
    ("ultrasound", "kidney", ("kidney stone",), ("right", "left"), 3),
    ("ultrasound", "kidney", (), ("right",), 2),
    ("ultrasound", "liver", ("liver cyst",), ("",), 3),
    ("ultrasound", "liver", ("liver mass",), ("",), 3),
    ("ultrasound", "liver", ("ascites",), ("",), 1),
    ("bone", "hand", ("metacarpal fracture",), ("right", "left"), 2),
    ("bone", "forearm", ("radius fracture",), ("left", "right"), 3),
    ("bone", "leg", ("tibia fracture",), ("right", "left"), 3),
    ("bone", "hand", (), ("left",), 1),
    ("mammography", "mlo", ("spiculated mass",), ("left", "right"), 2),
    ("mammography", "mlo", ("round mass",), ("right", "left"), 2),
    ("mammography", "mlo", ("breast calcification",), ("left",), 1),
    ("mammography", "mlo", (), ("right",), 2),
)


def all_cases(*, seed: int = SEED) -> tuple[Case, ...]:
    """Every image of the study, shuffled so that neighbouring ids show different things."""
    rows = [(*row[:3], row[3][k % len(row[3])]) for row in PLAN for k in range(row[4])]
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(rows))
    seeds = rng.integers(1, 2**31, len(rows)).tolist()
    cases = []
    for number, i in enumerate(order.tolist(), start=1):
        kind, view, findings, side = rows[i]
        cases.append(Case(f"SYN_{number:03d}", kind, view, findings, side, seeds[i]))
    return tuple(cases)
