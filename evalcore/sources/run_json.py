"""Runs as JSON: ``{query: {candidate: score}}``."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from evalcore.sources.problems import Problems, shown
from evalcore.sources.run_rows import RowsSoFar, RunRows, report_bad_score


def read_json(text: str, found: Problems) -> RunRows:
    """The readable entries of ``{query: {candidate: score}}``; everything else is reported."""
    rows = RowsSoFar()
    try:
        top = json.loads(text, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as reason:
        line = getattr(reason, "lineno", None)
        found.error(
            "bad-json", f"The file is not JSON: {reason}.", "Write {query: {candidate: score}}.", line=line
        )
        top = _Pairs()
    line_at = _line_finder(text)
    for query, answer in top if isinstance(top, _Pairs) else [("", top)]:
        at = line_at(query)
        if not isinstance(answer, _Pairs):
            message = (
                f"The value of {shown(query)!r} is not an object of candidates and scores; it is left out."
            )
            found.error(
                "wrong-structure", message, "Write {query: {candidate: score}}.", line=at, value=query
            )
            continue
        for candidate, score in answer:
            at = line_at(candidate)
            if isinstance(score, bool) or not isinstance(score, int | float) or abs(score) > 1e300:
                report_bad_score(found, at, str(score))
            else:
                rows.add(query.strip(), candidate.strip(), float(score), math.nan, at)
    return rows.coded("json", found.file, ranked=False)


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with repeated keys kept, unlike a dict."""


def _line_finder(text: str) -> Callable[[str], int]:
    """A function that gives the line of the next occurrence of a JSON text, searching forward only."""
    at, line = 0, 1

    def line_at(key: str) -> int:
        nonlocal at, line
        hit = text.find(json.dumps(key, ensure_ascii=False), at)
        if hit >= 0:
            line += text.count("\n", at, hit)
            at = hit
        return line

    return line_at
