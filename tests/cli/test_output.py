"""Names in CSV files."""

from __future__ import annotations

from evalcore.cli import run


def test_names_in_csv_files_are_as_they_are_unless_formulas_are_escaped(tmp_path, capsys):
    """So that tables can be joined by them; an option protects who opens them in a spreadsheet."""
    out = tmp_path / "board.csv"
    words = ["score", "data", "--metric", "CUI@5", "--system", "@iou", "--system", "hog", "--csv", str(out)]
    assert run(words) == 0
    assert [line.partition(",")[0] for line in out.read_text().splitlines()[1:]] == ["@iou", "hog"]
    assert run([*words, "--escape-formulas"]) == 0
    assert [line.partition(",")[0] for line in out.read_text().splitlines()[1:]] == ["'@iou", "hog"]
