"""Caption, concepts and labels of a case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from .cases import Case
from .phrases import FINDINGS, NORMAL, OPENERS, Phrase

MODALITY = {
    "chest": "radiograph", "bone": "radiograph", "mammography": "mammogram", "brain mri": "MRI",
    "head ct": "CT", "abdomen ct": "CT", "ultrasound": "ultrasound",
}  # fmt: skip
ORGANS = {
    "chest": ("lung",), "chest cardiomegaly": ("heart",), "chest rib fracture": ("bone",),
    "brain mri": ("brain",), "head ct": ("brain",), "mammography": ("breast",), "bone": ("bone",),
    "abdomen ct liver": ("liver",), "abdomen ct splenomegaly": ("spleen",), "abdomen ct kidney": ("kidney",),
    "abdomen ct aortic aneurysm": ("vessel",), "ultrasound gallbladder": ("gallbladder",),
    "ultrasound kidney": ("kidney",), "ultrasound liver": ("liver",),
}  # fmt: skip
VIEW_CONCEPTS = {"pa": "C1996865", "ap": "C1999039", "lateral": "C0205129"}
"""Radiographic views: real concepts that the graph of the sample does not know."""


@dataclass(frozen=True)
class Record:
    """What the study's tables say about one image; ``concepts`` None means nobody annotated it."""

    image: str
    caption: str
    concepts: tuple[str, ...] | None
    modality: str
    organs: tuple[str, ...]
    findings: tuple[str, ...]


def records(cases: Iterable[Case]) -> tuple[Record, ...]:
    """Describe every case; phrases of a kind take turns, so that all levels of detail occur."""
    turns: Counter[str] = Counter()
    described = [describe(case, turns) for case in cases]
    return tuple(with_states(described))


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
    caption = _sided(f"{chosen[0][0]} {text}.", case.side)
    concepts = tuple(sorted({_concept(c, case.side) for _, listed in chosen for c in listed.split()}))
    organs = tuple(dict.fromkeys(o for finding in case.findings or ("",) for o in _organs(case, finding)))
    return Record(case.image, caption, concepts, MODALITY[case.kind], organs, case.findings or ("normal",))


def with_states(described: list[Record]) -> list[Record]:
    """Give a few images the rarer states a real data set has, so that the pages can show them.

    Two are annotated with nothing, one is not annotated, three carry a view the graph does not know, and
    two keep a single concept.
    """
    normal = [r.image for r in described if r.findings == ("normal",)]
    chest = [r.image for r in described if "C0039985" in (r.concepts or ()) and r.findings != ("normal",)]
    changed = []
    for record in described:
        concepts: tuple[str, ...] | None = record.concepts
        caption = record.caption
        if record.image in normal[:2]:
            concepts, caption = (), caption.split(" showing")[0].split(" with")[0].split(":")[0].rstrip(".") + " for comparison."
        elif record.image == normal[2]:
            concepts = None
        elif record.image in normal[3:5] and concepts:
            concepts = concepts[:1]
        elif record.image in chest[:3]:
            view = ("pa", "ap", "lateral")[chest.index(record.image)]
            concepts = tuple(sorted({*(concepts or ()), VIEW_CONCEPTS[view]}))
        changed.append(Record(record.image, caption, concepts, record.modality, record.organs, record.findings))
    return changed


def _next(options: tuple[Phrase, ...], key: str, turns: Counter[str]) -> Phrase:
    turns[key] += 1
    return options[(turns[key] - 1) % len(options)]


def _sided(text: str, side: str) -> str:
    return text.replace("{side}", side or "right").replace("  ", " ")


def _concept(concept: str, side: str) -> str:
    left, _, right = concept.partition("|")
    return left if side == "left" or not right else right


def _organs(case: Case, finding: str) -> tuple[str, ...]:
    for key in (f"{case.kind} {finding}", f"{case.kind} {case.view}", case.kind):
        if key in ORGANS:
            return ORGANS[key]
    raise KeyError(case.kind)
