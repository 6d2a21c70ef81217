"""Metric labels (`labels.csv`): they round-trip, and errors name the form to use."""

import csv
from pathlib import Path

import pytest

from evalcore.ranking.families import METRICS
from evalcore.ranking.metrics import parse_metric
from evalcore.values.errors import SettingError, UnknownName

with Path(__file__).with_name("labels.csv").open(encoding="utf-8", newline="") as _lines:
    LABELS = [[cell.replace("\\n", "\n") for cell in row] for row in list(csv.reader(_lines))[1:]]
"""A label as users write it, its canonical form, or why it is refused."""


@pytest.mark.parametrize(("label", "means", "why_not"), LABELS)
def test_labels_are_parsed_or_refused_with_a_reason(label, means, why_not):
    if means:
        assert str(parse_metric(label)) == means
        return
    with pytest.raises(SettingError) as caught:
        parse_metric(label)
    assert why_not in str(caught.value)


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


def test_ndcg_takes_a_relevance_or_labels():
    assert parse_metric("nDCG(iou)@5", ["iou"]).relevance == "iou"
    assert parse_metric("nDCG(nniou)@5", ["nniou"]).labels == ("nniou",)
    with pytest.raises(
        UnknownName, match=r"No relevance or label column called 'organs'\. Did you mean: organ"
    ):
        parse_metric("nDCG(organs)@5", ["organ"])
    with pytest.raises(UnknownName, match="No relevance called 'organ'"):
        parse_metric("nDCG(organ)@5", [])


@pytest.mark.parametrize("column", ["dices", "cosin", "nniou", "dcm:organ"])
def test_a_label_that_a_study_was_scored_by_names_the_same_metric_without_it(column):
    metric = parse_metric(f"nDCG({column})@5", [column])
    assert metric.labels == (column,) and parse_metric(str(metric)) == metric


def test_unknown_families_and_relevances_suggest_known_ones():
    with pytest.raises(UnknownName, match=r"No metric called 'NDGC'\."):
        parse_metric("NDGC(iou)@10")
    with pytest.raises(UnknownName, match=r"No relevance called 'nniou'\. Did you mean: nn-iou"):
        parse_metric("mean(nniou)@10")
