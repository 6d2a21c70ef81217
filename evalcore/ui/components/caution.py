"""What a high score between two images does not say: the same labels, not necessarily the same disease."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.figures.numbers import things

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcore.ui.components.results import Result
    from evalcore.values.model import Study

NEAR_ONE = 0.9
"""From here a score passes for "the same"."""
FEW = 2
"""So few labels, such as those of "CT scan of the thorax", make many images look similar."""
RAISED = 0.5
"""From here it is said that few labels raised a score."""


def of_pair(study: Study, query: int, result: int, score: float) -> str:
    """For two images that score so much by their concepts, in full sentences; "" where nothing is to be said.

    ``score``: 0 to 1, NaN where there is none.
    """
    said = ["The same labels do not have to mean the same disease."] if score >= NEAR_ONE else []
    few = [(who, n) for who, n in _sizes(study, query, result) if n <= FEW]
    if score >= RAISED and few:
        who = f"The {few[0][0]} has only {things(few[0][1], 'label')}"
        if len(few) > 1:
            who = f"Both images have at most {things(FEW, 'label')}"
        said.append(f"{who}, which raises the score.")
    return " ".join(said)


def on_card(study: Study, query: int, one: Result) -> str:
    """The same where there is room for a few words only."""
    score = score_of(one)
    few = score >= RAISED and any(n <= FEW for _, n in _sizes(study, query, one.image))
    if score >= NEAR_ONE:
        return "Same few labels, maybe another disease" if few else "Same labels, maybe another disease"
    return "Few labels" if few else ""


def of_lists(study: Study, query: int, results: Iterable[Result], *, closest: float) -> str:
    """One sentence for all results of a query; ``closest``: the highest score there could be, or NaN."""
    known = [one for one in results if one.image >= 0]
    if closest >= NEAR_ONE or any(score_of(one) >= NEAR_ONE for one in known):
        return "A score near 1 means the same labels, not necessarily the same disease; few labels raise it"
    if any(on_card(study, query, one) for one in known):
        return "Few labels on an image raise its scores"
    return ""


def score_of(one: Result) -> float:
    """What the concepts of a result score, with related ones where the study knows any; NaN for none."""
    return max(one.iou, one.nn_iou) if one.nn_iou == one.nn_iou else one.iou


def _sizes(study: Study, query: int, result: int) -> list[tuple[str, int]]:
    """The number of concepts of each image."""
    sizes = study.concepts.sizes
    return [(who, int(sizes[image])) for who, image in (("query", query), ("result", result))]
