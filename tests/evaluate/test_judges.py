"""Files of judgments, and scores by few people and a program."""

from __future__ import annotations

import numpy as np
import pytest

import evalcore as cs
from evalcore.stats.prediction_powered import powered_mean
from tests.measured import judged as scored_by_people
from tests.toy_runs import in_groups


@pytest.fixture(scope="module")
def study():
    """People judge 30 of 90 queries, a program all of them; half of its grades are one too high."""
    rng = np.random.default_rng(4)
    images, queries = [f"d{i:02}" for i in range(30)], [f"q{i:02}" for i in range(90)]
    truth = rng.integers(0, 3, (90, 30))
    program = np.minimum(truth + rng.integers(0, 2, truth.shape), 2)

    def table(values, n):
        rows = values.tolist()
        return {query: dict(zip(images, rows[i], strict=True)) for i, query in enumerate(queries[:n])}

    runs = {
        name: {
            query: dict(zip(images, (truth[i] + rng.normal(0, noise, 30)).tolist(), strict=True))
            for i, query in enumerate(queries)
        }
        for name, noise in (("near", 0.5), ("far", 2.0))
    }
    return cs.make_study(
        runs=runs, judgments={"people": table(truth, 30)}, judges={"llm": table(program, 90)}
    )


def test_a_judge_fills_in_for_people(study):
    near, far = scored_by_people(study, "nDCG(qrels:people)@10", "qrels:llm")
    assert [near.system, far.system] == ["near", "far"] and near.lead is None
    y, f = cs.score(study, ["nDCG(qrels:people)@10", "nDCG(qrels:llm)@10"], systems=["far"], queries="all")
    values = y.values[:30], f.values[:30], f.values[30:]
    assert far.powered == powered_mean(*values)
    assert (far.powered.n, far.powered.n_more) == (30, 60)
    assert far.people.mean == pytest.approx(np.mean(y.values[:30]), rel=1e-12)
    width = far.powered.high - far.powered.low
    assert width < far.people.high - far.people.low
    assert far.lead.high < 0


def test_queries_of_one_patient_are_counted_together(study):
    """Three queries each; ids tie them where the study has groups."""
    of_patients = in_groups(study, {f"q{i:02}": f"p{i // 3}" for i in range(90)})
    metric = "nDCG(qrels:people)@10"
    near, far = scored_by_people(of_patients, metric, "qrels:llm")
    y, f = (score.values for score in cs.score(study, [metric, "nDCG(qrels:llm)@10"], queries="all")[2:])
    expected = powered_mean(y[:30], f[:30], f[30:], groups=(np.arange(30) // 3, np.arange(30, 90) // 3))
    assert near.powered == expected and near.powered.groups == 10
    assert near.people.groups == 10 and far.lead.groups == 10


@pytest.mark.parametrize(
    ("metric", "judge", "why"),
    [
        ("nDCG(qrels:people)@10", "qrels:people", "another relevance"),
        ("P(qrels:people)@5", "iou", "needs yes or no"),
        ("CUI@10", "qrels:llm", "metrics by judgments"),
        ("nDCG(qrels:people)@10", "qrels:gpt", "called 'gpt'"),
    ],
)
def test_a_judge_that_cannot_be_used_is_refused(study, metric, judge, why):
    with pytest.raises(cs.CuiscopeError, match=why):
        scored_by_people(study, metric, judge)
