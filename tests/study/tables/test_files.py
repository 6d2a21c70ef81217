"""Files below the tables: only regular ones are opened, and numbers are those of the C library."""

import ctypes
import math
import os
import re
import socket
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.study import open_study
from evalcore.study.tables.files import open_file, parse_float

PIPES = (
    "captions.csv",
    "graph/edges.csv",
    "graph/mrrel.rrf.gz",
    "names.csv",
    "images.zip",
    "queries.txt",
    "study.toml",
    "systems/one/run.trec",
    "systems/two/embeddings.npz",
)


def test_pipes_devices_sockets_and_folders_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    os.mkfifo("pipe")
    held = socket.socket(socket.AF_UNIX)
    held.bind("socket")
    for place in ("pipe", "socket", "/dev/zero", "/dev/null"):
        with pytest.raises(OSError, match="it is a pipe or a device, not a regular file"):
            open_file(Path(place))
    held.close()
    with pytest.raises(IsADirectoryError):
        open_file(tmp_path)


def test_a_study_full_of_pipes_opens_and_its_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "found.csv").write_text("ID,CUIs\na,C0040405\n")
    (tmp_path / "concepts.csv").symlink_to(tmp_path / "found.csv")
    for name in PIPES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(tmp_path / name)
    study = open_study(tmp_path)
    assert study.image_ids == ("a",)
    assert {p.file for p in study.report.of_severity("error")} == set(PIPES)


C = ctypes.CDLL(None)
C.strtod.restype = ctypes.c_double
C.strtod.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)]


def strtod(word: str) -> float | None:
    """The number C reads when it reads the whole word; None when it stops before its end."""
    text = ctypes.c_char_p(word.encode())
    end = ctypes.c_char_p()
    value = C.strtod(text, ctypes.byref(end))
    return value if word and not word[0].isspace() and end.value == b"" else None


NAMED = ["inf", "-inf", "+INF", "infinity", "nan", "-nan", "NaN", "infin", "in", "na", "1e400", "."]
WORDS = st.text("0123456789+-.eE_", min_size=1, max_size=8) | st.sampled_from(NAMED) | st.floats().map(repr)


@given(WORDS)
@example("1_000")
def test_a_number_is_what_strtod_reads_to_its_end(word: str) -> None:
    expected, result = strtod(word), parse_float(word)
    if expected is None or result is None:
        assert result is expected
    else:
        assert result == expected or (math.isnan(result) and math.isnan(expected))


@given(st.text(max_size=6))
@example("١")
@example("1 ")
@example("\x1f1")
def test_no_other_text_is_a_number(word: str) -> None:
    """Digits of other scripts, and white space that Python's own float() takes, are none."""
    assert re.fullmatch("[!-~]+", word) or parse_float(word) is None
