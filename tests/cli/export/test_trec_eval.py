"""The exported files, scored by trec_eval's own code, give the program's own values, query by query."""

from __future__ import annotations

from functools import cache

import pytest
import pytrec_eval

from evalcore import score
from evalcore.cli import run
from evalcore.evaluate.summary import scored_queries
from evalcore.study import open_study
from evalcore.values.settings import Settings
from tests.measured import TREC_EVAL, by_trec_eval


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """What trec_eval reads in the files that the commands write: judgments, and the run of a system."""
    place = tmp_path_factory.mktemp("files")

    @cache
    def exported(relevance, system, more="", export="", rank=""):
        qrels, trec = place / "judged.qrels", place / "run.trec"
        words = ["qrels", "data", "--relevance", relevance, "--out", str(qrels)]
        assert run([*words, *more.split(), *export.split()]) == 0
        words = ["rank", "data", "--system", system, "--judged-by", relevance, "--out", str(trec)]
        assert run([*words, "--write-scores", "places", *more.split(), *rank.split()]) == 0
        with qrels.open() as judged, trec.open() as returned:
            return pytrec_eval.parse_qrel(judged), pytrec_eval.parse_run(returned)

    exported.study = open_study("data")
    return exported


def value_of(qrels, returned, measure):
    """{query: value}; 0 for a query that the system does not answer."""
    values = by_trec_eval(qrels, returned)
    return {query: values.get(query, {}).get(measure, 0.0) for query in qrels}


def own(study, system, metric, **settings):
    settings = Settings(**settings)
    (scored,) = score(study, metrics=[metric], systems=[system], settings=settings)
    queries, values = scored_queries(scored)
    return dict(zip((study.image_ids[q] for q in queries), values.tolist(), strict=True))


@pytest.mark.parametrize("system", ["hog", "caption-tfidf", "@iou"])
@pytest.mark.parametrize("name", sorted(TREC_EVAL.keys() - {"bpref", "infAP"}))
def test_by_labels(exported, system, name):
    ours = own(exported.study, system, TREC_EVAL[name].format("organ"))
    files = exported("organ", system, rank="--depth 160" if system == "@iou" else "")
    theirs = value_of(*files, name)
    assert len(theirs) > 25
    # P has a value for queries without anything relevant, which trec_eval is not told of: it is 0
    assert {query: ours[query] for query in theirs} == pytest.approx(theirs, abs=1e-9)
    assert all(value == 0 for query, value in ours.items() if query not in theirs)


@pytest.mark.parametrize(
    ("flags", "how"), [("--pool all", {"pool": "all"}), ("--include-self", {"include_self": True})]
)
def test_by_labels_under_other_rules(exported, flags, how):
    for metric, name in (("P(organ)@5", "P_5"), ("AP(organ)", "map")):
        theirs = value_of(*exported("organ", "hog", flags), name)
        ours = own(exported.study, "hog", metric, **how)
        assert {query: ours[query] for query in theirs} == pytest.approx(theirs, abs=1e-9)


def test_bpref_needs_the_images_that_are_not_relevant(exported):
    theirs = value_of(*exported("organ", "caption-tfidf", export="--zeros"), "bpref")
    assert own(exported.study, "caption-tfidf", "bpref(organ)") == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("relevance", ["iou", "nn-iou"])
@pytest.mark.parametrize("scale", [1000, 1_000_000])
def test_graded_relevance_up_to_its_rounding(exported, relevance, scale):
    qrels, returned = exported(relevance, "hog", export=f"--times {scale}")
    theirs = value_of(qrels, returned, "ndcg_cut_10")
    ours = own(exported.study, "hog", f"nDCG({relevance})@10")
    # Each of ten gains is off by half a grade at most, in a sum of ideal gains that is at least 1/4
    # (a relevance of images with up to four concepts each): the ratio by 5 / scale / (1/4).
    assert len(theirs) > 30 and ours == pytest.approx(theirs, abs=20 / scale)
    assert any(grade not in (0, scale) for grades in qrels.values() for grade in grades.values())
