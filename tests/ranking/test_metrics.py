"""Metric labels: they round-trip, and what cannot be parsed says which form to use."""

from __future__ import annotations

import re

import pytest

from evalcore.ranking.metrics import METRICS, parse_metric
from evalcore.values.errors import SettingError, UnknownName

CANONICAL = [
    "CUI(gain=exp)@10",
    "P(organ,match=equal)@5",
    "nDCG(cosine:my system (2))@3",
    "mean(cosine:a,b)@5",
    "nDCG(cosine:v=2, large,gain=exp)@5",
    "RBP(cosine:k,p=0.5,p=0.95)",
    "mean(cosine:two\nlines)@5",
    "AP(organ)@100",
    "RR(body region)",
    "RBP(iou,gain=linear,p=0.8)@20",
    "nDCG(organ&modality,match=equal)@10",
    "CAG-RBP(nn-iou,p=0.95,w=10)",
    "CAG-CG(cosine:a,b,w=2)@3",
    "CAG-AVG(iou,w=1,row=5)@10",
    "CAG-RBP(iou,p=0.5,w=3)@7",
    "HAP(levels(modality>organ),a=2,count_query=yes)",
    "AHP(nn-iou,area=trapezoid)@5",
    "HAP(organ)@5",
    "HAP(levels(a>b),a=0.5)@9",
    "ASI(levels(modality>organ),match=equal)",
    "HP(cosine:a,b)@3",
    "nDCG(levels(modality>organ),gain=exp)@10",
    "bpref(organ,match=equal)",
]


@pytest.mark.parametrize("label", CANONICAL)
def test_canonical_labels_round_trip(label):
    assert str(parse_metric(label)) == label


@pytest.mark.parametrize("family", METRICS.values(), ids=lambda family: family.name)
def test_every_family_is_described_and_its_example_is_one_of_its_labels(family):
    assert parse_metric(family.example).family == family.name
    assert str(parse_metric(family.example)) == family.example
    for text in (family.title, family.formula, family.range, family.plain, family.reference):
        assert text and text == text.strip()
    assert family.plain.endswith(".")


@pytest.mark.parametrize("family", METRICS.values(), ids=lambda family: family.name)
def test_what_pages_offer_of_a_family_are_its_labels(family):
    for kind, labels in family.offered.items():
        target = {"judgments": "qrels:file", "appearance": "hog", "relevance": "iou[finding]"}.get(
            kind, "organ"
        )
        for label in labels:
            cut = "@5" if family.cutoff == "required" else ""
            assert parse_metric(label.format(target) + cut).family == family.name


@pytest.mark.parametrize(
    ("loose", "label"),
    [
        ("ndcg( nn-iou , gain = exp ) @ 10", "nDCG(nn-iou,gain=exp)@10"),
        ("RBP(nn-iou)", "RBP(nn-iou,p=0.95)"),
        ("cag-rbp(nn-iou)", "CAG-RBP(nn-iou,p=0.95,w=10)"),
        ("CAG-DCG( iou, w = 010 )@5", "CAG-DCG(iou,w=10)@5"),
        ("p(modality & organ)@05", "P(modality&organ)@5"),
        ("P(organ,match=any)@5", "P(organ)@5"),
        (" CUI()@3 ", "CUI@3"),
        ("hap( levels( modality > organ ) , a = 1.0 )", "HAP(levels(modality>organ))"),
        ("recall(organ)@010", "Recall(organ)@10"),
    ],
)
def test_spaces_case_and_defaults_do_not_matter(loose, label):
    assert str(parse_metric(loose)) == label


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("nDCG(nn-iou)", "must be given a cutoff, as in nDCG(nn-iou)@10"),
        ("nDCG(nn-iou)@0", "`cutoff` must be an integer >= 1, as in nDCG(nn-iou)@10. Got '0'"),
        ("P(organ)@2.5", "`cutoff` must be an integer >= 1"),
        ("P(organ)@\u0665", "`cutoff` must be an integer >= 1"),
        ("P(levels(a>b))@5", "must be one with levels (nDCG, HAP, ASI, HP, AHP)"),
        ("HAP(levels(a>a))", "different column names joined by >, the topmost first"),
        ("HAP(levels(a>b),a=0)", "`a=` must be a number above 0, at most 20"),
        ("HAP(organ,a=2)", "given an option of HAP (match)"),
        ("P@5", "its label columns joined by &"),
        ("P(a&&b)@5", "different column names joined by &"),
        ("P(a&a)@5", "different column names joined by &"),
        ("CUI(iou)@5", "without a relevance in brackets, as in CUI@10"),
        ("nDCG(iou,bogus=3)@10", "an option of nDCG (gain)"),
        ("mean(iou,gain=exp)@10", "an option of mean (none)"),
        ("nDCG(iou,gain=cubic)@10", "`gain=` must be one of linear, exp"),
        ("RBP(iou,p=1)", "`p=` must be a number above 0 and below 1"),
        ("CAG-DCG(iou,w=0)@5", "`w=` must be a whole number from 1"),
        ("CAG-AVG(iou,row=-1)@5", "`row=` must be a whole number from 1"),
        ("CAG-MAX(iou,row=5)@5", "an option of CAG-MAX (w)"),
        ("RBP(iou,p=nan)", "`p=` must be a number above 0 and below 1"),
        ("Rprec(organ)@10", "without a cutoff, as in Rprec(organ)"),
        ("Recall(organ)", "given a cutoff, as in Recall(organ)@10"),
        ("nDCG(organ,gain=exp)@10", "an option of nDCG (match)"),
        ("nDCG(iou,match=equal)@10", "an option of nDCG (gain)"),
        ("", "written like nDCG(nn-iou)@10"),
        ("P(organ)@5@6", "written like nDCG(nn-iou)@10"),
    ],
)
def test_a_label_that_cannot_be_parsed_says_why(label, message):
    with pytest.raises(SettingError) as caught:
        parse_metric(label)
    assert message in str(caught.value)


def test_brackets_of_ndcg_hold_a_relevance_or_labels():
    assert parse_metric("nDCG(iou)@5", ["iou"]).relevance == "iou"
    assert parse_metric("nDCG(nniou)@5", ["nniou"]).labels == ("nniou",)
    with pytest.raises(
        UnknownName, match=r"No relevance or label column called 'organs'\. Did you mean: organ"
    ):
        parse_metric("nDCG(organs)@5", ["organ"])
    with pytest.raises(UnknownName, match="No relevance called 'organ'"):
        parse_metric("nDCG(organ)@5", [])


@pytest.mark.parametrize(
    ("written", "here"),
    [
        ("map(organ)", "AP(organ)"),
        ("ndcg_cut_10(qrels:x)", "nDCG(qrels:x)@10"),
        ("P_5", "P(qrels:NAME)@5"),
        ("recip_rank(organ)", "RR(organ)"),
        ("precision@5", "P(qrels:NAME)@5"),
    ],
)
def test_names_of_trec_eval_and_ranx_are_answered_with_those_here(written, here):
    with pytest.raises(SettingError, match=re.escape(f"must be written {here}.")):
        parse_metric(written)


def test_unknown_families_and_relevances_offer_those_there_are():
    with pytest.raises(UnknownName, match=r"No metric called 'NDGC'\."):
        parse_metric("NDGC(iou)@10")
    with pytest.raises(UnknownName, match=r"No relevance called 'nniou'\. Did you mean: nn-iou"):
        parse_metric("nDCG(nniou)@10")
