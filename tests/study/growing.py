"""Files that grow: for every reader, inputs of any length that are the worst for some way of reading."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from evalcore.features.imageclef.editions import Task, edition_of
from evalcore.features.imageclef.scoring import read_values
from evalcore.features.imageclef.submissions import read_submission, read_truth
from evalcore.features.synthetic.files import parse_pairs
from evalcore.study.folder.settings_toml import parse_settings
from evalcore.study.names import parse_kinds
from evalcore.study.workspace.uploads import ready_images
from tests.study.hurt import IMAGES, READERS, A, B, parquet, saved, zipped

Read = Callable[[bytes, Path], object]
Grown = Callable[[int], bytes]
"""A file of about so many bytes."""


def _submission(task: Task) -> Read:
    """The reader of a run of 2025."""
    rules = edition_of(task, "2025")
    truth = read_truth("".join(f"{image},x\n" for image in IMAGES).encode(), file="t.csv", edition=rules)
    return lambda data, _: read_submission(data, name="r.csv", truth=truth, edition=rules)


TEXTS: dict[str, tuple[Read, bytes]] = {
    **{name: (reader.feed, reader.whole[0]) for name, reader in READERS.items()},
    "kinds": (lambda data, _: parse_kinds(data, file="kinds.csv"), f"cui,kind\n{A},modality\n".encode()),
    "MRSTY": (lambda data, _: parse_kinds(data, file="M.RRF"), f"{A}|T060|B1|Procedure|A|256|\n".encode()),
    "settings": (lambda data, _: parse_settings(data, file="s.toml"), b'measure = "P(iou)@10"\n'),
    "pairs": (lambda data, _: parse_pairs(data, file="r.csv"), b"first,second,better\na,b,a\n"),
    "given metrics": (lambda data, _: read_values(data, "g.csv", IMAGES), b"ID,ROUGE\na,1\n"),
    "uploaded images": (
        lambda data, folder: ready_images("i.zip", data, image_ids=IMAGES, aside=folder),
        READERS["images"].whole[0],
    ),
    "ImageCLEF concepts": (_submission("concepts"), f"ID,CUIs\na,{A};{B}\n".encode()),
    "ImageCLEF captions": (_submission("captions"), b"ID,Caption\na,one\n"),
}
"""A reader and a small file of it, which is grown by the patterns below."""
_PIECES = (
    b"\n",
    b" ",
    b"\t",
    b",",
    b";",
    b"|",
    b"1",
    b"#\n",
    b'"',
    b'\\"',
    b"&a;",
    b"<a>",
    b"[",
    b'{"a":',
    b"a=1\n",
    b"\xff",
)


def patterns(whole: bytes) -> Iterator[tuple[str, Grown]]:
    """Ways to grow a small file: a piece again and again at its end, in its last line, before it; rows."""
    body = whole.rstrip(b"\n")
    *_, last = body.split(b"\n")
    for piece in _PIECES:
        messages = repr(piece)[1:]
        yield f"ends in {messages}", lambda n, p=piece: whole + p * (n // len(p))
        yield f"begins with {messages}", lambda n, p=piece: p * (n // len(p)) + whole
        yield f"last line contains {messages}", lambda n, p=piece: body + p * (n // len(p)) + b"!\n"
    rows = len(last) + 5
    yield "equal rows", lambda n: whole + (last + b"\n") * (n // rows)
    yield "different ends", lambda n: whole + b"".join(b"%b%d\n" % (last, i) for i in range(n // rows))
    yield "different beginnings", lambda n: whole + b"".join(b"k%d%b\n" % (i, last) for i in range(n // rows))


def _entries(content: bytes, each: int) -> Grown:
    return lambda n: zipped(**{f"{i}.png": content for i in range(n // each)})


def _ids(n: int) -> np.ndarray:
    return np.array([f"i{i}" for i in range(n)])


def _arrays(n: int) -> bytes:
    return saved(np.savez, **{f"a{i}": np.ones(2) for i in range(n // 100)})


def _packed(row: bytes, head: bytes = b"") -> Grown:
    return lambda n: gzip.compress(head + row * (n // len(row)), 1, mtime=0)


SHAPED: tuple[tuple[str, str, Grown, int], ...] = (
    ("judgments", "empty columns", lambda n: b";" * n + b"id\n", 10_000),
    ("edges", "digits in the first cell", lambda n: b"1" * n + b"!,2\n", 10_000),
    ("concept vectors", "binary, one number each", lambda n: b"%d 1\n" % n + b"a \0\0\0\0" * n, 4_000),
    ("images", "broken pictures", _entries(b"broken", 100), 20_000),
    ("uploaded images", "broken pictures", _entries(b"broken", 100), 6_000),
    ("zip", "many files", _entries(b"x", 100), 10_000),
    ("npz", "many arrays", _arrays, 10_000),
    (
        "parquet",
        "many columns",
        lambda n: parquet({"id": ["a"], **{f"c{i}": [1.0] for i in range(n // 50)}}),
        10_000,
    ),
    (
        "shards",
        "many rows without an id",
        lambda n: parquet({"image": [{"bytes": b"1", "path": "a"}] * (n // 8)}),
        20_000,
    ),
    (
        "packed MRREL",
        "equal rows",
        _packed(f"{A}|A1|AUI|PAR|{B}|A2|AUI|isa|R1||M|M|||N||\n".encode()),
        60_000,
    ),
    ("JSON run", "escaped quotes", lambda n: b'{"a": {"' + b'\\"' * (n // 2), 20_000),
    ("GraphML", "nested", lambda n: b"<graphml>" + b"<graph>" * (n // 7), 10_000),
    ("ImageCLEF concepts", "a problem in every row", lambda n: b"ID,CUIs\n" + b"a,C1;\n" * (n // 6), 10_000),
    ("study.toml", "unknown keys", lambda n: b"".join(b"k%d = 1\n" % i for i in range(n // 10)), 20_000),
    (
        "study.toml",
        "systems",
        lambda n: b"".join(b'[systems.k%d]\nrun = "x"\n' % i for i in range(n // 25)),
        50_000,
    ),
)
"""(reader, what its file holds, the file, its smallest length): where the form of the whole matters."""
