"""The exported files, scored by trec_eval's own code, give the program's own values, query by query."""

from __future__ import annotations

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
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("study"))


def qrels_of(path):
    with path.open() as lines:
        return pytrec_eval.parse_qrel(lines)


def exported(folder, tmp_path, relevance, system, *more, export=(), rank=()):
    """(qrels, run) as trec_eval reads the files that the commands write."""
    qrels, trec = tmp_path / "judged.qrels", tmp_path / "run.trec"
    assert run(["qrels", str(folder), "--relevance", relevance, "--out", str(qrels), *more, *export]) == 0
    told = ["--system", system, "--judged-by", relevance, "--write-scores", "places", "--out", str(trec)]
    assert run(["rank", str(folder), *told, *more, *rank]) == 0
    with trec.open() as lines:
        return qrels_of(qrels), pytrec_eval.parse_run(lines)


def by_trec_eval(qrels, returned, measure):
    """{query: value}; 0 for a query that the system does not answer."""
    name = measure.replace("_", ".", 1) if measure.count("_") == 1 and measure[-1].isdigit() else measure
    parts = measure.rsplit("_", 1)
    asked = {f"{parts[0]}.{parts[1]}"} if parts[-1].isdigit() else {name}
    found = pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate(returned)
    return {query: found.get(query, {}).get(measure, 0.0) for query in qrels}


def own(folder, system, metric, *, same_group="drop", **settings):
    settings = Settings(**settings)
    study = with_same_group(open_study(folder), same_group)
    (one,) = score(study, metrics=[metric], systems=[system], settings=settings)
    queries, values = counted(one, settings)
    return dict(zip((study.image_ids[q] for q in queries), values.tolist(), strict=True))


PAIRS = [
    ("P(organ)@5", "P_5"),
    ("P(organ)@10", "P_10"),
    ("Recall(organ)@10", "recall_10"),
    ("AP(organ)", "map"),
    ("RR(organ)", "recip_rank"),
    ("Rprec(organ)", "Rprec"),
    ("nDCG(organ)@10", "ndcg_cut_10"),
    ("Success(organ)@1", "success_1"),
]


@pytest.mark.parametrize("system", ["first", "second", "@iou"])
@pytest.mark.parametrize(("metric", "measure"), PAIRS)
def test_by_labels(folder, tmp_path, system, metric, measure):
    rank = ["--depth", "40"] if system == "@iou" else []
    ours, (qrels, returned) = (
        own(folder, system, metric),
        exported(folder, tmp_path, "organ", system, rank=rank),
    )
    theirs = by_trec_eval(qrels, returned, measure)
    assert len(theirs) > 25
    # P has a value for queries without anything relevant, which trec_eval is not told of: it is 0
    assert {query: value for query, value in ours.items() if query in theirs} == pytest.approx(
        theirs, abs=1e-9
    )
    assert all(value == 0 for query, value in ours.items() if query not in theirs)


@pytest.mark.parametrize("given", [{"same_group": "keep"}, {"pool": "all"}, {"include_self": True}])
def test_by_labels_under_other_rules(folder, tmp_path, given):
    flags = {name: f"--{name.replace('_', '-')}" for name in given}
    more = [word for name, value in given.items() for word in (flags[name], value) if word is not True]
    qrels, returned = exported(folder, tmp_path, "organ", "first", *more)
    for metric, measure in (("P(organ)@5", "P_5"), ("AP(organ)", "map")):
        theirs = by_trec_eval(qrels, returned, measure)
        ours = own(folder, "first", metric, **given)
        assert {query: ours[query] for query in theirs} == pytest.approx(theirs, abs=1e-9)


def test_bpref_needs_the_images_that_are_not_relevant(folder, tmp_path):
    qrels, returned = exported(folder, tmp_path, "organ", "second", export=["--zeros"])
    theirs = by_trec_eval(qrels, returned, "bpref")
    assert own(folder, "second", "bpref(organ)") == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("system", ["first", "second"])
@pytest.mark.parametrize("relevance", ["iou", "nn-iou"])
@pytest.mark.parametrize("scale", [1000, 1_000_000])
def test_graded_relevance_up_to_its_rounding(folder, tmp_path, system, relevance, scale):
    qrels, returned = exported(folder, tmp_path, relevance, system, export=["--times", str(scale)])
    theirs = by_trec_eval(qrels, returned, "ndcg_cut_10")
    ours = own(folder, system, f"nDCG({relevance})@10")
    # Each of ten gains is off by half a grade at most, in a sum of ideal gains that is at least 1/4
    # (a relevance of images with up to four concepts each): the ratio by 5 / scale / (1/4).
    assert len(theirs) > 30 and ours == pytest.approx(theirs, abs=20 / scale)
    assert any(grade not in (0, scale) for of in qrels.values() for grade in of.values())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["qrels", "--relevance", "organ", "--times", "10", "--out", "-"], "left out for labels"),
        (
            ["qrels", "--relevance", "iou", "--times", "10", "--at", "0.5", "--out", "-"],
            "where `at` is given",
        ),
        (["qrels", "--relevance", "bogus", "--out", "-"], "bogus"),
        (["rank", "--system", "nobody"], "nobody"),
        (["rank", "--system", "first", "--pool", "all"], "--pool: only with --judged-by"),
    ],
)
def test_what_cannot_be_meant(folder, capsys, asked, said):
    assert run([*asked[0].split(), str(folder), *asked[1:]]) == 2
    assert said in capsys.readouterr().err


def test_an_image_id_with_a_space(tmp_path, capsys):
    (tmp_path / "concepts.csv").write_text("ID,CUIs\na 1,C0000001\nb,C0000001\n")
    out = tmp_path / "q.qrels"
    assert run(["qrels", str(tmp_path), "--relevance", "iou", "--out", str(out)]) == 2
    assert "'a 1' contains a space" in capsys.readouterr().err and not out.exists()
