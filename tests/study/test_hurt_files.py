"""No file stops a study from opening: every reader accepts any bytes and reports what is wrong."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.study import open_study
from evalcore.values.errors import Report
from tests.study.hurt import READERS, TREC, WHOLE, WOUNDS, A, B, hurt
from tests.study.made import write


@pytest.mark.parametrize("name", READERS)
def test_whole_files_are_read_without_an_error(name: str, tmp_path: Path) -> None:
    for i, data in enumerate(READERS[name].whole):
        folder = tmp_path / str(i)
        folder.mkdir()
        assert READERS[name].feed(data, folder).total("error") == 0


@pytest.mark.parametrize("n", [25, pytest.param(400, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", READERS)
def test_hurt_files_are_reported_never_raised(name: str, n: int) -> None:
    reader = READERS[name]

    @settings(max_examples=n, derandomize=True, deadline=None, database=None)
    @given(st.sampled_from(reader.whole), WOUNDS, st.sampled_from(reader.whole))
    def check(data: bytes, wounds: list[tuple[str, int, int, bytes]], other: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            report = reader.feed(hurt(data, wounds, other), Path(folder))
        assert isinstance(report, Report)
        # each of these readers reports its own damage: none needed the guard around it
        assert [str(p) for p in report.problems if "Error" in p.message and p.rule == "unreadable-file"] == []
        for problem in report.problems:
            str(problem).encode()

    check()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")
def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    places = (f"systems/@{name}/x", f"systems/e{name}/notes", f"systems/f{name}", f"{name}.txt")
    odd = dict.fromkeys(places, "x")
    odd |= {f"systems/{name}/run.trec": TREC, f"graph/{name}.csv": f"{A},{B},MSH\n"}
    study = open_study(write(tmp_path / name, WHOLE | odd))
    assert study.systems == ("caf%E9", "one", "two")
    rules = [problem.rule for problem in study.report.problems]
    assert sorted(rules) == ["empty-system", "no-such-vectors", "not-a-system", "not-read", "reserved-name"]
    graphs = {part.file for part in study.parts if part.kind == "graph"}
    assert graphs == {"graph/edges.csv", "graph/caf%E9.csv"}
    for text in (*(str(p) for p in study.report.problems), *(part.file for part in study.parts), study.name):
        assert text.isprintable() and text.encode()
