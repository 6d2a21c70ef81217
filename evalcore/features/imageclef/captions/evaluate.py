"""Caption prediction as a whole: submissions in, official numbers, problems and what is missing out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np

from evalcore.features.imageclef.captions.metrics import WORD_METRICS, text_metrics, umls_f1
from evalcore.features.imageclef.captions.runs import read_caption_run
from evalcore.features.imageclef.captions.tokens import Nltk
from evalcore.features.imageclef.captions.vectors import NEEDS, PARTS, SIX, aggregates
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.result import Opened, Result, Truth, as_opened, mean_of
from evalcore.values.arrays import Floats

Component = Literal["f1", "recall"]


def evaluate_captions(
    runs: Opened,
    truth: Truth[str],
    *,
    edition: Edition,
    nltk: Nltk = "nltk322",
    component: Component = "f1",
    given: Mapping[str, Mapping[str, Floats]] | None = None,
    true_concepts: Mapping[str, Sequence[str]] | None = None,
    concepts: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    progress: Callable[[float, str], None] = lambda _done, _doing: None,
) -> tuple[Result[str], ...]:
    """Check and score submissions of one edition.

    Parameters
    ----------
    runs : {name: (content, what was found while opening it)}.
    nltk : BLEU of 2017 as NLTK 3.2.2 computed it, or as it does today.
    component : which part of BERTScore enters the aggregates: F1 (the code) or recall (the page).
    given : {run: {metric: value per image of the truth}}, from models or from a file.
    true_concepts, concepts : concepts of the true captions, and {run: those of its captions}, for UMLS F1.

    An image without a caption counts as an empty caption.
    """
    images = tuple(truth.content)
    official = [name for name in (edition.primary, edition.secondary) if name in WORD_METRICS]
    results = []
    for name, (data, opened) in runs.items():
        run = read_caption_run(data, name=name, truth=truth.content, edition=edition)
        pairs = [(truth.content[image], run.scored.get(image, "")) for image in images]
        values, corpus = text_metrics(pairs, official=official, nltk=nltk, progress=progress)
        values |= (given or {}).get(name, {})
        if true_concepts is not None and name in (concepts or {}):
            values["UMLS F1"] = umls_f1(pairs, images, true_concepts, (concepts or {})[name])
        missing = _incomplete(values)
        values |= _aggregated(values, component)
        metrics = {metric: corpus.get(metric, mean_of(column)) for metric, column in values.items()}
        results.append(
            Result(
                name, edition, truth.content, run, run.accepted and not opened.total("error"),
                as_opened(opened, run), images, values, metrics.get(edition.primary, float("nan")),
                _secondary(metrics, edition), len(images), metrics, missing,
                _lacking(values),
            )
        )  # fmt: skip
    return tuple(results)


def scored_captions(runs: Opened, truth: Truth[str], *, edition: Edition) -> dict[str, Mapping[str, str]]:
    """{run: captions by image} as they are scored, for metrics that models compute."""
    return {
        name: read_caption_run(data, name=name, truth=truth.content, edition=edition).scored
        for name, (data, _) in runs.items()
    }


def _secondary(metrics: Mapping[str, float], edition: Edition) -> float | None:
    if edition.secondary is None:
        return None
    return 0.0 if edition.secondary == "zero" else metrics.get(edition.secondary, float("nan"))


def _incomplete(values: dict[str, Floats]) -> dict[str, str]:
    """What each of the six metrics lacks; columns with gaps are taken out, because their mean misleads."""
    missing = {}
    for metric in (*SIX, "BERTScore recall"):
        if metric not in values:
            if metric in NEEDS:
                missing[metric] = NEEDS[metric]
        elif gaps := int(np.isnan(values[metric]).sum()):
            del values[metric]
            missing[metric] = f"{gaps:,} images have no value in the given scores."
    return missing


def _lacking(values: Mapping[str, Floats]) -> dict[str, tuple[str, ...]]:
    """Which of its parts each overall number lacks."""
    absent = {name: tuple(part for part in PARTS[name] if part not in values) for name in PARTS}
    return {name: parts for name, parts in absent.items() if parts and name not in values}


def _aggregated(values: Mapping[str, Floats], component: Component) -> dict[str, Floats]:
    """Aggregates per image: as they are means, their mean over images is the official number."""
    bert = "BERTScore" if component == "f1" else "BERTScore recall"
    nothing = np.array(np.nan)
    columns = {name: values.get(bert if name == "BERTScore" else name, nothing) for name in SIX}
    found = aggregates(columns)
    return {name: np.asarray(column) for name, column in found.items() if not np.isnan(column).any()}
