"""The exported files, scored by trec_eval's own code, give the program's own values, query by query."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import pytrec_eval

from evalcore.cli import run
from evalcore.evaluate import score
from evalcore.evaluate.summary import counted
from evalcore.study import open_study
from evalcore.values.grouping import with_same_group
from evalcore.values.settings import Settings

IMAGES = [f"im{i:02}" for i in range(40)]
CUIS = [f"C{i:07}" for i in range(1, 13)]


def write(folder):
    """Forty images with labels, groups, concepts, a graph and two systems with ties and gaps."""
    rng = np.random.default_rng(5)
    concepts = [
        f"{image},{';'.join(rng.choice(CUIS, rng.integers(1, 5), replace=False))}" for image in IMAGES
    ]
    concepts[7] = "im07,"
    labels = [
        f"{image},{rng.choice(['chest', 'head', 'foot', ''], p=[0.4, 0.3, 0.2, 0.1])}" for image in IMAGES
    ]
    labels[3] = "im03,only"
    edges = [f"{CUIS[i]},{CUIS[i // 2]}" for i in range(1, 12)]
    files = {
        "concepts.csv": ["ID,CUIs", *concepts],
        "labels.csv": ["ID,organ", *labels],
        "groups.csv": ["ID,patient", *(f"{image},p{i // 3}" for i, image in enumerate(IMAGES))],
        "graph/edges.csv": ["child,parent", *edges],
    }
    for system, gap in (("first", 4), ("second", 9)):
        rows = []
        for i, image in enumerate(IMAGES):
            if i % gap != 3 or system == "first":
                found = rng.choice(IMAGES, 25, replace=False)
                scores = rng.integers(1, 9, 25)
                rows += [f"{image} Q0 {c} 1 {s} x" for c, s in zip(found, scores, strict=True)]
        files[f"systems/{system}/run.trec"] = rows
    for name, lines in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """What trec_eval reads in the files that the commands write: judgments, and the run of a system."""
    folder, place = write(tmp_path_factory.mktemp("study")), tmp_path_factory.mktemp("files")

    @cache
    def exported(relevance, system, more="", export="", rank=""):
        qrels, trec = place / "judged.qrels", place / "run.trec"
        words = ["qrels", str(folder), "--relevance", relevance, "--out", str(qrels)]
        assert run([*words, *more.split(), *export.split()]) == 0
        words = ["rank", str(folder), "--system", system, "--judged-by", relevance, "--out", str(trec)]
        assert run([*words, "--write-scores", "places", *more.split(), *rank.split()]) == 0
        with qrels.open() as judged, trec.open() as returned:
            return pytrec_eval.parse_qrel(judged), pytrec_eval.parse_run(returned)

    exported.study = open_study(folder)
    return exported


def by_trec_eval(qrels, returned, measure):
    """{query: value}; 0 for a query that the system does not answer."""
    name, _, cut = measure.rpartition("_")
    found = pytrec_eval.RelevanceEvaluator(qrels, {f"{name}.{cut}" if cut.isdigit() else measure})
    values = found.evaluate(returned)
    return {query: values.get(query, {}).get(measure, 0.0) for query in qrels}


def own(study, system, metric, *, same_group="drop", **settings):
    settings, study = Settings(**settings), with_same_group(study, same_group)
    (scored,) = score(study, metrics=[metric], systems=[system], settings=settings)
    queries, values = counted(scored, settings)
    return dict(zip((study.image_ids[q] for q in queries), values.tolist(), strict=True))


PAIRS = {
    "P(organ)@5": "P_5",
    "Recall(organ)@10": "recall_10",
    "AP(organ)": "map",
    "RR(organ)": "recip_rank",
    "Rprec(organ)": "Rprec",
    "nDCG(organ)@10": "ndcg_cut_10",
    "Success(organ)@1": "success_1",
}


@pytest.mark.parametrize("system", ["first", "second", "@iou"])
@pytest.mark.parametrize("metric", PAIRS)
def test_by_labels(exported, system, metric):
    ours = own(exported.study, system, metric)
    files = exported("organ", system, rank="--depth 40" if system == "@iou" else "")
    theirs = by_trec_eval(*files, PAIRS[metric])
    assert len(theirs) > 25
    # P has a value for queries without anything relevant, which trec_eval is not told of: it is 0
    assert {query: ours[query] for query in theirs} == pytest.approx(theirs, abs=1e-9)
    assert all(value == 0 for query, value in ours.items() if query not in theirs)


@pytest.mark.parametrize(
    ("flags", "how"),
    [
        ("--same-group keep", {"same_group": "keep"}),
        ("--pool all", {"pool": "all"}),
        ("--include-self", {"include_self": True}),
    ],
)
def test_by_labels_under_other_rules(exported, flags, how):
    for metric in ("P(organ)@5", "AP(organ)"):
        theirs = by_trec_eval(*exported("organ", "first", flags), PAIRS[metric])
        ours = own(exported.study, "first", metric, **how)
        assert {query: ours[query] for query in theirs} == pytest.approx(theirs, abs=1e-9)


def test_bpref_needs_the_images_that_are_not_relevant(exported):
    theirs = by_trec_eval(*exported("organ", "second", export="--zeros"), "bpref")
    assert own(exported.study, "second", "bpref(organ)") == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("relevance", ["iou", "nn-iou"])
@pytest.mark.parametrize("scale", [1000, 1_000_000])
def test_graded_relevance_up_to_its_rounding(exported, relevance, scale):
    qrels, returned = exported(relevance, "first", export=f"--times {scale}")
    theirs = by_trec_eval(qrels, returned, "ndcg_cut_10")
    ours = own(exported.study, "first", f"nDCG({relevance})@10")
    # Each of ten gains is off by half a grade at most, in a sum of ideal gains that is at least 1/4
    # (a relevance of images with up to four concepts each): the ratio by 5 / scale / (1/4).
    assert len(theirs) > 30 and ours == pytest.approx(theirs, abs=20 / scale)
    assert any(grade not in (0, scale) for of in qrels.values() for grade in of.values())
