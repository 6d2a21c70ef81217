"""Names that LaTeX must not take for commands, read back by another program."""

from __future__ import annotations

import pytest
from pylatexenc.latex2text import LatexNodes2Text

from evalcore.results.writers import escape_latex, tabular

NAMES = [
    "lbp_glcm",
    r"\input{/etc/passwd}",
    "50% & more",
    "$x^2$ #1 {a} ~b",
    "[new] hog",
    "*star",
    "a<b>c|d",
    'say "hi"',
    "P(modality&organ)@5",
    "α ≥ ½",
    "{",
    "}}",
    "\\",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_read_back_as_it_was(name):
    read = LatexNodes2Text(strict_latex_spaces=True).latex_to_text(
        escape_latex(name).replace(r"{\char34}", '"')
    )
    assert read.replace("𝛼", "α").replace("ˆ", "^") == name


def test_dashes_stay_apart_and_lines_together():
    assert escape_latex("a---b") == "a-{}-{}-b"
    assert escape_latex("one\n\\end{table}\x07\u202etwo") == r"one \textbackslash{}end\{table\}two"


def test_a_table_has_rules_and_groups_of_rows():
    assert tabular("lr", ["A & B \\\\"], [["a & 1", "b & 2"], [], ["c & 3"]]) == [
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"A & B \\",
        r"\midrule",
        r"a & 1 \\",
        r"b & 2 \\",
        r"\midrule",
        r"c & 3 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
