"""Caption, concepts and labels of a case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .cases import Case
from .phrases import FINDINGS, NORMAL, OPENERS, Phrase

MODALITY = {
    "chest": "radiograph",
    "bone": "radiograph",
    "mammography": "mammogram",
    "brain mri": "MRI",
    "head ct": "CT",
    "abdomen ct": "CT",
    "ultrasound": "ultrasound",
}
ORGANS = {
    "chest": "lung",
    "chest cardiomegaly": "heart",
    "chest rib fracture": "bone",
    "brain mri": "brain",
    "head ct": "brain",
    "mammography": "breast",
    "bone": "bone",
    "abdomen ct liver": "liver",
    "abdomen ct splenomegaly": "spleen",
    "abdomen ct kidney": "kidney",
    "abdomen ct aortic aneurysm": "vessel",
    "ultrasound gallbladder": "gallbladder",
    "ultrasound kidney": "kidney",
    "ultrasound liver": "liver",
}
LABELS = {"spiculated mass": "breast mass", "round mass": "breast mass"}
"""Findings that share a label; all others are their own label."""
VIEW_CONCEPTS = {"pa": "C1996865", "ap": "C1999039", "lateral": "C0205129"}
"""Radiographic views: real concepts that the graph of the sample does not know."""
SHORT = {
    "radiograph": ("Plain radiograph.", "C1306645"),
    "CT": ("Computed tomography.", "C0040405"),
    "MRI": ("Magnetic resonance image.", "C0024485"),
    "ultrasound": ("Ultrasound image.", "C0041618"),
    "mammogram": ("Mammogram.", "C0024671"),
}
"""Caption and concept of an image described by nothing but its modality."""


@dataclass(frozen=True)
class Record:
    """What the study's tables say about one image; ``concepts`` None means nobody annotated it."""

    image: str
    caption: str
    concepts: tuple[str, ...] | None
    modality: str
    organs: tuple[str, ...]
    findings: tuple[str, ...]


def records(cases: Sequence[Case]) -> tuple[Record, ...]:
    """Describe every case; phrases of a kind take turns, so that all levels of detail occur.

    A few images get the rarer states a real data set has, so that the pages can show them: two are
    annotated with nothing, one is not annotated, two carry their modality only, and three a view that
    the graph does not know.
    """
    turns: Counter[str] = Counter()
    described = {case.image: describe(case, turns) for case in cases}
    normal = [case.image for case in cases if not case.findings]
    for image in normal[:2]:
        described[image] = replace(described[image], caption="Baseline image for comparison.", concepts=())
    described[normal[2]] = replace(described[normal[2]], concepts=None)
    for image in normal[3:5]:
        caption, concept = SHORT[described[image].modality]
        described[image] = replace(described[image], caption=caption, concepts=(concept,))
    for view, concept in VIEW_CONCEPTS.items():
        image = next(c.image for c in cases if c.kind == "chest" and c.view == view and c.findings)
        known = described[image].concepts or ()
        described[image] = replace(described[image], concepts=tuple(sorted({*known, concept})))
    return tuple(described.values())


def describe(case: Case, turns: Counter[str]) -> Record:
    """One caption from an opener and one phrase per finding."""
    place = f"{case.kind} {case.view}"
    chosen = [_next(OPENERS[place], "open " + place, turns)]
    for finding in case.findings:
        key = f"{case.kind} {finding}"
        if case.side == "both" and f"{key} both" in FINDINGS:
            key += " both"
        chosen.append(_next(FINDINGS[key], key, turns))
    if not case.findings:
        chosen.append(_next(NORMAL[place], "normal " + place, turns))
    text = " and ".join(phrase for phrase, _ in chosen[1:])
    caption = f"{chosen[0][0]} {text}.".replace("{side}", case.side)
    concepts = tuple(sorted({_concept(c, case.side) for _, listed in chosen for c in listed.split()}))
    organs = tuple(dict.fromkeys(_organ(case, finding) for finding in case.findings or ("",)))
    findings = tuple(LABELS.get(finding, finding) for finding in case.findings or ("normal",))
    return Record(case.image, caption, concepts, MODALITY[case.kind], organs, findings)


def _next(options: tuple[Phrase, ...], key: str, turns: Counter[str]) -> Phrase:
    turns[key] += 1
    return options[(turns[key] - 1) % len(options)]


def _concept(concept: str, side: str) -> str:
    left, _, right = concept.partition("|")
    return left if side == "left" or not right else right


def _organ(case: Case, finding: str) -> str:
    keys = (f"{case.kind} {finding}", f"{case.kind} {case.view}", case.kind)
    return next(ORGANS[key] for key in keys if key in ORGANS)
