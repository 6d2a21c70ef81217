"""Runs: what a system returned for each query, read as a table and ranked over the images.

A row of TREC (query Q0 candidate rank score name), a row of CSV, or JSON ``{query: {candidate: score}}``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.ranking.order import offsets_of, ranked_order
from evalcore.study.tables.ids import positions, report_unknown
from evalcore.study.tables.load import table_reader
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.schema import MISSING_ID, Column, Rows, Rule, Schema, first_of
from evalcore.values.arrays import Bools, Floats, Ints, Offsets
from evalcore.values.model import Run
from evalcore.values.settings import Unknown
from evalcore.values.writing import words

_BAD_SCORE = Rule(
    "bad-score",
    "The score {value} is not a number; the row is left out.",
    "Write a number, higher for better.",
)
RUN = Schema(
    (
        Column(words("query, query_id, qid, queryid, query_image"), empty=MISSING_ID, coded=True),
        Column(
            words(
                """
                candidate, candidate_id, doc, docid, docno, doc_id, document, result, retrieved, hit, image,
                image_id, neighbor, neighbour, target
                """
            ),
            empty=MISSING_ID,
            coded=True,
        ),
        Column(
            words("score, scores, similarity, sim"),
            empty=_BAD_SCORE,
            number=_BAD_SCORE,
            infinite=Rule(
                "nan-score",
                "The score is {value}, which cannot be ranked; the row is left out.",
                "Write a finite number, higher for better.",
            ),
        ),
        Column(
            ("rank", "position"),
            required=False,
            empty=None,
            number=Rule(
                "bad-rank",
                "The rank {value} is not a finite number; it counts as missing.",
                "Write 1, 2, 3 and so on.",
            ),
            limit=2.0**53,
            lenient=True,
        ),
    ),
    remedy="Give TREC rows (query Q0 candidate rank score name), CSV rows query,candidate,score, or JSON "
    "{query: {candidate: score}}.",
    what="a run",
    header="optional",
    widths=(3, 4),
    spaces=("query", "", "candidate", "rank", "score", ""),
    nested=True,
    delimiters=",\t; ",
)
"""Header names of CSV runs. A distance is not a score: higher must be better."""
DUPLICATE = Rule(
    "duplicate-candidate",
    "The result {value} is listed already; the better scored one is kept.",
    "Keep one row per query and candidate.",
)


parse_run = table_reader(RUN)
"""The rows of a run in the order of its file; problems of whole lists are reported by `bind_run`."""


def bind_run(
    rows: Rows,
    problems: Problems,
    *,
    system: str,
    image_ids: Sequence[str],
    unknown: Unknown = "error",
    queries: Ints | None = None,
) -> Run | None:
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
    run : None when no row but self-hits is left. Self-hits stay in the run and are counted; what is reported
        on order, ranks, ties and depth is about the other rows. Of duplicates the better scored one stays;
        rows are ranked by ``ranking.order``, whatever order or ranks the file has, equal scores by id,
        whether the study knows it or not.
    """
    if not rows.rows:
        return None
    (query_ids, of_query), (candidate_ids, of_candidate) = rows.codes("query"), rows.codes("candidate")
    query = positions(query_ids, image_ids)[of_query]
    candidate = place = positions(candidate_ids, image_ids)[of_candidate]
    ids = image_ids
    if (candidate < 0).any():  # ids of no image have their place in the order of ids too
        ids = sorted(candidate_ids)
        place = positions(candidate_ids, ids)[of_candidate]
    _report_unknown(rows, query, candidate, problems, image_ids, unknown)
    usable = (query >= 0) & ((candidate >= 0) | (unknown == "zero"))
    columns: Columns = [query, candidate, place, rows.numbers("score"), rows.lines]
    columns += [rows.numbers("rank")] if rows.has("rank") else []
    columns = _where(columns, usable)
    others = _where(columns, columns[0] != columns[1])
    own = np.flatnonzero(columns[0] == columns[1])
    selves = [image_ids[query] for query in columns[0][own].tolist()]
    _remark(problems, "self-hit", selves, line=int(columns[4][own[0]]) if selves else None)
    if not len(others[0]):
        problems.error("no-rows", "No row of this run can be used.", "See the other problems of this file.")
        return None
    _report_order(others[0], others[3], others[4], problems)
    columns = _where(columns, ranked_order(columns[0], columns[3], columns[2]))
    columns = _where(columns, _best_of_duplicates(columns, image_ids, ids, problems))
    others = _where(columns, columns[0] != columns[1])
    answered, indptr = offsets_of(others[0])
    if len(others) > RANK:
        _report_ranks(others[3], others[RANK], indptr, problems)
    _report_answers(others[3], answered, indptr, problems, image_ids, queries)
    return Run.from_arrays(system, *offsets_of(columns[0]), columns[1], columns[3])


Columns = list[Any]
"""Query, candidate, place of the candidate's id, score, line and, where there are any, rank of each row."""
RANK = 5


def _where(columns: Columns, rows: npt.NDArray[Any]) -> Columns:
    """The same rows, masked or reordered; no copy where they are all there, in their order."""
    same = rows.all() if rows.dtype == np.bool_ else (rows == np.arange(len(rows))).all()
    return columns if same else [column[rows] for column in columns]


def _report_unknown(
    rows: Rows, query: Ints, candidate: Ints, problems: Problems, image_ids: Sequence[str], unknown: Unknown
) -> None:
    """Ids that no image has, each at its first line, and results listed twice among the rows left out for
    them."""
    bad = (query < 0) | (candidate < 0)
    if not bad.any():
        return
    first: dict[str, int] = {}
    for name, images in (("query", query), ("candidate", candidate)):
        ids, codes = rows.codes(name)
        missing = np.flatnonzero(images < 0)
        distinct, at = np.unique(codes[missing], return_index=True)
        for code, line in zip(distinct.tolist(), rows.lines[missing[at]].tolist(), strict=True):
            first[ids[code]] = min(line, first.get(ids[code], line))
    lines = dict(sorted(first.items(), key=lambda entry: entry[1]))
    report_unknown(problems, list(lines), list(lines.values()), image_ids, unknown=unknown)
    if unknown == "error":
        left = rows.where(bad)
        twice = left.where(~first_of(left, ("query", "candidate"), best="score"))
        pairs = zip(twice.texts("candidate"), twice.texts("query"), strict=True)
        names = [f"{candidate} of query {query}" for candidate, query in pairs]
        problems.each("error", *DUPLICATE, lines=twice.lines.tolist(), values=names)


# What can be odd about whole answer lists: order, ranks, duplicates, ties, depth. Each with its count.

_REMARKS = {
    "self-hit": (
        "Results that are the query itself: {n}.",
        "They do not count unless a query may be among its own candidates: include_self = true.",
    ),
    "unsorted": (
        "{n} rows score higher than the row above them; the lists were sorted by score.",
        "Higher scores must mean better results.",
    ),
    "scattered-query": ("{n} answers continue after rows of other queries; their rows were joined.", ""),
    "missing-rank": (
        "{n} ranks are missing; the lists were ranked by score.",
        "Check that no results were lost.",
    ),
    "ranks-disagree": (
        "{n} results have a better score but a worse rank than the next; the scores decide.",
        "{all}",
    ),
    "ties": (
        "{n} of {all} results are tied; ties are listed by image id.",
        "Optional: average over all orders of equal scores: ties = expected.",
    ),
    "unequal-depth": ("Answers contain {all} results.", "Ranks beyond an answer's end count as 0."),
    "missing-query": (
        "{n} of {all} queries have no answer in this run.",
        "They count as empty lists, unless systems are compared over common queries: queries = common.",
    ),
}
"""Message and way out of each remark; ``{n}``: how many, ``{all}``: of what, or what else is to be said."""


def _remark(
    problems: Problems, rule: str, cases: Sequence[object] | int, whole: object = "", line: int | None = None
) -> None:
    message, remedy = (text.replace("{all}", f"{whole}") for text in _REMARKS[rule])
    problems.add_summary(rule, cases, message, remedy, lines=[line])


def _report_order(query: Ints, scores: Floats, lines: Offsets, problems: Problems) -> None:
    """Rows in file order: scores that rise within an answer, and queries that come in pieces."""
    same = query[1:] == query[:-1]
    rising = np.flatnonzero(same & (scores[1:] > scores[:-1])) + 1
    _remark(problems, "unsorted", len(rising), line=int(lines[rising[0]]) if len(rising) else None)
    pieces = query[np.append(True, ~same)]
    _remark(problems, "scattered-query", len(pieces) - len(np.unique(pieces)))


def _best_of_duplicates(
    columns: Columns, image_ids: Sequence[str], ids: Sequence[str], problems: Problems
) -> Bools:
    """Which of ranked rows to keep: of a result listed twice for a query the better one.

    Each other is an error, unless it is the query itself. ``ids``: of candidates by their place.
    """
    query, candidate, place, _, lines, *_ = columns
    pair = query.astype(np.int64) * (int(place.max()) + 1) + place
    ordered = np.sort(pair)
    if not (ordered[1:] == ordered[:-1]).any():
        return np.ones(len(pair), np.bool_)
    keep = np.zeros(len(pair), np.bool_)
    keep[np.unique(pair, return_index=True)[1]] = True
    bad = np.flatnonzero(~keep & (query != candidate))
    bad = bad[np.argsort(lines[bad], kind="stable")]
    pairs = zip(query[bad].tolist(), place[bad].tolist(), strict=True)
    names = [f"{ids[place]} of query {image_ids[query]}" for query, place in pairs]
    problems.each("error", *DUPLICATE, lines=lines[bad].tolist(), values=names)
    return keep


def _report_ranks(scores: Floats, ranks: Floats, indptr: Offsets, problems: Problems) -> None:
    """Ranks of ranked lists: missing or with gaps, or saying something else than the scores."""
    has_rank, starts, sizes = ~np.isnan(ranks), indptr[:-1], np.diff(indptr)
    low = np.minimum.reduceat(np.where(has_rank, ranks, np.inf), starts)
    high = np.maximum.reduceat(np.where(has_rank, ranks, -np.inf), starts)
    gaps = int((np.where(np.isfinite(high), high - np.minimum(low, 1) + 1, sizes) - sizes).clip(min=0).sum())
    _remark(problems, "missing-rank", gaps + int(np.count_nonzero(~has_rank)))
    better = scores[:-1] > scores[1:]
    better[starts[1:] - 1] = False
    ranks = np.where(has_rank, ranks, np.inf)
    against = int(np.count_nonzero(better & (ranks[:-1] > ranks[1:])))
    turned = "They look like distances: change their sign, so that higher is better."
    most = against > 0.5 * np.count_nonzero(better)
    _remark(problems, "ranks-disagree", against, turned if most else "")


def _report_answers(
    scores: Floats,
    answered: Ints,
    indptr: Offsets,
    problems: Problems,
    image_ids: Sequence[str],
    queries: Ints | None,
) -> None:
    """Results that share their score with another of the same query, answers of different lengths, and
    queries without any."""
    equal = scores[1:] == scores[:-1]
    equal[indptr[1:-1] - 1] = False
    tied = int(np.count_nonzero(np.append(equal, False) | np.append(False, equal)))
    _remark(problems, "ties", tied, f"{len(scores):,}")
    sizes = np.diff(indptr)
    shorter = [
        image_ids[i] for i in answered[np.argsort(sizes, kind="stable")][: (sizes < sizes.max()).sum()]
    ]
    _remark(problems, "unequal-depth", shorter, f"{sizes.min():,} to {sizes.max():,}")
    wanted = np.arange(len(image_ids)) if queries is None else queries
    missing = [image_ids[i] for i in np.setdiff1d(wanted, answered).tolist()]
    _remark(problems, "missing-query", missing, f"{len(wanted):,}")
