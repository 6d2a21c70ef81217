"""The files beside captions, put together: values, concepts and embeddings that somebody else computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalcore.features.imageclef.captions.evaluate import scored_captions
from evalcore.features.imageclef.captions.vectors import similarity
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.given import read_concepts, read_given, read_vectors
from evalcore.features.imageclef.result import Opened, Truth
from evalcore.values.arrays import Floats
from evalcore.values.problems import Report

Values = Mapping[str, Mapping[str, Floats]]
"""{run: {metric: value per image of the truth}}"""
PER_RUN = ("scores", "run_concepts", "caption_embeddings")
"""Parts of which each run has a file of its own; of the others there is one for all."""
FOR_ALL = ("truth_concepts", "image_embeddings")


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """What the files give: values, concepts by run, those of the true captions (None without a file).

    ``reports`` what was found in the files of concepts.
    """

    values: Values
    concepts: Mapping[str, Mapping[str, Sequence[str]]]
    true_concepts: Mapping[str, Sequence[str]] | None
    reports: tuple[Report, ...]

    def over(self, found: Values) -> dict[str, dict[str, Floats]]:
        """These values, and what models ``found`` where the files have none."""
        return {name: {**found.get(name, {}), **own} for name, own in self.values.items()}


def beside(opened: Opened, truth: Truth[str], read: Callable[..., Any], *, edition: Edition) -> Beside:
    """Everything the files say of runs; of a metric that two of them give, embeddings count before values.

    Parameters
    ----------
    read : called as ``read(reader, part, run, **more)`` (``run`` "" for a part `FOR_ALL`), it returns
        ``reader(data, file=name, **more)``, or None where there is no such file or it cannot be used.
    """
    values: dict[str, dict[str, Floats]] = {name: {} for name in opened}
    vectors = read(read_vectors, "image_embeddings", "", images=truth.images)
    texts_of = {} if vectors is None else scored_captions(opened, truth, edition=edition)
    true, of_runs = read(read_concepts, "truth_concepts", ""), {}
    for name in opened:
        values[name] |= read(read_given, "scores", name, images=truth.images) or {}
        if vectors is not None:
            texts = read(read_vectors, "caption_embeddings", name, images=truth.images, like=vectors)
            if texts is not None:
                pairs = [(text, texts_of[name].get(image, "")) for image, text in truth.content.items()]
                values[name]["similarity"] = similarity(vectors, texts, pairs, edition=edition)
        of_runs[name] = read(read_concepts, "run_concepts", name)
    known = {name: found for name, found in of_runs.items() if found is not None}
    reports = tuple(report for _, report in [*([true] if true else []), *known.values()])
    return Beside(values, {name: sets for name, (sets, _) in known.items()}, true and true[0], reports)
