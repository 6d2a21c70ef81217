"""Runs: what a system returned for each query. Read the file, bind it to the images, rank it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evalcore.ranking.order import offsets_of, ranked_order
from evalcore.study.runs.run_checks import (
    report_depth,
    report_duplicates,
    report_order,
    report_ranks,
    report_ties,
)
from evalcore.study.runs.run_json import read_json
from evalcore.study.runs.run_rows import ROW_BYTES, RunRows, no_rows
from evalcore.study.runs.run_tables import form_of, read_carefully, read_fast
from evalcore.study.tables.guard import reader
from evalcore.study.tables.ids import positions, report_unknown
from evalcore.study.tables.limits import fits
from evalcore.study.tables.lines import decode, unpack
from evalcore.study.tables.problems import Problems
from evalcore.values.arrays import Bools, Ints
from evalcore.values.model import Run
from evalcore.values.problems import Report
from evalcore.values.settings import Unknown

_HEAD = 20_000


@reader(no_rows)
def parse_run(data: bytes, *, file: str) -> tuple[RunRows, Report]:
    """Read a run: TREC six columns, CSV ``query,candidate,score[,rank]`` or JSON; gzipped or not.

    The form is recognised from the content. Returns the readable rows in file order (none when
    nothing is readable) and every problem of single rows: wrong columns, scores and ranks that are no
    finite number (as C's ``strtod`` reads them), undecodable bytes. What concerns whole lists is reported
    by ``bind_run``.
    """
    found = Problems(file)
    plain = unpack(data, found)
    if plain is None or not fits(found, plain.count(b"\n"), ROW_BYTES):
        return no_rows(file), found.report()
    plain = plain.removeprefix(b"\xef\xbb\xbf")
    form = form_of(plain[:_HEAD].decode("utf-8", "replace"))
    rows = read_fast(plain, form, file=file) if form else None
    if rows is None:
        text = decode(plain, found)
        if text is None:
            return no_rows(file), found.report()
        rows = _read_text(text, found)
    return _finite(rows, found), found.report()


@reader(lambda _: None)
def bind_run(
    rows: RunRows, *, system: str, image_ids: Sequence[str], unknown: Unknown = "error",
    queries: Ints | None = None,
) -> tuple[Run | None, Report]:  # fmt: skip
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
    found = Problems(rows.file)
    if not rows.rows:
        return None, found.report()
    query = positions(rows.query_ids, image_ids)[rows.queries]
    candidate = positions(rows.candidate_ids, image_ids)[rows.candidates]
    _report_unknown_ids(rows, query, candidate, found, image_ids, unknown)
    keep = (query >= 0) & ((candidate >= 0) | (unknown == "zero"))
    self_hits = keep & (query == candidate)
    _report_self_hits(rows, self_hits, found)
    others = rows.at(keep & ~self_hits)
    if not others.rows:
        found.error("no-rows", "No row of this run can be used.", "See the other problems of this file.")
        return None, found.report()
    report_order(others, found)
    rows, query, candidate = rows.at(keep), query[keep], candidate[keep]
    order = ranked_order(query, rows.scores, _places(rows, candidate))
    rows, query, candidate = rows.at(order), query[order], candidate[order]
    once = _once(rows, query == candidate, found)
    rows, query, candidate = rows.at(once), query[once], candidate[once]
    others = rows.at(query != candidate)
    answered, indptr = offsets_of(query[query != candidate])
    report_ranks(others, indptr, found)
    report_ties(others, indptr, found)
    report_depth(others, indptr, found)
    _report_unanswered(found, answered, image_ids, queries)
    return Run.from_arrays(system, *offsets_of(query), candidate, rows.scores), found.report()


def _read_text(text: str, found: Problems) -> RunRows:
    """A run that is not a clean table: JSON, or a table with faulty rows."""
    if text.lstrip().startswith(("{", "[")):
        return read_json(text, found)
    form = form_of(text[:_HEAD])
    if form is not None:
        return read_carefully(text, form, found)
    remedy = "Give TREC rows (query Q0 candidate rank score name), CSV rows query,candidate,score, or JSON."
    found.error("unknown-format", "The file is not a run in a known form.", remedy, line=1)
    return no_rows(found.file)


def _finite(rows: RunRows, found: Problems) -> RunRows:
    """Without the rows whose score is NaN or infinite, each reported."""
    finite = np.isfinite(rows.scores)
    if finite.all():
        return rows
    bad = np.flatnonzero(~finite)
    found.each(
        "error", "nan-score", "The score is {value}, which cannot be ranked; the row is left out.",
        "Write a finite number, higher for better.",
        lines=rows.lines[bad].tolist(), values=rows.scores[bad].tolist(),
    )  # fmt: skip
    return rows.at(finite)


def _places(rows: RunRows, candidate: Ints) -> Ints:
    """Numbers of the candidates in the order of their ids: image indices, unless some are unknown (-1)."""
    if (candidate >= 0).all():
        return candidate
    ids = rows.candidate_ids
    places = np.empty(len(ids), np.int32)
    places[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids), dtype=np.int32)
    return places[rows.candidates]


def _once(rows: RunRows, itself: Bools, found: Problems) -> Bools:
    """Of ranked rows those to keep: the best of each candidate. Repeated self-hits are no problem."""
    keep = np.ones(rows.rows, np.bool_)
    for those, where in ((~itself, found), (itself, Problems(rows.file))):
        keep[those] = report_duplicates(rows.at(those), where)
    return keep


def _report_unknown_ids(
    rows: RunRows, query: Ints, candidate: Ints, found: Problems, image_ids: Sequence[str], unknown: Unknown
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
    report_unknown(found, ordered, [first[image] for image in ordered], image_ids, unknown=unknown)


def _report_self_hits(rows: RunRows, self_hits: Bools, found: Problems) -> None:
    n = int(np.count_nonzero(self_hits))
    if n:
        first = int(np.argmax(self_hits))
        message = f"{n:,} {'result is' if n == 1 else 'results are'} the query itself."
        remedy = (
            f"{'It does' if n == 1 else 'They do'} not count unless a query may be among its own candidates "
            "(--include-self)."
        )
        query = rows.query_ids[rows.queries[first]]
        found.warning("self-hit", message, remedy, line=int(rows.lines[first]), value=query, count=n)


def _report_unanswered(
    found: Problems, answered: Ints, image_ids: Sequence[str], queries: Ints | None
) -> None:
    wanted = np.arange(len(image_ids)) if queries is None else queries
    missing = [image_ids[i] for i in np.setdiff1d(wanted, answered).tolist()]
    message = f"{{n}} of {len(wanted):,} queries have no answer in this run."
    remedy = "They count as empty lists, or compare over the queries all systems answer."
    found.counted("missing-query", missing, message, remedy)
