"""What happens at nothing: missing, short, tied, undefined and unknown, row by row."""

import numpy as np
import pytest

from evalcore import score
from evalcore.values.errors import InputError, SettingError, UnknownName
from evalcore.values.model import REASONS
from evalcore.values.settings import Settings
from tests.toy import TOY_EDGES, study_of, with_parts

SETS = {"a": {"vein"}, "b": {"vein", "brain"}, "c": {"cyst"}, "d": set(), "e": None}
LABELS = {"organ": {"a": "vessel", "b": ("vessel", "head"), "c": "chest", "d": "head"}}


@pytest.fixture(scope="module")
def study():
    return with_parts(
        study_of(SETS, TOY_EDGES, embeddings={"net": {"a": (1, 0), "b": (1, 1), "c": (0, 0), "d": (0, 1)}}),
        labels=LABELS,
        runs={
            "all": {image: [other for other in SETS if other != image] for image in SETS},
            "some": {"a": {"b": 2.0, "c": 1.0, "d": 1.0}, "c": {"a": 1.0}},
        },
    )


def outcomes(scores, study):
    """{image id: value, or the reason why there is none}"""
    return {
        study.image_ids[q]: REASONS[r] if r else v
        for q, v, r in zip(scores.queries, scores.values.tolist(), scores.reasons, strict=True)
    }


def test_reasons_of_embedding_metrics(study):
    (mean,) = score(study, metrics=["mean(cosine:net)@1"], systems=["all"])
    # by hand: a returns b first, cosine 1/sqrt 2; c has a zero vector, e none
    values = outcomes(mean, study)
    assert values.pop("a") == pytest.approx(1 / np.sqrt(2))
    assert values == {"b": pytest.approx(1 / np.sqrt(2)), "c": "no embedding", "d": 0.0, "e": "no embedding"}


def test_missing_short_and_tied_are_counted(study):
    two, three = score(study, metrics=["mean(iou)@2", "mean(iou)@3"], systems=["some"])
    # "some" answers a (three results, the last two tied) and c (one); b is missing; d and e have no value
    assert (two.missing, two.short, two.tied) == (1, 1, 1)
    assert (three.missing, three.short, three.tied) == (1, 1, 0)
    assert outcomes(two, study)["b"] == 0.0
    (average,) = score(study, metrics=["AP(organ)"], systems=["some"])
    assert (average.missing, average.short, average.tied, average.cutoff) == (2, 0, 0, None)
    assert outcomes(average, study) == {
        "a": 1.0,
        "b": 0.0,
        "c": "no relevant candidate",
        "d": 0.0,
        "e": "outside the pool",
    }


def test_unknown_systems_metrics_and_labels_are_named(study):
    with pytest.raises(UnknownName, match="No system with embeddings called 'nett'"):
        score(study, metrics=["mean(cosine:nett)@1"])
    with pytest.raises(SettingError, match="`metrics` must be at least one metric"):
        score(study, metrics=[])
    bare = study_of(SETS)
    with pytest.raises(InputError, match="There are no retrieval systems to score"):
        score(bare, metrics=["CUI@1"])
    with pytest.raises(UnknownName, match="This study has no labels"):
        score(bare, metrics=["P(organ)@1"], systems=["@iou"])


def test_an_empty_run_and_no_candidates():
    study = with_parts(
        study_of({"a": {"x"}, "b": {"x"}}), runs={"empty": {}}, labels={"organ": {"a": "o", "b": "o"}}
    )
    for ties in ("id", "expected"):
        for scores in score(study, metrics=["CUI@2", "AP(organ)", "RR(organ)"], settings=Settings(ties=ties)):
            assert (scores.values.tolist(), scores.missing) == ([0.0, 0.0], 2)
    alone = with_parts(
        study_of({"a": {"x"}, "b": {"x"}}), runs={"r": {"a": ["b"]}}, candidates=["a"], queries=["a"]
    )
    for system in ("r", "@iou"):
        (scores,) = score(alone, metrics=["CUI@2"], systems=[system])
        assert outcomes(scores, alone) == {"a": "no relevant candidate"}
