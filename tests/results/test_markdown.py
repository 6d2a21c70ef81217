"""Names that Markdown must not act on, read back by a Markdown reader."""

from __future__ import annotations

import re
from html import unescape

import pytest
from markdown_it import MarkdownIt

from evalcore.results.writers import escape_markdown
from evalcore.results.writers import markdown_lines as table

NAMES = [
    "lbp_glcm",
    "a|b",
    "*bold* _it_ **b**",
    "`code`",
    "[x](http://h)",
    "![x](h)",
    "<script>",
    "&lt;",
    "~~s~~",
    r"\|",
    "$x$",
    "\\",
    "two\nlines",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_read_back_as_it_was(name):
    page = (
        MarkdownIt("commonmark")
        .enable("table")
        .render("\n".join(table(["System", "n"], [[escape_markdown(name), "1"]])))
    )
    cells = re.findall(r"<td[^>]*>(.*?)</td>", page)
    assert [unescape(cell) for cell in cells] == [name.replace("\n", " "), "1"]
