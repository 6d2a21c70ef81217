"""The same pair, measure and systems: one difference, p, family and verdict wherever they are given."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from itertools import combinations
from math import isnan, nan
from pathlib import Path

import pytest

from evalcore import compare, score, slices
from evalcore.evaluate.comparison import both_ways, every_pair
from evalcore.report.content import compute_report
from evalcore.report.verdicts import clear
from evalcore.study import open_study
from evalcore.values.settings import View
from tests.ui.conftest import open_app, table_with  # noqa: F401  (the fixture)

METRIC = "nnCUI@10"


FOLDER = Path("data").resolve()


@pytest.fixture(scope="module")
def study():
    return open_study(FOLDER)


def verdict(comparison) -> tuple:
    """What may not differ from place to place: a JSON row, or a comparison."""
    row = comparison if isinstance(comparison, dict) else asdict(comparison)
    facts = ("system", "baseline", "p", "p_corrected", "family", "n_family")
    return *(row[name] for name in facts), round(row["difference"], 12)


def test_every_pair_in_library_command_and_report(study, as_json):
    systems = study.systems
    library = every_pair(score(study, metrics=[METRIC], systems=systems))
    assert {(comparison.family, comparison.n_family) for comparison in library} == {("pairs", len(library))}
    rows = as_json("compare", FOLDER, "--all", "--metric", METRIC)["comparisons"]
    assert sorted(map(verdict, rows)) == sorted(map(verdict, library))
    analysis = compute_report(study, View(metrics=(METRIC,), systems=systems)).analysis
    for comparison in (analysis.gap(), *analysis.comparisons):
        assert verdict(comparison) == verdict(both_ways(library)[comparison.system, comparison.baseline])


def test_a_baseline_fixed_beforehand_is_a_family_of_its_own_everywhere(study, as_json):
    first = study.systems[-1]
    library = score(study, metrics=[METRIC], baseline=first).comparisons
    assert {(comparison.family, comparison.n_family) for comparison in library} == {
        ("baseline", len(study.systems) - 1)
    }
    words = ("score", FOLDER, "--metric", METRIC, "--baseline", first)
    rows = as_json(*words)["comparisons"]
    assert sorted(map(verdict, rows)) == sorted(map(verdict, library))
    analysis = compute_report(study, View(metrics=(METRIC,), baseline=first)).analysis
    assert analysis.view.systems == (first, *study.systems[:-1])
    assert sorted(map(verdict, analysis.comparisons)) == sorted(map(verdict, library))
    named = {(comparison.system, comparison.baseline): verdict(comparison) for comparison in library}
    if analysis.gap().family == "baseline":
        assert verdict(both_ways(library)[analysis.gap().system, analysis.gap().baseline]) == verdict(
            analysis.gap()
        )
    more = as_json(*words, "--metric", "P(modality)@5")["comparisons"]
    rows = {(row["system"], row["baseline"]): verdict(row) for row in more if row["metric"] == METRIC}
    assert rows == named, "a measure beside it changes no verdict"


@pytest.mark.parametrize("fixed", [False, True])
def test_pages_give_the_verdict_of_the_library(open_app, study, fixed):  # noqa: F811
    systems = study.systems
    baseline = systems[-1] if fixed else ""
    scores = score(study, metrics=[METRIC], baseline=baseline)
    board = scores.comparisons
    pairs = every_pair(scores)
    link = {
        "reading": "Expert",
        "measure": METRIC.partition("@")[0],
        **({"baseline": baseline} if fixed else {}),
    }
    overview = open_app(study=FOLDER, link=link)
    shown = table_with(overview, "Score ↑").set_index("System")
    for comparison in board:
        row = next(shown.loc[name] for name in shown.index if name.split(" (")[0] == comparison.system)
        assert row["Difference"] == pytest.approx(comparison.difference, abs=1e-12)
    for a, b in list(combinations(systems, 2))[:3]:
        family = board if baseline in (a, b) else pairs
        comparison = both_ways(family)[a, b]
        page = open_app("app.py", study=FOLDER, link={**link, "a": a, "b": b, "reading": "Simple"})
        texts = [element.value for element in page.markdown]
        # The verdict of the page is about the leader and the next; it is not repeated below it.
        words = " ".join(
            [text for text in texts if text.startswith("On average")]
            or [text for text in texts if "scores highest" in text]
        )
        unlikely = "unlikely to be chance" in words
        assert isnan(comparison.p_corrected) or unlikely == clear(comparison), (a, b)


def test_a_new_system_moves_neither_baseline_nor_leader(study):
    named = {comparison.baseline for comparison in score(study, metrics=[METRIC]).comparisons}
    later = score(study, metrics=[METRIC], systems=[*study.systems, "@iou"])
    assert {comparison.baseline for comparison in later.comparisons} == named


@pytest.mark.parametrize("fixed", [False, True])
def test_two_systems_are_corrected_alike_everywhere(study, fixed, tmp_path, as_json):
    """`compare A B` names two of the study's systems, of which there are more: p is that of their family."""
    a, b = study.systems[0], study.systems[-1]
    copy = FOLDER
    if fixed:
        copy = tmp_path / "study"
        shutil.copytree(FOLDER, copy)
        (copy / "study.toml").write_text(f'name = "x"\nbaseline = "{b}"\n')
    board = score(open_study(copy), metrics=[METRIC])
    (library,) = compare(board, a, b)
    family = every_pair(board) if not fixed else board.comparisons
    assert verdict(library) == verdict(both_ways(family)[a, b])
    (row,) = as_json("compare", copy, a, b, "--metric", METRIC)["comparisons"]
    assert verdict(row) == verdict(library)
    analysis = compute_report(open_study(copy), View(metrics=(METRIC,))).analysis
    if {analysis.gap().system, analysis.gap().baseline} == {a, b}:
        assert analysis.gap().p_corrected == library.p_corrected
    two = score(study, metrics=[METRIC], systems=[a, b], baseline=b)
    (alone,) = as_json("compare", FOLDER, a, b, "--system", a, "--metric", METRIC)["comparisons"]
    assert alone["p_corrected"] == alone["p"] == compare(two, a, b)[0].p, "just these two were planned"


def test_slices_are_corrected_alike_in_library_command_and_report(study, as_json):
    first = study.systems[-1]
    board = score(study, metrics=[METRIC], baseline=first)
    library = [row.against.p_corrected for row in slices(board, "modality") if row.against]
    words = ("score", FOLDER, "--metric", METRIC, "--baseline", first, "--by", "modality")
    rows = as_json(*words)["slice_comparisons"]
    same = pytest.approx(library, nan_ok=True)
    assert [nan if row["p_corrected"] is None else row["p_corrected"] for row in rows] == same
    report = compute_report(study, View(metrics=(METRIC,), baseline=first), by=["modality"])
    rows = report.analysis.sliced(["modality"])
    assert [row.against.p_corrected for row in rows if row.against] == same
