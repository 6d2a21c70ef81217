"""Runs: what a system returned for each query, read as a table and ranked over the images.

A row of TREC (query Q0 candidate rank score name), a row of CSV, or JSON ``{query: {candidate: score}}``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evalcore.ranking.order import offsets_of, ranked_order
from evalcore.study.tables.check import first_of
from evalcore.study.tables.ids import positions, report_unknown
from evalcore.study.tables.load import table_reader
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.schema import MISSING_ID, Column, Rows, Rule, Schema
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
    run, report : None when no row but self-hits is left. Self-hits stay in the run and are counted; what is
        reported on order, ranks, ties and depth is about the other rows. Of duplicates the better scored one
        stays; rows are ranked by ``ranking.order``, whatever order or ranks the file has, equal scores by
        id, whether the study knows it or not.
    """
    if not rows.rows:
        return None
    (query_ids, queries_of), (candidate_ids, candidates_of) = rows.codes("query"), rows.codes("candidate")
    query, candidate = positions(query_ids, image_ids), positions(candidate_ids, image_ids)
    results = _Results(
        query[queries_of],
        candidate[candidates_of],
        _places(candidate_ids, candidate)[candidates_of],
        rows.numbers("score"),
        rows.numbers("rank") if rows.has("rank") else None,
        rows.lines,
    )
    unknown_ids = _unknown_ids(rows, query, candidate)
    report_unknown(problems, list(unknown_ids), list(unknown_ids.values()), image_ids, unknown=unknown)
    if unknown == "error":
        _report_duplicates_of_unknown(rows, (results.query < 0) | (results.candidate < 0), problems)
    results = results.where((results.query >= 0) & ((results.candidate >= 0) | (unknown == "zero")))
    _report_self_hits(results, image_ids, problems)
    others = results.where(~results.itself)
    if not others.rows:
        problems.error("no-rows", "No row of this run can be used.", "See the other problems of this file.")
        return None
    _report_order(others, problems)
    results = results.where(ranked_order(results.query, results.scores, results.place))
    results = results.where(_best_of_duplicates(results, image_ids, candidate_ids, problems))
    others = results.where(~results.itself)
    answered, indptr = offsets_of(others.query)
    _report_ranks(others, indptr, problems)
    _report_ties(others, indptr, problems)
    _report_depth(answered, indptr, image_ids, problems)
    _report_unanswered(problems, answered, image_ids, queries)
    return Run.from_arrays(system, *offsets_of(results.query), results.candidate, results.scores)


@dataclass(frozen=True, slots=True, eq=False)
class _Results:
    """Rows of a run by image index, all of shape (m,).

    ``candidate``: -1 for an id that no image has. ``place``: of the candidate's id in the order of all ids.
    ``ranks``: NaN where none is given; None where the file has no ranks.
    """

    query: Ints
    candidate: Ints
    place: Ints
    scores: Floats
    ranks: Floats | None
    lines: Offsets

    @property
    def rows(self) -> int:
        return len(self.scores)

    @property
    def itself(self) -> Bools:
        """Which results are the query itself."""
        same: Bools = self.query == self.candidate
        return same

    def where(self, rows: Bools | npt.NDArray[np.intp]) -> _Results:
        """The same rows, masked or reordered."""
        if rows.dtype == np.bool_ and rows.all():
            return self
        return _Results(
            self.query[rows],
            self.candidate[rows],
            self.place[rows],
            self.scores[rows],
            None if self.ranks is None else self.ranks[rows],
            self.lines[rows],
        )


def _report_duplicates_of_unknown(rows: Rows, unknown: Bools, problems: Problems) -> None:
    """Results listed twice among the rows whose ids no image has, which are left out for that already."""
    rows = rows.where(unknown)
    if not rows.rows:
        return
    bad = rows.where(~first_of(rows, ("query", "candidate"), best="score"))
    pairs = zip(bad.texts("candidate"), bad.texts("query"), strict=True)
    names = [f"{candidate} of query {query}" for candidate, query in pairs]
    problems.each("error", *DUPLICATE, lines=bad.lines.tolist(), values=names)


def _places(ids: Sequence[str], images: Ints) -> Ints:
    """Place of each id in the order of all of them: the image index, unless some ids are unknown (-1)."""
    if (images >= 0).all():
        return images
    places = np.empty(len(ids), np.int32)
    places[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids), dtype=np.int32)
    return places


def _unknown_ids(rows: Rows, query: Ints, candidate: Ints) -> dict[str, int]:
    """{id that no image has: its first line} in the order of the file.

    ``query``, ``candidate``: the images of the distinct ids.
    """
    first: dict[str, int] = {}
    for name, images in (("query", query), ("candidate", candidate)):
        if (images >= 0).all():
            continue
        ids, codes = rows.codes(name)
        missing = np.flatnonzero(images[codes] < 0)
        distinct, at = np.unique(codes[missing], return_index=True)
        for code, line in zip(distinct.tolist(), rows.lines[missing[at]].tolist(), strict=True):
            first[ids[code]] = min(line, first.get(ids[code], line))
    return dict(sorted(first.items(), key=lambda entry: entry[1]))


def _report_self_hits(results: _Results, image_ids: Sequence[str], problems: Problems) -> None:
    if n := int(np.count_nonzero(results.itself)):
        first = int(np.argmax(results.itself))
        message = f"{n:,} {'result is' if n == 1 else 'results are'} the query itself."
        remedy = (
            f"{'It does' if n == 1 else 'They do'} not count unless a query may be among its own candidates "
            "(--include-self)."
        )
        query = image_ids[results.query[first]]
        problems.warning("self-hit", message, remedy, line=int(results.lines[first]), value=query, count=n)


def _report_unanswered(
    problems: Problems, answered: Ints, image_ids: Sequence[str], queries: Ints | None
) -> None:
    wanted = np.arange(len(image_ids)) if queries is None else queries
    missing = [image_ids[i] for i in np.setdiff1d(wanted, answered).tolist()]
    message = f"{{n}} of {len(wanted):,} queries have no answer in this run."
    remedy = "They count as empty lists, unless systems are compared over common queries: queries = common."
    problems.add_summary("missing-query", missing, message, remedy)


# What can be odd about whole answer lists: order, ranks, duplicates, ties, depth. Each with its count.


def _report_order(results: _Results, problems: Problems) -> None:
    """Rows in file order: scores that rise within an answer, and queries that come in pieces."""
    same = results.query[1:] == results.query[:-1]
    rising = np.flatnonzero(same & (results.scores[1:] > results.scores[:-1])) + 1
    pieces = int(np.count_nonzero(~same)) + 1 - len(np.unique(results.query))
    message = "{n} rows score higher than the row above them; the lists were sorted by score."
    remedy = "Higher scores must mean better results."
    problems.add_summary("unsorted", len(rising), message, remedy, lines=results.lines[rising[:1]].tolist())
    message = "{n} answers continue after rows of other queries; their rows were joined."
    problems.add_summary("scattered-query", pieces, message, "")


def _best_of_duplicates(
    results: _Results, image_ids: Sequence[str], candidate_ids: Sequence[str], problems: Problems
) -> Bools:
    """Which of ranked rows to keep: of a result listed twice for a query the better one.

    Each other is an error, unless it is the query itself.
    """
    pair = results.query.astype(np.int64) * (int(results.place.max()) + 1) + results.place
    ordered = np.sort(pair)
    if not (ordered[1:] == ordered[:-1]).any():
        return np.ones(len(pair), np.bool_)
    keep = np.zeros(len(pair), np.bool_)
    keep[np.unique(pair, return_index=True)[1]] = True
    bad = np.flatnonzero(~keep & ~results.itself)
    bad = bad[np.argsort(results.lines[bad], kind="stable")]
    by_place = sorted(candidate_ids) if (results.candidate < 0).any() else image_ids
    problems.each(
        "error",
        *DUPLICATE,
        lines=results.lines[bad].tolist(),
        values=[
            f"{by_place[place]} of query {image_ids[query]}"
            for query, place in zip(results.query[bad].tolist(), results.place[bad].tolist(), strict=True)
        ],
    )
    return keep


def _report_ranks(results: _Results, indptr: Offsets, problems: Problems) -> None:
    """Ranks of ranked lists: missing or with gaps, or saying something else than the scores."""
    if results.ranks is None:
        return
    given = ~np.isnan(results.ranks)
    ranks = np.where(given, results.ranks, np.inf)
    starts = indptr[:-1]
    low = np.minimum.reduceat(ranks, starts)
    high = np.maximum.reduceat(np.where(given, ranks, -np.inf), starts)
    sizes = np.diff(indptr)
    gaps = int((np.where(np.isfinite(high), high - np.minimum(low, 1) + 1, sizes) - sizes).clip(min=0).sum())
    gaps += int(np.count_nonzero(~given))
    message = "{n} ranks are missing; the lists were ranked by score."
    problems.add_summary("missing-rank", gaps, message, "Check that no results were lost.")
    same = np.ones(len(ranks) - 1, np.bool_)
    same[starts[1:] - 1] = False
    better = same & (results.scores[:-1] > results.scores[1:])
    against = int(np.count_nonzero(better & (ranks[:-1] > ranks[1:])))
    turned = against > 0.5 * np.count_nonzero(better)
    message = "{n} results have a better score but a worse rank than the next; the scores decide."
    remedy = "They look like distances: change their sign, so that higher is better." if turned else ""
    problems.add_summary("ranks-disagree", against, message, remedy)


def _report_ties(results: _Results, indptr: Offsets, problems: Problems) -> None:
    """Results of ranked lists that share their score with another result of the same query."""
    equal = results.scores[1:] == results.scores[:-1]
    equal[indptr[1:-1] - 1] = False
    tied = int(np.count_nonzero(np.append(equal, False) | np.append(False, equal)))
    message = f"{{n}} of {results.rows:,} results are tied; ties are listed by image id."
    remedy = "Optional: average over all orders of equal scores: ties = expected."
    problems.add_summary("ties", tied, message, remedy)


def _report_depth(answered: Ints, indptr: Offsets, image_ids: Sequence[str], problems: Problems) -> None:
    """Answer lists of different lengths."""
    sizes = np.diff(indptr)
    if sizes.min() == sizes.max():
        return
    shortest = image_ids[answered[int(np.argmin(sizes))]]
    message = f"Answers contain {sizes.min():,} to {sizes.max():,} results."
    fewer = int(np.count_nonzero(sizes < sizes.max()))
    remedy = "Ranks beyond an answer's end count as 0."
    problems.warning("unequal-depth", message, remedy, value=shortest, count=fewer)
