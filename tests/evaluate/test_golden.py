"""nn-CUI@K, CUI@K and P@K of the specification, from concepts, labels and runs to the mean."""

import numpy as np
import pytest

from evalcore import score
from evalcore.evaluate.summary import summarise
from evalcore.values.settings import Settings
from tests.toy import TOY_EDGES, study_of, with_parts

SETS = {
    "q": {"vein", "brain"},
    "i1": {"vessel", "brain"},
    "i2": {"vein"},
    "i3": {"head", "artery"},
    "i4": {"nodule"},
    "i5": {"vein", "brain", "mass"},
}
# Values printed in the formulas, section A.4 (skip: undefined queries left out)
MEANS = {
    ("nnCUI@3", "skip"): 0.6885177091,
    ("nnCUI@3", "zero"): 0.6885177091,
    ("CUI@3", "skip"): 0.8114170347,
    ("CUI@3", "zero"): 0.5409446898,
}


@pytest.fixture(scope="module")
def study():
    images = sorted(SETS)
    backwards = {q: [image for image in reversed(images) if image != q] for q in images}
    return with_parts(
        study_of(SETS, TOY_EDGES), runs={"backwards": backwards, "one": {"q": ["i3", "i5", "i4", "i1", "i2"]}}
    )


@pytest.mark.parametrize("cutoff", [1, 3, 5])
@pytest.mark.parametrize("gain", ["linear", "exp"])
@pytest.mark.parametrize(("family", "name"), [("nnCUI", "nncui"), ("CUI", "cui")])
def test_one_query(study, spec_golden, family, name, gain, cutoff):
    golden = spec_golden["A_cuik"][f"{name}@{cutoff}_{gain}"]
    query = np.array([study.concepts.index("q")])
    by_setting = score(
        study, metrics=[f"{family}@{cutoff}"], systems=["one"], settings=Settings(gain=gain), queries=query
    )
    # the label's own gain overrules the settings
    other = Settings(gain="linear" if gain == "exp" else "exp")
    by_label = score(
        study, metrics=[f"{family}(gain={gain})@{cutoff}"], systems=["one"], settings=other, queries=query
    )
    for (scores,) in (by_setting, by_label):
        assert scores.values.tolist() == pytest.approx([golden], rel=1e-12)


@pytest.mark.parametrize(
    ("metric", "key"), [("nnCUI@3", "per_query_nncui@3_revalpha"), ("CUI@3", "per_query_cui@3_revalpha")]
)
def test_all_queries(study, spec_golden, metric, key):
    golden = spec_golden["A_cuik"][key]
    for undefined in ("skip", "zero"):
        settings = Settings(undefined=undefined)
        (scores,) = score(study, metrics=[metric], systems=["backwards"], settings=settings)
        assert scores.values.tolist() == pytest.approx(
            [golden[i] for i in study.image_ids], rel=1e-12, nan_ok=True
        )
        assert scores.undefined_by_reason() == ({} if metric == "nnCUI@3" else {"no relevant candidate": 2})
        interval = summarise(scores)
        assert interval.mean == pytest.approx(MEANS[metric, undefined], rel=1e-9)
        assert interval.n == (6 if undefined == "zero" else scores.n_scored)


@pytest.mark.parametrize("pool", ["labelled", "all"])
@pytest.mark.parametrize("cutoff", [1, 2])
@pytest.mark.parametrize(
    ("task", "columns", "n"), [("mod", "modality", 5), ("org", "organ", 4), ("both", "modality&organ", 4)]
)
def test_precision_over_label_pools(spec_extra, pool, cutoff, task, columns, n):
    golden = spec_extra["patk"]
    images = golden["labels"]
    labels = {
        "modality": {image: pair[0] for image, pair in images.items()},
        "organ": {image: pair[1] for image, pair in images.items()},
    }
    study = with_parts(study_of({i: set() for i in images}), runs={"a": golden["rankings"]}, labels=labels)
    (scores,) = score(study, metrics=[f"P({columns})@{cutoff}"], settings=Settings(pool=pool))
    word = "restricted" if pool == "labelled" else "full"
    assert summarise(scores).mean == pytest.approx(golden[f"{task}@{cutoff}_{word}"], rel=1e-12)
    assert (scores.n_queries, scores.n_scored, scores.missing) == (n, n, 0)
