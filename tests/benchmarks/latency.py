"""How fast do the pages answer? Medians in headless Chromium, beside their goals and a bare program.

    python -m tests.benchmarks.latency [STUDY_FOLDER] [--repeats 5]

Times are milliseconds on this machine, browser included: compare rows of one run with each other. The bare
program (`tests.benchmarks.bare`) shows as much and computes nothing; the two take turns, so that both meet
the same machine: look at the ratio (goal: at most 1.2). Never part of passing or failing.

"Settled" means that the page's content has not changed for 400 ms; the time given is that of the last change
a reader can see. (Tables are drawn on a canvas; the copy of their cells for screen readers, inside it,
follows 200 ms later by a timer of its own and is not counted.)
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from evalcore.ui.frame.pages import PAGES
from tests.benchmarks import bare
from tests.browser.conftest import CHROMIUM_FLAGS
from tests.browser.hand import WIDGETS, counted, script
from tests.conftest import ROOT
from tests.running import serve

HOME, *OTHERS = (page.title for page in sorted(PAGES, key=lambda page: page.key != "results"))

QUIET_MS = 400
WATCH = script("watch")
SETTLED = f"""since => window.__last > since && performance.now() - window.__last > {QUIET_MS}
  && !document.querySelector('[data-testid=stStatusWidget]')"""


@dataclass
class Row:
    """Times of one action in our program, and in the bare one where it has the same."""

    what: str
    goal: str
    ours: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        ours = statistics.median(self.ours)
        cells = [self.what, f"{ours:,.0f}", str(len(self.ours)), self.goal, "", ""]
        if self.bare:
            bare = statistics.median(self.bare)
            cells[4:] = f"{bare:,.0f}", f"{ours / bare:.2f}"
        return f"| {' | '.join(cells)} |"


HEAD = "| what | ms (median) | n | goal | bare ms | ratio |\n|---|---|---|---|---|---|"


def settle(page: Page, since: float = 0.0) -> float:
    """Wait until the page changed after ``since`` and is quiet; the time of its last change, on its clock."""
    page.get_by_role("heading", level=1).wait_for(timeout=60_000)
    page.wait_for_function(SETTLED, arg=since, polling=100, timeout=60_000)
    return float(page.evaluate("window.__last"))


def timed(page: Page, act: Callable[[], Any]) -> float:
    """Milliseconds from an action to the last change it caused."""
    started = float(page.evaluate("performance.now()"))
    act()
    return settle(page, started) - started


class Visitor:
    """Somebody with a browser window in one of the two programs."""

    def __init__(self, browser: Browser, url: str) -> None:
        self.url = url
        self.context = browser.new_context(viewport={"width": 1440, "height": 900})
        self.context.add_init_script(f"({WATCH})()")
        self.page = self.context.new_page()

    def arrive(self, path: str = "") -> float:
        self.page.goto(f"{self.url}/{path}")
        return settle(self.page)

    def visit(self, name: str) -> float:
        link = self.page.get_by_test_id("stSidebar").get_by_role("link", name=name, exact=True)
        return timed(self.page, link.click)

    def press(self, key: str) -> float:
        """Press a key at the first slider."""
        self.page.get_by_role("slider").first.focus()
        return timed(self.page, lambda: self.page.keyboard.press(key))

    def shape(self) -> dict[str, Any]:
        shape: dict[str, Any] = self.page.evaluate(script("shape"), WIDGETS)
        return shape | {"words": (n := counted(self.page))["words"], "widgets": n["widgets"]}


def measure(browser: Browser, url: str, bare_url: str, shapes: Path, repeats: int) -> Iterator[Row]:
    """Every row of the table; ``shapes`` is where the bare program reads what it has to show."""
    ours, bare = Visitor(browser, url), Visitor(browser, bare_url)
    kept: dict[str, Any] = {}

    def both(row: Row, act: Callable[[Visitor], float], page: str = "") -> Row:
        """Time an action in both programs; ``page``: the one that it opens, to be shown bare then."""
        row.ours.append(act(ours))
        if page:
            kept[page] = ours.shape()
            shapes.write_text(json.dumps(kept))
        row.bare.append(act(bare))
        return row

    yield both(Row("home, cold", "4,000"), Visitor.arrive, HOME)
    warm = Row("home, warm", "1,500")
    for _ in range(repeats):
        both(warm, Visitor.arrive)
    yield warm
    ours.page.get_by_test_id("stSidebar").get_by_text("More", exact=True).click()
    settle(ours.page)
    if ours.page.get_by_role("slider").first.is_enabled():  # a study without a graph has no use for it
        moved = Row("slider", "250")
        for key in ("ArrowRight", "ArrowLeft") * 2:
            both(moved, partial(Visitor.press, key=key))
        yield moved
    for name in OTHERS:
        yield both(Row(f"{name}: first visit", "1,000"), partial(Visitor.visit, name=name), name)
    rows = {name: Row(f"{name}: warm", "500") for name in OTHERS}
    for _ in range(repeats):
        for name, row in rows.items():
            both(row, partial(Visitor.visit, name=name), name)
    yield from rows.values()
    every = Row("every page: warm", "500")
    for row in rows.values():
        every.ours += row.ours
        every.bare += row.bare
    yield every


def layout_shift(browser: Browser, url: str, path: str) -> float:
    """How much of what a reader sees moves while a cold page appears (CLS)."""
    visitor = Visitor(browser, url)
    visitor.arrive(path)
    shift = float(visitor.page.evaluate("window.__shift"))
    visitor.context.close()
    return shift


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", nargs="?", help="a study folder; the sample when absent")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        parser.error("Chromium is not on the PATH (Debian: apt-get install chromium)")
    study = {"CUISCOPE_STUDY": str(Path(options.study).resolve())} if options.study else {}
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}\n\n{HEAD}")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        home, program, shapes = (Path(folder) / name for name in ("home", "bare", "shapes.json"))
        command = bare.write(program, HOME, OTHERS)
        environment = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "", bare.SHAPES: str(shapes)}
        started = time.perf_counter()
        with serve(home, **study, **environment) as url:
            print(Row("server boot", "1,500", [(time.perf_counter() - started) * 1000]))
            with serve(Path(folder) / "other", command=command, cwd=program, **environment) as bare_url:
                for row in measure(browser, url, bare_url, shapes, options.repeats):
                    print(row, flush=True)
            shifts = [layout_shift(browser, url, path) for path in ("", "Query")]
        browser.close()
    moved = ", Query ".join(f"{shift:.3f}" for shift in shifts)
    print(f"\nlayout shift, cold: Overview {moved} (goal .05)")


if __name__ == "__main__":
    main()
