"""Concepts are found by CUI or name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evalcore.study.naming import find_concept
from evalcore.values.errors import InputError, UnknownName
from tests.toy import study_of


@pytest.fixture(scope="module")
def study():
    names = {"C1": "Vein", "C2": "Vessel", "C8": "Vessel", "C3": "twin", "C4": "Twin"}
    return replace(study_of({"a": {"C7"}}, [("C1", "C2")]), names=names)


@pytest.mark.parametrize(
    ("text", "cui"),
    [("C1", "C1"), (" c1 ", "C1"), ("vEIN", "C1"), ("C7", "C7"), ("C8", "C8"), ("vessel", "C2")],
)
def test_found(study, text, cui):
    assert find_concept(study, text) == cui


def test_not_found_and_ambiguous(study):
    with pytest.raises(UnknownName, match=r"No concept called 'Vien'\. Did you mean: Vein"):
        find_concept(study, "Vien")
    with pytest.raises(InputError, match=r"Several concepts are called 'twin': C3, C4\. Give the CUI"):
        find_concept(study, "twin")
