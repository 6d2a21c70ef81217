"""Relevance in which some concepts weigh more: equal weights, names, and what is offered."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from evalcore.relevance.registry import describe, offered, parse_relevance, weighted_relevances
from evalcore.values.concept_values import KINDS, UNKNOWN
from evalcore.values.errors import InputError, SettingError, UnknownName
from evalcore.values.settings import Settings
from tests.engine.plain import COUNTED, RULES, SOME_KINDS, chosen_settings, studies, values_of, with_kinds
from tests.toy import TOY_EDGES, study_of

KIND = {
    **dict.fromkeys(("brain", "head", "vein", "vessel"), "anatomy"),
    **dict.fromkeys(("nodule", "mass", "cyst"), "finding"),
    "ct": "modality",
}
A, B = {"vein", "brain", "nodule", "ct"}, {"vessel", "brain", "mass"}


@effort(max_examples=60)
@given(studies(), SOME_KINDS, COUNTED, chosen_settings, st.sampled_from(["1", "0.7", "40"]))
def test_equal_weights_are_the_unweighted_measure(built, kinds, measure, settings, weight):
    """Bit for bit: all kinds at one weight, and findings alone as if images held nothing else."""
    sets, edges = built
    study = with_kinds(study_of(sets, edges), kinds)
    everything = f"{measure}[{','.join(f'{kind}={weight}' for kind in (*KINDS, UNKNOWN))}]"
    whole = values_of(study, measure, settings)
    np.testing.assert_array_equal(values_of(study, everything, settings), whole)
    kept = {
        image: None if concepts is None else {x for x in concepts if kinds.get(x) == "finding"}
        for image, concepts in sets.items()
    }
    alone = values_of(study_of(kept, edges), measure, settings)
    np.testing.assert_array_equal(values_of(study, f"{measure}[finding]", settings), alone)


@pytest.mark.parametrize("rule", RULES)
def test_almost_equal_weights_keep_the_unweighted_ties(rule):
    """Unequal by one in a hundred thousand where no concept has the other kind: the loops with weights."""
    sets = {f"i{k}": {f"C{(k * j) % 9:07d}" for j in range(1, 5)} for k in range(12)}
    study = with_kinds(study_of(sets, [(f"C{k:07d}", f"C{k // 2:07d}") for k in range(1, 9)]), {})
    settings = Settings(count_rule=rule, threshold=2)
    weighed = values_of(study, "nn-iou[unknown=99.999,finding=99.998]", settings)
    np.testing.assert_array_equal(weighed, values_of(study, "nn-iou", settings))


def test_names():
    assert str(parse_relevance("nn-iou[anatomy=1, finding=3]")) == "nn-iou[finding=3,anatomy=1]"
    assert str(parse_relevance("iou[ anatomy + finding ]")) == "iou[finding+anatomy]"
    assert parse_relevance("nn-iou[finding=0.5]") == parse_relevance("nn-iou[finding]")
    assert parse_relevance("cosine:a[b]").system == "a[b]"
    with pytest.raises(UnknownName, match="Did you mean: finding"):
        parse_relevance("nn-iou[findin]")
    for wrong in ("finding=-1", "finding=x", "finding=0", "finding+finding", "finding=0.0001", "finding=101"):
        with pytest.raises(SettingError):
            parse_relevance(f"nn-iou[{wrong}]")
    with pytest.raises(UnknownName):
        parse_relevance("matching[finding]")
    assert describe("nn-iou[finding=3,anatomy=1]").formula.startswith("(w(A∩B) + α·w(NN)) / w(A∪B)")


def test_what_is_offered():
    plain = study_of({"a": A, "b": B}, TOY_EDGES)
    assert weighted_relevances(plain) == ()
    with pytest.raises(InputError, match=r"kinds\.csv"):
        values_of(plain, "iou[finding]")
    kinds = with_kinds(plain, KIND)
    assert weighted_relevances(kinds)[0] == "nn-iou[finding]"
    assert offered(kinds) == offered(plain)
