"""Concept detection as a whole: submissions in, official numbers, problems and details out."""

from __future__ import annotations

from evalcore.features.imageclef.concepts.detail import concept_detail
from evalcore.features.imageclef.concepts.runs import read_concept_run
from evalcore.features.imageclef.concepts.scores import primary_score, secondary_score
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.result import Opened, Result, Submission, Truth, as_opened, mean_of
from evalcore.graph import ConceptGraph
from evalcore.values.settings import Settings

Concepts = tuple[str, ...]


def evaluate_concepts(
    runs: Opened,
    truth: Truth[Concepts],
    *,
    edition: Edition,
    manual: Truth[Concepts] | None = None,
    graph: ConceptGraph | None = None,
    settings: Settings = Settings(),
) -> tuple[Result[Concepts], ...]:
    """Check and score submissions of one edition.

    Parameters
    ----------
    runs : {name: (content, what was found while opening it)}, as ``sources.submissions`` gives them.
    truth : the ground truth, read for the same edition.
    manual : the manually checked truth of the secondary score (2025, 2026); without one the ground
        truth itself is used, as the organisers' script did before it had that file.
    graph : for nn-F1 and near confusions.

    Returns
    -------
    Results in the order of the runs, with F1 per image, and over all images F1, precision, recall,
    micro F1, macro F1 and, with a graph, nn-F1.

    Raises
    ------
    InputError
        The manual file lacks images of the ground truth.
    """
    results = []
    for name, (data, opened) in runs.items():
        run = read_concept_run(data, name=name, images=truth.images, edition=edition)
        values, score = primary_score(truth.content, run.scored)
        detail = concept_detail(truth.content, run.scored, graph=graph, settings=settings)
        metrics = {
            "F1": score, "precision": mean_of(detail.precision), "recall": mean_of(detail.recall),
            "micro F1": detail.micro_f1, "macro F1": detail.macro_f1,
        }  # fmt: skip
        if detail.nn_f1 is not None:
            metrics["nn-F1"] = mean_of(detail.nn_f1)
        results.append(
            Result(
                name, edition, truth.content, run, run.accepted and not opened.total("error"),
                as_opened(opened, run), tuple(truth.content), {edition.primary: values}, score,
                _secondary(run, truth, manual or truth, edition),
                sum(bool(concepts) for concepts in truth.content.values()), metrics, {}, {}, detail,
            )
        )  # fmt: skip
    return tuple(results)


def _secondary(
    run: Submission[Concepts], truth: Truth[Concepts], manual: Truth[Concepts], edition: Edition
) -> float | None:
    if edition.secondary is None:
        return None
    if edition.secondary == "zero":
        return 0.0
    return secondary_score(truth.content, manual.content, run.scored, file=manual.file)
