"""Neighbours are found once and kept by content; what is kept is never trusted blindly."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.graph import build_graph, neighbours
from evalcore.study.graphs import neighbours as neighbour_store
from evalcore.study.graphs.neighbours import stored_neighbours
from evalcore.study.workspace.home import home
from tests.toy import TOY_EDGES

WORDS = ("aorta", "artery", "brain", "nowhere", "vein", "vessel")


@pytest.fixture
def graph():
    return build_graph(*zip(*TOY_EDGES, strict=True))[0]


def files():
    return sorted((home() / "cache" / "neighbours").rglob("*.npz"))


def ask(graph, threshold=2, direction="undirected", words=WORDS):
    return stored_neighbours(graph, words, threshold=threshold, direction=direction)


def test_found_once_then_read(graph, monkeypatch):
    expected = neighbours(graph, WORDS, threshold=2)
    assert ask(graph).digest == expected.digest
    monkeypatch.setattr(neighbour_store, "neighbours", None)
    again = ask(graph)
    assert again.digest == expected.digest and again.vocabulary == WORDS
    assert np.array_equal(again.indices, expected.indices) and not again.indices.flags.writeable


def test_where_nothing_can_be_written_nothing_is_kept(graph, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "file"))
    assert ask(graph).digest == neighbours(graph, WORDS, threshold=2).digest


def test_whatever_a_file_of_the_cache_holds_the_answer_is_right(graph):
    """Bytes changed, cut and put in: 200 files, each computed anew where it was hurt."""
    expected = ask(graph).digest
    (path,) = files()
    whole, random = path.read_bytes(), np.random.default_rng(7)
    for _ in range(200):
        hurt = bytearray(whole)
        for _ in range(random.integers(1, 6)):
            at = int(random.integers(len(hurt)))
            way = random.integers(3)
            if way == 0:
                hurt[at] = int(random.integers(256))
            elif way == 1:
                del hurt[at : at + int(random.integers(1, 40))]
            else:
                hurt[at:at] = random.bytes(int(random.integers(1, 40)))
        path.write_bytes(bytes(hurt))
        assert ask(graph).digest == expected
