"""A run's result as the JSON of ``imageclef`` has it: the one place where the dictionary is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalcore.challenge.result import Result
    from evalcore.model import Report

_CONCEPT_METRICS = {
    "precision": "precision", "recall": "recall", "micro_f1": "micro F1", "macro_f1": "macro F1",
    "nn_f1": "nn-F1",
}  # fmt: skip


def result_json(one: Result[Any]) -> dict[str, Any]:
    """The run of either task: verdict, scores, metrics, problems."""
    facts = {
        "run": one.name, "accepted": one.accepted, "official": one.accepted, "score": one.score,
        "score_secondary": one.secondary, "n_images": one.n_images, "n_ignored": one.n_ignored,
        "metrics": dict(one.metrics),
    }  # fmt: skip
    if one.detail is None:
        facts["missing"] = dict(one.missing)
        facts["aggregates_missing"] = {name: list(parts) for name, parts in one.lacking.items()}
    else:
        named = {key: one.metrics.get(name) for key, name in _CONCEPT_METRICS.items()}
        facts["metrics"] = {"f1": one.score, "f1_secondary": one.secondary, **named}
    return facts | {
        "n_problems": one.n_problems, "problems": _problems(one.report),
        "unrepaired": dict(one.run.unrepaired),
    }  # fmt: skip


def _problems(report: Report) -> list[dict[str, Any]]:
    """In the order of the file's lines, each with whether the official script stops at it."""
    ordered = sorted(report.problems, key=lambda problem: (problem.line is None, problem.line or 0))
    return [
        {
            "line": problem.line, "rule": problem.rule, "value": problem.value,
            "message": f"{problem.message} {problem.remedy}".strip(),
            "official_rejects": problem.severity == "error",
        }
        for problem in ordered
    ]  # fmt: skip
