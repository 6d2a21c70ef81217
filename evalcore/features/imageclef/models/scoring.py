"""Chosen models run over the captions of all runs: what the command line and the page both call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.models.insight import Pictures, load_insight
from evalcore.features.imageclef.models.scorers import Scorer, load_align, load_bert, load_bleurt, package
from evalcore.features.imageclef.models.store import model_of, path_of
from evalcore.values.arrays import Floats
from evalcore.values.progress import Progress


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
    return load_insight(weights, edition=edition, pictures=pictures, device=device)


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
