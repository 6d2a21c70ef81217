"""The same pair, measure and systems: one difference, p, family and verdict wherever they are given."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from itertools import combinations
from math import isnan
from pathlib import Path

import pytest

from evalcore import compare, score, slices
from evalcore.evaluate.comparison import both_ways
from evalcore.report.content import compute_report
from evalcore.report.verdicts import clear
from evalcore.study import open_study
from evalcore.values.settings import View
from tests.ui.conftest import open_app, table_with  # noqa: F401  (the fixture)

METRIC = "nnCUI@10"
FOLDER = Path("data").resolve()
A, FIXED = "caption-tfidf", "texture"
"""A system, and the last one, which is the baseline where one is fixed beforehand."""


@pytest.fixture(scope="module")
def study():
    return open_study(FOLDER)


def verdict(comparison) -> tuple:
    """What may not differ from place to place of a JSON row or a comparison, if it has a value."""
    row = comparison if isinstance(comparison, dict) else asdict(comparison)
    if row["difference"] is None or isnan(row["difference"]):
        return ()
    facts = ("system", "baseline", "p", "p_corrected", "family", "n_family")
    return *(row[name] for name in facts), round(row["difference"], 12)


def by_slice(study):
    return [row.against for row in slices(score(study, METRIC, baseline=FIXED), "modality") if row.against]


COMMANDS = {
    "compare --all": (lambda study: score(study, METRIC).analysis.pairs, ("pairs", 10)),
    f"score --baseline {FIXED}": (
        lambda study: score(study, METRIC, baseline=FIXED).comparisons,
        ("baseline", 4),
    ),
    # A measure beside it changes no verdict.
    f"score --baseline {FIXED} --metric P(modality)@5": (
        lambda study: score(study, METRIC, baseline=FIXED).comparisons,
        ("baseline", 4),
    ),
    f"score --baseline {FIXED} --by modality": (by_slice, ("slices", 20)),
    # Two of the systems of the study, of which there are more; and two that alone were planned.
    f"compare {A} {FIXED}": (lambda study: compare(score(study, METRIC), A, FIXED), ("pairs", 10)),
    f"compare {A} {FIXED} --system {A}": (
        lambda study: compare(score(study, METRIC, systems=[A, FIXED]), A, FIXED),
        ("pairs", 1),
    ),
}
"""The words of a command, the same in the library, and over what p is corrected."""


@pytest.mark.parametrize("words", COMMANDS)
def test_commands_give_the_verdicts_of_the_library(study, as_json, words):
    in_library, family = COMMANDS[words]
    library = in_library(study)
    assert {(comparison.family, comparison.n_family) for comparison in library} == {family}
    answer = as_json(words.split()[0], FOLDER, *words.split()[1:], "--metric", METRIC)
    rows = [row for row in answer.get("slice_comparisons", answer["comparisons"]) if row["metric"] == METRIC]
    assert sorted(map(verdict, rows)) == sorted(map(verdict, library))


def test_a_baseline_of_the_study_is_that_of_two_systems_too(study, as_json, tmp_path):
    shutil.copytree(FOLDER, tmp_path / "study")
    (tmp_path / "study/study.toml").write_text(f'name = "x"\nbaseline = "{FIXED}"\n')
    (library,) = compare(score(study, METRIC, baseline=FIXED), A, FIXED)
    (row,) = as_json("compare", tmp_path / "study", A, FIXED, "--metric", METRIC)["comparisons"]
    assert verdict(row) == verdict(library) and library.family == "baseline"


@pytest.mark.parametrize("baseline", ["", FIXED])
def test_reports_and_pages_give_the_verdict_of_the_library(open_app, study, baseline):  # noqa: F811
    scores = score(study, METRIC, baseline=baseline)
    pairs = both_ways(scores.analysis.pairs)
    family = pairs | both_ways(scores.comparisons) if baseline else pairs
    analysis = compute_report(study, View(metrics=(METRIC,), baseline=baseline)).analysis
    assert analysis.view.systems[0] == baseline or not baseline
    for comparison in (analysis.gap(), *analysis.comparisons):
        assert verdict(comparison) == verdict(family[comparison.system, comparison.baseline])
    link = {"reading": "Expert", "measure": METRIC.partition("@")[0], "baseline": baseline}
    link = {name: value for name, value in link.items() if value}
    shown = table_with(open_app(study=FOLDER, link=link), "Score ↑").set_index("System")
    for comparison in scores.comparisons:
        row = next(shown.loc[name] for name in shown.index if name.split(" (")[0] == comparison.system)
        assert row["Difference"] == pytest.approx(comparison.difference, abs=1e-12)
    for a, b in list(combinations(study.systems, 2))[:3]:
        page = open_app(study=FOLDER, link={**link, "a": a, "b": b, "reading": "Simple"})
        texts = [element.value for element in page.markdown]
        # The verdict of the page is about the leader and the next; it is not repeated below it.
        words = [text for text in texts if text.startswith("On average")]
        unlikely = "unlikely to be chance" in " ".join(words or [t for t in texts if "scores highest" in t])
        assert isnan(family[a, b].p_corrected) or unlikely == clear(family[a, b]), (a, b)


def test_a_new_system_moves_neither_baseline_nor_leader(study):
    named = {comparison.baseline for comparison in score(study, METRIC).comparisons}
    later = score(study, METRIC, systems=[*study.systems, "@iou"])
    assert {comparison.baseline for comparison in later.comparisons} == named
