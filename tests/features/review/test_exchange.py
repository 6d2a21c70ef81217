"""Judgments in files: exact there and back, and a broken file is refused whole, with all that is wrong."""

from __future__ import annotations

import gzip
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.features.review import exchange, store
from evalcore.features.review.exchange import parse_csv, parse_json
from evalcore.features.review.records import (
    MAX_COMMENT,
    MAX_READER,
    Judgment,
    is_line,
    record_of,
    sort_by_time,
    tidy,
    validate,
)
from evalcore.features.review.store import study_id
from evalcore.study.tables.writers import opened, sealed
from evalcore.values.errors import InputError
from tests.features.review.made import EVERY_KIND, judgment

HEADER = "id,task,reader,kind,query,result,systems,status,value,reasons,comment,at\n"
GOOD = "1,t,R1,graded,q,x,,value,0.5,,,2026-05-01T09:30:00+00:00\n"


def csv_of(judgments):
    return "".join(exchange.csv_of(judgments)).encode()


def json_of(judgments):
    return "".join(exchange.json_of(judgments)).encode()


def import_judgments(study, data, *, file):
    path = study / file
    path.write_bytes(data)
    return exchange.import_judgments(study, path)


_line = st.text(st.one_of(st.sampled_from("=+-@'\"＝, ;\t"), st.characters(codec="utf-8")), max_size=12).map(
    lambda text: "".join(c for c in text if c.isprintable()).strip()
)
_some = _line.filter(bool)


@st.composite
def judgments(draw):
    """Of every kind and answer, with any texts, values and times."""
    like = draw(st.sampled_from(EVERY_KIND))
    value = draw(st.floats(-1 if like.kind == "preference" else 0, 1))
    return replace(
        like,
        **{name: draw(_some) for name in ("id", "reader", "query", "result", "criterion")},
        task=draw(_some),
        systems=tuple(draw(st.lists(_some, min_size=(n := len(like.systems)), max_size=n, unique=True))),
        value=value if like.status == "value" else None,
        reasons=tuple(draw(st.lists(_some, max_size=3, unique=True))),
        comment=draw(st.lists(_line, max_size=4).map("\n".join).map(str.strip)),
        at=draw(st.datetimes(datetime(1971, 1, 1), datetime(2999, 1, 1), timezones=st.just(UTC))),
    )


@given(st.lists(judgments(), max_size=3))
def test_a_file_gives_back_what_was_written(some):
    for write, read in ((csv_of, parse_csv), (json_of, parse_json)):
        records, report = read(write(some), file="f")
        assert [judgment for _, judgment in records] == some and not report.problems


@given(st.text(st.sampled_from("='+-@1a \t＝"), max_size=6))
def test_a_sealed_text_opens_to_itself_and_begins_no_formula(text):
    assert opened(sealed(text)) == text
    cell = sealed(text).lstrip("\ufeff\u200b ")
    assert not cell.startswith(("=", "@", "＝")) and not cell.startswith("\t")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("name", "write"), [("j.csv", csv_of), ("j.json", json_of)])
def test_what_is_there_already_is_counted_and_skipped(mine, name, write, packed):
    data = gzip.compress(write(EVERY_KIND)) if packed else write(EVERY_KIND)
    name += ".gz" if packed else ""
    store.add(study_id(mine), EVERY_KIND[-1], keep_times=True)  # later than others of its result
    new, known, _ = import_judgments(mine, data, file=name)
    assert (len(new), known) == (len(EVERY_KIND) - 1, 1)
    assert store.history(study_id(mine)) == sort_by_time(EVERY_KIND)
    new, known, _ = import_judgments(mine, data, file=name)
    assert (new, known) == ((), len(EVERY_KIND))


def row(**more):
    """A line of the table with one thing changed."""
    cells = dict(zip(HEADER.strip().split(","), GOOD.strip().split(","), strict=True)) | more
    return ",".join(cells.values()) + "\n"


DOCUMENT = json_of([judgment()]).decode()
BROKEN = [
    ("{", (1, "bad-json", "not JSON")),
    ("[]", (None, "bad-json", "no list named “judgments”")),
    ("[" * 9999, (None, "bad-json", "nested too deeply")),
    ('{"judgments": [1]}', (2, "wrong-value", "must be an object")),
    (DOCUMENT.replace("0.5", "NaN"), (2, "wrong-value", "`value` must be a number")),
    (DOCUMENT.replace('"id"', '"idd"'), (2, "missing-key", "`id` is missing")),
    (HEADER + row(value="nan"), (2, "wrong-value", "`value` must be a number")),
    (HEADER + row(at="yesterday"), (2, "wrong-value", "`at` must be a time in UTC")),
    (HEADER + row(systems="hog"), (2, "wrong-value", "`systems` must be a list of")),
    (HEADER + row(reasons="[" * 9999), (2, "wrong-value", "`reasons` must be a list of")),
    (HEADER + row(reasons=f'"{21 * "x,"}"'), (2, "wrong-value", "`reasons` must be a list of")),
    (HEADER + GOOD + row(value="0.75"), (3, "duplicate-id", "'1' is on line 2 with other content")),
    (
        HEADER + GOOD + row(id="2", value="7") + row(id="3", kind="x", reader=""),
        *((line, "wrong-value", "") for line in (3, 4, 4)),
    ),
]


@pytest.mark.parametrize(("text", "wanted"), [(text, wanted) for text, *wanted in BROKEN])
def test_a_broken_file_is_refused_by_line_and_as_a_whole(mine, text, wanted):
    file = "j.json" if text[:1] in ("{", "[") else "j.csv"
    with pytest.raises(
        InputError, match=rf"has {len(wanted)} errors?, so nothing of it was stored"
    ) as caught:
        import_judgments(mine, text.encode(), file=file)
    for error, (line, rule, part) in zip(caught.value.report.of_severity("error"), wanted, strict=True):
        assert (error.file, error.line, error.rule) == (file, line, rule)
        assert part in error.message and error.remedy
    assert store.history(study_id(mine)) == ()


def test_what_was_judged_cannot_be_changed_by_a_file(mine):
    store.add(study_id(mine), judgment("1", value=0.25))
    with pytest.raises(InputError) as caught:
        import_judgments(mine, csv_of([judgment("2", 1), judgment("1", value=1.0)]), file="j.csv")
    [error] = caught.value.report.problems
    assert (error.line, error.rule) == (3, "changed-judgment")
    assert store.history(study_id(mine)) == (judgment("1", value=0.25),)


# The rules of values: what is typed is made fit to keep, and what is not fit is refused by name.


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
        ({"task": ""}, "task"),
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
