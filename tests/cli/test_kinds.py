"""The command ``kinds`` and what other commands say of kinds."""

from __future__ import annotations

import json

import pytest

from evalcore.cli import run


def said(capsys, *arguments):
    assert run(list(arguments)) == 0
    return capsys.readouterr().out


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
    name = "nn-iou[finding=3,anatomy=1]"
    explained = json.loads(
        said(capsys, "explain", "data", "SYN_001", "SYN_010", "--relevance", name, "--json")
    )
    adds = sum(one["adds"] for one in explained["weighed"][name])
    assert adds == pytest.approx(explained["values"][name])
    assert json.loads(said(capsys, "metrics", "data", "--relevance", "dice[finding]", "--json"))["measures"]
    assert run(["rank", "data", "--system", "@nn-iou[findin]"]) == 2
    assert "Did you mean: finding" in capsys.readouterr().err
