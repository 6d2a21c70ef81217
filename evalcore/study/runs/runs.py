"""Runs: what a system returned for each query. Read the file, bind it to the images, rank it."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.ranking.order import offsets_of, ranked_order
from evalcore.study.custom_formats import custom_format
from evalcore.study.runs.run_tables import (
    ROW_BYTES,
    RowsSoFar,
    RunRows,
    form_of,
    no_rows,
    read_carefully,
    read_fast,
    report_bad_score,
)
from evalcore.study.tables.ids import positions, report_unknown
from evalcore.study.tables.limits import fits, max_bytes, report_too_large
from evalcore.study.tables.lines import decode, read_bytes, report_open_end, unpack
from evalcore.study.tables.problems import Problems, is_whole, reader, shown
from evalcore.values.arrays import Bools, Ints, Offsets
from evalcore.values.errors import Report
from evalcore.values.model import Run
from evalcore.values.settings import Unknown

# What can be odd about whole answer lists: order, ranks, duplicates, ties, depth. Each with its count.


def report_order(rows: RunRows, problems: Problems) -> None:
    """Rows in file order: scores that rise within an answer, and queries that come in pieces."""
    same = rows.queries[1:] == rows.queries[:-1]
    rising = np.flatnonzero(same & (rows.scores[1:] > rows.scores[:-1])) + 1
    pieces = int(np.count_nonzero(~same)) + 1 - len(np.unique(rows.queries))
    message = "{n} rows score higher than the row above them; the lists were sorted by score."
    remedy = "Higher scores must mean better results."
    problems.counted("unsorted", len(rising), message, remedy, lines=rows.lines[rising[:1]].tolist())
    message = "{n} answers continue after rows of other queries; their rows were joined."
    problems.counted("scattered-query", pieces, message, "")


def report_duplicates(rows: RunRows, problems: Problems) -> Bools:
    """Mark the rows to keep of ranked rows: of a candidate listed twice for a query the better one."""
    pair = rows.queries.astype(np.int64) * len(rows.candidate_ids) + rows.candidates
    keep = np.ones(len(pair), np.bool_)
    ordered = np.sort(pair)
    if not (ordered[1:] == ordered[:-1]).any():
        return keep
    keep[:] = False
    keep[np.unique(pair, return_index=True)[1]] = True
    bad = np.flatnonzero(~keep)
    bad = bad[np.argsort(rows.lines[bad], kind="stable")]
    problems.each(
        "error",
        "duplicate-candidate",
        "The result {value} is listed already; the better scored one is kept.",
        "Keep one row per query and candidate.",
        lines=rows.lines[bad].tolist(),
        values=[
            f"{rows.candidate_ids[c]} of query {rows.query_ids[q]}"
            for q, c in zip(rows.queries[bad].tolist(), rows.candidates[bad].tolist(), strict=True)
        ],
    )
    return keep


def report_ranks(rows: RunRows, indptr: Offsets, problems: Problems) -> None:
    """Ranks of ranked lists: missing or with gaps, or saying something else than the scores."""
    if rows.ranks is None:
        return
    given = ~np.isnan(rows.ranks)
    ranks = np.where(given, rows.ranks, np.inf)
    starts = indptr[:-1]
    low, high = (
        np.minimum.reduceat(ranks, starts),
        np.maximum.reduceat(np.where(given, ranks, -np.inf), starts),
    )
    sizes = np.diff(indptr)
    gaps = int((np.where(np.isfinite(high), high - np.minimum(low, 1) + 1, sizes) - sizes).clip(min=0).sum())
    gaps += int(np.count_nonzero(~given))
    message = "{n} ranks are missing; the lists were ranked by score."
    problems.counted("missing-rank", gaps, message, "Check that no results were lost.")
    same = np.ones(len(ranks) - 1, np.bool_)
    same[starts[1:] - 1] = False
    better = same & (rows.scores[:-1] > rows.scores[1:])
    against = int(np.count_nonzero(better & (ranks[:-1] > ranks[1:])))
    turned = against > 0.5 * np.count_nonzero(better)
    message = "{n} results have a better score but a worse rank than the next; the scores decide."
    remedy = "They look like distances: change their sign, so that higher is better." if turned else ""
    problems.counted("ranks-disagree", against, message, remedy)


def report_ties(rows: RunRows, indptr: Offsets, problems: Problems) -> None:
    """Results of ranked lists that share their score with another result of the same query."""
    equal = rows.scores[1:] == rows.scores[:-1]
    equal[indptr[1:-1] - 1] = False
    tied = int(np.count_nonzero(np.append(equal, False) | np.append(False, equal)))
    message = f"{{n}} of {rows.rows:,} results are tied; ties are listed by image id."
    remedy = "Optional: set “Equal scores” to “Averaged over all orders”."
    problems.counted("ties", tied, message, remedy)


def report_depth(rows: RunRows, indptr: Offsets, problems: Problems) -> None:
    """Answer lists of different lengths."""
    sizes = np.diff(indptr)
    if sizes.min() == sizes.max():
        return
    shortest = rows.query_ids[rows.queries[indptr[int(np.argmin(sizes))]]]
    message = f"Answers contain {sizes.min():,} to {sizes.max():,} results."
    fewer = int(np.count_nonzero(sizes < sizes.max()))
    remedy = "Ranks beyond an answer's end count as 0."
    problems.warning("unequal-depth", message, remedy, value=shortest, count=fewer)


# Runs as JSON: ``{query: {candidate: score}}``.

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NODE_BYTES = 150
"""What an entry of an object or a list takes in memory while the file is read."""
_FORM = "Write {query: {candidate: score}}."


def read_json(text: str, problems: Problems) -> RunRows:
    """The readable entries of ``{query: {candidate: score}}``; everything else is reported."""
    if not fits(problems, sum(map(text.count, ",[{")), _NODE_BYTES):
        return no_rows(problems.file)
    rows = RowsSoFar()
    try:
        # whole numbers as float64 too: one of 5,000 digits is infinite, not an error of the whole file
        top = json.loads(text, object_pairs_hook=_Pairs, parse_int=float)
    except RecursionError:
        problems.error("bad-json", "The file is not a run: it is nested too deeply.", _FORM)
        top = _Pairs()
    except ValueError as reason:
        line = getattr(reason, "lineno", None)
        problems.error("bad-json", f"The file is not JSON: {reason}.", _FORM, line=line)
        top = _Pairs()
    line_at = _line_finder(text)
    for query, answer in top if isinstance(top, _Pairs) else [("", top)]:
        at = line_at(query)
        if not isinstance(answer, _Pairs):
            message = (
                f"The value of {shown(query)!r} is not an object of candidates and scores; it is left out."
            )
            problems.error("wrong-structure", message, _FORM, line=at, value=query)
            continue
        for candidate, score in answer:
            at = line_at(candidate)
            if not (is_whole(query) and is_whole(candidate)):
                message = (
                    "The id contains half of a character (such as \\ud800) or a byte that is not UTF-8; "
                    "it is left out."
                )
                odd = query if is_whole(candidate) else candidate
                problems.error("undecodable", message, "Write the id in full.", line=at, value=odd)
            elif not isinstance(score, float):
                report_bad_score(problems, at, _in_words(score))
            else:
                rows.add(query.strip(), candidate.strip(), score, math.nan, at)
    return rows.coded("json", problems.file, ranked=False)


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


_HEAD = 20_000


@reader(no_rows)
def parse_run(data: bytes, *, file: str) -> tuple[RunRows, Report]:
    """Read a run: TREC six columns, CSV ``query,candidate,score[,rank]`` or JSON; gzipped or not.

    The form is recognised from the content. Returns the readable rows in file order (none when
    nothing is readable) and every problem of single rows: wrong columns, scores and ranks that are no
    finite number (as C's ``strtod`` reads them), undecodable bytes. What concerns whole lists is reported
    by ``bind_run``.
    """
    problems = Problems(file)
    plain = unpack(data, problems)
    if plain is None or not fits(problems, plain.count(b"\n"), ROW_BYTES):
        return no_rows(file), problems.report()
    plain = plain.removeprefix(b"\xef\xbb\xbf")
    form = form_of(plain[:_HEAD].decode("utf-8", "replace"))
    rows = read_fast(plain, form, file=file) if form else None
    if rows is None:
        text = decode(plain, problems)
        if text is None:
            return no_rows(file), problems.report()
        rows = _read_text(text, problems)
    return _finite(rows, problems), problems.report()


@reader(lambda _: None)
def bind_run(
    rows: RunRows,
    *,
    system: str,
    image_ids: Sequence[str],
    unknown: Unknown = "error",
    queries: Ints | None = None,
) -> tuple[Run | None, Report]:
    """Rank a run over the images of a study.

    Parameters
    ----------
    rows : as ``parse_run`` gives them.
    system : name of the system.
    image_ids : sorted ids of the study's images.
    unknown : what to do with ids that are not among them (see ``open_study``).
    queries : image indices that should be answered; all by default.

    Returns
    -------
    run, report : None when no row but self-hits is left. Self-hits stay in the run and are counted; what is
        reported on order, ranks, ties and depth is about the other rows. Of duplicates the better scored one
        stays; rows are ranked by ``ranking.order``, whatever order or ranks the file has, equal scores by
        id, whether the study knows it or not.
    """
    problems = Problems(rows.file)
    if not rows.rows:
        return None, problems.report()
    query = positions(rows.query_ids, image_ids)[rows.queries]
    candidate = positions(rows.candidate_ids, image_ids)[rows.candidates]
    _report_unknown_ids(rows, query, candidate, problems, image_ids, unknown)
    keep = (query >= 0) & ((candidate >= 0) | (unknown == "zero"))
    self_hits = keep & (query == candidate)
    _report_self_hits(rows, self_hits, problems)
    others = rows.at(keep & ~self_hits)
    if not others.rows:
        problems.error("no-rows", "No row of this run can be used.", "See the other problems of this file.")
        return None, problems.report()
    report_order(others, problems)
    rows, query, candidate = rows.at(keep), query[keep], candidate[keep]
    order = ranked_order(query, rows.scores, _places(rows, candidate))
    rows, query, candidate = rows.at(order), query[order], candidate[order]
    once = _once(rows, query == candidate, problems)
    rows, query, candidate = rows.at(once), query[once], candidate[once]
    others = rows.at(query != candidate)
    answered, indptr = offsets_of(query[query != candidate])
    report_ranks(others, indptr, problems)
    report_ties(others, indptr, problems)
    report_depth(others, indptr, problems)
    _report_unanswered(problems, answered, image_ids, queries)
    return Run.from_arrays(system, *offsets_of(query), candidate, rows.scores), problems.report()


def _read_text(text: str, problems: Problems) -> RunRows:
    """A run that is not a clean table: JSON, or a table with faulty rows."""
    if text.lstrip().startswith(("{", "[")):
        return read_json(text, problems)
    form = form_of(text[:_HEAD])
    if form is not None:
        return read_carefully(text, form, problems)
    remedy = "Give TREC rows (query Q0 candidate rank score name), CSV rows query,candidate,score, or JSON."
    problems.error("unknown-format", "The file is not a run in a known form.", remedy, line=1)
    return no_rows(problems.file)


def _finite(rows: RunRows, problems: Problems) -> RunRows:
    """Without the rows whose score is NaN or infinite, each reported."""
    finite = np.isfinite(rows.scores)
    if finite.all():
        return rows
    bad = np.flatnonzero(~finite)
    problems.each(
        "error",
        "nan-score",
        "The score is {value}, which cannot be ranked; the row is left out.",
        "Write a finite number, higher for better.",
        lines=rows.lines[bad].tolist(),
        values=rows.scores[bad].tolist(),
    )
    return rows.at(finite)


def _places(rows: RunRows, candidate: Ints) -> Ints:
    """Numbers of the candidates in the order of their ids: image indices, unless some are unknown (-1)."""
    if (candidate >= 0).all():
        return candidate
    ids = rows.candidate_ids
    places = np.empty(len(ids), np.int32)
    places[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids), dtype=np.int32)
    return places[rows.candidates]


def _once(rows: RunRows, itself: Bools, problems: Problems) -> Bools:
    """Of ranked rows those to keep: the best of each candidate. Repeated self-hits are no problem."""
    keep = np.ones(rows.rows, np.bool_)
    for those, where in ((~itself, problems), (itself, Problems(rows.file))):
        keep[those] = report_duplicates(rows.at(those), where)
    return keep


def _report_unknown_ids(
    rows: RunRows,
    query: Ints,
    candidate: Ints,
    problems: Problems,
    image_ids: Sequence[str],
    unknown: Unknown,
) -> None:
    first: dict[str, int] = {}
    for ids, codes, index in (
        (rows.query_ids, rows.queries, query),
        (rows.candidate_ids, rows.candidates, candidate),
    ):
        missing = np.flatnonzero(index < 0)
        distinct, at = np.unique(codes[missing], return_index=True)
        for code, line in zip(distinct.tolist(), rows.lines[missing[at]].tolist(), strict=True):
            first[ids[code]] = min(line, first.get(ids[code], line))
    ordered = sorted(first, key=first.__getitem__)
    report_unknown(problems, ordered, [first[image] for image in ordered], image_ids, unknown=unknown)


def _report_self_hits(rows: RunRows, self_hits: Bools, problems: Problems) -> None:
    n = int(np.count_nonzero(self_hits))
    if n:
        first = int(np.argmax(self_hits))
        message = f"{n:,} {'result is' if n == 1 else 'results are'} the query itself."
        remedy = (
            f"{'It does' if n == 1 else 'They do'} not count unless a query may be among its own candidates "
            "(--set include_self)."
        )
        query = rows.query_ids[rows.queries[first]]
        problems.warning("self-hit", message, remedy, line=int(rows.lines[first]), value=query, count=n)


def _report_unanswered(
    problems: Problems, answered: Ints, image_ids: Sequence[str], queries: Ints | None
) -> None:
    wanted = np.arange(len(image_ids)) if queries is None else queries
    missing = [image_ids[i] for i in np.setdiff1d(wanted, answered).tolist()]
    message = f"{{n}} of {len(wanted):,} queries have no answer in this run."
    remedy = "They count as empty lists. To avoid this, set “Queries counted” to “Common”."
    problems.counted("missing-query", missing, message, remedy)


# A run that is no part of a study: a file from anywhere, or standard input.

STDIN = "-"


def read_given_run(
    place: str, *, system: str, image_ids: Sequence[str], unknown: Unknown, queries: Ints
) -> tuple[Run | None, Report]:
    """The run in a file, or on standard input ("-"), over the images of a study; None when there is none.

    Read and checked as a run in a study's folder (see `parse_run` and `bind_run`).
    """
    problems = Problems("standard input" if place == STDIN else place)
    data = _from_stdin(problems) if place == STDIN else read_bytes(Path(place), problems)
    if data is None:
        return None, problems.report()
    custom = custom_format("run", place)
    rows, parsing = (parse_run if custom is None else custom.parse)(data, file=problems.file)
    if custom is None and rows.rows and rows.format in ("csv", "trec") and not data.startswith(b"\x1f\x8b"):
        report_open_end(problems, data)
    run, binding = bind_run(rows, system=system, image_ids=image_ids, unknown=unknown, queries=queries)
    if not data.strip():
        problems.error("empty-file", "There is nothing in it.", "Give the rows of a run.")
    return run, problems.report() + parsing + binding


def _from_stdin(problems: Problems) -> bytes | None:
    data = sys.stdin.buffer.read(max_bytes() + 1)
    if len(data) <= max_bytes():
        return data
    report_too_large(problems)
    return None
