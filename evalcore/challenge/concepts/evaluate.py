"""Concept detection as a whole: submissions in, official numbers, problems and details out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.challenge.checks.repair import problem_rows
from evalcore.challenge.concepts.detail import ConceptDetail, concept_detail
from evalcore.challenge.concepts.runs import ConceptRun, read_concept_run
from evalcore.challenge.concepts.scores import ImageScores, primary_score, secondary_score
from evalcore.challenge.editions import concept_edition
from evalcore.model import Report
from evalcore.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.challenge.concepts.truth import ConceptTruth
    from evalcore.graph import ConceptGraph

_DEFAULTS = Settings()
TASK = "concepts"


@dataclass(frozen=True, slots=True, eq=False)
class ConceptResult:
    """One run: ``accepted`` by the official script or not, its scores and what lies behind them.

    The scores of a run that is not accepted are unofficial: those of its repaired form, images without
    a row counted as predicted empty. ``score_secondary`` is None where the edition has none.
    """

    name: str
    edition: str
    truth: Mapping[str, Sequence[str]]
    run: ConceptRun
    accepted: bool
    report: Report
    primary: ImageScores
    score_secondary: float | None
    detail: ConceptDetail

    def as_dict(self) -> dict[str, Any]:
        """The run in the form of the command line's JSON."""
        counted = sum(bool(items) for items in self.truth.values())
        detail = self.detail
        return {
            "run": self.name, "accepted": self.accepted, "official": self.accepted,
            "score": self.primary.score, "score_secondary": self.score_secondary,
            "n_images": counted, "n_ignored": len(self.primary.images) - counted,
            "metrics": {
                "f1": self.primary.score, "f1_secondary": self.score_secondary,
                "precision": _mean(detail.precision), "recall": _mean(detail.recall),
                "micro_f1": detail.micro_f1, "macro_f1": detail.macro_f1,
                "nn_f1": None if detail.nn_f1 is None else _mean(detail.nn_f1),
            },
            "n_problems": sum(self.report.counts.values()),
            "problems": problem_rows(self.report), "unrepaired": dict(self.run.unrepaired),
        }  # fmt: skip


def evaluate_concepts(
    runs: Mapping[str, tuple[bytes, Report]],
    truth: ConceptTruth,
    *,
    edition: str,
    manual: ConceptTruth | None = None,
    graph: ConceptGraph | None = None,
    settings: Settings = _DEFAULTS,
) -> tuple[ConceptResult, ...]:
    """Check and score submissions of one edition.

    Parameters
    ----------
    runs : {name: (content, what was found while opening it)}, as ``sources.submissions`` gives them.
    truth : the ground truth, read for the same edition.
    manual : the manually checked truth of the secondary score (2025, 2026); without one the ground
        truth itself is used, as the organisers' script did before it had that file.
    graph : for nn-F1 and near confusions.

    Raises
    ------
    UnknownName
        No such edition.
    InputError
        The manual file lacks images of the ground truth.
    """
    rules = concept_edition(edition)
    results = []
    for name, (data, opened) in runs.items():
        run = read_concept_run(data, name=name, images=truth.images, edition=rules)
        secondary: float | None = None if rules.secondary == "none" else 0.0
        if rules.secondary == "manual":
            checked = manual or truth
            secondary = secondary_score(truth.items, checked.items, run.scored, file=checked.file).score
        results.append(
            ConceptResult(
                name, edition, truth.items, run, run.accepted and not opened.total("error"),
                opened + run.report,
                primary_score(truth.items, run.scored), secondary,
                concept_detail(truth.items, run.scored, graph=graph, settings=settings),
            )
        )  # fmt: skip
    return tuple(results)


def _mean(values: Any) -> float:
    return float(np.mean(values)) if len(values) else float("nan")
