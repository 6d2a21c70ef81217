"""One run of 10,000 queries x 100 results, read and scored under nDCG, P and AP (T1).

pytrec_eval has its judgments in memory, as CUIscope has the open study; CUIscope besides finds the ideal
ranking over all images, which pytrec_eval (2.0 M judgments) does not need. Both give the same P and AP.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np

from evalcore import score
from evalcore.engine import interface
from evalcore.study.parts.runs import bind_run, parse_run
from evalcore.study.tables.ids import KnownIds
from evalcore.study.tables.problems import Problems
from evalcore.values.model import Run, Scores, Study
from tests.benchmarks.measuring import Row, compare
from tests.benchmarks.studies import N_CLASSES, synthetic

DEPTH, CUTOFFS = 100, (5, 10, 30)
METRICS = [*(f"nDCG(iou)@{k}" for k in CUTOFFS), *(f"P(kind)@{k}" for k in CUTOFFS), "AP(kind)"]
THEIR_MEASURES = {"ndcg_cut.5,10,30", "P.5,10,30", "map"}
PEER = "pytrec_eval-terrier"


def rows(n: int) -> Iterator[Row]:
    import pytrec_eval

    study, trec = synthetic(n), trec_file(n)
    run = read(study, trec)
    first, hot = f"load and score a run, {n:,} x {DEPTH}", "score the next run of the same study"
    judged = judgments(study)

    def their_first() -> object:
        return pytrec_eval.RelevanceEvaluator(judged, THEIR_MEASURES).evaluate(as_dictionary(trec))

    yield compare(
        first,
        PEER,
        lambda: load_and_score(study, trec),
        their_first,
        goal=0.5,
        rounds=3,
        note="both with their judgments in memory",
    )
    evaluator, theirs = pytrec_eval.RelevanceEvaluator(judged, THEIR_MEASURES), as_dictionary(trec)
    agree(scored(study, run), evaluator.evaluate(theirs), study)
    yield compare(hot, PEER, lambda: scored(study, run), lambda: evaluator.evaluate(theirs), goal=0.6)


@cache
def trec_file(n: int) -> bytes:
    """A run of random candidates: a fifth share the query's class; scores all different."""
    rng = np.random.default_rng(7)
    lines = []
    for query in range(n):
        others = rng.choice(n - 1, 4 * DEPTH // 5, replace=False)
        same = (query + N_CLASSES * rng.choice(n // N_CLASSES - 1, DEPTH // 5, replace=False)) % n
        chosen = np.setdiff1d(np.concatenate([others, same]), [query])
        rng.shuffle(chosen)
        lines += [
            f"img_{query:06d} Q0 img_{candidate:06d} {rank} {1000 - rank} r\n"
            for rank, candidate in enumerate(chosen.tolist(), start=1)
        ]
    return "".join(lines).encode()


def judgments(study: Study) -> dict[str, dict[str, int]]:
    """Images of the query's class are relevant, with grades 1 to 3: 2.0 M judgments at 10,000 images."""
    ids = study.image_ids
    classes = [range(k, len(ids), N_CLASSES) for k in range(N_CLASSES)]
    return {
        ids[query]: {ids[c]: 1 + (query + c) % 3 for c in classes[query % N_CLASSES] if c != query}
        for query in range(len(ids))
    }


def as_dictionary(trec: bytes) -> dict[str, dict[str, float]]:
    """A run as pytrec_eval takes it, by the quickest plain loop."""
    run: dict[str, dict[str, float]] = {}
    for line in trec.decode().splitlines():
        query, _, candidate, _, value, _ = line.split()
        run.setdefault(query, {})[candidate] = float(value)
    return run


def read(study: Study, trec: bytes) -> Run:
    rows, _ = parse_run(trec, file="run.trec")
    run = bind_run(rows, Problems("run"), KnownIds(study.image_ids), system="run", queries=study.queries)
    assert run is not None
    return run


def load_and_score(study: Study, trec: bytes) -> tuple[Scores, ...]:
    """From the bytes of the file, with nothing of the study computed before."""
    interface.forget()
    return scored(study, read(study, trec))


def scored(study: Study, run: Run) -> tuple[Scores, ...]:
    return score(replace(study, runs={"run": run}), metrics=METRICS)


def agree(ours: tuple[Scores, ...], theirs: dict[str, dict[str, float]], study: Study) -> None:
    """The same P and AP, query by query."""
    names = {f"P(kind)@{k}": f"P_{k}" for k in CUTOFFS} | {"AP(kind)": "map"}
    for scores in ours:
        if scores.metric in names:
            expected = [theirs[study.image_ids[query]][names[scores.metric]] for query in scores.queries]
            np.testing.assert_allclose(scores.values, expected, atol=1e-12)
