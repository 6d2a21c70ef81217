"""The report and the figures for print, made by the real browser and looked at in it, without a network."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from evalcore.figures import printed
from evalcore.figures.printed import WIDTHS, Wanted
from evalcore.report.content import compute_report
from evalcore.report.document import report
from evalcore.study import open_study
from evalcore.values import extras
from evalcore.values.settings import View
from tests.browser.hand import script
from tests.hostile import HOST, PAYLOADS, write_hostile

pytestmark = pytest.mark.browser

OUTSIDE = script("outside")
SMALLEST = """() => Math.min(...[...document.querySelectorAll("text, tspan")].map(
  (one) => parseFloat(getComputedStyle(one).fontSize)))"""


@pytest.fixture(scope="module")
def files(chromium) -> dict[tuple[str, str, str], bytes]:
    """Figures of a report of two measures as SVG of one column; the first in both widths, and as PDF."""
    named = list(
        compute_report(open_study("data"), View(metrics=("nnCUI@10", "P(modality&organ)@5"))).figures()
    )
    keys = [(n, "svg", "single") for n in range(0, len(named), 3)]
    keys += [(0, "svg", "double"), (0, "pdf", "single"), (0, "pdf", "double")]
    data = printed.printed([Wanted(named[n].drawn, f, w) for n, f, w in keys])
    return {(named[n].name, f, w): file for (n, f, w), file in zip(keys, data, strict=True)}


def test_svg_is_as_wide_as_a_column_and_cuts_no_text(files, chromium, tmp_path: Path) -> None:
    """In the widest of the fonts that stand in for the one it names."""
    page = chromium.new_page()
    for (name, kind, width), drawn in files.items():
        if kind != "svg":
            continue
        data, replaced = re.subn(rb"font-family:[^;]+;", b"font-family: DejaVu Sans;", drawn)
        assert replaced
        root = ElementTree.fromstring(data)
        assert root.get("width") == f"{WIDTHS[width]:g}mm" and root.get("height", "").endswith("mm")
        (tmp_path / "figure.svg").write_bytes(data)
        page.goto((tmp_path / "figure.svg").as_uri())
        assert page.evaluate(OUTSIDE) == [], (name, width)
        # In units of the drawing, of which 420 are 85 mm; 72 points are 25.4 mm.
        assert page.evaluate(SMALLEST) * 85 / 420 * 72 / 25.4 >= 6, (name, width)
        texts = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
        assert texts
    page.close()


def test_pdf_is_as_wide_as_a_column_with_its_fonts_in_it(files) -> None:
    for (name, kind, width), data in files.items():
        if kind == "pdf":
            (box,) = re.findall(rb"/MediaBox \[0 0 ([\d.]+) [\d.]+\]", data)
            assert float(box) / 72 * 25.4 == pytest.approx(WIDTHS[width], abs=0.15), (name, width)
            assert data.count(b"/FontFile2") >= 1 and len(re.findall(rb"/Type /Page\b", data)) == 1


@pytest.mark.parametrize("with_kaleido", [True, False])
def test_a_hostile_study_as_a_report_opens_from_disk_and_asks_nobody(
    chromium, tmp_path: Path, monkeypatch, with_kaleido: bool
) -> None:
    if not with_kaleido:
        monkeypatch.setattr(extras, "is_installed", lambda _: False)
    study = open_study(write_hostile(tmp_path / "hostile"))
    view = View(systems=(PAYLOADS[0], PAYLOADS[2], "hog"), metrics=("CUI@10",))
    text = report(study, view, folder=PAYLOADS[25]).decode()
    assert len(text.encode()) < 10_000_000 and ("Plotly" in text) != with_kaleido
    (tmp_path / "report.html").write_text(text, encoding="utf-8")
    context = chromium.new_context(offline=True, color_scheme="dark")
    page = context.new_page()
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    page.goto((tmp_path / "report.html").as_uri())
    page.wait_for_function("[...document.images].every((one) => one.complete && one.naturalWidth)")
    assert [url for url in urls if not url.startswith(("file:", "data:"))] == []
    assert page.evaluate("window.__owned") is None
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("[...document.images].every((one) => one.alt.length > 20)")
    assert HOST in page.inner_text("body")
    pdf = page.pdf(format="A4")
    assert len(re.findall(rb"/Type /Page\b", pdf)) >= 2
    context.close()
