"""Reading takes time in proportion to a file: a small one that is made to hurt cannot hold a server up.

What is compared are seconds of the processor with each other, never with a number of seconds: a file of four
times the length takes about four times as long, and sixteen times where the time grows with the square.
"""

import gc
import gzip
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from evalcore.study.folder.settings_toml import parse_settings
from evalcore.study.tables.problems import Problems, Refused
from evalcore.study.workspace.uploads import ready_images
from evalcore.values.errors import InputError, Report
from tests.study.hurt import IMAGES, READERS, A, B, Feed, saved
from tests.study.made import zipped

pytestmark = pytest.mark.nightly

BOUND = 8.0
"""Between growth in proportion (4) and with the square (16)."""
LENGTH = 24_000
"""Bytes: enough that reading the rest of a study beside it does not hide how it grows."""
LONGER = 4
"""A growth beyond the bound is measured again on files so much longer, where noise matters less."""
Grown = Callable[[int], bytes]
"""A file of about so many bytes."""


def uploaded(data: bytes, folder: Path) -> Report:
    """Images of a zip that join those of a study."""
    problems = Problems("i.zip")
    with suppress(Refused):
        ready_images(data, problems, image_ids=IMAGES, aside=folder)
    return problems.report()


TEXTS: dict[str, tuple[Feed, bytes]] = {
    **{name: (reader.feed, reader.whole[0]) for name, reader in READERS.items()},
    "settings": (lambda data, _: parse_settings(data, file="s.toml")[1], b'measure = "P(iou)@10"\n'),
    "uploaded images": (uploaded, READERS["images"].whole[0]),
}
"""A reader and a small file of it, which is grown by the patterns below."""
SIGNS = tuple(bytes([sign]) for sign in b'\n \t,;|1"[')
PIECES = (*SIGNS, b"#\n", b'\\"', b"&a;", b"<a>", b'{"a":', b"a=1\n")


def patterns(whole: bytes) -> Iterator[tuple[str, Grown]]:
    """Ways to grow a small file: a piece again and again at its end, in its last line, before it; rows."""
    body = whole.rstrip(b"\n")
    *_, last = body.split(b"\n")
    for piece in PIECES:
        yield f"ends in {piece!r}", lambda n, p=piece: whole + p * (n // len(p))
        yield f"begins with {piece!r}", lambda n, p=piece: p * (n // len(p)) + whole
        yield f"last line contains {piece!r}", lambda n, p=piece: body + p * (n // len(p)) + b"!\n"
    rows = len(last) + 5
    yield "equal rows", lambda n: whole + (last + b"\n") * (n // rows)
    yield "different ends", lambda n: whole + b"".join(b"%b%d\n" % (last, i) for i in range(n // rows))
    yield "different beginnings", lambda n: whole + b"".join(b"k%d%b\n" % (i, last) for i in range(n // rows))


def entries(content: bytes) -> Grown:
    return lambda n: zipped(**{f"{i}.png": content for i in range(n // 100)})


MRREL_ROW = f"{A}|A1|AUI|PAR|{B}|A2|AUI|isa|R1||M|M|||N||\n".encode()


def many_arrays(n: int) -> bytes:
    return saved(np.savez, **{f"a{i}": np.ones(2) for i in range(n // 100)})


def many_systems(n: int) -> bytes:
    return b"".join(b'[systems.k%d]\nrun = "x"\n' % i for i in range(n // 25))


SHAPED: tuple[tuple[str, str, Grown, int], ...] = (
    ("images", "broken pictures", entries(b"broken"), 20_000),
    ("uploaded images", "broken pictures", entries(b"broken"), 6_000),
    ("zip", "many files", entries(b"x"), 10_000),
    ("npz", "many arrays", many_arrays, 10_000),
    ("packed MRREL", "equal rows", lambda n: gzip.compress(MRREL_ROW * (n // 42), 1, mtime=0), 60_000),
    ("JSON run", "escaped quotes", lambda n: b'{"a": {"' + b'\\"' * (n // 2), 20_000),
    ("GraphML", "nested", lambda n: b"<graphml>" + b"<graph>" * (n // 7), 10_000),
    ("study.toml", "systems", many_systems, 50_000),
)
"""(reader, what its file holds, the file, its smallest length): where the form of the whole matters."""


@pytest.fixture(scope="module", autouse=True)
def _what_earlier_tests_left_is_not_looked_at() -> None:
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _nothing_is_collected() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def seconds(read: Feed, data: bytes) -> float:
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        with suppress(InputError):
            read(data, Path(folder))
        return time.process_time() - start


def growth(read: Feed, grow: Grown, length: int, tries: int = 1) -> float:
    """How many times as long a file takes that is four times as long, by way of twice; the best of tries."""
    small, middle, large = (
        min(seconds(read, data) for _ in range(tries)) for data in (grow(n * length) for n in (1, 2, 4))
    )
    return min(large / small, (large / middle) ** 2) if small and middle else 0.0


def grows_too_fast(read: Feed, grow: Grown, length: int) -> float | None:
    """The growth when it exceeds the bound at this length, at it again, and at longer files; else None."""
    for length_now, tries in ((length, 1), (length, 3), (LONGER * length, 1), (LONGER * length, 2)):
        result = growth(read, grow, length_now, tries)
        if result < BOUND:
            return None
    return result


@pytest.mark.parametrize("name", TEXTS)
def test_repeated_pieces_take_time_in_proportion(name: str) -> None:
    read, whole = TEXTS[name]
    seconds(read, whole)  # what is loaded or compiled at the first call
    slow = {what: result for what, grow in patterns(whole) if (result := grows_too_fast(read, grow, LENGTH))}
    assert slow == {}


@pytest.mark.parametrize(("name", "what", "grow", "length"), SHAPED, ids=[f"{n}: {w}" for n, w, *_ in SHAPED])
def test_worst_cases_take_time_in_proportion(name, what, grow, length):
    read = TEXTS[name][0]
    seconds(read, grow(length))
    assert grows_too_fast(read, grow, length) is None
