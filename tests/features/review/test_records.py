"""The rules of values: what is typed is made fit to keep, and what is not fit is refused by name."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.features.review.records import (
    MAX_COMMENT,
    MAX_READER,
    Judgment,
    is_line,
    record_of,
    tidy,
    validate,
)
from tests.features.review.made import judgment


def wrong(judgment: Judgment) -> list[tuple[str, str]]:
    """Fields that cannot be, and what they must be."""
    record = record_of(judgment) | {"at": judgment.at}
    return [(each.field, each.words) for each in validate(Judgment, record)[1]]


@given(st.text(max_size=80))
def test_what_is_tidied_can_be_kept(text):
    code = tidy(text, MAX_READER)
    assert not code or is_line(code, MAX_READER)
    comment = tidy(text, MAX_COMMENT, lines=True)
    assert wrong(judgment(comment=comment)) == [] and tidy(comment, MAX_COMMENT, lines=True) == comment


@pytest.mark.parametrize(
    ("field", "longest"), [("id", 80), ("reader", 40), ("query", 400), ("comment", 2_000)]
)
def test_the_longest_text_is_kept_and_one_sign_more_is_not(field, longest):
    assert wrong(replace(judgment(), **{field: "a" * longest})) == []
    [(name, rule)] = wrong(replace(judgment(), **{field: "a" * (longest + 1)}))
    assert name == field and f"{longest:,} characters" in rule


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": "a b\n"}, "id"),
        ({"reader": " R1"}, "reader"),
        ({"reader": "R1\u2028"}, "reader"),
        ({"query": ""}, "query"),
        ({"result": "\0"}, "result"),
        ({"task": "a" * 81}, "task"),
        ({"comment": "\x00"}, "comment"),
        ({"comment": "\ud800"}, "comment"),
        ({"comment": " a"}, "comment"),
        ({"reasons": ("a", "a")}, "reasons"),
        ({"reasons": ("a\nb",)}, "reasons"),
        ({"lists_digest": "\n"}, "lists_digest"),
        ({"value": -0.1}, "value"),
        ({"value": float("nan")}, "value"),
        ({"value": None}, "value"),
        ({"status": "undone"}, "value"),
        ({"status": "cannot-say"}, "value"),
        ({"result": ""}, "result"),
        ({"kind": "rating"}, "criterion"),
        ({"kind": "panel"}, "systems"),
        ({"kind": "other"}, "kind"),
        ({"status": "other"}, "status"),
        ({"systems": ("hog",)}, "systems"),
        ({"at": datetime(2026, 5, 1)}, "at"),
        ({"at": datetime(2026, 5, 1, tzinfo=timezone(timedelta(hours=2)))}, "at"),
        ({"kind": "preference", "systems": ("a", "a")}, "systems"),
        ({"kind": "preference", "systems": ("a", "b"), "value": -1.01}, "value"),
    ],
)
def test_what_is_not_fit_is_named(change, field):
    assert [name for name, _ in wrong(replace(judgment(), **change))] == [field]
