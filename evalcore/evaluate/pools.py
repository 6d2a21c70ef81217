"""Which queries and candidates a metric is about.

A label metric with ``pool="labelled"`` sees only images that carry its labels: they are the queries and
the candidates, and runs are filtered before any cut. With ``pool="all"`` the queries still need the
label, the candidates do not; metrics of judged images, such as bpref, see labelled ones even then. Every
other metric sees the study's own queries and candidates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.label_match import LabelTable
from evalcore.ranking.families import METRICS
from evalcore.values.arrays import Bools, Ints
from evalcore.values.errors import UnknownName
from evalcore.values.model import Groups, LabelColumn, Study

if TYPE_CHECKING:
    from evalcore.ranking.families import Metric
    from evalcore.values.settings import Pool as PoolKind
    from evalcore.values.settings import Settings


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Queries asked and candidates offered under the same label columns (none for relevance metrics).

    ``inside``: shape (n_images + 1,), may this image be returned? Its last entry stands for image -1,
    one the study does not know. ``groups``: images that are not independent of each other.
    """

    queries: Ints
    candidates: Ints
    inside: Bools
    tables: tuple[LabelTable, ...]
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


def label_column(study: Study, name: str) -> LabelColumn:
    """A label column by name; UnknownName with the columns there are."""
    columns = study.label_columns
    if name not in columns:
        hint = "" if columns else "This study has no labels: add a labels.csv with one column per label type."
        raise UnknownName("label column", name, columns, hint)
    return columns[name]
