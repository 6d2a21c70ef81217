"""Runs side by side: the metric that compares them, and the baseline."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.features.imageclef.captions.evaluate import evaluate_captions, read_caption_truth
from evalcore.features.imageclef.concepts.evaluate import evaluate_concepts, read_concept_truth
from evalcore.features.imageclef.editions import edition_of
from evalcore.features.imageclef.result import board, compared_by
from evalcore.values.errors import Report, UnknownName

FULL = {"BERTScore": np.array([0.5, 0.7]), "similarity": np.array([1.0, 0.2])}


SIX = FULL | {name: np.array([0.1, 0.2]) for name in ("BLEURT", "UMLS F1", "AlignScore")}


def captions(edition: str, given: dict[str, dict[str, np.ndarray]]):
    rules = edition_of("captions", edition)
    cell, head = rules.run.cell, "ID,Caption\n" if rules.run.header == "first" else ""
    data = f"{head}a{cell}CT of the chest\nb{cell}liver mass\n".encode()
    truth = read_caption_truth(data, file="truth")
    runs = {"PRED_one": (data, Report()), "PRED_two": (data, Report())}
    return evaluate_captions(runs, truth, edition=rules, given=given)


@pytest.mark.parametrize(
    ("edition", "given", "metric"),
    [
        ("2017", {}, "BLEU (2017)"),
        ("2025", {}, "ROUGE-1"),
        ("2025", {"PRED_one": FULL}, "ROUGE-1"),
        ("2025", {"PRED_one": FULL, "PRED_two": FULL}, "head2025"),
        ("2025", {"PRED_one": SIX, "PRED_two": SIX}, "mean6"),
        ("2026", {"PRED_one": SIX, "PRED_two": SIX}, "head2026"),
    ],
)
def test_runs_are_compared_by_what_all_of_them_have(edition: str, given: dict, metric: str) -> None:
    results = captions(edition, given)
    assert compared_by(results) == board(results, baseline=None).metric == metric


def test_concepts_are_compared_by_f1_with_the_baseline_that_is_asked_for() -> None:
    rules = edition_of("concepts", "2025")
    truth = read_concept_truth(b"ID,CUIs\na,C0000001\nb,C0000002\n", file="truth", edition=rules)
    half = b"ID,CUIs\na,C0000001\nb,C0000003\n"
    runs = {"half": (half, Report()), "full": (b"ID,CUIs\na,C0000001\nb,C0000002\n", Report())}
    results = evaluate_concepts(runs, truth, edition=rules)
    first, last = board(results, baseline=None), board(results, baseline="full")
    assert first.metric == "F1"
    assert {run: one.mean for run, one in first.intervals.items()} == {"half": 0.5, "full": 1.0}
    assert [(one.baseline, one.system, one.difference) for one in first.compared] == [("half", "full", 0.5)]
    assert [(one.baseline, one.system, one.difference) for one in last.compared] == [("full", "half", -0.5)]
    with pytest.raises(UnknownName, match="nobody"):
        board(results, baseline="nobody")
