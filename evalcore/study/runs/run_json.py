"""Runs as JSON: ``{query: {candidate: score}}``."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

from evalcore.study.runs.run_rows import RowsSoFar, RunRows, no_rows, report_bad_score
from evalcore.study.tables.limits import fits
from evalcore.study.tables.problems import Problems, is_whole, shown

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NODE_BYTES = 150
"""What an entry of an object or a list takes in memory while the file is read."""
_FORM = "Write {query: {candidate: score}}."


def read_json(text: str, found: Problems) -> RunRows:
    """The readable entries of ``{query: {candidate: score}}``; everything else is reported."""
    if not fits(found, sum(map(text.count, ",[{")), _NODE_BYTES):
        return no_rows(found.file)
    rows = RowsSoFar()
    try:
        # whole numbers as float64 too: one of 5,000 digits is infinite, not an error of the whole file
        top = json.loads(text, object_pairs_hook=_Pairs, parse_int=float)
    except RecursionError:
        found.error("bad-json", "The file is not a run: it is nested too deeply.", _FORM)
        top = _Pairs()
    except ValueError as reason:
        line = getattr(reason, "lineno", None)
        found.error("bad-json", f"The file is not JSON: {reason}.", _FORM, line=line)
        top = _Pairs()
    line_at = _line_finder(text)
    for query, answer in top if isinstance(top, _Pairs) else [("", top)]:
        at = line_at(query)
        if not isinstance(answer, _Pairs):
            message = (
                f"The value of {shown(query)!r} is not an object of candidates and scores; it is left out."
            )
            found.error("wrong-structure", message, _FORM, line=at, value=query)
            continue
        for candidate, score in answer:
            at = line_at(candidate)
            if not (is_whole(query) and is_whole(candidate)):
                message = (
                    "The id holds half of a character (such as \\ud800) or a byte that is not UTF-8; "
                    "it is left out."
                )
                odd = query if is_whole(candidate) else candidate
                found.error("undecodable", message, "Write the id in full.", line=at, value=odd)
            elif not isinstance(score, float):
                report_bad_score(found, at, _in_words(score))
            else:
                rows.add(query.strip(), candidate.strip(), score, math.nan, at)
    return rows.coded("json", found.file, ranked=False)


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with repeated keys kept, unlike a dict."""

    __slots__ = ()


def _in_words(score: object) -> str:
    return ("an object" if isinstance(score, _Pairs) else "a list") if isinstance(score, list) else str(score)


def _line_finder(text: str) -> Callable[[str], int]:
    """A function that gives the line of the next occurrence of a JSON text, searching forward only.

    The keys are asked for in the order in which they stand, so all searches together walk once through
    the file; a key may be written with escapes.
    """
    strings = _STRING.finditer(text)
    at, line = 0, 1

    def line_at(key: str) -> int:
        nonlocal at, line
        for hit in strings:
            written = hit.group()
            if (json.loads(written) if "\\" in written else written[1:-1]) == key:
                line += text.count("\n", at, hit.start())
                at = hit.start()
                break
        return line

    return line_at
