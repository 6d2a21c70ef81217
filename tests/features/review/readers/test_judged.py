"""Judgments as relevance: the same values as trec_eval has by qrels of the same judgments."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType

import numpy as np
import pytest
import pytrec_eval

from evalcore import engine
from evalcore.evaluate.conditions import select
from evalcore.evaluate.scoring import score
from evalcore.evaluate.targets import what_counts
from evalcore.features.review.judgments import Judgment
from evalcore.features.review.readers import with_judgments
from evalcore.ranking.metrics import parse_metric
from evalcore.results.qrels import judgments
from evalcore.values.errors import InputError, SettingError
from evalcore.values.model import Run
from evalcore.values.settings import Settings
from tests.toy import study_of

N_QUERIES, N_IMAGES, DEPTH = 6, 30, 15


def said(query: str, result: str, value: float, reader: str = "a") -> Judgment:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return Judgment(
        id=f"{query}{result}{reader}",
        task="t",
        reader=reader,
        kind="graded",
        query=query,
        result=result,
        value=value,
        at=at,
    )


def example(seed: int = 0):
    """A study of thirty images and one run over six queries, and judgments of five of these."""
    rng = np.random.default_rng(seed)
    ids = [f"i{i:02}" for i in range(N_IMAGES)]
    study = study_of({image: {"a"} for image in ids})
    found = np.concatenate(
        [rng.permutation(np.delete(np.arange(N_IMAGES), q))[:DEPTH] for q in range(N_QUERIES)]
    )
    run = Run.from_arrays(
        "s",
        np.arange(N_QUERIES, dtype=np.int32),
        np.arange(N_QUERIES + 1) * DEPTH,
        found.astype(np.int32),
        np.tile(np.arange(DEPTH, 0, -1.0), N_QUERIES),
    )
    judgments = [
        said(ids[q], ids[i], float(rng.integers(0, 5)) / 4)
        for q in range(N_QUERIES - 1)
        for i in rng.permutation(np.delete(np.arange(N_IMAGES), q))[:12]
    ]
    queries = np.arange(N_QUERIES, dtype=np.int32)
    return replace(study, runs=MappingProxyType({"s": run}), queries=queries), judgments


def by_trec_eval(study, judgments, measures, *, graded: bool, only: bool = False):
    """Values per query by pytrec_eval; of grades times 4, or of relevant and not."""
    qrels, run = {}, {}
    for one in judgments:
        grade = int(one.value * 4) if graded else int(one.value >= 0.5)
        qrels.setdefault(one.query, {})[one.result] = grade
    for query in study.runs["s"].queries.tolist():
        found, scores = study.runs["s"].answer(query)
        name = study.image_ids[query]
        names = [study.image_ids[i] for i in found.tolist()]
        run[name] = {
            image: score
            for image, score in zip(names, scores.tolist(), strict=True)
            if not only or image in qrels.get(name, {})
        }
    return pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)


@pytest.mark.parametrize(
    ("ours", "theirs", "graded"),
    [
        ("nDCG(judged)@10", "ndcg_cut_10", True),
        ("nDCG(judged)@5", "ndcg_cut_5", True),
        ("P(judged)@5", "P_5", False),
        ("AP(judged)", "map", False),
        ("RR(judged)", "recip_rank", False),
        ("Recall(judged)@10", "recall_10", False),
        ("Success(judged)@5", "success_5", False),
        ("Rprec(judged)", "Rprec", False),
        ("bpref(judged)", "bpref", False),
        ("IPrec(judged,recall=0.5)", "iprec_at_recall_0.50", False),
    ],
)
@pytest.mark.parametrize("seed", range(4))
def test_values_are_those_of_trec_eval(ours, theirs, graded, seed):
    study, judgments = example(seed)
    expected = by_trec_eval(study, judgments, {theirs}, graded=graded)
    (found,) = score(with_judgments(study, judgments), metrics=[ours])
    names = study.image_ids[:N_QUERIES]
    assert found.values[:-1] == pytest.approx([expected[name][theirs] for name in names[:-1]])
    assert np.isnan(found.values[-1]) and found.undefined_by_reason() == {"not judged": 1}
    assert found.metric == ours


@pytest.mark.parametrize(
    ("ours", "theirs", "graded"),
    [
        ("nDCG(judged,only=judged)@3", "ndcg_cut_3", True),
        ("P(judged,only=judged)@3", "P_3", False),
        ("AP(judged,only=judged)", "map", False),
    ],
)
def test_condensed_lists_are_those_without_what_nobody_judged(ours, theirs, graded):
    study, judgments = example(7)
    expected = by_trec_eval(study, judgments, {theirs}, graded=graded, only=True)
    both = score(with_judgments(study, judgments), metrics=[ours, ours.replace(",only=judged", "")])
    names = study.image_ids[: N_QUERIES - 1]
    assert both[0].values[:-1] == pytest.approx([expected[name][theirs] for name in names])
    assert not np.array_equal(both[0].values[:-1], both[1].values[:-1])


@pytest.mark.parametrize(
    "label",
    [
        "nDCG(judged)@10",
        "mean(judged)@10",
        "nDCG(judged,gain=exp,only=judged)@5",
        "RBP(judged,p=0.8)",
        "mean(judged,only=judged)@10",
        "P(judged,only=judged)@10",
        "bpref(judged)",
        "ERR(judged)@10",
    ],
)
def test_labels_round_trip(label):
    assert str(parse_metric(label)) == label and str(parse_metric(str(parse_metric(label)))) == label


@pytest.mark.parametrize(
    "label",
    [
        "nDCG(iou,only=judged)@10",
        "bpref(judged,only=judged)",
        "P(organ,only=judged)@5",
        "nDCG(judged,only=some)@5",
    ],
)
def test_only_judged_where_it_means_something(label):
    with pytest.raises(SettingError):
        parse_metric(label)


def test_judgments_stay_where_queries_are_chosen():
    study, judgments = example()
    chosen = select(with_judgments(study, judgments), ["concepts>=1"])
    again = select(with_judgments(select(study, ["concepts>=1"]), judgments), ["concepts>=1"])
    assert chosen.judged is not None and again.judged is not None and chosen.digest == again.digest


def test_a_study_that_nobody_judged():
    study, _ = example()
    assert with_judgments(study, [said("elsewhere", "i01", 1.0)]) is study
    with pytest.raises(InputError, match="Judge some on the page Review"):
        score(study, metrics=["nDCG(judged)@10"])
    with pytest.raises(InputError, match="No results of this study have been judged"):
        engine.relevance_of_pairs(study, "judged", *np.zeros((2, 1), np.int32), Settings())


def test_several_readers_become_one_grade():
    study, _ = example()
    three = [said("i00", "i01", value, reader) for reader, value in (("a", 0.0), ("b", 0.25), ("c", 1.0))]
    for how, value in (("median", 0.25), ("mean", 1.25 / 3)):
        judged = with_judgments(study, three, how).judged
        assert judged.values.tolist() == pytest.approx([value]) and (judged.readers, judged.simulated) == (
            3,
            0,
        )
    assert with_judgments(study, three).digest != with_judgments(study, three, "mean").digest
    assert with_judgments(study, three).digest.startswith(f"{study.digest}+")


def test_what_was_not_judged_is_worth_nothing_and_an_unknown_image_too():
    study, _ = example()
    judged = with_judgments(study, [said("i01", "i29", 0.75), said("i00", "i02", 0.5)])
    queries = np.array([0, 0, 1, 1, 1, 2], np.int32)
    candidates = np.array([2, 3, 29, -1, 28, 2], np.int32)
    found = engine.relevance_of_pairs(judged, "judged", queries, candidates, Settings())
    np.testing.assert_array_equal(found, [0.5, 0, 0.75, 0, 0, np.nan])


def test_candidates_ranked_by_what_readers_said():
    study, _ = example()
    judged = with_judgments(
        study, [said("i00", "i05", 0.5), said("i00", "i03", 1.0), said("i00", "i00", 1.0)]
    )
    asked, everyone = np.arange(2, dtype=np.int32), np.arange(N_IMAGES, dtype=np.int32)
    run = engine.rank(judged, "judged", asked, candidates=everyone, depth=4, settings=Settings())
    assert run.queries.tolist() == [0] and run.candidates.tolist() == [3, 5, 1, 2]
    best = engine.ideal_gains(judged, "judged", asked, candidates=everyone, depth=4, settings=Settings())
    np.testing.assert_array_equal(best, [[1.0, 0.5, 0, 0], [np.nan] * 4])
    (found,) = score(judged, metrics=["nDCG(judged)@5"], systems=["@judged"])
    assert found.values[0] == 1.0


def test_worth_of_each_result_beside_its_picture():
    study, _ = example()
    judged = with_judgments(study, [said("i00", "i05", 0.5), said("i00", "i03", 0.25)])
    images = np.array([4, 5, 3], np.int32)
    for label, gains, counted in (
        ("nDCG(judged)@2", [0, 0.5, 0.25], [True, True, False]),
        ("nDCG(judged,only=judged)@2", [np.nan, 0.5, 0.25], [False, True, True]),
        ("Rprec(judged)", [0, 1, 0], [True, False, False]),
    ):
        found = what_counts(judged, parse_metric(label), 0, images, Settings())
        np.testing.assert_array_equal(found.gains, gains)
        assert found.counted.tolist() == counted


def test_groups_leave_their_own_images_out():
    from evalcore.values.model import Groups

    study, _ = example()
    groups = Groups("patient", np.where(np.arange(N_IMAGES) < 4, 0, -1).astype(np.int32), "g")
    judged = with_judgments(study, [said("i00", "i03", 1.0), said("i00", "i05", 0.5)])
    apart = replace(judged, groups=groups)
    recall = [
        score(one, metrics=["Recall(judged)@15"], systems=["@judged"])[0].values[0] for one in (judged, apart)
    ]
    assert recall == [1.0, 1.0]
    (found,) = score(apart, metrics=["nDCG(judged)@5"], systems=["@judged"])
    assert found.values[0] == 1.0


@pytest.mark.parametrize(
    ("ours", "theirs", "options"),
    [
        ("nDCG(judged)@10", "ndcg_cut_10", {"scale": 4}),
        ("AP(judged)", "map", {"at": 0.5}),
        ("bpref(judged)", "bpref", {"at": 0.5}),
    ],
)
def test_exported_judgments_give_trec_eval_the_same_values(ours, theirs, options):
    study, said_all = example(3)
    judged = with_judgments(study, said_all)
    qrels: dict[str, dict[str, int]] = {}
    for block in judgments(judged, "judged", settings=Settings(), zeros=True, **options):
        for line in block.lines(judged.image_ids):
            query, _, image, grade = line.split()
            qrels.setdefault(query, {})[image] = int(grade)
    assert sum(map(len, qrels.values())) == len(said_all)
    run = {}
    for query in range(N_QUERIES - 1):
        found, scores = study.runs["s"].answer(query)
        run[study.image_ids[query]] = {
            study.image_ids[i]: s for i, s in zip(found.tolist(), scores.tolist(), strict=True)
        }
    expected = pytrec_eval.RelevanceEvaluator(qrels, {theirs}).evaluate(run)
    (values,) = score(judged, metrics=[ours])
    assert values.values[:-1] == pytest.approx(
        [expected[name][theirs] for name in study.image_ids[: N_QUERIES - 1]]
    )


@pytest.mark.parametrize("only", [False, True])
def test_hierarchical_measures_take_grades_and_what_asks_for_labels_yes_and_no(only):
    """By definition, over the returned results and all judged ones."""
    study, given = example(3)
    judged, more = with_judgments(study, given), ",only=judged" if only else ""
    names = [f"HAP(judged{more})", f"HP(judged{more})@5", f"ASI(judged{more})"]
    hap, hp, asi = score(judged, metrics=names, systems=["s"])
    grades = {}
    for one in given:
        grades.setdefault(one.query, {})[one.result] = one.value
    for q, query in enumerate(study.image_ids[:N_QUERIES]):
        if query not in grades:
            assert np.isnan([hap.values[q], hp.values[q], asi.values[q]]).all()
            continue
        names = [study.image_ids[i] for i in study.runs["s"].answer(q)[0]]
        rel = [grades[query].get(name, 0.0) for name in names if not only or name in grades[query]]
        every = sorted(grades[query].values(), reverse=True)
        ranks = sum(sum(min(rel[k], r) for r in rel[: k + 1]) / (k + 1) for k in range(len(rel)))
        assert hap.values[q] == pytest.approx(ranks / sum(every))
        assert hp.values[q] == pytest.approx(sum(rel[:5]) / sum(every[:5]))
        yes, n = [r >= 0.5 for r in rel], sum(r >= 0.5 for r in every)
        shared = [min(sum(yes[:k]), k) / k for k in range(1, n + 1)]
        assert asi.values[q] == pytest.approx(sum(shared) / n)
