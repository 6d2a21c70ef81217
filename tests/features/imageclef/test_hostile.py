"""Whatever a file of a challenge holds: it is used or named in a problem, and fills no memory."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.features.imageclef import submissions
from evalcore.features.imageclef.editions import CONCEPT_EDITIONS, EDITIONS, Task, edition_of
from evalcore.features.imageclef.scoring import read_concepts, read_values
from evalcore.features.imageclef.submissions import open_submission, read_submission, read_truth
from evalcore.features.imageclef.uploads import content_of
from evalcore.values.errors import InputError, Report

IMAGES = ("i1", "i2", "i3")
CONCEPTS = b"ID,CUIs\ni1,C0000001;C0000002\ni2,\ni3,C0000003\n"
CAPTIONS = b'ID,Caption\ni1,"one, two"\ni2,\ni3,three\n'


def zipped(files: dict[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", how) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def truth(task: Task) -> Callable[[bytes, str], Report]:
    return lambda data, year: read_truth(data, file="hurt.bin", edition=edition_of(task, year)).report


def run(task: Task, true: bytes) -> Callable[[bytes, str], Report]:
    def read(data: bytes, year: str) -> Report:
        rules = edition_of(task, year)
        return read_submission(
            data, name="hurt.bin", truth=read_truth(true, file="truth", edition=rules), edition=rules
        )[1]

    return read


READERS: dict[str, tuple[Callable[[bytes, str], object], list[bytes]]] = {
    "truth": (truth("concepts"), [CONCEPTS]),
    "captions": (truth("captions"), [CAPTIONS]),
    "concept run": (run("concepts", CONCEPTS), [CONCEPTS, zipped({"submission.csv": CONCEPTS})]),
    "caption run": (
        run("captions", CAPTIONS),
        [CAPTIONS, zipped({"submission.csv": CAPTIONS}, zipfile.ZIP_LZMA)],
    ),
    "scores": (
        lambda data, _: read_values(data, "hurt.bin", IMAGES),
        [b"ID,BERTScore,BLEURT\ni1,0.5,0.1\ni2,,1e-3\ni3,1,nan\n"],
    ),
    "concepts": (lambda data, _: read_concepts(data, "hurt.bin"), [CONCEPTS]),
    "recognised": (lambda data, _: content_of(data), [CONCEPTS, CAPTIONS, zipped({"a": CONCEPTS})]),
}
PIECES = st.sampled_from(
    [
        *(b"\0", b"\n", b"\r", b"\v", b'"', b",", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80"),
        *(b"1e999", b"9" * 5000, b"\x1f\x8b", b"PK\x03\x04", b"nan", b"_", b"C0000001;" * 50),
    ]
)
CHANGES = st.lists(
    st.tuples(st.integers(0, 999), st.integers(0, 999), PIECES | st.binary(max_size=3)), max_size=6
)


def changed(data: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    """Parts of a file, by thousandths of its length, exchanged for something else."""
    for first, second, piece in changes:
        start, end = sorted((first * len(data) // 1000, second * len(data) // 1000))
        data = data[:start] + piece + data[min(end, start + 40) :]
    return data


@pytest.mark.parametrize("reader", READERS)
@settings(max_examples=200)
@given(st.data(), CHANGES, st.booleans(), st.sampled_from([*EDITIONS]))
def test_hurt_files_are_used_or_named(reader: str, draw, changes: list, packed: bool, edition: str) -> None:
    read, files = READERS[reader]
    data = changed(draw.draw(st.sampled_from(files)), changes)
    try:
        read(gzip.compress(data) if packed else data, edition)
    except InputError as error:
        assert "hurt.bin" in str(error)
        assert error.report is None or all(p.file and p.remedy for p in error.report.problems)


BOMB = gzip.compress(b"\n" * (64 << 20))
"""64 MB in 65 kB: a thousand times, where text reaches fifty."""


@pytest.mark.parametrize("reader", [name for name in READERS if name != "recognised"])
def test_a_small_file_does_not_fill_memory(reader: str) -> None:
    assert len(BOMB) < 70_000
    tracemalloc.start()
    try:
        try:
            report = READERS[reader][0](BOMB, "2025")
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
    for files in ({"submission.csv": b"x" * 1001}, {"a": b"x" * 600, "b": b"x" * 600}):
        data, report = open_submission(zipped(files), name="run.zip")
        assert (data, [p.rule for p in report.problems]) == (b"", ["too-large"])


def test_a_file_of_too_many_lines_is_refused_unread() -> None:
    data, rules = b"\n" * 1_000_001 + b"x", CONCEPT_EDITIONS["2025"]
    report = run("concepts", CONCEPTS)(data, "2025")
    assert [p.rule for p in report.of_severity("error")] == ["too-many-lines", "missing-id"]
    with pytest.raises(InputError, match="cannot be used") as caught:
        read_truth(data, file="truth", edition=rules)
    assert "1,000,001 lines" in caught.value.report.problems[0].message
