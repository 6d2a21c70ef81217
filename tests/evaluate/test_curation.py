"""Curation: what each rule removes, counted by hand."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from evalcore.cli import run
from evalcore.evaluate.curation import UNTYPED, curate
from evalcore.study.curation_rules import read_curation
from evalcore.values.concept_values import ConceptKinds
from evalcore.values.curation import CurationRules
from evalcore.values.errors import InputError
from evalcore.values.model import ConceptSets

DATA = Path(__file__).resolve().parents[2] / "data"
SETS = ConceptSets.of(
    {
        "a": ["ct", "lung", "arrow", "fear"],
        "b": ["ct", "lung", "right"],
        "c": ["ct", "fear", "right"],
        "d": ["arrow"],
        "e": [],
        "f": None,
    }
)
TYPES = {name: frozenset((kind,)) for name, kind in {"ct": "T060", "lung": "T023", "right": "T082"}.items()}
RULES = CurationRules({"fear": "right"}, frozenset(("arrow",)), frozenset(("T060", "T082")), TYPES, 3)


def test_each_rule_in_its_order() -> None:
    result = curate(SETS, RULES)
    counted = [
        (s.rule, s.removed_concepts, s.removed, s.concepts, s.occurrences, s.empty) for s in result.steps
    ]
    assert counted == [
        ("", 0, 0, 5, 11, 1),  # e has no concept
        ("links", 1, 1, 4, 10, 1),  # fear goes; c has right already
        ("blacklist", 1, 2, 3, 8, 2),  # arrow; d is empty
        ("types", 1, 2, 2, 6, 2),  # lung, of T023; right has T082
        ("frequency", 0, 0, 2, 6, 2),  # ct and right are on three images each
    ]
    assert [(one.concept, one.rule, one.images, one.instead) for one in result.removed] == [
        ("arrow", "blacklist", 2, ""),
        ("fear", "links", 2, "right"),
        ("lung", "types", 2, ""),
    ]
    kept = {image: result.sets.of_image(i) for i, image in enumerate(result.sets.image_ids)}
    assert kept["a"] == kept["b"] == kept["c"] == {"ct", "right"} and kept["d"] == kept["e"] == set()
    assert result.sets.annotated.tolist() == [True] * 5 + [False]
    types = {one.type: (one.concepts_before, one.concepts, one.occurrences) for one in result.types}
    assert types == {"T060": (1, 1, 3), "T023": (1, 0, 0), "T082": (1, 1, 3), UNTYPED: (2, 0, 0)}


def test_no_rule_removes_nothing_and_a_rare_concept_goes_below_its_number_only() -> None:
    assert curate(SETS, CurationRules()).sets.digest == SETS.digest
    rare = curate(SETS, CurationRules(min_images=3)).removed
    assert sorted(one.concept for one in rare) == ["arrow", "fear", "lung", "right"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("min_images = -1", "whole number from 0 on"),
        ("min_image = 1", "The keys are min_images"),
        ('blacklist = "C1"', "a list of texts"),
        ('keep_types = ["colour"]', "'colour' is no type."),
        ("links = 3", "a table of a concept"),
        ('types = "none.csv"', "none.csv"),
        ("=", "not TOML"),
    ],
)
def test_rules_that_cannot_be_used(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "rules.toml").write_text(text)
    kinds = ConceptKinds.of_concepts({"ct": "modality"}, "x")
    with pytest.raises(InputError) as caught:
        read_curation(tmp_path / "rules.toml", vocabulary=["ct"], kinds=kinds)
    assert expected in " ".join(map(str, caught.value.report.problems))


def test_semantic_types_of_the_umls_file(tmp_path: Path) -> None:
    (tmp_path / "MRSTY.RRF").write_text(
        "C0040405|T060|B1.3.1.2|Diagnostic Procedure|AT1||\nC0817096|T029|A2.1.5.1|Body Location|AT2||\n"
    )
    (tmp_path / "rules.toml").write_text('types = "MRSTY.RRF"\nkeep_types = ["Diagnostic Procedure"]\n')
    rules = read_curation(tmp_path / "rules.toml", vocabulary=["C0040405", "C0817096", "C1"], kinds=None)
    sets = ConceptSets.of({"a": ["C0040405", "C0817096", "C0000001"]})
    assert curate(sets, rules).sets.of_image(0) == {"C0040405", "C0000001"}


def test_the_command_writes_a_concepts_file(tmp_path: Path, capsys) -> None:
    (tmp_path / "rules.toml").write_text('min_images = 5\nblacklist = ["C0040405"]\n')
    new = tmp_path / "concepts.csv"
    assert run(["check", str(DATA), str(tmp_path / "rules.toml"), str(new), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    steps = {row["rule"]: row for row in document["steps"]}
    rows = list(csv.DictReader(new.read_text().splitlines()))
    cuis = [cui for row in rows for cui in row["CUIs"].split(";") if cui]
    assert len(cuis) == steps["too rare"]["occurrences"] and "C0040405" not in cuis
    assert min(map(cuis.count, set(cuis))) >= 5
    assert {row["rule"] for row in document["removed"]} == {"blacklist", "too rare"}
