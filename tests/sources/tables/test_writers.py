"""Written files are whole or not there at all, and say what the values say."""

from __future__ import annotations

import csv
import errno
import gzip

import numpy as np
import pytest

from evalcore.errors import InputError
from evalcore.model import Run
from evalcore.sources.tables import writers
from evalcore.sources.tables.writers import csv_lines, defused, run_rows, trec_lines, write_lines
from tests.sources.faults import fault


@pytest.fixture
def run():
    return Run.from_arrays(
        "my system", np.array([0, 2], np.int32), np.array([0, 2, 3], np.int64), np.array([2, 1, 0], np.int32),
        np.array([1 / 3, 0.1, 1e-20]),
    )  # fmt: skip


def test_trec_lines_carry_full_precision_and_ranks(run):
    assert list(trec_lines(run, ("a", "b", "c"))) == [
        "a Q0 c 1 0.3333333333333333 my_system\n", "a Q0 b 2 0.1 my_system\n", "c Q0 a 1 1e-20 my_system\n",
    ]  # fmt: skip
    assert list(run_rows(run, ("a", "b", "c")))[1] == ("a", "b", 2, 0.1)


def test_an_id_with_a_space_cannot_be_written_as_trec(run):
    with pytest.raises(InputError, match=r"The image id 'b b' holds a space.*Write a \.csv file"):
        list(trec_lines(run, ("a", "b b", "c")))


def test_csv_cells_are_quoted_where_needed(tmp_path):
    target = tmp_path / "table.csv"
    write_lines(target, csv_lines(("id", "text"), [("a,b", 'say "x"'), ("ü", 1)]))
    with target.open(newline="", encoding="utf-8") as lines:
        assert list(csv.reader(lines)) == [["id", "text"], ["a,b", 'say "x"'], ["ü", "1"]]


@pytest.mark.parametrize(
    "cell",
    ["=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\rx", "\nx", "＝1", "＋1", "－1", "＠x", " =1", "\u00a0=1",
     "\ufeff=1", "\u200b=1", "=", "-", "--5", "-5x", "+0.5 to +0.6", "-1_0", "-٣", "-inf", "=1e5", "@nn-iou"],
)  # fmt: skip
def test_what_a_spreadsheet_would_compute_gets_an_apostrophe(cell):
    """The signs of OWASP's list, with blanks and invisible signs that spreadsheets skip before them."""
    assert defused(cell) == f"'{cell}"
    assert next(csv_lines((cell,), [])) == next(csv_lines((f"'{cell}",), []))


@pytest.mark.parametrize(
    "cell",
    ["", "a=1", "'=1", "0.5", "-0.5", "+3", "-1e-05", "-.5", "−0.5", "5-3", "img-1", "a;=x", -0.5, 3, None],
)
def test_numbers_and_harmless_text_stay_what_they_are(cell):
    assert defused(cell) == cell


def test_gzip_is_the_same_twice(tmp_path):
    one, two = tmp_path / "one.gz", tmp_path / "two.gz"
    for target in (one, two):
        write_lines(target, ["x\n", "ü\n"])
    assert one.read_bytes() == two.read_bytes()
    assert gzip.decompress(one.read_bytes()).decode() == "x\nü\n"


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "run.trec"
    target.write_text("old\n")

    def lines():
        yield "new\n"
        raise InputError("half way")

    with pytest.raises(InputError, match="half way"):
        write_lines(target, lines())
    assert target.read_text() == "old\n"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("name", ["absent/run.trec", "."])
def test_where_nothing_can_be_written(tmp_path, name):
    with pytest.raises(InputError, match=r"Cannot write .*folder that exists"):
        write_lines(tmp_path / name, ["x\n"])


@pytest.mark.parametrize("name", ["run.trec", "run.trec.gz"])
@pytest.mark.parametrize("forever", [False, True])
def test_a_full_disk_is_reported_in_words(tmp_path, name, forever):
    target = tmp_path / name
    target.write_text("old\n")
    for step in (1, 2):
        full = lambda: OSError(errno.ENOSPC, "No space left on device")  # noqa: E731
        with (
            fault(tmp_path, step, full, forever=forever),
            pytest.raises(InputError, match=r"Cannot write .*: the disk is full\. Free some space, or name"),
        ):
            write_lines(target, ["new\n"])
        assert target.read_text() == "old\n"
        assert forever or list(tmp_path.iterdir()) == [target]


def test_a_disk_that_fills_up_while_lines_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr(writers, "_write", disk_full)
    with pytest.raises(InputError, match="the disk is full"):
        write_lines(tmp_path / "x", ["new\n"])
    assert list(tmp_path.iterdir()) == []


def disk_full(raw, lines, *, zipped):
    raw.write(b"half a li")
    raise OSError(errno.ENOSPC, "No space left on device")
