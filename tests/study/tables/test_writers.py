"""Written files are whole or not there at all, and say what the values say."""

import csv
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.study.tables.writers import csv_lines, defused, opened, sealed, trec_lines, write_pieces
from evalcore.values.errors import InputError
from tests.study.faults import Killed, every_step, full_disk
from tests.toy import run_of, study_of


def test_trec_lines_have_full_precision_and_ranks():
    study = study_of({image: {"x"} for image in "abc"})
    run = run_of(study, "my system", {"a": {"c": 1 / 3, "b": 0.1}, "c": {"a": 1e-20}})
    assert list(trec_lines(run, study.image_ids)) == [
        "a Q0 c 1 0.3333333333333333 my_system\n",
        "a Q0 b 2 0.1 my_system\n",
        "c Q0 a 1 1e-20 my_system\n",
    ]


SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", " =", "\u00a0=", "\ufeff=", "\u200b=")
ALMOST_NUMBERS = ("=", "-", "--5", "-5x", "+0.5 to +0.6", "-1_0", "-٣", "-inf", "=1e5")


@pytest.mark.parametrize("cell", [*(f"{sign}1+x" for sign in SIGNS), *ALMOST_NUMBERS])
def test_formulas_get_an_apostrophe(cell):
    """The signs of OWASP's list, with blanks and invisible signs that spreadsheets skip before them."""
    assert defused(cell) == f"'{cell}"
    assert next(csv_lines((cell,), [])) == next(csv_lines((f"'{cell}",), []))


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "run.trec"
    target.write_text("old\n")

    def lines():
        yield b"new\n"
        raise InputError("half way")

    with pytest.raises(InputError, match="half way"):
        write_pieces(target, lines())
    assert target.read_text() == "old\n" and list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("name", ["run.trec", "run.trec.gz"])
@pytest.mark.parametrize("stop", [Killed, full_disk])
def test_a_full_disk_or_a_kill_leaves_the_old_file_or_the_new_one(tmp_path, name, stop):
    target = tmp_path / name
    write_pieces(target, [b"new\n"])
    new = target.read_bytes()
    for ended in every_step(tmp_path, stop):
        target.write_bytes(b"old\n")
        with ended:
            write_pieces(target, [b"new\n"])
        assert target.read_bytes() in (b"old\n", new)
        assert stop is Killed or list(tmp_path.iterdir()) == [target]
    assert target.read_bytes() == new


@pytest.mark.parametrize("there", [True, False])
def test_the_target_of_a_link_is_written_and_the_link_stays(tmp_path, there):
    (tmp_path / "deep").mkdir()
    target, link = tmp_path / "deep/run.trec", tmp_path / "link"
    link.symlink_to("deep/run.trec")
    if there:
        target.write_text("old\n")
    write_pieces(link, [b"new\n"])
    assert link.readlink() == Path("deep/run.trec")
    assert not target.is_symlink() and target.read_text() == "new\n"
    assert list((tmp_path / "deep").iterdir()) == [target]


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("fine;=cmd|'/c calc'!A0", "fine;'=cmd|'/c calc'!A0"),
        ("fine\t=1+1", "fine\t'=1+1"),
        ("a\r\n@SUM(1)", "a\r\n'@SUM(1)"),
        ("a; =1", "a;' =1"),
        ("=1;=2", "'=1;'=2"),
        ("\t=1", "'\t'=1"),
        ("a;\uff1d1", "a;'\uff1d1"),
        ('a;"=1"', 'a;\'"=1"'),
        ("5;-3 to", "5;'-3 to"),
        ("a;-1;x", "a;-1;x"),
    ],
)
def test_formulas_inside_a_cell_get_an_apostrophe(cell, written):
    assert defused(cell) == written
    assert opened(sealed(cell)) == cell


HARD = st.text(st.sampled_from("=+-@;\t\n\r '\"a1.,\uff1d"), max_size=12)


@given(st.lists(HARD, min_size=1, max_size=4))
def test_no_cell_is_computed_however_the_file_is_split(cells):
    data = "".join(csv_lines(("x",) * len(cells), [cells]))
    for delimiter in ",;\t":
        rows = csv.reader(data.splitlines(), delimiter=delimiter)
        for cell in [cell for row in rows for cell in row]:  # as a spreadsheet splits it
            bare = cell.strip(' "')
            number = re.match(
                r"[+-]?(\d+\.?\d*|\.\d+)($|,)", bare
            )  # and the next cell, where it is not split
            assert number or not bare.startswith(tuple("=@+-\uff1d")), (delimiter, data)


@given(HARD | st.text(max_size=20))
def test_sealed_text_is_restored_exactly(text):
    assert opened(sealed(text)) == text
    assert sealed(text) == defused(text) or "'" in text
