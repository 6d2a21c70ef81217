"""The one tie rule: score descending, then image id ascending.

Image indices are positions in the sorted ids, so "id ascending" is "index ascending". Every ranking
of the program is ordered here and nowhere else. (trec_eval breaks ties by *descending* id.)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evalcore.values.arrays import Floats, Ints, Offsets


def ranked_order(queries: Ints, scores: Floats, candidates: Ints) -> npt.NDArray[np.intp]:
    """In which order do the rows of a run stand: by query, then best first, ties by candidate index.

    Parameters
    ----------
    queries, scores, candidates
        Aligned, shape (m,). Scores must not be NaN (a reader reports those before ranking).

    Returns
    -------
    permutation, shape (m,)
        Rows taken in this order are grouped by ascending query index and ranked inside each group.
        Rows equal in all three keep their given order.
    """
    lengths = [len(queries), len(scores), len(candidates)]
    if len(set(lengths)) != 1:
        raise ValueError(f"Columns of a run must be equally long. Got {lengths}.")
    same_query, same_score = queries[1:] == queries[:-1], scores[1:] == scores[:-1]
    if not np.all((queries[1:] > queries[:-1]) | (same_query & (scores[1:] <= scores[:-1]))):
        return np.lexsort((candidates, -scores, queries))
    # Most files stand by query and score already; sorting only what is tied is several times faster.
    tied = same_query & same_score
    rows = np.flatnonzero(np.append(tied, False) | np.append(False, tied))
    order = np.arange(len(queries))
    order[rows] = rows[np.lexsort((candidates[rows], -scores[rows], queries[rows]))]
    return order


def offsets_of(sorted_queries: Ints) -> tuple[Ints, Offsets]:
    """The distinct values of a sorted query column and where each one's rows begin (and the last ends).

    Shapes (n,) and (n+1,); an empty column gives no queries and the single offset 0.
    """
    later = np.flatnonzero(sorted_queries[1:] != sorted_queries[:-1]) + 1
    starts = np.concatenate([np.zeros(min(len(sorted_queries), 1), np.int64), later])
    return sorted_queries[starts].astype(np.int32), np.append(starts, len(sorted_queries))


def tie_groups(indptr: Offsets, scores: Floats) -> Offsets:
    """Where each group of equal scores begins, for ranked lists in CSR form: a group never spans lists.

    Returns the starts of the groups with the total number of rows appended, shape (groups + 1,).
    """
    first = np.zeros(len(scores), np.bool_)
    first[indptr[:-1][np.diff(indptr) > 0]] = True
    first[1:] |= scores[1:] != scores[:-1]
    return np.append(np.flatnonzero(first), len(scores)).astype(np.int64)
