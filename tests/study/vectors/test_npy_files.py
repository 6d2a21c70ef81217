"""Arrays of hurt files: what is wrong is said, and nothing is taken that is not there."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from evalcore.study.vectors.files import parse_embeddings

IDS = np.array(["a", "b"])


def npy(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def headed(**header: object) -> bytes:
    """A .npy file that says of itself what it likes, without any content."""
    text = repr({"descr": "<f4", "fortran_order": False, "shape": (2, 2)} | header).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def npz(vectors: bytes, ids: bytes | None = None, *, compression: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        archive.writestr("ids.npy", npy(IDS) if ids is None else ids)
        archive.writestr("vectors.npy", vectors)
    return out.getvalue()


def with_lzma_hurt() -> bytes:
    data = bytearray(npz(npy(np.ones((2, 50), np.float32)), compression=zipfile.ZIP_LZMA))
    at = data.index(b"vectors.npy") + len(b"vectors.npy") + 12
    data[at : at + 20] = b"\xff" * 20
    return bytes(data)


def with_a_name_that_is_not_utf8() -> bytes:
    data = bytearray(npz(npy(np.ones((2, 2)))))
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(mark)
        data[at + flags + 1] |= 8  # "this name is UTF-8"
    return bytes(data).replace(b"ids.npy", b"id\xff.npy")


@pytest.mark.parametrize(
    ("data", "rule", "words"),
    [
        (with_lzma_hurt(), "unreadable-container", "is damaged: Corrupt input data"),
        (with_a_name_that_is_not_utf8(), "unreadable-container", "The .npz file is damaged: 'utf-8' codec"),
        (npz(b"\x93NUMPY"), "unreadable-container", "magic"),
        (npz(b""), "unreadable-container", "magic"),
        (npz(headed(descr="<U0")), "unreadable-container", "The array is damaged: "),
        (npz(headed(descr="|S0")), "unreadable-container", "The array is damaged: "),
        (npz(headed(descr="|V0", shape=(10**12,))), "unreadable-container", "The array is damaged: "),
        (npz(headed(shape=(1,) * 70)), "unreadable-container", "shorter than its header claims"),
        (npz(headed(shape=(2, -2))), "unreadable-container", "shorter than its header claims"),
        (npz(headed(shape=(1e400,))), "unreadable-container", "The array is damaged: "),
        (npz(headed().replace(b"}", b" ")), "unreadable-container", "The array is damaged: "),
        (npz(headed(shape=5)), "unreadable-container", "The array is damaged: "),
        (npz(headed(descr=[("a", "<f4")] * 2)), "unreadable-container", "The array is damaged: "),
        (npz(headed(shape=(2, 3))), "unreadable-container", "shorter than its header claims"),
        (npz(headed(shape=(10**9, 10**9))), "unreadable-container", "shorter than its header claims"),
        (npz(headed(shape=(10**12, 0))), "wrong-count", "There are 2 ids for 1,000,000,000,000 vectors."),
        (npz(npy(np.ones((2, 2), complex))), "wrong-shape", "of complex128"),
        (npz(npy(np.ones((2, 2), bool))), "wrong-shape", "of bool"),
        (
            npz(npy(np.ones((2, 2))), npy(np.array(["2020-01-01", "2020-01-02"], "M8[D]"))),
            "wrong-type",
            "The ids are datetime64[D], not texts.",
        ),
        (npz(npy(np.ones((2, 2))), npy(np.ones(2, complex))), "wrong-type", "The ids are complex128"),
        (
            npz(npy(np.ones((2, 2))), npy(np.array([0x110000, 97], "<u4").view("<U1"))),
            "undecodable",
            "The ids are damaged: not all of them are text.",
        ),
    ],
)
def test_what_is_wrong_is_said(data: bytes, rule: str, words: str) -> None:
    rows, report = parse_embeddings(data, file="systems/a/embeddings.npz")
    assert rows is None
    assert [(p.severity, p.rule, p.file) for p in report.problems] == [
        ("error", rule, "systems/a/embeddings.npz")
    ]
    assert words in report.problems[0].message
    assert report.problems[0].remedy
