"""How long a first-time visitor takes from dropped files to the reason of a result, step by step.

Run from the repository: ``python -m tests.benchmarks.first_visit [RUN ...] CONCEPTS [FILE ...]``. A server of
its own, a browser that has never been there; the files are those of the sample unless others are named. Each
time ends when the page shows what is asked for; what the visitor reads meanwhile is not counted.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from evalcore.values.bundled import SAMPLE
from tests.browser.conftest import CHROMIUM_FLAGS, serve
from tests.browser.hand import LISTEN, settle

LONGEST_MS = 60_000
DROPPED = "[data-testid=stMain] [data-testid=stFileUploader] input[type=file]"


def sample_files(into: Path) -> list[Path]:
    """What a visitor might have: the rankings of two systems, the concepts of the images, and the images."""
    files = [SAMPLE / "concepts.csv"]
    for system in ("hog", "texture"):
        files.append(
            Path(shutil.copy(SAMPLE / "systems" / system / "run.trec.gz", into / f"{system}.trec.gz"))
        )
    return [*files, *sorted((SAMPLE / "images").glob("*.jpg"))[:40]]


def steps(url: str, page: Page, files: list[Path]) -> Iterator[tuple[str, Callable[[], object]]]:
    """The steps by name, and what ends each."""
    main = page.get_by_test_id("stMain")
    verdict = main.locator(".st-key-lead")
    yield "open the program: the sample's verdict", lambda: (page.goto(url), expect(verdict).to_be_visible())
    own = page.get_by_text("Use your own data")
    yield (
        "select “Use your own data”",
        lambda: (own.click(), page.locator(DROPPED).wait_for(state="attached")),
    )
    add = page.get_by_role("button", name="Add and compare")
    yield (
        "drop the files: what each is",
        lambda: (
            page.locator(DROPPED).set_input_files(files),
            expect(add).to_be_visible(),
            expect(add).to_be_enabled(),
        ),
    )
    title = page.get_by_role("heading", name="My study", level=1)
    yield (
        "add them: the first verdict",
        lambda: (add.click(), expect(title).to_be_visible(), expect(verdict).to_contain_text("over")),
    )
    query = main.get_by_role("link", name="Look at single queries")
    why = main.get_by_role("button", name=re.compile("^Why")).first
    yield "look at one query", lambda: (query.click(), expect(why).to_be_visible())
    reason = page.get_by_role("dialog").get_by_text(re.compile("score", re.IGNORECASE)).first
    yield "ask why of a result", lambda: (why.click(), expect(reason).to_be_visible())


def measured(files: list[Path]) -> list[tuple[str, float]]:
    """{step: seconds} of one visit in a fresh browser and a fresh workspace."""
    result = []
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as home, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        expect.set_options(timeout=LONGEST_MS)
        with serve(Path(home, "home")) as url:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.add_init_script(f"({LISTEN})()")
            for name, act in steps(url, page, files):
                began = time.perf_counter()
                act()
                result.append((name, time.perf_counter() - began))
                settle(page)
        browser.close()
    return result


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as aside:
        given = [Path(one) for one in sys.argv[1:]] or sample_files(Path(aside))
        times = measured(given)
    for step, seconds in times:
        print(f"{seconds:6.2f} s  {step}")
    print(f"{sum(seconds for _, seconds in times):6.2f} s  in all, {len(given)} files")
