"""One declaration as a frame, Markdown, LaTeX and HTML, each read back by another program."""

from __future__ import annotations

from types import SimpleNamespace
from xml.etree import ElementTree

import pandas as pd
from markdown_it import MarkdownIt

from evalcore.results.rows import Column, Table, decimals, ends, named, p_text, signed
from evalcore.results.writers import frame, html, latex, markdown

ROWS = [
    SimpleNamespace(system="<b>_1", mean=0.25, low=0.125, high=0.5, gap=-0.5, p=0.0001, n=7),
    SimpleNamespace(system="two", mean=float("nan"), low=float("nan"), high=1.0, gap=0.25, p=0.25, n=8),
]
TABLE = Table(
    ROWS,
    (
        Column("system", head="system"),
        Column("mean", head="mean", text=decimals).on_page("Score"),
        *ends(),
        Column("gap", head="difference", text=signed),
        Column("p", head="p", text=p_text),
        *named("n"),
    ),
)
PRINTED = [
    ["System", "Score", "Interval", "Difference", "p"],
    ["<b>_1", "0.2500", "0.1250 to 0.5000", "−0.5000", "< 0.001"],
    ["two", "–", "–", "+0.2500", "0.250"],
]


def cells(page: str) -> list[list[str]]:
    rows = ElementTree.fromstring(page).iter("tr")
    return [[cell.text or "" for cell in row] for row in rows]


def test_a_frame_has_the_names_of_json_and_every_digit():
    written = frame(TABLE)
    assert list(written) == ["system", "mean", "ci_low", "ci_high", "gap", "p", "n"]
    assert written["ci_low"][0] == 0.125 and written["p"][0] == 0.0001 and pd.isna(written["mean"][1])
    assert list(frame(Table([], TABLE.columns))) == list(written)


def test_paper_has_the_heads_of_pages_and_its_own_signs():
    assert cells(html(TABLE)) == PRINTED
    assert cells(MarkdownIt("commonmark").enable("table").render(markdown(TABLE))) == PRINTED
    assert "<caption>a &lt; b</caption>" in html(TABLE, caption="a < b")


def test_latex_is_a_tabular_or_with_a_caption_a_table():
    bare = latex(TABLE)
    assert bare.startswith(r"\begin{tabular}{lrrrr}") and r"$<$b$>$\_1 & 0.2500" in bare
    whole = latex(TABLE, caption="50% of it")
    assert r"\caption{50\% of it}" in whole and bare.strip() in whole
