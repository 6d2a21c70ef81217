"""Only regular files are opened; waiting for a pipe would never end."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from evalcore.study import open_study
from evalcore.study.tables.files import open_file


def test_a_regular_file_is_read_also_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\r\ntwo")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    for name in "ab":
        with open_file(tmp_path / name) as stream:
            assert stream.read() == b"one\r\ntwo"


def test_pipes_devices_sockets_and_folders_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    with pytest.raises(FileNotFoundError):
        open_file(tmp_path / "nothing")


def test_a_study_full_of_pipes_opens(tmp_path: Path) -> None:
    (tmp_path / "concepts.csv").write_text("ID,CUIs\na,C0040405\n")
    pipes = (
        "captions.csv",
        "labels.csv",
        "graph/edges.csv",
        "graph/mrrel.rrf.gz",
        "names.csv",
        "images.zip",
        "queries.txt",
        "study.toml",
        "systems/one/run.trec",
        "systems/two/embeddings.npz",
    )
    for name in pipes:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(tmp_path / name)
    study = open_study(tmp_path)
    assert study.image_ids == ("a",)
    assert {p.file for p in study.report.of_severity("error")} == set(pipes)
