"""Concepts out of captions by MedCAT or QuickUMLS, both optional, as the organisers' scripts call them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evalcore.arrays import Floats
from evalcore.challenge.captions.metrics import umls_f1
from evalcore.challenge.models.scorers import Pairs, Scorer, loaded, package
from evalcore.errors import UnknownName
from evalcore.progress import Progress

Extract = Callable[[str], tuple[str, ...]]

TOOLS = ("medcat", "quickumls")
WINDOW, THRESHOLD = 5, 1.0
"""QuickUMLS: longest run of words that is looked up, and how alike name and text must be (1: the same)."""


def load_extractor(tool: str, weights: str) -> Extract:
    """A function from a caption to its distinct CUIs in the order they are found.

    Parameters
    ----------
    tool : "medcat" (``weights`` a model pack, zip or folder) or "quickumls" (``weights`` the folder that
        ``python -m quickumls.install`` made).

    Raises
    ------
    UnknownName
        There is no such tool.
    InputError
        Its package is not installed, or the weights cannot be loaded.
    """
    if tool not in TOOLS:
        raise UnknownName("extractor", tool, TOOLS)
    return _medcat(weights) if tool == "medcat" else _quickumls(weights)


def extracted(
    captions: Mapping[str, str], extract: Extract, *, progress: Progress
) -> dict[str, tuple[str, ...]]:
    """{image: concepts} of raw captions; an empty caption has none."""
    found = {}
    for i, (image, text) in enumerate(captions.items()):
        if not i % 50:
            progress(i / len(captions), "concepts of captions")
        found[image] = extract(text) if text else ()
    return found


def concept_scorer(extract: Extract) -> Scorer:
    """UMLS F1 of (truth, candidate) from the concepts found in both; equal captions are read once."""
    known: dict[str, tuple[str, ...]] = {}

    def concepts_of(text: str) -> tuple[str, ...]:
        if text not in known:
            known[text] = extract(text) if text else ()
        return known[text]

    def score(pairs: Pairs, progress: Progress) -> dict[str, Floats]:
        true, own = {}, {}
        images = [str(i) for i in range(len(pairs))]
        for i, image in enumerate(images):
            progress(i / len(pairs), "concepts of captions")
            true[image], own[image] = concepts_of(pairs[i][0]), concepts_of(pairs[i][1])
        return {"UMLS F1": umls_f1(pairs, images, true, own)}

    return score


def _medcat(weights: str) -> Extract:
    cat = loaded(lambda: package("medcat.cat").CAT.load_model_pack(weights), "UMLS F1")

    def extract(text: str) -> tuple[str, ...]:
        entities = cat.get_entities(text)["entities"]
        listed = entities.values() if isinstance(entities, Mapping) else entities  # by number from 1.0 on
        return _distinct(entity["cui"] for entity in listed)

    return extract


def _quickumls(weights: str) -> Extract:
    tool = package("quickumls")
    matcher = loaded(lambda: tool.QuickUMLS(weights, window=WINDOW, threshold=THRESHOLD), "UMLS F1")

    def extract(text: str) -> tuple[str, ...]:
        return _distinct(m["cui"] for found in matcher.match(text, ignore_syntax=True) for m in found)

    return extract


def _distinct(cuis: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cuis))
