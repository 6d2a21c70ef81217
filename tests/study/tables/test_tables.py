import pytest

from evalcore.study.tables.problems import Problems
from evalcore.study.tables.tables import guess_delimiter, records


def read(text: str, delimiter: str = ",") -> tuple[list[tuple[int, list[str]]], list[str]]:
    found = Problems("f.csv")
    rows = [(row.line, row.cells) for row in records(text, delimiter, found)]
    return rows, [f"{p.severity} {p.rule} {p}" for p in found.report().problems]


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


@pytest.mark.parametrize(
    ("text", "expected"), [("a,b\n", ","), ("a\tb;c\n", "\t"), ("ID;x\na;b\n", ";"), ("a\n", ",")]
)
def test_the_delimiter_is_what_the_top_lines_hold(text, expected):
    assert guess_delimiter(text) == expected


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
    assert [row.line for row in records(text, ",", found)] == lines
    assert [(p.rule, p.line, p.count) for p in found.report().problems] == (
        [("blank-line", first, n)] if n else []
    )
