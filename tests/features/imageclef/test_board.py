"""Runs side by side: the metric that compares them, and the baseline."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.features.imageclef.editions import edition_of
from evalcore.features.imageclef.results import board, compared_by
from evalcore.values.errors import UnknownName
from tests.features.imageclef import scored

FULL = {"BERTScore": np.array([0.5, 0.7]), "similarity": np.array([1.0, 0.2])}


SIX = FULL | {name: np.array([0.1, 0.2]) for name in ("BERTScore recall", "BLEURT", "UMLS F1", "AlignScore")}


def captions(edition: str, given: dict[str, dict[str, np.ndarray]]):
    rules = edition_of("captions", edition)
    cell, head = rules.run.cell, "ID,Caption\n" if rules.run.header == "first" else ""
    data = f"{head}a{cell}CT of the chest\nb{cell}liver mass\n".encode()
    return scored.captions(edition, data, {"PRED_one": data, "PRED_two": data}, from_models=given).results


@pytest.mark.parametrize(
    ("edition", "given", "metric"),
    [
        ("2017", {}, "BLEU (2017)"),
        ("2025", {}, "ROUGE-1"),
        ("2025", {"PRED_one": FULL}, "ROUGE-1"),
        ("2025", {"PRED_one": FULL, "PRED_two": FULL}, "relevance_2025"),
        ("2025", {"PRED_one": SIX, "PRED_two": SIX}, "overall"),
        ("2026", {"PRED_one": SIX, "PRED_two": SIX}, "relevance_2026"),
    ],
)
def test_runs_are_compared_by_what_all_of_them_have(edition: str, given: dict, metric: str) -> None:
    results = captions(edition, given)
    assert compared_by(results) == board(results, baseline=None).metric == metric


def test_concepts_are_compared_by_f1_with_the_baseline_that_is_asked_for() -> None:
    full = b"ID,CUIs\na,C0000001\nb,C0000002\n"
    half = b"ID,CUIs\na,C0000001\nb,C0000003\n"
    results = scored.concepts("2025", full, {"half": half, "full": full}).results
    first, last = board(results, baseline=None), board(results, baseline="full")
    assert first.metric == "F1"
    assert {run: one.mean for run, one in first.intervals.items()} == {"half": 0.5, "full": 1.0}
    assert [(one.baseline, one.system, one.difference) for one in first.compared] == [("half", "full", 0.5)]
    assert [(one.baseline, one.system, one.difference) for one in last.compared] == [("full", "half", -0.5)]
    with pytest.raises(UnknownName, match="nobody"):
        board(results, baseline="nobody")
