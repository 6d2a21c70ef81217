"""The command ``kinds`` and what other commands say of kinds."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from evalcore.cli import run

DATA = Path(__file__).resolve().parents[2] / "data"


def said(capsys, *arguments):
    assert run(list(arguments)) == 0
    return capsys.readouterr().out


def test_check_counts_kinds(capsys):
    """Of the sample: what its own table of kinds says, counted here by hand."""
    with (DATA / "kinds.csv").open(newline="") as lines:
        kinds = {row["cui"]: row["kind"] for row in csv.DictReader(lines)}
    with (DATA / "concepts.csv").open(newline="") as lines:
        sets = [row["CUIs"].split(";") for row in csv.DictReader(lines) if row["CUIs"]]
    found = json.loads(said(capsys, "check", "data", "--json"))["concept_kinds"]
    for one in found["kinds"]:
        uses = [cui for some in sets for cui in some if kinds[cui] == one["kind"]]
        images = sum(any(kinds[cui] == one["kind"] for cui in some) for some in sets)
        assert (one["concepts"], one["occurrences"], one["images"]) == (len(set(uses)), len(uses), images)


def test_a_relevance_with_weights_wherever_one_is_named(capsys):
    label = "nDCG(nn-iou[finding=3,anatomy=1])@10"
    scored = json.loads(said(capsys, "score", "data", "--metric", label, "--system", "hog", "--json"))
    assert scored["scores"][0]["metric"] == label
    swept = json.loads(
        said(capsys, "sweep", "data", "--metric", label, "--system", "hog", "--alphas", "0.5", "--json")
    )
    assert json.dumps(scored["scores"][0]["mean"]) in json.dumps(swept)
    ranked = said(capsys, "rank", "data", "--system", "@nn-iou[finding]", "--depth", "1")
    assert "SYN_001" in ranked
    explained = json.loads(
        said(capsys, "explain", "data", "SYN_001", "SYN_010", "--relevance", "nn-iou[ic]", "--json")
    )
    adds = sum(one["adds"] for one in explained["weighed"]["nn-iou[ic]"])
    assert adds == pytest.approx(explained["values"]["nn-iou[ic]"])
    assert json.loads(said(capsys, "metrics", "data", "--relevance", "dice[finding]", "--json"))["measures"]
    assert run(["rank", "data", "--system", "@nn-iou[findin]"]) == 2
    assert "Did you mean: finding" in capsys.readouterr().err
