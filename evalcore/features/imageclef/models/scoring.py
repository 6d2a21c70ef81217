"""Chosen models run over the captions of all runs: what the command line and the page both call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from evalcore.features.annotate.tools_read.asked import TIMEOUT, ask
from evalcore.features.annotate.tools_read.child import THRESHOLD, WINDOW
from evalcore.features.annotate.tools_read.environments import TOOLS, usable
from evalcore.features.imageclef.captions.metrics import umls_f1
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.models.insight import Pictures, load_insight
from evalcore.features.imageclef.models.scorers import (
    Pairs,
    Scorer,
    load_align,
    load_bert,
    load_bleurt,
    loaded,
    package,
)
from evalcore.features.imageclef.models.store import installed, model_of, path_of
from evalcore.values.arrays import Floats
from evalcore.values.errors import UnknownName
from evalcore.values.progress import Progress

# Concepts out of captions by MedCAT or QuickUMLS, both optional, as the organisers' scripts call them.
#
# A tool that is installed beside this program is called here; any other runs in an environment of its own.

Concepts = tuple[str, ...]
Extract = Callable[[Sequence[str], Progress], list[Concepts]]
"""From captions to the distinct CUIs of each, in the order they are found; an empty caption has none."""


def load_extractor(
    tool: str, weights: str, *, environment: Path | None = None, timeout: float = TIMEOUT
) -> Extract:
    """A function from captions to their CUIs.

    Parameters
    ----------
    tool : "medcat" (``weights`` a model pack, zip or folder) or "quickumls" (``weights`` the folder that
        ``python -m quickumls.install`` made).
    environment : folder of the environment the tool runs in; None is here where it is installed, else the
        workspace's.
    timeout : seconds it may take in an environment.

    Raises
    ------
    UnknownName
        There is no such tool.
    InputError
        It is installed nowhere, or the weights cannot be loaded.
    """
    if tool not in TOOLS:
        raise UnknownName("extractor", tool, TOOLS)
    if environment is None and installed(tool):
        return _one_by_one(_medcat(weights) if tool == "medcat" else _quickumls(weights))
    usable(tool, environment)

    def extract(texts: Sequence[str], progress: Progress) -> list[Concepts]:
        numbered = {str(i): text for i, text in enumerate(texts)}
        found: list[list[str]] = [[] for _ in texts]
        for one in ask(
            tool, numbered, weights=weights, environment=environment, timeout=timeout, progress=progress
        ):
            found[int(one.image)].append(one.concept)
        return [_distinct(concepts) for concepts in found]

    return extract


def extracted(captions: Mapping[str, str], extract: Extract, *, progress: Progress) -> dict[str, Concepts]:
    """{image: concepts} of raw captions."""
    return dict(zip(captions, extract(list(captions.values()), progress), strict=True))


def concept_scorer(extract: Extract) -> Scorer:
    """UMLS F1 of (truth, candidate) from the concepts found in both; equal captions are read once."""
    known: dict[str, Concepts] = {}

    def score(pairs: Pairs, progress: Progress) -> dict[str, Floats]:
        new = [text for text in dict.fromkeys(text for pair in pairs for text in pair) if text not in known]
        known.update(zip(new, extract(new, progress), strict=True))
        images = [str(i) for i in range(len(pairs))]
        true, own = ({str(i): known[pair[side]] for i, pair in enumerate(pairs)} for side in (0, 1))
        return {"UMLS F1": umls_f1(pairs, images, true, own)}

    return score


def _one_by_one(find: Callable[[str], Concepts]) -> Extract:
    def extract(texts: Sequence[str], progress: Progress) -> list[Concepts]:
        found = []
        for i, text in enumerate(texts):
            if not i % 50:
                progress(i / len(texts), "concepts of captions")
            found.append(find(text) if text else ())
        return found

    return extract


def _medcat(weights: str) -> Callable[[str], Concepts]:
    cat = loaded(lambda: package("medcat.cat").CAT.load_model_pack(weights), "UMLS F1")

    def extract(text: str) -> Concepts:
        entities = cat.get_entities(text)["entities"]
        listed = entities.values() if isinstance(entities, Mapping) else entities  # by number from 1.0 on
        return _distinct(entity["cui"] for entity in listed)

    return extract


def _quickumls(weights: str) -> Callable[[str], Concepts]:
    tool = package("quickumls")
    matcher = loaded(lambda: tool.QuickUMLS(weights, window=WINDOW, threshold=THRESHOLD), "UMLS F1")

    def extract(text: str) -> Concepts:
        return _distinct(m["cui"] for found in matcher.match(text, ignore_syntax=True) for m in found)

    return extract


def _distinct(cuis: Any) -> Concepts:
    return tuple(dict.fromkeys(cuis))


def model_values(
    chosen: Sequence[str],
    truth: Mapping[str, str],
    runs: Mapping[str, Mapping[str, str]],
    *,
    edition: Edition,
    pictures: Pictures,
    folder: Path | None = None,
    device: str = "cpu",
    progress: Progress = lambda _done, _doing: None,
) -> dict[str, dict[str, Floats]]:
    """{run: {metric: value per image of the truth}} of the chosen models, each loaded once.

    Parameters
    ----------
    chosen : keys of ``store.MODELS``.
    truth, runs : captions by image, and {run: captions by image}; a missing caption counts as empty.
    pictures : bytes of the picture of the i-th image of the truth (MedImageInsight only).
    folder : where the weights lie; None is the workspace's folder ``models``.
    device : "cpu", "cuda" or "mps".

    Raises
    ------
    UnknownName
        There is no such model.
    InputError
        Packages or weights are missing, or the device; it says what to do.
    """
    values: dict[str, dict[str, Floats]] = {name: {} for name in runs}
    steps = len(chosen) * max(1, len(runs))
    for i, key in enumerate(chosen):
        title = model_of(key).title
        progress(i / max(1, len(chosen)), f"loading {title}")
        score = load_model(key, edition=edition, pictures=pictures, folder=folder, device=device)
        for j, (name, captions) in enumerate(runs.items()):
            done = i * len(runs) + j

            def within(part: float, doing: str, done: int = done, name: str = name) -> None:
                progress((done + part) / steps, f"{doing}, {name}")

            pairs = [(text, captions.get(image, "")) for image, text in truth.items()]
            values[name] |= score(pairs, within)
    progress(1.0, "")
    return values


def load_model(key: str, *, edition: Edition, pictures: Pictures, folder: Path | None, device: str) -> Scorer:
    """One model, ready to score captions; raises what ``model_values`` does."""
    weights = path_of(key, folder=folder)
    if key == "bertscore":
        return load_bert(weights, device=device)
    if key == "bleurt":
        return load_bleurt(weights, device=device)
    if key == "alignscore":
        backbone = str(Path(weights).parent / model_of(key).beside)
        return load_align(weights, backbone=backbone, device=device)
    if key == "medimageinsight":
        return load_insight(weights, edition=edition, pictures=pictures, device=device)
    return concept_scorer(load_extractor(key, weights))


def devices() -> tuple[str, ...]:
    """Where models can run on this machine: "cpu", and "cuda" or "mps" where torch finds one."""
    if find_spec("torch") is None:
        return ("cpu",)
    torch = package("torch")
    found = ["cpu"]
    if torch.cuda.is_available():
        found.append("cuda")
    if torch.backends.mps.is_available():
        found.append("mps")
    return tuple(found)
