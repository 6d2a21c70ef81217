"""Labels from concepts: their file, how many images have each, and what systems score under each choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from evalcore.evaluate.labels_from_concepts import LabelChoice
from evalcore.results.rows import Column, Table, decimals, ends, plain, whole
from evalcore.values.model import Labels, Study
from evalcore.values.writing import pluralize

EVERY = "all"


def reach_text(reach: int | None) -> str:
    """How far below a mapped concept others count, in a cell."""
    return EVERY if reach is None else str(reach)


def choices_table(rows: Sequence[LabelChoice]) -> Table:
    """One metric of one system under one choice of labels a row."""
    columns = (
        Column("reach", lambda row: reach_text(row.reach), "links below").on_page("Links below"),
        Column("metric", None, "metric", plain).on_page("Measure", cell=plain),
        Column("system", None, "system", plain).on_page("System", cell=plain),
        Column("mean", "mean.mean", "mean", decimals).on_page("Mean", "%.3f"),
        *ends("mean."),
        Column("n_scored", "mean.n", "queries", whole).on_page("Queries"),
        Column("n_labelled", None, "images with labels", whole).on_page("Images with labels"),
        Column("rank", None, "rank", whole).on_page("Rank"),
    )
    return Table(rows, columns)


def below_text(reach: int | None) -> str:
    """Which concepts count, as a heading.

    >>> [below_text(reach) for reach in (0, 1, 2, None)]
    ['Those named', '1 link below', '2 links below', 'All below']
    """
    if not reach:
        return "All below" if reach is None else "Those named"
    return f"{pluralize(reach, 'link')} below"


def by_choice_table(rows: Sequence[LabelChoice]) -> Table:
    """The means of one metric of one system a row, one choice a column."""
    means: dict[tuple[str, str], dict[int | None, float]] = {}
    for row in rows:
        means.setdefault((row.metric, row.system), {})[row.reach] = row.mean.mean
    reaches = dict.fromkeys(row.reach for row in rows)
    return Table(
        list(means.items()),
        (
            Column("system", lambda row: row[0][1], "system", plain).on_page("System", cell=plain),
            Column("metric", lambda row: row[0][0], "metric", plain).on_page("Measure", cell=plain),
            *(
                Column(reach_text(reach), partial(_of, reach), reach_text(reach), decimals).on_page(
                    below_text(reach)
                )
                for reach in reaches
            ),
        ),
    )


def _of(reach: int | None, row: tuple[object, Mapping[int | None, float]]) -> float:
    return row[1].get(reach, 0)


def images_table(by_reach: Mapping[int | None, Labels]) -> Table:
    """How many images have each label under each choice; the first choice decides the order."""
    counts: dict[tuple[str, str], dict[int | None, int]] = {}
    for reach, labels in by_reach.items():
        for name, column in labels.columns.items():
            for value, n in enumerate(np.bincount(column.indices, minlength=len(column.values)).tolist()):
                counts.setdefault((name, column.values[value]), {})[reach] = n

    def images(reach: int | None) -> Column:
        title = f"images_{reach_text(reach)}"
        return Column(title, partial(_of, reach), title, whole).on_page(below_text(reach))

    return Table(
        sorted(counts.items(), key=lambda row: (row[0][0], -max(row[1].values()), row[0][1])),
        (
            Column("column", lambda row: row[0][0], "column", plain).on_page("Column", cell=plain),
            Column("label", lambda row: row[0][1], "label", plain).on_page("Label", cell=plain),
            *map(images, by_reach),
        ),
    )


def label_rows(study: Study, labels: Labels) -> tuple[tuple[str, ...], Iterator[tuple[str, ...]]]:
    """Header and rows of labels.csv: one row per image, values joined by ``;``."""
    columns = list(labels.columns.values())
    rows = (
        (image, *(";".join(sorted(column.of_image(i))) for column in columns))
        for i, image in enumerate(study.image_ids)
    )
    return ("ID", *labels.columns), rows
