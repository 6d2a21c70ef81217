"""Which queries and candidates a metric is about.

A label metric with ``pool="labelled"`` sees only images that carry its labels: they are the queries and
the candidates, and runs are filtered before any cut. With ``pool="all"`` the queries still need the
label, the candidates do not; metrics of judged images, such as bpref, see labelled ones even then. Every
other metric sees the study's own queries and candidates. Measures of matched pairs ask the queries that have
one, over all candidates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evalcore.ranking.families import METRICS
from evalcore.values.arrays import Bools, Ints, Offsets
from evalcore.values.errors import UnknownName
from evalcore.values.model import Groups, LabelColumn, Study
from evalcore.values.own_queries import PAIRS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.ranking.families import LabelMatch, Metric
    from evalcore.values.own_queries import Pairs
    from evalcore.values.settings import Pool as PoolKind
    from evalcore.values.settings import Settings

# Do two images carry the same label? For millions of pairs, and how many of a pool do.

PAIRS_AT_ONCE = 4_000_000
_NO_QUERY_VALUE, _NO_CANDIDATE_VALUE = -1, -2


@dataclass(frozen=True, slots=True, eq=False)
class LabelTable:
    """Values of one label column, one row per image and one more that never matches (image -1).

    Shape (n_images + 1, most values any image has); value indices ascending, ``_NO_QUERY_VALUE``
    after them.
    """

    values: Ints

    @staticmethod
    def of(column: LabelColumn) -> LabelTable:
        lengths = np.diff(column.indptr)
        width = max(int(lengths.max(initial=0)), 1)
        places = column.indptr[:-1, None] + np.arange(width)
        inside = np.arange(width) < lengths[:, None]
        values = np.full((len(lengths) + 1, width), _NO_QUERY_VALUE, np.int32)
        values[:-1][inside] = column.indices[places[inside]]
        return LabelTable(values)

    def agree(self, queries: Ints, candidates: Ints, match: LabelMatch) -> Bools:
        """For aligned pairs, shape (m,): a value in common ("any"), or the same values ("equal").

        An image without a value agrees with none.
        """
        width = self.values.shape[1]
        if match == "equal":
            same: Bools = self.values[queries, 0] != _NO_QUERY_VALUE
            for k in range(width):
                same &= self.values[queries, k] == self.values[candidates, k]
            return same
        result = np.zeros(len(queries), np.bool_)
        for k in range(width):
            theirs = self.values[candidates, k]
            theirs[theirs == _NO_QUERY_VALUE] = _NO_CANDIDATE_VALUE
            for j in range(width):
                result |= self.values[queries, j] == theirs
        return result


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """Matched pairs in the place of a label column: a candidate agrees with those it was matched with."""

    pairs: Pairs

    def agree(self, queries: Ints, candidates: Ints, _match: LabelMatch) -> Bools:
        """For aligned pairs, shape (m,): are they matched?"""
        return self.pairs.agree(queries, candidates)


def labels_agree(
    tables: Sequence[LabelTable | PairTable], queries: Ints, candidates: Ints, match: LabelMatch
) -> Bools:
    """Do the two images of each pair agree in every one of the label columns? Shape (m,).

    ``queries`` and ``candidates``: aligned image indices, shape (m,) each; -1, an image not in the study,
    agrees with none. ``match``: how values of a column are compared. At least one table.
    """
    agreed = tables[0].agree(queries, candidates, match)
    for table in tables[1:]:
        agreed &= table.agree(queries, candidates, match)
    return agreed


def count_agreeing(
    tables: Sequence[LabelTable | PairTable],
    queries: Ints,
    candidates: Ints,
    match: LabelMatch,
    *,
    include_self: bool,
) -> Offsets:
    """How many of the candidates agree with each query, the query itself aside; shape (len(queries),).

    Images with the same labels are counted once per kind, so the work grows with the number of
    different label combinations squared, not with the number of images squared.
    """
    if isinstance(tables[0], PairTable):
        inside = np.zeros(len(tables[0].pairs.indptr) - 1, np.bool_)
        inside[candidates] = True
        return tables[0].pairs.count(queries, inside, include_self=include_self)
    rows = np.hstack([table.values for table in tables if isinstance(table, LabelTable)])
    query_kinds, query_kind = _kinds(rows, queries)
    candidate_kinds, candidate_kind = _kinds(rows, candidates)
    kind_sizes = np.bincount(candidate_kind, minlength=len(candidate_kinds))
    agreeing = np.zeros(len(query_kinds), np.int64)
    step = max(1, PAIRS_AT_ONCE // max(len(candidate_kinds), 1))
    for first in range(0, len(query_kinds), step):
        some = query_kinds[first : first + step]
        pairs = np.repeat(some, len(candidate_kinds)), np.tile(candidate_kinds, len(some))
        same = labels_agree(tables, *pairs, match).reshape(len(some), -1)
        agreeing[first : first + step] = same @ kind_sizes
    counts = agreeing[query_kind]
    return counts if include_self else counts - np.isin(queries, candidates)


def _kinds(rows: Ints, images: Ints) -> tuple[Ints, Offsets]:
    """One image of each different row of labels, and which of these kinds every image is."""
    _, first, kind = np.unique(rows[images], axis=0, return_index=True, return_inverse=True)
    return images[first], kind.reshape(-1)


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Queries asked and candidates offered under the same label columns (none for relevance metrics).

    ``inside``: shape (n_images + 1,), may this image be returned? Its last entry stands for image -1,
    one not in the study. ``groups``: images that are not independent of each other.
    """

    queries: Ints
    candidates: Ints
    inside: Bools
    tables: tuple[LabelTable | PairTable, ...]
    groups: Groups | None = None


def pool_used(metric: Metric, settings: Settings) -> PoolKind:
    """Which images a metric is about: as the settings say, unless it counts judged images only."""
    return "labelled" if METRICS[metric.family].judged_only else settings.pool


def pool_for(study: Study, metric: Metric, asked: Ints, settings: Settings) -> Pool:
    """The pool of one metric."""
    return pool_of(study, metric.labels, asked, replace(settings, pool=pool_used(metric, settings)))


def pool_of(study: Study, labels: tuple[str, ...], asked: Ints, settings: Settings) -> Pool:
    """The pool of the metrics that need these label columns.

    Raises
    ------
    UnknownName
        The study has no such label column.
    """
    if labels == (PAIRS,) and study.pairs is not None:
        return _pool_of_pairs(study, study.pairs, asked)
    columns = [label_column(study, name) for name in labels]
    labelled = np.ones(len(study.image_ids), np.bool_)
    for column in columns:
        labelled &= column.labelled
    restricted = bool(labels) and settings.pool == "labelled"
    candidates = study.candidates[labelled[study.candidates]] if restricted else study.candidates
    inside = np.zeros(len(study.image_ids) + 1, np.bool_)
    inside[candidates] = True
    # An unknown image that the user chose to keep counts as returned, but it can carry no label.
    inside[-1] = not restricted
    tables = tuple(LabelTable.of(column) for column in columns)
    return Pool(asked[labelled[asked]], candidates, inside, tables, study.groups)


def _pool_of_pairs(study: Study, pairs: Pairs, asked: Ints) -> Pool:
    """Queries that were matched with anything, over all candidates."""
    inside = np.zeros(len(study.image_ids) + 1, np.bool_)
    inside[study.candidates] = inside[-1] = True
    return Pool(asked[pairs.paired[asked]], study.candidates, inside, (PairTable(pairs),), study.groups)


def label_column(study: Study, name: str) -> LabelColumn:
    """A label column by name; UnknownName with the columns there are."""
    columns = study.label_columns
    if name == PAIRS and name not in columns:
        hint = "Matched pairs are read from pairs.csv, with the columns query and candidate."
        raise UnknownName("label column", name, columns, hint)
    if name not in columns:
        hint = "" if columns else "This study has no labels: add a labels.csv with one column per label type."
        raise UnknownName("label column", name, columns, hint)
    return columns[name]
