"""One declaration as a frame, Markdown, LaTeX and HTML, each read back by another program."""

from __future__ import annotations

import re
from html import unescape
from types import SimpleNamespace
from xml.etree import ElementTree

import pandas as pd
import pytest
from markdown_it import MarkdownIt
from pylatexenc.latex2text import LatexNodes2Text

from evalcore.results.rows import Column, Table, decimals, ends, named, p_text, signed
from evalcore.results.writers import Cell, Paper, escape_latex, frame, html, latex, markdown, on_paper

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


def read(text: str) -> str:
    """Markdown as a reader of it makes HTML of it."""
    return MarkdownIt("commonmark").enable("table").render(text)


def test_a_frame_has_the_names_of_json_and_every_digit():
    written = frame(TABLE)
    assert list(written) == ["system", "mean", "ci_low", "ci_high", "gap", "p", "n"]
    assert written["ci_low"][0] == 0.125 and written["p"][0] == 0.0001 and pd.isna(written["mean"][1])
    assert list(frame(Table([], TABLE.columns))) == list(written)


def test_paper_has_the_heads_of_pages_and_its_own_signs():
    assert cells(html(on_paper(TABLE))) == PRINTED
    assert cells(read(markdown(on_paper(TABLE)))) == PRINTED
    assert "<caption>a &lt; b</caption>" in html(on_paper(TABLE, "a < b"))


def test_latex_is_a_tabular_or_with_a_caption_a_table():
    bare = latex(on_paper(TABLE))
    assert bare.startswith(r"\begin{tabular}{lrrrr}") and r"$<$b$>$\_1 & 0.2500" in bare
    whole = latex(on_paper(TABLE, "50% of it"))
    assert r"\caption{50\% of it}" in whole and bare.strip() in whole


def test_a_wide_table_with_a_label_is_set_in_panels():
    heads = ["System", *(f"m{i}" for i in range(10))]
    rows = [[Cell("a"), *(Cell(str(i)) for i in range(10))]]
    panels = latex(Paper(heads, rows, [False] + [True] * 10, "c", label="x")).split(r"\par\medskip")
    assert [re.findall(r"^System & .*$|^a & .*$", panel, re.M) for panel in panels] == [
        [r"System & m0 & m1 & m2 & m3 & m4 & m5 & m6 & m7 \\", r"a & 0 & 1 & 2 & 3 & 4 & 5 & 6 & 7 \\"],
        [r"System & m8 & m9 \\", r"a & 8 & 9 \\"],
    ]


NAMES = [
    "lbp_glcm",
    r"\input{/etc/passwd}",
    "50% & more",
    "$x^2$ #1 {a} ~b",
    "*bold* _it_ **b**",
    "a<b>c|d",
    "![x](http://h)",
    "&lt;",
    r"\|",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_read_back_as_it_was(name):
    words = LatexNodes2Text(strict_latex_spaces=True)
    text = words.latex_to_text(escape_latex(name).replace(r"{\char34}", '"'))
    assert text.replace("ˆ", "^") == name
    page = read(markdown(Paper(["System", "n"], [[Cell(name), Cell("1")]], [False, True])))
    assert [unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", page)] == [name, "1"]


def test_dashes_stay_apart_and_lines_together():
    assert escape_latex("a---b") == "a-{}-{}-b"
    assert escape_latex("one\n\\end{table}\x07\u202etwo") == r"one \textbackslash{}end\{table\}two"
