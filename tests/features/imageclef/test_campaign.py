"""The second verdict: within the rules of the campaign or not, whatever the official script does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evalcore.cli import run
from evalcore.features.imageclef.campaign import verdict_of, verdicts
from evalcore.features.imageclef.captions.evaluate import evaluate_captions, read_caption_truth
from evalcore.features.imageclef.concepts.evaluate import evaluate_concepts, read_concept_truth
from evalcore.features.imageclef.editions import EDITIONS, edition_of
from evalcore.features.imageclef.read import open_submission
from evalcore.values.errors import Report

KNOWN = {"2017", "2025", "2026"}
MANY = ",".join(f"C{i:07d}" for i in range(51))


def concepts_of(text: str, edition: str = "2017", *, name: str = "DET_run.txt", truth: str = "a\tC0000001\n"):
    rules = edition_of("concepts", edition)
    true = read_concept_truth(truth.encode(), file="truth", edition=rules)
    name, data, report = open_submission(text.encode(), name=name)
    return evaluate_concepts({name: (data, report)}, true, edition=rules)[0]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("a\tC0000001\n", "DET_run.txt", []),
        (f"a\t{MANY}\n", "DET_run.txt", ["At most 50 concepts an image."]),
        ("a\tC0000001\na\tC0000002\n", "DET_run.txt", ["Every image once."]),
        ("a\tC0000001\n", "run.txt", ["File names begin with DET."]),
        ("a\tC000000é\n", "DET_run.txt", ["No special characters."]),
    ],
)
def test_2017_forbids_what_its_script_scores(text: str, name: str, expected: list[str]) -> None:
    one = concepts_of(text, name=name)
    assert one.accepted
    verdict = verdict_of(one.report, one.edition)
    assert [breach.rule.text for breach in verdict.breaches] == expected
    assert verdict.within is (not expected)


def test_special_characters_in_captions_of_2017() -> None:
    def verdict(edition: str):
        rules = edition_of("captions", edition)
        true = read_caption_truth(b"a\tleft lung\n", file="truth")
        opened = {"PRED_run.txt": ("a\tl\u00e9ft lung 5 \u00b5m\n".encode(), Report())}
        (one,) = evaluate_captions(opened, true, edition=rules)
        assert one.accepted
        return verdict_of(one.report, rules)

    pytest.importorskip("nltk")
    assert [breach.rule.text for breach in verdict("2017").breaches] == ["No special characters."]
    assert verdict("2018").within is None


def test_2025_forbids_what_its_scripts_score() -> None:
    """Its README asks for quotes around a comma, and for each concept once; the script cuts, and compares
    as written."""
    rules = edition_of("captions", "2025")
    true = read_caption_truth(b"ID,Caption\na,left lung\n", file="truth")
    (one,) = evaluate_captions({"r.csv": (b"ID,Caption\na,left, lung\n", Report())}, true, edition=rules)
    two = concepts_of("ID,CUIs\na,C0000001;c0000001\n", "2025", truth="ID,CUIs\na,C0000001\n")
    assert one.accepted and two.accepted
    assert [[b.rule.text for b in verdict_of(each.report, each.edition).breaches] for each in (one, two)] == [
        ["Captions with a comma in double quotes."],
        ["Each concept of an image once."],
    ]


def test_more_runs_than_a_group_may_hand_in() -> None:
    one = concepts_of("a\tC0000001\n")
    assert verdict_of(one.report, one.edition, n_runs=10).within
    (breach,) = verdict_of(one.report, one.edition, n_runs=12).breaches
    assert (breach.rule.most_runs, breach.cases) == (10, 2)
    assert not verdicts([one] * 11)["DET_run.txt"].within


@pytest.mark.parametrize("task", ["concepts", "captions"])
@pytest.mark.parametrize("year", EDITIONS)
def test_every_rule_has_its_source_and_a_check_that_breaks_it(task, year: str) -> None:
    edition = edition_of(task, year)
    assert bool(edition.campaign) == (year in KNOWN)
    for rule in edition.campaign:
        assert rule.text.endswith(".") and rule.url.startswith("https://") and rule.source
        assert rule.year == int(year)
        assert bool(rule.broken_by) != bool(rule.most_runs)
    checks = Path(__file__).resolve().parents[3] / "evalcore/features/imageclef"
    source = "".join(path.read_text() for path in checks.rglob("*.py") if path.name != "editions.py")
    broken_by = {name for rule in edition.campaign for name in rule.broken_by} - {edition.extra_cells}
    assert all(f'"{name}"' in source for name in broken_by)


def test_2026_breaks_both_verdicts_at_once_and_the_name_in_the_zip_only_one() -> None:
    one = concepts_of("ID,CUIs\na,C0000001;C0000001\n", "2026", name="run.csv", truth="ID,CUIs\na,C0000001\n")
    assert not one.accepted
    assert [b.rule.text for b in verdict_of(one.report, one.edition).breaches] == [
        "Each concept of an image once."
    ]


def test_the_command_says_both_verdicts(tmp_path: Path, capsys) -> None:
    (tmp_path / "truth.txt").write_text("a\tC0000001\n")
    (tmp_path / "run.txt").write_text(f"a\t{MANY}\n")
    asked = ["imageclef", "concepts", "--edition", "2017", "--truth", str(tmp_path / "truth.txt")]
    assert run([*asked, "--run", str(tmp_path / "run.txt")]) == 0
    out = capsys.readouterr().out
    assert "run.txt, against the rules of the campaign (2):" in out
    assert "At most 50 concepts an image. 1 case. Source:" in out
    assert "https://www.imageclef.org/2017/caption (2017)" in out
    assert run([*asked, "--run", str(tmp_path / "run.txt"), "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["runs"]
    assert (one["accepted"], one["within_rules"], len(one["rules_broken"])) == (True, False, 2)
