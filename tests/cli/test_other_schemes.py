"""The main commands on studies whose concepts are synsets and CURIEs."""

from __future__ import annotations

import json

import pytest

from evalcore.cli import run
from tests.other_schemes import write_envo, write_wordnet


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_wordnet(tmp_path_factory.mktemp("study") / "animals"))


@pytest.fixture(scope="module")
def envo(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_envo(tmp_path_factory.mktemp("study") / "places"))


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_score(capsys, wordnet, envo):
    # By hand: {dog, grass} and {wolf, snow} share nothing of four; dog and wolf are two steps apart, and each
    # counts half: (0.5 + 0.5) / 4.
    found = asked(capsys, "explain", wordnet, "img_1", "img_2", "--threshold", "2")
    assert (found["values"]["iou"], found["values"]["nn-iou"]) == (0, 0.25)
    for study in (wordnet, envo):
        scores = asked(capsys, "score", study, "--metric", "nnCUI@2", "--metric", "CUI@2")
        assert {one["system"] for one in scores["scores"]} == {"hog", "colour"}
