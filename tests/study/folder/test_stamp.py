"""Whatever is done to a file that decides a number, the stamp of its study is another one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from evalcore.study.folder.layout import stamp
from tests.study.hurt import WHOLE
from tests.study.made import write


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "images").mkdir()
    more = {"kg/e.csv": WHOLE["graph/edges.csv"], "systems/s/run.trec": WHOLE["systems/one/run.trec"]}
    return write(tmp_path, WHOLE | more | {"study.toml": 'name = "one"\n[files]\ngraph = "kg/*"\n'})


def one_byte(path: Path, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(len(data) - 2)
        file.write(data[-2:-1])


def moved_over(path: Path, data: bytes) -> None:
    beside = path.with_name(".new")
    beside.write_bytes(data)
    beside.replace(path)


@pytest.mark.parametrize("edit", [Path.write_bytes, one_byte, moved_over])
@pytest.mark.parametrize("name", ["concepts.csv", "kg/e.csv", "systems/s/run.trec", "study.toml"])
def test_an_edit_of_the_same_size_with_the_time_restored(
    study: Path, name: str, edit: Callable[[Path, bytes], None]
) -> None:
    path = study / name
    fact, folder = path.stat(), path.parent.stat()
    before = stamp(study)
    assert stamp(study) == before
    time.sleep(0.02)  # the clock of a file system has ticks of some milliseconds
    data = path.read_bytes()
    edit(path, data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])
    os.utime(path, ns=(fact.st_atime_ns, fact.st_mtime_ns))
    os.utime(path.parent, ns=(folder.st_atime_ns, folder.st_mtime_ns))
    assert path.stat().st_size == fact.st_size and path.stat().st_mtime_ns == fact.st_mtime_ns
    assert stamp(study) != before


@pytest.mark.parametrize(
    "name", ["systems/t/run.csv", "captions.txt", "kg/f.csv", "systems/loose", "images/a.png"]
)
def test_a_new_file_that_changes_what_is_read_or_reported(study: Path, name: str) -> None:
    before = stamp(study)
    write(study, {name: "a,b,1\n"})
    assert stamp(study) != before
