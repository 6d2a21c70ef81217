"""The bar of the command line: on standard error, for people only."""

from __future__ import annotations

import sys

import pytest

from evalcore.cli import run
from evalcore.cli.output import bar, progress_line
from evalcore.results.rows import decimals, percent, signed


class Screen:
    def __init__(self, *, tty):
        self.tty, self.text = tty, ""

    def isatty(self):
        return self.tty

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def test_nobody_looking_nothing_is_drawn(monkeypatch):
    screen = Screen(tty=False)
    monkeypatch.setattr(sys, "stderr", screen)
    progress_line()(0.5, "@iou")
    assert screen.text == ""


def test_drawn_on_one_line_and_wiped_away_at_the_end(monkeypatch):
    screen = Screen(tty=True)
    monkeypatch.setattr(sys, "stderr", screen)
    show = progress_line()
    show(0.5, "a\x1b[31mb")
    assert screen.text == "\r\x1b[K[##########..........]  50% a?[31mb"
    show(0.6, "too soon to be drawn")
    show(1.0, "done")
    assert screen.text.endswith("b\r\x1b[K")


@pytest.mark.parametrize(
    ("done", "seconds", "expected"),
    [
        (0, 100, "[....................]   0%"),
        (0.5, 0.5, "[##########..........]  50%"),
        (0.1, 60, "[##..................]  10%, 9 min left"),
        (1, 5, "[####################] 100%, 0 s left"),
    ],
)
def test_how_long_it_will_go_on(done, seconds, expected):
    assert bar(done, seconds) == expected


def test_a_table_has_a_dash_where_there_is_no_number():
    nothing = float("nan")
    assert [show(nothing) for show in (decimals, signed, percent)] == ["-", "-", "-"]
    assert (decimals(None), signed(-0.5), signed(0.25), percent(0.125, 1)) == (
        "-",
        "-0.5000",
        "+0.2500",
        "12.5%",
    )


def test_names_in_csv_files_are_as_they_are_unless_formulas_are_escaped(tmp_path, capsys):
    """So that tables can be joined by them; an option protects who opens them in a spreadsheet."""
    out = tmp_path / "board.csv"
    words = ["score", "data", "--metric", "CUI@5", "--system", "@iou", "--system", "hog", "--csv", str(out)]
    assert run(words) == 0
    assert [line.partition(",")[0] for line in out.read_text().splitlines()[1:]] == ["@iou", "hog"]
    assert run([*words, "--escape-formulas"]) == 0
    assert [line.partition(",")[0] for line in out.read_text().splitlines()[1:]] == ["'@iou", "hog"]
