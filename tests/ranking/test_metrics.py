"""Metric labels: they round-trip, and what cannot be parsed says which form to use."""

from __future__ import annotations

import pytest

from evalcore.errors import SettingError, UnknownName
from evalcore.ranking.metrics import METRICS, Metric, parse_metric

CANONICAL = [
    "CUI@10", "CUI(gain=exp)@10", "nnCUI@10", "P(organ)@5", "P(modality&organ)@30", "P(organ,match=equal)@5",
    "nDCG(nn-iou)@10", "nDCG(iou,gain=exp)@10", "nDCG(cosine:hog)@10", "nDCG(cosine:my system (2))@3",
    "mean(cosine:a,b)@5", "nDCG(cosine:v=2, large,gain=exp)@5", "RBP(cosine:k,p=0.5,p=0.95)",
    "mean(cosine:two\nlines)@5",
    "AP(organ)", "AP(organ)@100", "RR(body region)", "mean(nn-iou)@10", "RBP(nn-iou,p=0.95)",
    "RBP(iou,gain=linear,p=0.8)@20",
]  # fmt: skip


@pytest.mark.parametrize("label", CANONICAL)
def test_canonical_labels_round_trip(label):
    assert str(parse_metric(label)) == label
    assert parse_metric(str(parse_metric(label))) == parse_metric(label)


@pytest.mark.parametrize("family", METRICS.values(), ids=lambda family: family.name)
def test_every_family_is_described_and_its_example_is_one_of_its_labels(family):
    assert parse_metric(family.example).family == family.name
    assert str(parse_metric(family.example)) == family.example
    for text in (family.title, family.formula, family.range, family.plain, family.reference):
        assert text and text == text.strip()
    assert family.plain.endswith(".")


@pytest.mark.parametrize(
    ("loose", "label"),
    [
        ("ndcg( nn-iou , gain = exp ) @ 10", "nDCG(nn-iou,gain=exp)@10"),
        ("RBP(nn-iou)", "RBP(nn-iou,p=0.95)"),
        ("p(modality & organ)@05", "P(modality&organ)@5"),
        ("P(organ,match=any)@5", "P(organ)@5"),
        (" CUI()@3 ", "CUI@3"),
    ],
)
def test_spaces_case_and_defaults_do_not_matter(loose, label):
    assert str(parse_metric(loose)) == label


def test_a_metric_is_taken_as_it_is():
    metric = Metric("CUI", relevance="iou", cutoff=3)
    assert parse_metric(metric) is metric


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("nDCG(nn-iou)", "must be given a cutoff, as in nDCG(nn-iou)@10"),
        ("nDCG(nn-iou)@0", "`cutoff` must be an integer >= 1, as in nDCG(nn-iou)@10. Got '0'"),
        ("P(organ)@2.5", "`cutoff` must be an integer >= 1"),
        ("P(organ)@-1", "`cutoff` must be an integer >= 1"),
        ("P(organ)@\u0665", "`cutoff` must be an integer >= 1"),
        ("P@5", "its label columns joined by &"),
        ("P(a,b)@5", "its label columns joined by &"),
        ("P(a&&b)@5", "different column names joined by &"),
        ("P(a&a)@5", "different column names joined by &"),
        ("CUI(iou)@5", "without a relevance in brackets, as in CUI@10"),
        ("nDCG(iou,bogus=3)@10", "an option nDCG knows (gain)"),
        ("mean(iou,gain=exp)@10", "an option mean knows (none)"),
        ("nDCG(iou,gain=cubic)@10", "`gain` must be one of linear, exp"),
        ("RBP(iou,p=1)", "`p` must be a number above 0 and below 1"),
        ("RBP(iou,p=nan)", "`p` must be a number above 0 and below 1"),
        ("RBP(iou,p=x)", "`p` must be a number above 0 and below 1"),
        ("", "written like nDCG(nn-iou)@10"),
        ("P(organ)@5@6", "written like nDCG(nn-iou)@10"),
    ],
)
def test_a_label_that_cannot_be_parsed_says_why(label, message):
    with pytest.raises(SettingError) as caught:
        parse_metric(label)
    assert message in str(caught.value)


def test_unknown_families_and_relevances_offer_those_there_are():
    with pytest.raises(UnknownName, match=r"No metric called 'NDGC'\."):
        parse_metric("NDGC(iou)@10")
    with pytest.raises(UnknownName, match=r"No relevance called 'nniou'\. Did you mean: nn-iou"):
        parse_metric("nDCG(nniou)@10")
