"""How fast do the pages answer? Medians in headless Chromium, beside their goals.

    python -m tests.benchmarks.latency [STUDY_FOLDER] [--repeats 15]

Times are milliseconds on this machine, browser included: compare rows of one run with each other. Never
part of passing or failing. "Settled" means that the page's content has not changed for 400 ms; the time
given is that of the last change a reader can see. (Tables are drawn on a canvas; the copy of their cells for
screen readers, inside it, follows 200 ms later by a timer of its own and is not counted.)
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

from evalcore.ui.frame.pages import PAGES
from tests.browser.conftest import CHROMIUM_FLAGS, serve

QUIET_MS = 400
WATCH = """() => {
  window.__last = performance.now();
  const seen = ({target}) => !(target.nodeType === 1 ? target : target.parentElement)?.closest("canvas");
  new MutationObserver(changes => { if (changes.some(seen)) window.__last = performance.now(); })
    .observe(document,
             {subtree: true, childList: true, attributes: true, characterData: true});
  document.addEventListener('load', () => { window.__last = performance.now(); }, true);
}"""
SETTLED = f"""() => performance.now() - window.__last > {QUIET_MS}
  && !document.querySelector('[data-testid=stStatusWidget]')"""


@dataclass
class Table:
    """Rows of measured times beside their goals."""

    rows: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, what: str, values: list[float], goal: str) -> None:
        spread = f"{statistics.median(values):,.0f} (max {max(values):,.0f}, n {len(values)})"
        self.rows.append((what, spread, goal))

    def __str__(self) -> str:
        lines = ["| what | median ms | goal ms |", "|---|---|---|"]
        return "\n".join(lines + [f"| {a} | {b} | {c} |" for a, b, c in self.rows])


def settle(page: Page) -> float:
    """Wait until the page is quiet; the time of its last change, on its own clock."""
    page.get_by_role("heading", level=1).wait_for(timeout=60_000)
    page.wait_for_function(SETTLED, polling=100, timeout=60_000)
    return float(page.evaluate("window.__last"))


def timed(page: Page, act: Callable[[], Any]) -> float:
    """Milliseconds from an action to the last change it caused."""
    started = float(page.evaluate("performance.now()"))
    act()
    page.wait_for_timeout(60)
    return settle(page) - started


def first_paint(page: Page) -> float:
    script = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"
    return float(page.evaluate(script))


@contextmanager
def opened(browser: Browser, url: str, elsewhere: list[str]) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.add_init_script(f"({WATCH})()")

    def watch(request: Any) -> None:
        if urlsplit(request.url).hostname not in {"127.0.0.1", None, ""}:
            elsewhere.append(request.url)

    context.on("request", watch)
    page = context.new_page()
    page.goto(url)
    yield page
    context.close()


def resident_megabytes(port: int) -> float:
    """Memory of the server process that listens on a port (Linux)."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if str(port).encode() in words and b"streamlit" in words:
                    status = (entry / "status").read_text()
                    return int(status.split("VmRSS:")[1].split()[0]) / 1024
            except (OSError, IndexError):
                continue
    return float("nan")


def measure(url: str, browser: Browser, repeats: int, table: Table, elsewhere: list[str]) -> None:
    with opened(browser, url, elsewhere) as page:
        done = settle(page)
        table.add("home, cold: first paint", [first_paint(page)], "1,500")
        table.add("home, cold: settled", [done], "4,000")
        paints, settled = [], []
        for _ in range(3):
            page.goto(url)
            settled.append(settle(page))
            paints.append(first_paint(page))
        table.add("home, warm: first paint", paints, "500")
        table.add("home, warm: settled", settled, "1,500")
        page.get_by_test_id("stSidebar").get_by_text("More", exact=True).click()
        settle(page)
        slider = page.get_by_role("slider").first
        slider.focus()
        keys = ["ArrowRight", "ArrowLeft"] * 2
        moves = [timed(page, lambda key=key: page.keyboard.press(key)) for key in keys]
        table.add("a slider moves, value not seen before and seen", moves, "250, p95 500")
        others = [one.title for one in PAGES if one.key != "home"]

        def visit(name: str) -> float:
            link = page.get_by_test_id("stSidebar").get_by_role("link", name=name, exact=True)
            return timed(page, link.click)

        first = {name: visit(name) for name in others}
        again = {name: visit(name) for name in others}
        table.add("page switch, first visit", list(first.values()), "1,000")
        table.add("page switch, warm", list(again.values()), "500")
        for name in others:
            table.add(f"  {name}: first visit, warm", [first[name], again[name]], "1,000, 500")
        visit("Query")
        page.mouse.click(900, 5)
        steps = [timed(page, lambda: page.keyboard.press("ArrowRight")) for _ in range(repeats)]
        table.add("next query, all pictures", steps, "900")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", nargs="?", help="a study folder; the sample when absent")
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        parser.error("Chromium is not on the PATH (Debian: apt-get install chromium)")
    table, elsewhere = Table(), []
    environment = {"CUISCOPE_STUDY": str(Path(options.study).resolve())} if options.study else {}
    with tempfile.TemporaryDirectory() as home, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        started = time.perf_counter()
        with serve(Path(home), **environment) as url:
            table.add("server boot", [(time.perf_counter() - started) * 1000], "1,500")
            measure(url, browser, options.repeats, table, elsewhere)
            memory = resident_megabytes(urlsplit(url).port or 0)
        browser.close()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}\n\n{table}\n")
    print(f"server memory {memory:,.0f} MB (goal 300); requests to other hosts: {len(elsewhere)} (goal 0)")


if __name__ == "__main__":
    main()
