"""Judgments as one JSON document: ``{"judgments": [{"id": …, "task": …, …}, …]}``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from evalcore.features.review.read.records import FIELDS, judgment_of, record_of
from evalcore.study.tables.guard import reader
from evalcore.study.tables.lines import decode_whole
from evalcore.study.tables.problems import Problems, shown

if TYPE_CHECKING:
    from evalcore.features.review.judgments import Judgment
    from evalcore.features.review.read.judgment_csv import Read
    from evalcore.values.problems import Report

MAX_SIZE = 1 << 25
"""Characters of a document; what it takes in memory may be twenty times as much."""
_WAY_OUT = 'Let it be: {"judgments": [{"id": "…", "task": "…", …}, …]}.'


def json_lines(judgments: Iterable[Judgment]) -> Iterator[str]:
    """The document, one judgment on a line."""
    yield '{"judgments": [\n'
    between = ""
    for one in judgments:
        yield between + json.dumps(record_of(one), ensure_ascii=False)
        between = ",\n"
    yield "\n]}\n"


@reader(lambda _: ())
def parse_json(data: bytes, *, file: str) -> tuple[Read, Report]:
    """Read the document. The line of a judgment is where it stands when each has its own, as written here."""
    found = Problems(file)
    text = decode_whole(data, found)
    if text is None:
        return (), found.report()
    if len(text) > MAX_SIZE:
        message = f"The file holds {len(text):,} characters; at most {MAX_SIZE:,} of JSON are read."
        found.error("too-large", message, "Export the judgments as .csv instead.")
        return (), found.report()
    try:
        top: Any = json.loads(text, parse_constant=str)
    except RecursionError:
        found.error("bad-json", "The file is nested too deeply.", _WAY_OUT)
        return (), found.report()
    except ValueError as reason:
        line = getattr(reason, "lineno", None)
        found.error("bad-json", f"The file is not JSON: {shown(reason)}.", _WAY_OUT, line=line)
        return (), found.report()
    listed = top.get("judgments") if isinstance(top, dict) else None
    if not isinstance(listed, list):
        found.error("bad-json", "The document holds no list called judgments.", _WAY_OUT, value=text[:80])
        return (), found.report()
    read = []
    for line, record in enumerate(listed, start=2):
        if not isinstance(record, dict):
            found.error("wrong-value", "A judgment must be an object.", _WAY_OUT, line=line, value=record)
            continue
        for name in record:
            if name not in FIELDS:
                message = f"Judgments have no field {name!r}; it is ignored."
                found.warning("unknown-field", message, "Remove it, or mend its name.", line=line, value=name)
        one = judgment_of({key: record[key] for key in record if key in FIELDS}, found, line=line)
        if one is not None:
            read.append((line, one))
    return tuple(read), found.report()
