import pytest

from evalcore.study.tables.files import at_most
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.tables import guess_delimiter, named, read_rows


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
        "Remove them if no rows were meant to be there."
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
        "error undecodable f.csv:2: The row contains 0xE4, which is not UTF-8; it is left out. "
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


def test_long_lines_are_no_rows():
    rows, problems = read("a,b\n" + "," * ((1 << 20) + 1) + "\nc,d\n")
    assert rows == [(1, ["a", "b"]), (3, ["c", "d"])]
    assert problems == [
        "error long-line f.csv:2: The line is longer than 1,048,576 characters; it is left out. "
        "Check that the file is a table."
    ]
    rows, problems = read('"a",b\n' + "x" * ((1 << 20) + 1) + "\nc,d\n")
    assert rows == [(1, ["a", "b"]), (3, ["c", "d"])]
    assert [p.partition(":")[0] for p in problems] == ["error long-line f.csv", "warning blank-line f.csv"]


@pytest.mark.parametrize("quoted", ["", '"x"'])
@pytest.mark.parametrize(
    ("text", "first", "n", "lines"),
    [
        ("\n\na,b{}\nc,d\n", 1, 2, [3, 4]),
        ("a,b{}\n\n\n,,\nc,d\n\n", 2, 3, [1, 5]),
        ("\na,b{}\nc,d\n\n,\ne,f", 1, 3, [2, 3, 6]),
        ("a,b{}\nc,d", 0, 0, [1, 2]),
        ("\n" * 200_000 + "a,b{}\n", 1, 200_000, [200_001]),
    ],
)
def test_blank_lines_are_counted_wherever_they_stand(quoted, text, first, n, lines):
    text = text.format(f",{quoted}" if quoted else "")
    found = Problems("f.csv")
    assert [row.line for row in read_rows(text, found, delimiter=",")] == lines
    assert [(p.rule, p.line, p.count) for p in found.report().problems] == (
        [("blank-line", first, n)] if n else []
    )


def test_more_rows_than_fit_below_the_cap_are_none():
    found = Problems("f.csv")
    with at_most(10 * (120 + 2 * 64)):
        assert len(read_rows("a,b\n" * 10, found, delimiter=",")) == 10
        assert found.report().problems == ()
        assert read_rows("a,b\n" * 11, found, delimiter=",") == []
    assert [p.rule for p in found.report().problems] == ["too-large"]
