import pytest

from evalcore.sources.problems import Problems
from evalcore.sources.tables import guess_delimiter, named, read_rows


def read(text: str, delimiter: str = ",") -> tuple[list[tuple[int, list[str]]], list[str]]:
    found = Problems("f.csv")
    rows = [(row.line, row.cells) for row in read_rows(text, found, delimiter=delimiter)]
    return rows, [f"{p.severity} {p.rule} {p}" for p in found.report().problems]


def test_cells_are_stripped_and_lines_counted_from_one():
    assert read("a, b \nc,d\n") == ([(1, ["a", "b"]), (2, ["c", "d"])], [])


def test_a_quoted_cell_may_hold_commas_quotes_and_line_breaks():
    text = 'a,"one, ""two""\nthree"\nb,four\n'
    assert read(text) == ([(1, ["a", 'one, "two"\nthree']), (3, ["b", "four"])], [])


def test_blank_lines_are_counted_unless_they_end_the_file():
    rows, problems = read("a,b\n\n,\nc,d\n\n\n")
    assert [line for line, _ in rows] == [1, 4]
    assert problems == [
        "warning blank-line f.csv:2: 2 blank lines were skipped. "
        "Remove them if no rows were meant to stand there."
    ]


def test_a_stray_quote_costs_its_own_row_only():
    rows, problems = read('a,"huge" aneurysm\nb,small\n')
    assert rows == [(2, ["b", "small"])]
    assert problems == [
        "error broken-quotes f.csv:1: A quoted cell that starts in this row does not end properly; "
        "it is left out. "
        'Close the quote, or write a quote inside a cell twice ("").'
    ]


def test_a_quote_that_never_closes_says_how_many_lines_it_takes():
    rows, problems = read('a,x\nb,"open\nc,d\ne,f\n')
    assert rows == [(1, ["a", "x"])]
    assert (
        "f.csv:2: A quoted cell that starts in this row does not end properly; it is left out with the"
        in problems[0]
    )


def test_an_undecodable_row_is_named_with_its_byte():
    rows, problems = read("a,b\nc,\udce4\n")
    assert rows == [(1, ["a", "b"])]
    assert problems == [
        "error undecodable f.csv:2: The row holds 0xE4, which is not UTF-8; it is left out. "
        "Save the file as UTF-8 (in Excel: CSV UTF-8)."
    ]


def test_tab_separated_cells_know_no_quotes():
    assert read('a\t"b\n', "\t") == ([(1, ["a", '"b'])], [])


@pytest.mark.parametrize(
    ("text", "expected"), [("a,b\n", ","), ("a\tb;c\n", "\t"), ("ID;x\na;b\n", ";"), ("a\n", "\t")]
)
def test_the_delimiter_is_what_the_top_lines_hold(text, expected):
    assert guess_delimiter(text) == expected


def test_a_column_is_found_by_any_of_its_names():
    assert named(["file", "Caption "], ("caption", "text")) == 1
    assert named(["file"], ("caption",)) is None
