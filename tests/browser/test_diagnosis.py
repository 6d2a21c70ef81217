"""Diagnosing by keyboard alone in a browser: choice, confidence, region; time is measured, and kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from evalcore.features.review.diagnosis.storage import diagnoses_of
from evalcore.features.review.read.task_files import read_task
from evalcore.study import open_study
from tests.browser.hand import settle
from tests.browser.test_review import Program, answer, begin, item, saved
from tests.ui.conftest import write_study

pytestmark = [pytest.mark.browser, pytest.mark.nightly]

TASK = """title = "Dx"
form = "diagnosis"
arms = ["alone", "alpha"]
queries = ["q1", "q3"]
choices = ["chest", "head"]
truth = "labels:organ"
region = true
"""


def test_a_case_alone_and_beside_results_by_keyboard(tmp_path: Path, monkeypatch, open_page) -> None:
    study = write_study(tmp_path / "tiny")
    (study / "review").mkdir()
    (study / "review" / "dx.toml").write_text(TASK)
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CUISCOPE_STUDY", str(study))
    program = Program(tmp_path)
    try:
        page: Page = open_page(f"{program.url}/Review?review=dx&read=yes")
        begin(page, "R1")
        page.keyboard.press("Enter")
        expect(page.locator(".desk .state")).to_contain_text("Choose a diagnosis first")
        page.keyboard.press("m")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        answer(page, "2", "4", "Enter")
        expect(page.locator(".desk .step")).to_contain_text("Alone you answered: head")
        assert page.get_by_role("button", name="Undo").is_disabled(), "final, as the results are shown"
        page.keyboard.press("1")
        page.keyboard.press("5")
        page.reload()
        page.locator(".desk[data-item]").wait_for()
        settle(page)
        before = item(page)
        answer(page, "Enter")  # what was chosen outlives the reload
        page.keyboard.press("u")
        page.locator(f'.desk[data-item="{before}"]').wait_for()
        answer(page, "Enter")
        assert saved(page) == 2
    finally:
        program.kill()
    first, second = diagnoses_of(study, open_study(study), read_task(study, "dx"))
    assert (first.answer, first.confidence, first.arm) == ("head", 0.75, "alone")
    assert first.region == pytest.approx((0.38, 0.4, 0.2, 0.2))
    assert (second.answer, second.confidence, second.arm) == ("chest", 1.0, "alpha")
    assert first.case == second.case and first.right is not second.right
    assert all(one.seconds is not None and 0 < one.seconds < 120 for one in (first, second))
