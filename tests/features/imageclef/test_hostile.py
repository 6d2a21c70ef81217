"""Whatever a file of a challenge holds: it is used or named in a problem, and fills no memory."""

from __future__ import annotations

import gzip
import tracemalloc
from typing import Any

import pytest

from evalcore.features.imageclef import submissions
from evalcore.features.imageclef.editions import edition_of
from evalcore.features.imageclef.scoring import read_concepts, read_values
from evalcore.features.imageclef.submissions import open_submission, read_submission, read_truth
from evalcore.values.errors import InputError, Report
from tests.study.made import zipped

CONCEPTS = b"ID,CUIs\ni1,C0000001;C0000002\ni2,\ni3,C0000003\n"
CAPTIONS = b"ID,Caption\ni1,one\ni2,\ni3,three\n"
BOMB = gzip.compress(b"\n" * (64 << 20))
"""64 MB in 65 kB: a thousand times, where text reaches fifty."""


def run(true: bytes, data: bytes, task: Any = "concepts") -> Report:
    rules = edition_of(task, "2025")
    truth = read_truth(true, file="truth", edition=rules)
    return read_submission(data, name="hurt.bin", truth=truth, edition=rules)[1]


@pytest.mark.parametrize(
    "read",
    [
        lambda data: read_truth(data, file="hurt.bin", edition=edition_of("concepts", "2025")).report,
        lambda data: read_truth(data, file="hurt.bin", edition=edition_of("captions", "2025")).report,
        lambda data: run(CONCEPTS, data),
        lambda data: run(CAPTIONS, data, "captions"),
        lambda data: read_values(data, "hurt.bin", ("i1",)),
        lambda data: read_concepts(data, "hurt.bin"),
    ],
    ids=["truth", "captions", "concept run", "caption run", "scores", "concepts"],
)
def test_a_small_file_does_not_fill_memory(read) -> None:
    assert len(BOMB) < 70_000
    tracemalloc.start()
    try:
        try:
            report = read(BOMB)
        except InputError as error:
            report = error.report
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    messages = [problem.message for problem in report.problems]
    assert any("It unpacks to more than 200 times its 65 kB" in message for message in messages)
    assert peak < 40 << 20  # 16 MB may always be unpacked


def test_a_zip_that_claims_to_be_too_large_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submissions, "MAX_SUBMISSION", 1000)
    for packed in (zipped(submission_csv=b"x" * 1001), zipped(a=b"x" * 600, b=b"x" * 600)):
        data, report = open_submission(packed, name="run.zip")
        assert (data, [p.rule for p in report.problems]) == (b"", ["too-large"])


def test_a_file_of_too_many_lines_is_refused_unread() -> None:
    data = b"\n" * 1_000_001 + b"x"
    report = run(CONCEPTS, data)
    assert [p.rule for p in report.of_severity("error")] == ["too-many-lines", "missing-id"]
    with pytest.raises(InputError, match="cannot be used") as caught:
        read_truth(data, file="truth", edition=edition_of("concepts", "2025"))
    assert "1,000,001 lines" in caught.value.report.problems[0].message
