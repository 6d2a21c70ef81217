"""A small study whose system ``cnn`` was trained three times, and what trec_eval says of each of its runs."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytrec_eval

from tests.ui.conftest import write_study

ORGAN = {"q1": "chest", "q2": "chest", "q3": "head", "q4": "head", "q5": "head"}
"""As in the labels of the study."""
SEEDS = {
    "cnn.1": {"q1": "q2 q3 q4", "q2": "q3 q1 q4", "q3": "q4 q1 q5", "q4": "q1 q2 q3", "q5": "q3 q4 q1"},
    "cnn.2": {"q1": "q3 q4 q5", "q2": "q1 q3 q4", "q3": "q1 q2 q4", "q4": "q3 q5 q1", "q5": "q1 q2 q3"},
    "cnn.10": {"q1": "q4 q2 q3", "q2": "q1 q4 q5", "q3": "q4 q5 q1", "q4": "q5 q3 q1"},
}
"""The last seed leaves q5 unanswered."""
METRIC = "nDCG(organ)@2"


def rows_of(answers):
    return [
        (query, image, rank, 1 / rank)
        for query, images in answers.items()
        for rank, image in enumerate(images.split(), 1)
    ]


def trec(answers):
    return "".join(f"{q} Q0 {i} {rank} {s:.6f} x\n" for q, i, rank, s in rows_of(answers))


def write_seeded(folder: Path, **parts: bool) -> Path:
    """The tiny study with a third system, whose runs come in three forms and whose numbers have a gap."""
    made = write_study(folder, **{"pictures": False, **parts})
    cnn = made / "systems" / "cnn"
    cnn.mkdir()
    (cnn / "run.1.trec").write_text(trec(SEEDS["cnn.1"]))
    csv = "".join(f"{q},{i},{s:.6f}\n" for q, i, _, s in rows_of(SEEDS["cnn.2"]))
    (cnn / "run.2.csv").write_text("query,candidate,score\n" + csv)
    (cnn / "run.10.trec.gz").write_bytes(gzip.compress(trec(SEEDS["cnn.10"]).encode()))
    return made


def by_trec_eval(answers, measure="ndcg_cut_2"):
    """{query: value} of one seed, 0 where it does not answer."""
    qrels = {q: {i: 1 for i in ORGAN if i != q and ORGAN[i] == ORGAN[q]} for q in ORGAN}
    run = {q: {} for q in answers}
    for query, image, _, score in rows_of(answers):
        run[query][image] = score
    found = pytrec_eval.RelevanceEvaluator(qrels, {measure.replace("_cut_", "_cut.")}).evaluate(run)
    return {q: found[q][measure] if q in found else 0.0 for q in ORGAN}


def expected():
    """Values of each seed, shape (3 seeds, 5 queries), q1 to q5."""
    return np.array([list(by_trec_eval(answers).values()) for answers in SEEDS.values()])
