"""What can be odd about whole answer lists: order, ranks, duplicates, ties, depth. Each with its count."""

from __future__ import annotations

import numpy as np

from evalcore.study.runs.run_rows import RunRows
from evalcore.study.tables.problems import Problems
from evalcore.values.arrays import Bools, Offsets


def report_order(rows: RunRows, found: Problems) -> None:
    """Rows in file order: scores that rise within an answer, and queries that come in pieces."""
    same = rows.queries[1:] == rows.queries[:-1]
    rising = np.flatnonzero(same & (rows.scores[1:] > rows.scores[:-1])) + 1
    pieces = int(np.count_nonzero(~same)) + 1 - len(np.unique(rows.queries))
    message = "{n} rows score higher than the row above them; the lists were sorted by score."
    remedy = "Higher scores must mean better results."
    found.counted("unsorted", len(rising), message, remedy, lines=rows.lines[rising[:1]].tolist())
    message = "Answers to queries seen before go on in {n} places; they were put together."
    found.counted("scattered-query", pieces, message, "")


def report_duplicates(rows: RunRows, found: Problems) -> Bools:
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
    found.each(
        "error", "duplicate-candidate",
        "The result {value} is listed already; the better scored one is kept.",
        "Keep one row per query and candidate.",
        lines=rows.lines[bad].tolist(),
        values=[
            f"{rows.candidate_ids[c]} of query {rows.query_ids[q]}"
            for q, c in zip(rows.queries[bad].tolist(), rows.candidates[bad].tolist(), strict=True)
        ],
    )  # fmt: skip
    return keep


def report_ranks(rows: RunRows, indptr: Offsets, found: Problems) -> None:
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
    found.counted("missing-rank", gaps, message, "Check that no results were lost.")
    same = np.ones(len(ranks) - 1, np.bool_)
    same[starts[1:] - 1] = False
    better = same & (rows.scores[:-1] > rows.scores[1:])
    against = int(np.count_nonzero(better & (ranks[:-1] > ranks[1:])))
    turned = against > 0.5 * np.count_nonzero(better)
    message = "{n} results have a better score but a worse rank than the next; the scores decide."
    remedy = "They look like distances: turn them round, so that higher is better." if turned else ""
    found.counted("ranks-disagree", against, message, remedy)


def report_ties(rows: RunRows, indptr: Offsets, found: Problems) -> None:
    """Results of ranked lists that share their score with another result of the same query."""
    equal = rows.scores[1:] == rows.scores[:-1]
    equal[indptr[1:-1] - 1] = False
    tied = int(np.count_nonzero(np.append(equal, False) | np.append(False, equal)))
    message = f"{{n}} of {rows.rows:,} results share their score with another; they stand by image id."
    remedy = "“Equal scores” (--ties) can be averaged over all orders instead."
    found.counted("ties", tied, message, remedy)


def report_depth(rows: RunRows, indptr: Offsets, found: Problems) -> None:
    """Answer lists of different lengths."""
    sizes = np.diff(indptr)
    if sizes.min() == sizes.max():
        return
    shortest = rows.query_ids[rows.queries[indptr[int(np.argmin(sizes))]]]
    message = f"Answers hold {sizes.min():,} to {sizes.max():,} results."
    fewer = int(np.count_nonzero(sizes < sizes.max()))
    found.warning(
        "unequal-depth", message, "Ranks beyond an answer's end count as 0.", value=shortest, count=fewer
    )
