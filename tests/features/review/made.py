"""Judgments as tests make them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from evalcore.features.review.records import Judgment

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
CONCEPTS = "ID,CUIs\na,C0000001\nb,C0000001\n"
STUDY = "0123456789abcdef0123456789abcdef"


def judgment(id="1", second=0, **more):
    """A graded one by default."""
    usual = {"task": "chest", "reader": "R1", "kind": "graded", "query": "q1", "result": "x", "value": 0.5}
    return Judgment(**{"id": id, "at": NOW + timedelta(seconds=second), **usual, **more})


EVERY_KIND = (
    judgment("a", 1, comment='=HYPERLINK("x")\nzweite Zeile, "quoted"; ü', reasons=("modality", "organ")),
    judgment("b", 2, kind="preference", result="", systems=("hog", "tex,ture"), value=-1 / 3),
    judgment("c", 3, kind="panel", result="", systems=("hog",), value=0.3, lists_digest="0a"),
    judgment("d", 4, kind="rating", criterion="faithful", value=1.0),
    judgment("e", 5, status="cannot-say", value=None, comment="too dark"),
    judgment("f", 6, task="lung", result="organ=chest", value=0.0, reader="Dr Müller"),
    judgment("g", 7, status="undone", value=None),
)
"""One of every kind and of every answer, with texts that are hard to keep."""
