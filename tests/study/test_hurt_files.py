"""No file stops a study from opening: every reader takes whatever bytes there are."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.values.errors import Report
from tests.study.hurt import READERS, WOUNDS, hurt


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
        # each of these readers knows its own damage: none needed the guard around it
        assert [str(p) for p in report.problems if "Error" in p.message and p.rule == "unreadable-file"] == []
        for problem in report.problems:
            str(problem).encode()

    check()
