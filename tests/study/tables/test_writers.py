"""Written files are whole or not there at all, and say what the values say."""

from __future__ import annotations

import csv
import errno
import gzip
import os
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.study.tables import writers
from evalcore.study.tables.writers import (
    csv_lines,
    defused,
    opened,
    run_rows,
    sealed,
    trec_lines,
    write_lines,
)
from evalcore.values.errors import InputError
from evalcore.values.model import Run
from tests.conftest import ROOT
from tests.study.faults import fault
from tests.study.pipes import read_while


@pytest.fixture
def run():
    return Run.from_arrays(
        "my system",
        np.array([0, 2], np.int32),
        np.array([0, 2, 3], np.int64),
        np.array([2, 1, 0], np.int32),
        np.array([1 / 3, 0.1, 1e-20]),
    )


def test_trec_lines_carry_full_precision_and_ranks(run):
    assert list(trec_lines(run, ("a", "b", "c"))) == [
        "a Q0 c 1 0.3333333333333333 my_system\n",
        "a Q0 b 2 0.1 my_system\n",
        "c Q0 a 1 1e-20 my_system\n",
    ]
    assert list(run_rows(run, ("a", "b", "c")))[1] == ("a", "b", 2, 0.1)


def test_an_id_with_a_space_cannot_be_written_as_trec(run):
    with pytest.raises(InputError, match=r"The image id 'b b' contains a space.*Write a \.csv file"):
        list(trec_lines(run, ("a", "b b", "c")))


def test_csv_cells_are_quoted_where_needed(tmp_path):
    target = tmp_path / "table.csv"
    write_lines(target, csv_lines(("id", "text"), [("a,b", 'say "x"'), ("ü", 1)]))
    with target.open(newline="", encoding="utf-8") as lines:
        assert list(csv.reader(lines)) == [["id", "text"], ["a,b", 'say "x"'], ["ü", "1"]]


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        "+1+1",
        "-1+1",
        "@SUM(1)",
        "\tx",
        "\rx",
        "\nx",
        "＝1",
        "＋1",
        "－1",
        "＠x",
        " =1",
        "\u00a0=1",
        "\ufeff=1",
        "\u200b=1",
        "=",
        "-",
        "--5",
        "-5x",
        "+0.5 to +0.6",
        "-1_0",
        "-٣",
        "-inf",
        "=1e5",
        "@nn-iou",
    ],
)
def test_what_a_spreadsheet_would_compute_gets_an_apostrophe(cell):
    """The signs of OWASP's list, with blanks and invisible signs that spreadsheets skip before them."""
    assert defused(cell) == f"'{cell}"
    assert next(csv_lines((cell,), [])) == next(csv_lines((f"'{cell}",), []))


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "a=1",
        "'=1",
        "0.5",
        "-0.5",
        "+3",
        "-1e-05",
        "-.5",
        "−0.5",
        "5-3",
        "img-1",
        "a;x",
        "C0000001;C0000002",
        "a;-0.5",
        "5;+3",
        "a; b",
        "a,=x",
        "a\nb",
        ";",
        "a;",
        "x\ty",
        "a|=b",
        -0.5,
        3,
        None,
    ],
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


@pytest.mark.parametrize("name", ["run.trec", "run.trec.gz"])
def test_a_named_pipe_is_written_into_and_stays(tmp_path, name):
    pipe = tmp_path / name
    got = read_while(pipe, lambda: write_lines(pipe, ["x\n", "ü\n"]))
    assert (gzip.decompress(got) if name.endswith(".gz") else got).decode() == "x\nü\n"
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_link_to_a_pipe_stays_and_so_does_the_pipe(tmp_path):
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    link.symlink_to("pipe")
    assert read_while(pipe, lambda: write_lines(link, ["x\n"])) == b"x\n"
    assert link.is_symlink() and stat.S_ISFIFO(pipe.lstat().st_mode)


@pytest.fixture
def device(tmp_path):
    """A device nobody misses: a null device of our own, or a terminal where none may be made."""
    path = tmp_path / "null"
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        path.write_bytes(b"x")  # a disk mounted without devices makes but does not open them
    except OSError:
        path.unlink(missing_ok=True)
        ends = os.openpty()
        yield Path(os.ttyname(ends[1]))
        for end in ends:
            os.close(end)
        return
    yield path


def test_a_device_is_written_into_and_stays_one(device):
    before = device.lstat()
    write_lines(device, ["x\n"])
    after = device.lstat()
    assert stat.S_ISCHR(after.st_mode)
    assert (after.st_ino, after.st_rdev) == (before.st_ino, before.st_rdev)


def test_a_socket_stays_one_and_the_way_out_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # addresses of sockets are short
    with socket.socket(socket.AF_UNIX) as door:
        door.bind("door")
        with pytest.raises(InputError, match=r"Cannot write door: .*Name a file"):
            write_lines(Path("door"), ["x\n"])
    assert stat.S_ISSOCK(Path("door").lstat().st_mode)


@pytest.mark.parametrize("name", ["/dev/stdout", "/proc/self/fd/1", "/dev/fd/1", "link"])
@pytest.mark.parametrize("to", ["pipe", "file"])
def test_standard_output_by_its_path(tmp_path, name, to):
    """Through a pipe, and into a file that others write to before and after."""
    if not Path("/dev/fd/1").exists():
        name = "/dev/stdout"
    if name == "link":
        (tmp_path / "link").symlink_to("/dev/stdout")
        name = str(tmp_path / "link")
    command = [sys.executable, "-c", CALL, name]
    if to == "pipe":
        out = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    else:
        with (tmp_path / "out").open("wb") as sink:
            subprocess.run(command, cwd=ROOT, stdout=sink, check=True)
        out = (tmp_path / "out").read_bytes()
    assert out.decode() == "before\nx\nafter\n"


CALL = """
import sys
from pathlib import Path
from evalcore.study.tables.writers import write_lines
print("before")
write_lines(Path(sys.argv[1]), ["x\\n"])
print("after")
"""


@pytest.mark.parametrize("there", [True, False])
def test_the_target_of_a_link_is_written_and_the_link_stays(tmp_path, there):
    (tmp_path / "deep").mkdir()
    target, link = tmp_path / "deep/run.trec", tmp_path / "link"
    link.symlink_to("deep/run.trec")
    if there:
        target.write_text("old\n")
    write_lines(link, ["new\n"])
    assert link.readlink() == Path("deep/run.trec")
    assert not target.is_symlink() and target.read_text() == "new\n"
    assert list((tmp_path / "deep").iterdir()) == [target]


def test_a_link_to_itself_is_refused(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    with pytest.raises(InputError, match=r"Cannot write .*loop.*symbolic links\. Name a file"):
        write_lines(loop, ["x\n"])
    assert loop.is_symlink()


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_an_existing_file_keeps_its_permissions(tmp_path, mode):
    target = tmp_path / "run.trec"
    target.write_text("old\n")
    target.chmod(mode)
    write_lines(target, ["new\n"])
    assert stat.S_IMODE(target.stat().st_mode) == mode
    assert target.read_text() == "new\n"


@pytest.mark.parametrize("may", [True, False])
def test_an_existing_file_keeps_its_owner(tmp_path, monkeypatch, may):
    """Whoever may give files away does so; others copy the content, whole by then, into the file."""
    target = tmp_path / "run.trec"
    target.write_text("old\n")
    node, asked = target.stat().st_ino, []
    real = Path.stat

    def others(path, **more):
        facts = real(path, **more)
        if path != target:
            return facts
        values = list(facts)
        values[stat.ST_UID], values[stat.ST_GID] = 12345, 54321
        return os.stat_result(values)

    def chown(path, uid, gid):
        asked.append((uid, gid))
        if not may:
            raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(Path, "stat", others)
    monkeypatch.setattr(os, "chown", chown)
    write_lines(target, ["new\n"])
    assert asked == [(12345, 54321)]
    assert target.read_text() == "new\n"
    assert (real(target).st_ino == node) is not may
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("fine;=cmd|'/c calc'!A0", "fine;'=cmd|'/c calc'!A0"),
        ("fine\t=1+1", "fine\t'=1+1"),
        ("fine\n=1+1", "fine\n'=1+1"),
        ("a\r\n@SUM(1)", "a\r\n'@SUM(1)"),
        ("a; =1", "a;' =1"),
        ("a;b;-x;c", "a;b;'-x;c"),
        ("=1;=2", "'=1;'=2"),
        ("\t=1", "'\t'=1"),
        (";=1", ";'=1"),
        ("a;\uff1d1", "a;'\uff1d1"),
        ('a;"=1"', 'a;\'"=1"'),
        ('"=1', "'\"=1"),
        ("5;-3 to", "5;'-3 to"),
        ("-1;x", "'-1;x"),
        ("a\t-1;x", "a\t'-1;x"),
        ("a;-1;x", "a;-1;x"),
    ],
)
def test_what_is_computed_once_the_cell_is_split_gets_an_apostrophe_there(cell, written):
    assert defused(cell) == written
    assert opened(sealed(cell)) == cell


def parts_in_a_spreadsheet(data, delimiter):
    """The cells of a file as a spreadsheet splits it that goes by this sign."""
    return [cell for row in csv.reader(data.splitlines(), delimiter=delimiter) for cell in row]


HARD = st.text(st.sampled_from("=+-@;\t\n\r '\"a1.,\uff1d"), max_size=12)


@given(st.lists(HARD, min_size=1, max_size=4))
def test_no_cell_is_computed_however_the_file_is_split(cells):
    data = "".join(csv_lines(("x",) * len(cells), [cells]))
    for delimiter in ",;\t":
        for cell in parts_in_a_spreadsheet(data, delimiter):
            bare = cell.strip(' "')
            number = re.match(
                r"[+-]?(\d+\.?\d*|\.\d+)($|,)", bare
            )  # and the next cell, where it is not split
            assert number or not bare.startswith(tuple("=@+-\uff1d")), (delimiter, data)


@given(HARD | st.text(max_size=20))
def test_what_is_sealed_opens_to_the_very_text(text):
    assert opened(sealed(text)) == text
    assert sealed(text) == defused(text) or "'" in text
