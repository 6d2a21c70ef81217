"""Judgments of others as a relevance, against trec_eval; scores by few people and a program."""

import numpy as np
import pytest

import evalcore as cs
from evalcore.evaluate.qrels import graded, ids_of
from evalcore.stats.prediction_powered import powered_mean
from evalcore.values.model import NO_RELEVANT, NOT_JUDGED
from tests.measured import TREC_EVAL, by_trec_eval
from tests.measured import judged as scored_by_people
from tests.toy import in_groups, study_of, with_parts


def random_material(rng, *, n_queries=40, n_images=50, grades=(-1, 0, 0, 1, 2, 3)):
    """Grades, some of them below 0, and lists in an order without ties."""
    images = [f"d{i:02}" for i in range(n_images)]
    qrels, run = {}, {}
    for q in range(n_queries):
        judged = rng.permutation(images)[: rng.integers(1, 30)]
        qrels[f"q{q:02}"] = {str(image): int(rng.choice(grades)) for image in judged}
        listed = rng.permutation(images)[: rng.integers(1, n_images)]
        run[f"q{q:02}"] = {str(image): float(n_images - place) for place, image in enumerate(listed)}
    return qrels, run


@pytest.mark.parametrize(("level", "only"), [(1, False), (1, True), (2, False), (3, True)])
def test_ties_levels_and_unjudged_results_are_those_of_trec_eval(level, only):
    """``-l`` and ``-J``; equal scores are by descending id there, so ids are the other way round here."""
    rng = np.random.default_rng(level)
    qrels, run = random_material(rng, n_queries=80)
    run = {query: {image: float(rng.integers(0, 5)) for image in row} for query, row in run.items()}
    ours = {query: {f"d{99 - int(i[1:])}": value for i, value in row.items()} for query, row in run.items()}
    judged = {query: {f"d{99 - int(i[1:])}": g for i, g in row.items()} for query, row in qrels.items()}
    study = cs.make_study(runs={"a": ours}, judgments={"trec": judged})
    oracle = by_trec_eval(qrels, run, relevance_level=level, judged_docs_only_flag=only)
    for name, label in TREC_EVAL.items():
        passed_over = ",only=judged" if only and name != "bpref" else ""
        of_level = f",rel={level}" if level > 1 and name != "ndcg_cut_10" else ""
        (score,) = cs.score(study, [label.format(f"qrels:trec{passed_over}{of_level}")], queries="all")
        expected = [oracle[study.image_ids[query]][name] for query in score.queries]
        known = ~np.isnan(score.values)
        assert known.sum() > 50
        assert score.values[known] == pytest.approx(np.array(expected)[known], rel=1e-12, abs=1e-15), label
        assert not np.nan_to_num(np.array(expected)[~known]).any()  # theirs is 0, or NaN


def test_a_lowest_relevant_grade_that_cannot_be_is_refused():
    study = cs.make_study(runs={"a": {"q": {"d": 1.0}}}, judgments={"trec": {"q": {"d": 2}}})
    for label, why in (
        ("P(qrels:trec,rel=0)@5", "a grade above 0"),
        ("nDCG(qrels:trec,rel=2)@5", "option of"),
    ):
        with pytest.raises(cs.CuiscopeError, match=why):
            cs.score(study, [label])


def test_missing_empty_zero_and_undefined_are_four_things():
    judged = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}, "q4": {"a": -1}}
    run = {"q1": {"a": 1.0}, "q3": {"a": 1.0}, "q4": {"a": 1.0}, "q5": {"a": 1.0}}
    study = cs.make_study(runs={"s": run}, judgments={"trec": judged})
    ap, precision, share = cs.score(
        study, ["AP(qrels:trec)", "P(qrels:trec)@1", "Judged(qrels:trec)@2"], queries="all"
    )
    assert [study.image_ids[query] for query in ap.queries] == ["q1", "q2", "q3", "q4", "q5"]
    assert np.array_equal(ap.values, [1, 0, np.nan, np.nan, np.nan], equal_nan=True)  # q2: not in the run
    assert ap.reasons.tolist() == [0, 0, NO_RELEVANT, NOT_JUDGED, NOT_JUDGED] and ap.missing == 1
    assert np.array_equal(precision.values, [1, 0, 0, np.nan, np.nan], equal_nan=True)
    assert np.array_equal(share.values, [0.5, 0, 0.5, np.nan, np.nan], equal_nan=True)


@pytest.mark.parametrize("highest", [1, 2, 10])
def test_grades_count_as_their_share_of_the_highest_with_context_or_without(highest) -> None:
    """Three results of the highest grade are worth what three relevances of 1 are; no context lowers them."""
    concepts = {image: ["C0000001"] for image in "abcdefg"}
    runs = {"x": {"a": {"b": 4, "c": 3, "d": 2, "e": 1}, "e": {"f": 3, "g": 2, "a": 1}}}
    grades = {"a": dict.fromkeys("bcd", highest), "e": {"f": 0, "g": 0, "a": 0}}
    study = cs.make_study(concepts=concepts, runs=runs, judgments={"j": grades})
    labels = [f"{name}(qrels:j)@3" for name in ("MAX", "DCG", "mean", "RBP")] + [
        f"CAG-{name}(qrels:j)@3" for name in ("MAX", "DCG", "RBP")
    ]
    scores = {score.metric.split("(")[0]: score.values[0] for score in cs.score(study, labels)}
    dcg = sum(1 / np.log2(k + 1) for k in (1, 2, 3))
    rbp = 1 - 0.95**3  # the usual persistence
    assert scores["MAX"] == scores["mean"] == scores["CAG-MAX"] == 1.0
    assert scores["DCG"] == pytest.approx(dcg) == scores["CAG-DCG"]
    assert scores["RBP"] == pytest.approx(rbp) == scores["CAG-RBP"]


# Relevances as whole grades: halves are rounded up.


@pytest.mark.parametrize(
    ("value", "how", "grade"),
    [
        (0.25, {"scale": 2, "at": None}, 1),  # 0.5, which rounding to even would make 0
        (0.285, {"scale": 100, "at": None}, 29),  # 28.499999999999996 in binary, 28.5 on paper
        (0.2499, {"scale": 2, "at": None}, 0),
        (0.0005, {"scale": None, "at": None}, 1),
        (1 / 6 + 1 / 6 + 1 / 6, {"scale": None, "at": 0.5}, 1),  # 1/2 on paper and less in binary
        (0.499, {"scale": None, "at": 0.5}, 0),
    ],
)
def test_a_half_is_rounded_up_and_a_value_at_the_threshold_is_relevant(value, how, grade):
    assert graded(np.array([value]), **how).tolist() == [grade]


def test_unknown_images_have_as_many_names_as_the_longest_list_has_places():
    study = study_of({image: {"vein"} for image in "abcd"})
    runs = {"short": {"a": ["b"]}, "long": {"a": ["b", "c", "d"]}}
    assert ids_of(with_parts(study, runs=runs)) == (*"abcd", *(f"unknown-image-{n}" for n in (1, 2, 3)))
    assert ids_of(study) == tuple("abcd")


# Scores by few people and a program.


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
